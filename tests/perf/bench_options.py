#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What options of `dwell simulate` cost: CPU time, engine and collector, over that without the
option.

    bench_options.py [-n RUNS] [--only EXPRESSION] [--options EXPRESSION] [--dwell PATH]

The programs, inputs and caches of bench_simulate.py. Runs with each option take turns with the one
without; of each the least time counts. Exit status 1 when a geometric mean misses its bar.
"""
import argparse
import math
import os
import re
import sys
import tempfile

import bench
import bench_simulate

# Options of dwell simulate or of the engine, and the most that they may cost.
OPTIONS = {
    '--jumps': 1.3,
    '--context=2': 1.3,
    '--separate-threads': 1.3,
    '--write-backs': 1.6,
    '--machine=zen4': 1.6,
    '--machine=host': None,
    '--cache=DTLB=64,4,4K': 1.6,
    '--line-use': 2,
    '--line-use=all': 4,
    'vector=0': 2,
}
CACHES = ['--cache=%s=%s' % (level, shape) for level, (_, shape) in bench_simulate.CACHES.items()]


def seconds(options, option, argv, base):
    """CPU time with an option of the command, of the engine, or without ('')."""
    is_command = option.startswith('--')
    caches = [] if option.startswith('--machine') else CACHES
    os.environ['DWELL_ENGINE_OPTIONS'] = '' if is_command else option
    command = [options.dwell, 'simulate', '-q', '-o', os.path.join(base, 'simulated.db')] + caches
    with open(os.devnull, 'wb') as out:
        return bench.cpu_seconds(command + ([option] if is_command else []) + ['--'] + argv, out)[0]


def measure(options, name, chosen, base):
    """The price of each chosen option."""
    argv = bench.command_for(name, base, False)
    least = {option: math.inf for option in ['', *chosen]}
    for _ in range(options.runs):
        for option in least:
            least[option] = min(least[option], seconds(options, option, argv, base))
    return [least[option] / least[''] for option in chosen]


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    p.add_argument('-n', '--runs', type=int, default=2)
    p.add_argument('--dwell', default='build/dwell')
    p.add_argument('--only', default='', help='programs whose name matches')
    p.add_argument('--options', default='', help='options that match')
    options = p.parse_args()
    options.dwell = os.path.abspath(options.dwell)
    bench.PROGRAMS = bench_simulate.PROGRAMS
    names = [n for n in bench.PROGRAMS if re.search(options.only, n)]
    chosen = [o for o in OPTIONS if re.search(options.options, o)]
    if not names or not chosen:
        sys.exit('bench_options.py: nothing matches')
    with tempfile.TemporaryDirectory() as base:
        prices = []
        for name in names:
            prices.append(measure(options, name, chosen, base))
            print('%s done' % name, file=sys.stderr, flush=True)
    missed = 0
    print('%-22s %s %7s %5s' % ('', ' '.join('%8s' % n for n in names), 'mean', 'bar'))
    for i, option in enumerate(chosen):
        of_each = [row[i] for row in prices]
        mean, bar = bench_simulate.mean(of_each), OPTIONS[option]
        missed += bar is not None and mean > bar
        print('%-22s %s %7.2f %5s' % (option, ' '.join('%8.2f' % ratio for ratio in of_each), mean,
                                      bar or ''))
    return 1 if missed else 0


if __name__ == '__main__':
    sys.exit(main())
