#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Moves parts of a lackey trace to other addresses, as if memory had been placed there.

    move_trace.py FIRST:END:BY... <trace >moved

Data accesses from FIRST up to END, hexadecimal, move up by BY bytes; with BY "-" they are left out.
This simulates a program at other addresses without any other difference: see
docs/results/simulation.md.
"""
import sys


def parse(word):
    first, end, by = word.split(':')
    return int(first, 16), int(end, 16), None if by == '-' else int(by, 16)


def moved(line, parts):
    """The line with its access where it is now, or '' when it is left out; fetches stay."""
    if line[:1] != ' ' or line[1:2] not in ('L', 'S', 'M'):
        return line
    address, size = line[3:].split(',')
    for first, end, by in parts:
        if first <= int(address, 16) < end:
            return '' if by is None else '%s%x,%s' % (line[:3], int(address, 16) + by, size)
    return line


def main():
    try:
        parts = [parse(word) for word in sys.argv[1:]]
        if not parts:
            raise ValueError
    except ValueError:
        print('usage: move_trace.py FIRST:END:BY... <trace >moved', file=sys.stderr)
        return 2
    for line in sys.stdin:
        sys.stdout.write(moved(line, parts))
    return 0


if __name__ == '__main__':
    sys.exit(main())
