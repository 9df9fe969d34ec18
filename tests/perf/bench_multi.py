#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost of seven hierarchies of caches in one run, relative to one.

CPU time of `dwell simulate`, engine and collector, with one hierarchy and with six more by --also,
in turn; the fastest run of each counts.

    bench_multi.py [-n RUNS] [--only EXPRESSION] [--more OPTIONS] [--dwell PATH]

Programs run for about a quarter second natively. Exit status 1 when the geometric mean is above
the bar, 3.
"""
import argparse
import os
import re
import shutil
import sys
import tempfile

import bench

ONE = ['--cache=L1i=32K,8,64', '--cache=L1d=32K,8,64', '--cache=LL=8M,16,64']
ALSO = ['L1i=16K,4,64 L1d=16K,4,64 LL=8M,16,64', 'L1i=32K,8,64 L1d=48K,12,64 LL=8M,16,64',
        'L1i=64K,4,64 L1d=64K,4,64 LL=4M,16,64', 'L1i=32K,8,64 L1d=32K,8,64 LL=2M,16,64',
        'L1i=32K,8,64 L1d=32K,8,64 LL=32M,16,64', 'L1i=32K,8,64 L1d=64K,16,64 LL=16M,16,64']
BAR = 3


def measure(argv, base, options):
    """Least CPU seconds with one hierarchy and with seven."""
    simulate = [options.dwell, 'simulate', '-q', '-o', os.path.join(base, 'run.db')] + ONE
    least = {}
    for _ in range(options.runs):
        for variant, more in ('one', []), ('seven', ['--also=' + caches for caches in ALSO]):
            with open(os.devnull, 'wb') as out:
                cpu, _ = bench.cpu_seconds(simulate + more + options.more.split() + ['--'] + argv,
                                           out)
            least[variant] = min(cpu, least.get(variant, cpu))
    return least['one'], least['seven']


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    p.add_argument('-n', '--runs', type=int, default=1)
    p.add_argument('--dwell', default='build/dwell')
    p.add_argument('--only', default='')
    p.add_argument('--more', default='', help='more options of dwell simulate')
    options = p.parse_args()
    options.dwell = os.path.abspath(options.dwell)
    base = tempfile.mkdtemp(prefix='dwell-bench-')
    os.environ.update(LC_ALL='C', PYTHONHASHSEED='0')
    ratios = []
    try:
        print('%-10s %9s %9s %7s' % ('program', 'one s', 'seven s', 'ratio'))
        for name in [n for n in bench.PROGRAMS if re.search(options.only, n)]:
            one, seven = measure(bench.command_for(name, base, True), base, options)
            ratios.append(seven / one)
            print('%-10s %9.2f %9.2f %7.2f' % (name, one, seven, seven / one), flush=True)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    mean = bench.geometric_mean(ratios)
    print('geometric mean %.2f, bar %d' % (mean, BAR))
    return 1 if mean > BAR else 0


if __name__ == '__main__':
    sys.exit(main())
