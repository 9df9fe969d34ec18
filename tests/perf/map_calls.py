#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The price of system calls about memory under Dwell, as multiples of their native price.

bench_map_calls measures each call in processor time, with N, 2N and 4N mappings beside. Natively
and in each mode it runs --repeat times in turn, and the least time counts. Fails if a call costs
more than --bar times its native price, or grows more than 4.5 times from N to 4N.
"""
import argparse
import os
import subprocess
import sys
import tempfile

MODES = [['record', '--mode', 'count'], ['record'], ['simulate']]
GROWTH = 4.5


def times(command):
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if run.returncode:
        sys.exit('%s: status %d\n%s' % (' '.join(command), run.returncode, run.stderr))
    rows = (line.split() for line in run.stdout.splitlines())
    return {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdigit()}


def least(all_times):
    return {name: max(1, min(t[name] for t in all_times)) for name in all_times[0]}


def measure(a, mappings, folder):
    """Natively and in each mode: the least time of each call."""
    program = [a.program, str(mappings), str(a.rounds)]
    out = os.path.join(folder, 'out.db')
    commands = [program] + [[a.dwell] + mode + ['-o', out, '--'] + program for mode in MODES]
    rounds = [[times(command) for command in commands] for _ in range(a.repeat)]
    return [least([r[i] for r in rounds]) for i in range(len(commands))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--dwell', required=True)
    parser.add_argument('--program', required=True)
    parser.add_argument('--mappings', type=int, default=1000, help='N')
    parser.add_argument('--rounds', type=int, default=2000, help='calls of each kind')
    parser.add_argument('--repeat', type=int, default=3)
    parser.add_argument('--bar', type=float, default=3)
    a = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        by_size = [measure(a, a.mappings * k, folder) for k in (1, 2, 4)]
    names = ['native'] + [' '.join(mode) for mode in MODES]
    wrong = []
    for call, native in by_size[0][0].items():
        print('%-16s %6d ns' % (call, native), end='')
        for i, mode in enumerate(names):
            growth = by_size[2][i][call] / by_size[0][i][call]
            if i == 0:
                print('  x4: %.1f' % growth, end='')
                continue
            ratio = max(size[i][call] / size[0][call] for size in by_size)
            print('   %s %.1f, x4: %.1f' % (mode, ratio, growth), end='')
            if ratio > a.bar:
                wrong.append('%s under %s costs %.1f times its native price' % (call, mode, ratio))
            if growth > GROWTH:
                wrong.append('%s under %s: 4N costs %.1f times N' % (call, mode, growth))
        print()
    print('\n'.join(wrong))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
