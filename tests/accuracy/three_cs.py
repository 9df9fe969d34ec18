#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Cold, conflict and capacity misses of real programs, in a set-associative cache and a
direct-mapped one.

    three_cs.py [--build DIR] [--runs N] [--only EXPRESSION]

Each program runs under `dwell simulate --data` and with --conflicts, at the same addresses. Prints
for each level of both hierarchies the misses and their three shares; and CPU time over that of
--data, the best of N runs each. Exit status 1 if --conflicts changes misses or cold ones, or if
sums of evictions are not those of bins. Minutes.
"""
import argparse
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in 'cli', 'perf':
    sys.path.insert(0, os.path.join(HERE, '..', folder))
import bench  # noqa: E402
import simulate_common  # noqa: E402
from seven_programs import PROGRAMS  # noqa: E402
from simulate_common import ask  # noqa: E402

FIRST = {'8 ways': 'L1d=32K,8,64', 'direct-mapped': 'L1d=32K,1,64'}
REST = ['L1i=32K,8,64', 'LL=1M,16,64']
LEVELS = 'L1d', 'LL'


def counted(which, first, command):
    """({cache: sums of bins}, {cache: sums of evictions}, CPU seconds)."""
    before = os.times()
    status, _, err = simulate_common.run('simulate', '-q', which,
                                         '-o', 'run.db', *('--cache=' + c for c in [first] + REST),
                                         '--', *command)
    after = os.times()
    if status != 0 or err:
        sys.exit('%s: %d: %s' % (command[0], status, err))
    sums = [{cache: numbers for cache, *numbers in ask(query)} for query in (
        'SELECT cache, sum(misses), sum(cold), sum(by_self), sum(conflicts) FROM bin GROUP BY 1',
        'SELECT cache, sum(misses), sum(conflicts) FROM eviction GROUP BY 1')]
    return (*sums, after.children_user + after.children_system - before.children_user -
            before.children_system)


def measure(name, what, first, command, runs):
    """Returns whether the counts are as they should be."""
    times = {'--data': [], '--conflicts': []}
    for _ in range(runs):
        for which in times:
            bins, evictions, seconds = counted(which, first, command)
            times[which].append(seconds)
            if which == '--data':
                plain = {cache: numbers[:2] for cache, numbers in bins.items()}
    good = plain == {cache: numbers[:2] for cache, numbers in bins.items()}
    good &= all(evictions.get(c, [0, 0]) == [misses - cold, conflicts] for c,
                (misses, cold, _, conflicts) in bins.items())
    for cache in LEVELS:
        misses, cold, _, conflicts = bins[cache]
        print('%-8s %-13s %-3s %12d %8.2f %% %8.2f %% %8.2f %%' % (
                  name, what, cache, misses, 100 * cold / misses, 100 * conflicts / misses,
                  100 * (misses - cold - conflicts) / misses))
    print('%-8s %-13s     CPU time %.2f of --data%s' % (
              name, what, min(times['--conflicts']) / min(times['--data']),
              '' if good else '; COUNTS DIFFER'), flush=True)
    return good


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--build', default='build')
    p.add_argument('--runs', type=int, default=2)
    p.add_argument('--only', default='.', help='programs whose names match')
    options = p.parse_args()
    os.environ.update(LC_ALL='C', PYTHONHASHSEED='0', PERL_HASH_SEED='0')
    bench.PROGRAMS = PROGRAMS
    dwell = os.path.abspath(os.path.join(options.build, 'dwell'))
    good = True
    with tempfile.TemporaryDirectory() as folder:
        simulate_common.SECONDS = 900
        simulate_common.set_up(dwell, None, folder)
        simulate_common.DWELL = dwell
        os.chdir(folder)
        for name in filter(lambda n: re.search(options.only, n), PROGRAMS):
            command = bench.command_for(name, folder, False)
            for what, first in FIRST.items():
                good &= measure(name, what, first, command, options.runs)
    sys.exit(not good)


if __name__ == '__main__':
    main()
