#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks the layout of Python: no line over 100 columns, no white space at the end of one, no tabs.

    check-python.py [FOLDER]

What a text of several lines quotes, a program or a query, has its own layout. Prints each breach;
the exit status is 1 if there is one.
"""
import os
import sys
import tokenize

MOST_COLUMNS = 100
FOLDERS = ['scripts', 'tests', 'examples', 'docs', 'completions']


def files():
    for folder in FOLDERS:
        for at, _, names in os.walk(folder):
            yield from (os.path.join(at, name) for name in sorted(names) if name.endswith('.py'))


def quoted_lines(path):
    """The numbers of lines inside texts of several lines, but for documentation."""
    quoted, before = set(), None
    with tokenize.open(path) as f:
        for t in tokenize.generate_tokens(f.readline):
            is_first = before in (None, tokenize.NEWLINE, tokenize.INDENT)
            if t.type == tokenize.STRING and t.start[0] != t.end[0] and not is_first:
                quoted.update(range(t.start[0], t.end[0] + 1))
            if t.type not in (tokenize.NL, tokenize.COMMENT):
                before = t.type
    return quoted


def breaches(path):
    quoted = quoted_lines(path)
    with tokenize.open(path) as f:
        for number, line in enumerate(f, 1):
            text = line.rstrip('\n')
            if number in quoted:
                continue
            if len(text) > MOST_COLUMNS:
                yield '%s:%d: %d columns' % (path, number, len(text))
            if text != text.rstrip() or '\t' in text:
                yield '%s:%d: white space at the end, or a tab' % (path, number)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, '..'))
    found = [breach for path in files() for breach in breaches(path)]
    print('\n'.join(found))
    sys.exit(len(found) > 0)


if __name__ == '__main__':
    main()
