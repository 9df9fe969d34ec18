#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What `dwell simulate --data` costs: CPU time, engine and collector, over plain `dwell simulate`.

    bench_data.py [-n RUNS] [--only EXPRESSION] [--dwell PATH]

Default caches. Runs with and without take turns; of each pair counts the ratio, of these the
median. Exit status 1 when the geometric mean, or a program, misses its bar.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

import bench
import bench_simulate

PROGRAMS = {
    'gzip': (2, 'gzip -9 -c $IN/text'),
    'bzip2': (6, 'bzip2 -9 -c $IN/text'),
    'xz': (1, 'xz -6 -T1 -c $IN/text'),
    'sqlite3': (1, 'sqlite3 :memory: ".read $IN/job.sql"'),
    'perl': (1, 'perl $IN/job.pl 8'),
    'python3': (1, '/usr/bin/python3 $IN/job.py 8'),
    'cc1': (1, '$CC1 -quiet -O1 $IN/steps.i -o /dev/null'),
}
SMALL = 'tree', 'blocks', 'join', 'matrix'  # of bench_data.c
MEAN_BAR, BAR = 1.3, 1.8


def command_for(name, base):
    if name not in SMALL:
        return bench.command_for(name, base, False)
    binary = os.path.join(base, 'small')
    if not os.path.exists(binary):
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'bench_data.c')
        subprocess.run(['gcc', '-O2', '-o', binary, source], check=True)
    return [binary, name]


def seconds(options, more, argv, base):
    command = [options.dwell, 'simulate', '-q', '-o', os.path.join(base, 'simulated.db')] + more
    with open(os.devnull, 'wb') as out:
        return bench.cpu_seconds(command + ['--'] + argv, out)[0]


def measure(options, name, base):
    argv = command_for(name, base)
    pairs = [(seconds(options, [], argv, base), seconds(options, ['--data'], argv, base))
             for _ in range(options.runs)]
    ratio = statistics.median(data / plain for plain, data in pairs)
    plain, data = (min(pair[i] for pair in pairs) for i in (0, 1))
    print('%-8s %8.2f %8.2f %8.2f' % (name, plain, data, ratio), flush=True)
    return ratio


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    p.add_argument('-n', '--runs', type=int, default=3)
    p.add_argument('--dwell', default='build/dwell')
    p.add_argument('--only', default='', help='programs whose name matches')
    options = p.parse_args()
    options.dwell = os.path.abspath(options.dwell)
    bench.PROGRAMS = PROGRAMS
    names = [n for n in (*PROGRAMS, *SMALL) if re.search(options.only, n)]
    if not names:
        sys.exit('bench_data.py: nothing matches')
    print('%-8s %8s %8s %8s' % ('program', 'plain s', 'data s', 'ratio'))
    with tempfile.TemporaryDirectory() as base:
        ratios = [measure(options, name, base) for name in names]
    mean = bench_simulate.mean(ratios)
    print('geometric mean %19.2f' % mean)
    return 1 if mean > MEAN_BAR or max(ratios) > BAR else 0


if __name__ == '__main__':
    sys.exit(main())
