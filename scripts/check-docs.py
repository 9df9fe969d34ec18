#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks what the documents say about the source tree.

    check-docs.py [FOLDER]

Each link must lead to a file, and to a heading in it. Each named source file must exist. Each
folder of src with sources must have a README.md. The schema's version must be the same everywhere.
No line of prose may be longer than 100 columns, except output of programs and table cells, which
cannot be wrapped. Prints each breach; the exit status is 1 if there is one.
"""
import os
import re
import sys

LINK = re.compile(r'\[[^\]]*\]\(([^)#\s]*)(?:#([^)\s]*))?\)')
NAMED = re.compile(r'`([\w./-]+\.(?:c|h|S|py|sh|sql))`')
MOST_COLUMNS = 100
# Files of users or other projects, in examples.
OTHERS = re.compile(r'^(?:/|\.\./)|(?:^|/)cmd_x\.c$')


def files():
    """Every file of the tree, except built ones."""
    for at, folders, names in os.walk('.'):
        folders[:] = [f for f in folders if not f.startswith(('.', 'build'))]
        yield from (os.path.relpath(os.path.join(at, name)) for name in names)


def documents():
    return {name: open(name).read() for name in files() if name.endswith('.md')}


def tree():
    """Every path, and every suffix of one."""
    ends = set()
    for name in files():
        parts = name.split('/')
        ends.update('/'.join(parts[i:]) for i in range(len(parts)))
    return ends


def without_examples(text):
    return re.sub(r'^```.*?^```', '', text, flags=re.M | re.S)


def headings(text):
    """The anchors of a document's headings, as GitHub makes them."""
    return {re.sub(r'[^\w -]', '', h.lower()).replace(' ', '-')
            for h in re.findall(r'^#+ (.*?)\s*$', without_examples(text), re.M)}


def dead_links(name, text):
    for target, anchor in LINK.findall(without_examples(text)):
        path = os.path.normpath(os.path.join(os.path.dirname(name), target)) if target else name
        if '://' not in target and not os.path.exists(path):
            yield '%s: the link to %s leads nowhere' % (name, target)
        elif anchor and path.endswith('.md') and anchor not in headings(open(path).read()):
            yield '%s: %s has no heading #%s' % (name, target or name, anchor)


def dead_names(name, text, ends):
    for file in set(NAMED.findall(without_examples(text))):
        if file not in ends and not OTHERS.search(file):
            yield '%s: names %s, which does not exist' % (name, file)


def long_lines(name, text):
    """Of documents; of manual pages, every line."""
    in_example = False
    for number, line in enumerate(text.split('\n'), 1):
        in_example ^= line.startswith('```')
        if len(line) > MOST_COLUMNS and not in_example and not line.startswith('|'):
            yield '%s:%d: %d columns' % (name, number, len(line))


def without_readme():
    """Folders of src with sources but without a README.md."""
    for at, _, names in os.walk('src'):
        if any(n.endswith(('.c', '.h', '.S')) for n in names) and 'README.md' not in names:
            yield '%s: has no README.md' % at


def manual_pages():
    return {name: open(name).read() for name in files() if re.search(r'^docs/man/.*\.[17]$', name)}


def schema_versions():
    """(place, version) for each place with the version."""
    for file, pattern in (('src/store/schema.sql',
                           r"user_version = the schema's version \((\d+)\)"),
                          ('docs/schema.md', r'user_version\D{0,40}?(\d+)'),
                          ('src/store/private.h', r'#define STORE_SCHEMA_VERSION (\d+)')):
        if os.path.exists(file):
            found = re.search(pattern, open(file).read())
            if found:
                yield file, int(found.group(1))


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, '..'))
    breaches, ends = [], tree()
    for name, text in sorted(documents().items()):
        breaches += dead_links(name, text)
        breaches += dead_names(name, text, ends)
        breaches += long_lines(name, text)
    for name, text in sorted(manual_pages().items()):
        breaches += long_lines(name, text)
    breaches += without_readme()
    versions = dict(schema_versions())
    if len(set(versions.values())) != 1:
        breaches.append("the schema's version differs: %s" %
                        ', '.join('%s %d' % v for v in versions.items()))
    print('\n'.join(breaches))
    sys.exit(len(breaches) > 0)


if __name__ == '__main__':
    main()
