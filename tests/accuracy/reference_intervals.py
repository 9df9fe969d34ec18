#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Of real programs: how many intervals of estimated references hold the exact number, and how wide
are they?

    reference_intervals.py [--build DIR] [--only EXPRESSION] [--cover SHARE] [--verbose]

Each program of the benchmark runs with --data, which estimates the references of data structures,
and with --references, which counts them. Prints for structures and for bins, by their share of all
references: the rows, how many of their intervals hold the exact number, the median of the widths
relative to it, and of the errors. Exit status 1 if fewer than SHARE of all intervals hold (0.9).
Minutes.
"""
import argparse
import csv
import io
import os
import re
import statistics
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in 'cli', 'perf':
    sys.path.insert(0, os.path.join(HERE, '..', folder))
import bench  # noqa: E402
import simulate_common  # noqa: E402
from seven_programs import PROGRAMS  # noqa: E402

CACHES = ['--cache=L1i=32K,8,64', '--cache=L1d=32K,8,64', '--cache=LL=1M,16,64']
KEYS = {'objects': ['name', 'type', 'file', 'line', 'function', 'module'],
        'bins': ['function', 'file', 'data']}
CLASSES = [0.01, 0.0001, 0]  # least shares of all references
LINE = '%-10s %-10s %-9s %6d %7.1f %% %9.1f %% %9.1f %%'


def rows(view):
    """{key: (references, low, high, misses)}; rows of one name together."""
    status, out, err = simulate_common.run(view, '--format', 'csv', 'run.db')
    if status != 0:
        sys.exit('%s: %s' % (view, err))
    found = {}
    for r in csv.DictReader(io.StringIO(out)):
        numbers = [int(r[n]) for n in ('references', 'references_low', 'references_high')]
        if r.get('kind') != 'code' and r.get('data') != '[code]':
            found[tuple(r[k] for k in KEYS[view])] = numbers
    return found


def simulate(how, command):
    status, _, err = simulate_common.run('simulate', '-q', how, '-o', 'run.db', *CACHES, '--',
                                         *command)
    if status != 0 or 'not counted by data structure' in err:
        sys.exit('%s ended with %d: %s' % (command[0], status, err))
    return {view: rows(view) for view in KEYS}


def points(estimated, exact):
    """(share of all references, exact number, estimate, low, high) of each estimated row."""
    all_references = sum(n for n, _, _ in exact.values())
    for key, (value, low, high) in estimated.items():
        if low < high and key in exact:
            n = exact[key][0]
            yield n / all_references, n, value, low, high, key


def show(name, view, found):
    """Prints a line for each class of rows."""
    above = 2
    for least in CLASSES:
        some = [p for p in found if least <= p[0] < above]
        above = least
        if not some:
            continue
        holds = sum(low <= n <= high for _, n, _, low, high, _ in some)
        width = statistics.median((high - low) / max(n, 1) for _, n, _, low, high, _ in some)
        error = statistics.median(abs(value - n) / max(n, 1) for _, n, value, _, _, _ in some)
        print(LINE % (name, view, '%g %%' % (100 * least), len(some), 100 * holds / len(some),
                      100 * width, 100 * error))
    sys.stdout.flush()


def show_wrong(found):
    for share, n, value, low, high, key in sorted(found, reverse=True):
        if not low <= n <= high and share > CLASSES[1]:
            print('    %.4f %d estimated %d [%d, %d] %s' % (share, n, value, low, high,
                                                            ' '.join(key)))


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--build', default='build')
    p.add_argument('--only', default='.', help='programs whose names match')
    p.add_argument('--cover', type=float, default=0.9)
    p.add_argument('--verbose', action='store_true', help='print the intervals that do not hold')
    options = p.parse_args()
    bench.PROGRAMS = PROGRAMS
    os.environ.update(LC_ALL='C', PYTHONHASHSEED='0', PERL_HASH_SEED='0', PERL_PERTURB_KEYS='0')
    everything = {view: [] for view in KEYS}
    print('%-10s %-10s %-9s %6s %9s %11s %11s' % ('program', 'rows', 'at least', 'rows', 'hold',
                                                  'width', 'error'))
    with tempfile.TemporaryDirectory() as folder:
        simulate_common.SECONDS = 900
        simulate_common.set_up(os.path.abspath(os.path.join(options.build, 'dwell')), None, folder)
        os.chdir(folder)
        for name in filter(lambda n: re.search(options.only, n), PROGRAMS):
            command = bench.command_for(name, folder, False)
            estimated, exact = simulate('--data', command), simulate('--references', command)
            for view in KEYS:
                found = list(points(estimated[view], exact[view]))
                everything[view] += found
                show(name, view, found)
                if options.verbose:
                    show_wrong(found)
    for view, found in everything.items():
        show('all', view, found)
    found = [p for some in everything.values() for p in some]
    holds = sum(low <= n <= high for _, n, _, low, high, _ in found) / len(found)
    print('%.1f %% of %d intervals hold' % (100 * holds, len(found)))
    return holds < options.cover


if __name__ == '__main__':
    sys.exit(main())
