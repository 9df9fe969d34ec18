#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What simulating caches costs: CPU time of `dwell simulate`, engine and collector, against
Cachegrind and Callgrind with the same caches and input, and against the program alone.

    bench_simulate.py [-n RUNS] [--only EXPRESSION] [--more OPTIONS] [--no-valgrind] [--dwell PATH]

Programs run for about half a second natively. Of Dwell and the program alone the least time of
all runs counts; Valgrind runs once. Ratios and their geometric means are printed.
"""
import argparse
import math
import os
import re
import shutil
import sys
import tempfile

import bench

# As in bench.py, for shorter runs.
PROGRAMS = {
    'gzip': (8, 'gzip -9 -c $IN/text'),
    'bzip2': (15, 'bzip2 -9 -c $IN/text'),
    'xz': (2, 'xz -6 -T1 -c $IN/text'),
    'sqlite3': (6, 'sqlite3 :memory: ".read $IN/job.sql"'),
    'python3': (1, '/usr/bin/python3 $IN/job.py 30'),
    'perl': (1, 'perl $IN/job.pl 30'),
    'cc1': (1, '$CC1 -quiet -O1 $IN/steps.i -o /dev/null'),
}
CACHES = {'L1i': ('I1', '32768,8,64'), 'L1d': ('D1', '32768,8,64'), 'LL': ('LL', '8388608,16,64')}
BARS = {'callgrind': 12, 'cachegrind': 5}


def commands(argv, base, options):
    profile = os.path.join(base, 'simulated.db')
    sizes = ['--%s=%s' % CACHES[k] for k in CACHES]
    ours = ['--cache=%s=%s' % (k, CACHES[k][1]) for k in CACHES]
    found = {
        'native': argv,
        'dwell': [options.dwell, 'simulate', '-q', '-o', profile] + ours + options.more.split() + ['--'] + argv,
    }
    if not options.no_valgrind:
        found['cachegrind'] = ['valgrind', '-q', '--tool=cachegrind', '--cache-sim=yes',
                               '--cachegrind-out-file=/dev/null'] + sizes + argv
        found['callgrind'] = ['valgrind', '-q', '--tool=callgrind', '--cache-sim=yes',
                              '--callgrind-out-file=/dev/null'] + sizes + argv
    return found


def measure(name, base, options):
    argv = bench.command_for(name, base, False)
    times = {}
    for variant, command in commands(argv, base, options).items():
        for _ in range(options.runs if variant in ('native', 'dwell') else 1):
            with open(os.devnull, 'wb') as out:
                cpu, _ = bench.cpu_seconds(command, out)
            times[variant] = min(cpu, times.get(variant, cpu))
            for old in 'simulated.db', 'simulated.db.old':
                if os.path.exists(os.path.join(base, old)):
                    os.unlink(os.path.join(base, old))
    return times


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    p.add_argument('-n', '--runs', type=int, default=2)
    p.add_argument('--dwell', default='build/dwell')
    p.add_argument('--only', default='')
    p.add_argument('--more', default='', help='more options of dwell simulate')
    p.add_argument('--no-valgrind', action='store_true')
    options = p.parse_args()
    options.dwell = os.path.abspath(options.dwell)
    base = tempfile.mkdtemp(prefix='dwell-bench-')
    bench.PROGRAMS = PROGRAMS
    ratios = {}
    try:
        for name in [n for n in PROGRAMS if re.search(options.only, n)]:
            t = measure(name, base, options)
            line = '%-8s %6.2f s native %7.2f s dwell (%5.1f x)' % (name, t['native'], t['dwell'], t['dwell'] / t['native'])
            ratios.setdefault('native', []).append(t['native'] / t['dwell'])
            for tool in [v for v in BARS if v in t]:
                ratios.setdefault(tool, []).append(t[tool] / t['dwell'])
                line += '  %s %7.2f s (%4.1f x)' % (tool, t[tool], t[tool] / t['dwell'])
            print(line, flush=True)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    print('slowdown, geometric mean: %.1f' % (1 / mean(ratios['native'])))
    bad = False
    for tool in [v for v in BARS if v in ratios]:
        print('%s takes %.1f times as long, geometric mean (bar: %d)' % (tool, mean(ratios[tool]), BARS[tool]))
        bad |= mean(ratios[tool]) < BARS[tool]
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
