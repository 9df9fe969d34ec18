#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How far are sampled curves of seven real programs from the exact ones?

seven_programs.py [--build DIR] [--runs N] [--only EXPRESSION] [--policy NAMES] [--line SIZES]
[--signed] [bars]

The programs of the benchmark (tests/perf/bench.py) with inputs for a quarter second to a second,
recorded with the defaults, once for each of N seeds. Prints a line for each program and size of
line, and for all: mean and largest error in percentage points, the shares of the points within
max(0.1 points, 15 %) and 10 %, and of those whose interval holds the exact value. --signed prints
the mean signed error of each cache size, too: a bias is worth more than noise. Exit status 1 when a
bar is missed over all points: mean 0.25 points, largest 1, 90 % covered, or what compare_curve.py's
options say, and 90 % of the points near 10 %, or --tenth. Minutes.
"""
import argparse
import concurrent.futures
import os
import re
import sys
import tempfile

import compare_curve

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'perf'))
import bench  # noqa: E402

# As in bench.py, for shorter runs: an exact simulation takes a hundred times as long.
PROGRAMS = {
    'gzip': (2, 'gzip -9 -c $IN/text'),
    'bzip2': (3, 'bzip2 -9 -c $IN/text'),
    'xz': (1, 'xz -6 -T1 -c $IN/text'),
    'sqlite3': (1, 'sqlite3 :memory: ".read $IN/job.sql"'),
    'python3': (1, '/usr/bin/python3 $IN/job.py 1'),
    'perl': (1, 'perl $IN/job.pl 2'),
    'cc1': (1, '$CC1 -quiet -O0 $IN/steps.i -o /dev/null'),
}
BARS = {'mean': 0.25, 'max': 1.0, 'near': None, 'cover': 0.9}
LINE = '%-20s %8.3f %8.2f %6.0f %% %6.0f %% %6.0f %%'


def near_tenth(points):
    return sum(abs(s - e) <= max(0.1, 0.1 * e) for _, e, s, _, _ in points) / len(points)


def show(name, points):
    score = compare_curve.score(points)
    print(LINE % (name, score['mean'], score['max'], 100 * score['near'], 100 * near_tenth(points),
                  100 * score['cover']), flush=True)


def show_signed(points):
    errors = {}
    for size, exact, sampled, _, _ in points:
        errors.setdefault(size, []).append(sampled - exact)
    print('    signed: ' + ' '.join('%+.2f' % (sum(e) / len(e)) for _, e in sorted(errors.items())))


def record(options, name, folder):
    """For each seed what was sampled, and the process."""
    os.mkdir(os.path.join(folder, name))
    command = bench.command_for(name, folder, False)
    return [compare_curve.sample(options, command, seed, folder)
            for seed in range(1, options.runs + 1)]


def compare(options, name, runs, folder):
    """The points of each kind of curve, over all seeds."""
    command = bench.command_for(name, folder, False)
    points, exact = {}, {}
    for sampled, process in runs:
        if process not in exact:
            exact[process] = compare_curve.simulate(options, command, process,
                                                    os.path.join(folder, name))
        for kind in compare_curve.kinds(options):
            points.setdefault(kind,
                              []).extend(compare_curve.compare(exact[process][kind], sampled[kind]))
    return points


def parse():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    compare_curve.add_set_options(p, 3)
    p.add_argument('--signed', action='store_true', help='print mean signed errors by size, too')
    p.add_argument('--tenth', type=float, default=0.9, metavar='SHARE',
                   help='of the points, that lie within a tenth (0.9)')
    return p.parse_args()


def main():
    options = parse()
    os.environ.update(LC_ALL='C', PYTHONHASHSEED='0', PERL_HASH_SEED='0', PERL_PERTURB_KEYS='0')
    bench.PROGRAMS = PROGRAMS
    names = [n for n in PROGRAMS if re.search(options.only, n)]
    if not names:
        sys.exit("seven_programs.py: no program matches '%s'" % options.only)
    everything = {}
    print('%-20s %8s %8s %8s %8s %8s' % ('program', 'mean', 'largest', '15 %', '10 %', 'covered'))
    with tempfile.TemporaryDirectory() as folder:
        # How much is sampled depends on what else runs. What is simulated does not: two at a time,
        # the longest first.
        runs = {name: record(options, name, folder) for name in names}
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            compared = {name: pool.submit(compare, options, name, runs[name], folder)
                        for name in reversed(names)}
        for name in names:
            for (policy, line), points in compared[name].result().items():
                show('%s %s %s' % (name, policy, line), points)
                if options.signed:
                    show_signed(points)
                everything.setdefault((policy, line), []).extend(points)
    for (policy, line), points in everything.items():
        show('all %s %s' % (policy, line), points)
    points = [x for some in everything.values() for x in some]
    missed = compare_curve.report_missed(compare_curve.score(points),
                                         compare_curve.bars(options, BARS))
    if near_tenth(points) < options.tenth:
        print('bar not reached: %.0f %% of the points are near 10 %%, wanted %.0f' %
              (100 * near_tenth(points), 100 * options.tenth))
        missed = 1
    return missed


if __name__ == '__main__':
    sys.exit(main())
