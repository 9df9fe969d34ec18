#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost of simulating caches: CPU time of `dwell simulate`, engine and collector, against
Cachegrind and Callgrind with the same caches and input, and against the program alone.

    bench_simulate.py [-n RUNS] [--only EXPRESSION] [--what all|data] [--more OPTIONS]
                      [--no-valgrind] [--dwell PATH]

Programs run for about half a second natively. Of Dwell and the program alone the least time of
all runs counts; Valgrind runs once. Exit status 1 when a geometric mean misses its bar.
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
# What is simulated: options of dwell simulate, and how many times as long Valgrind's tools must
# take.
WHAT = {
    'all': ([], {'callgrind': 8}),
    'data': (['--no-call-graph', '--no-instructions'], {'callgrind': 12, 'cachegrind': 5}),
}
TOOLS = 'callgrind', 'cachegrind'


def commands(argv, base, options):
    profile = os.path.join(base, 'simulated.db')
    sizes = ['--%s=%s' % CACHES[k] for k in CACHES]
    ours = ['--cache=%s=%s' % (k, CACHES[k][1]) for k in CACHES]
    found = {'native': argv}
    for what in [w for w in WHAT if re.search(options.what, w)]:
        found[what] = ([options.dwell, 'simulate',
                        '-q', '-o', profile] + ours + WHAT[what][0] + options.more.split() +
                       ['--'] + argv)
    for tool in TOOLS if not options.no_valgrind else ():
        found[tool] = ['valgrind', '-q', '--tool=' + tool, '--cache-sim=yes',
                       '--%s-out-file=/dev/null' % tool] + sizes + argv
    return found


def measure(name, base, options):
    argv = bench.command_for(name, base, False)
    times = {}
    for variant, command in commands(argv, base, options).items():
        for _ in range(1 if variant in TOOLS else options.runs):
            with open(os.devnull, 'wb') as out:
                cpu, _ = bench.cpu_seconds(command, out)
            times[variant] = min(cpu, times.get(variant, cpu))
            for old in 'simulated.db', 'simulated.db.old':
                if os.path.exists(os.path.join(base, old)):
                    os.unlink(os.path.join(base, old))
    return times


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def show(name, times):
    line = '%-8s native %5.2f' % (name, times['native'])
    for what in [w for w in times if w != 'native']:
        line += '  %s %6.2f' % (what, times[what])
        line += ' (%.1f x native)' % (times[what] / times['native']) if what in WHAT else ''
    print(line, flush=True)


def show_means(what, runs):
    """Are Valgrind's tools as many times slower as they must be?"""
    print('%s: %.1f times the native run, geometric mean' %
          (what, mean([t[what] / t['native'] for t in runs])))
    good = True
    for tool, bar in WHAT[what][1].items():
        if tool in runs[0]:
            times = mean([t[tool] / t[what] for t in runs])
            print('%s: %s takes %.1f times as long (bar: %d; %s)' %
                  (what, tool, times, bar, ' '.join('%.1f' % (t[tool] / t[what]) for t in runs)))
            good &= times >= bar
    return good


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    p.add_argument('-n', '--runs', type=int, default=2)
    p.add_argument('--dwell', default='build/dwell')
    p.add_argument('--only', default='')
    p.add_argument('--more', default='', help='more options of dwell simulate')
    p.add_argument('--what', default='', help='all, data, or both (a regular expression)')
    p.add_argument('--no-valgrind', action='store_true')
    options = p.parse_args()
    options.dwell = os.path.abspath(options.dwell)
    base = tempfile.mkdtemp(prefix='dwell-bench-')
    bench.PROGRAMS = PROGRAMS
    print('CPU seconds; all: I1, D1, LL and the call graph; data: D1 and LL alone')
    runs = []
    try:
        for name in [n for n in PROGRAMS if re.search(options.only, n)]:
            runs.append(measure(name, base, options))
            show(name, runs[-1])
    finally:
        shutil.rmtree(base, ignore_errors=True)
    return 0 if all(list(show_means(what, runs) for what in WHAT if what in runs[0])) else 1


if __name__ == '__main__':
    sys.exit(main())
