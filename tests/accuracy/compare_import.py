#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each function of files of Callgrind, imported, against callgrind_annotate.

    compare_import.py --dwell PATH FILE...

FILE is what `valgrind --tool=callgrind` wrote, without --separate-callers. Own costs are
compared for all names, inclusive ones for names of only one function; both for the file's first
event. The exit status is 0 if all agree: own costs exactly, inclusive ones within 3 events, as
Callgrind's own sums are off by up to that.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

SLACK = 3
RECURSION = re.compile(r"'\d+$")


def annotate(path, *options):
    """function -> [cost] of its lines."""
    out = subprocess.run(['callgrind_annotate', '--threshold=100', '--auto=no', '--show-percs=no',
                          *options, path],
                         check=True, capture_output=True, text=True).stdout
    functions, begun = collections.defaultdict(list), False
    for line in out.splitlines():
        found = re.match(r'\s*([\d,]+)(?:\s+(?:[\d,]+|\.))*\s+(\S.*)$', line)
        if not found:
            continue
        name = re.sub(r' \[[^]]*\]$', '', found.group(2))
        if name == 'PROGRAM TOTALS':
            begun = True
        elif begun and ':' in name:
            functions[name.split(':', 1)[1]].append(int(found.group(1).replace(',', '')))
    return functions


def report(dwell, path):
    with tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(folder, 'profile.db')
        subprocess.run([dwell, 'import', path, '-o', profile], check=True)
        return json.loads(subprocess.run([dwell, 'report', '-i', profile, '--format=json'],
                                         check=True,
                                         capture_output=True, text=True).stdout)


def compare_self(found, path, event):
    wanted, have = collections.Counter(), collections.Counter()
    for name, costs in annotate(path).items():
        wanted[RECURSION.sub('', name)] += sum(costs)
    for row in found['rows']:
        have[row['name']] += row['self'][event]
    return len(wanted), [(n, have[n], wanted[n]) for n in wanted if have[n] != wanted[n]]


def compare_inclusive(found, path, event):
    rows = collections.defaultdict(list)
    for row in found['rows']:
        rows[row['name']].append(row['inclusive'][event])
    count, different = 0, []
    for name, costs in annotate(path, '--inclusive=yes').items():
        # The costs of code inlined from other files have lines of their own.
        if RECURSION.search(name) or len(rows[name]) != 1:
            continue
        count += 1
        if abs(max(costs) - rows[name][0]) > SLACK:
            different.append((name, rows[name][0], max(costs)))
    return count, different


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--dwell', required=True)
    parser.add_argument('files', nargs='+')
    arguments = parser.parse_args()
    failed = 0
    for path in arguments.files:
        found = report(arguments.dwell, path)
        for what, compare in [('own', compare_self), ('inclusive', compare_inclusive)]:
            count, different = compare(found, path, found['sort'])
            print('%s: %s costs of %d functions, %d differ' % (path, what, count, len(different)))
            for name, have, wanted in different[:10]:
                print('    %s: %d, and callgrind_annotate %d' % (name, have, wanted))
            failed += len(different)
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
