#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What recording short programs costs with several builds of dwell, measured in turn.

    record_cost.py [-n ROUNDS] [--only EXPRESSION] [--record OPTIONS] [--json] DWELL...

CPU seconds, user and system, of program and collector, minus the native ones of the same round:
medians over the rounds, of the programs of tests/accuracy/curve_set.py (its sets fit and choose)
that take up to half a second natively. Then the size of a profile, and the CPU seconds of two views
of it: `report`, and `curve` at one size. For the builds together: means over programs, and the
geometric mean of the ratios to the first build. The own programs among them are those of the first
build.
"""
import argparse
import json
import math
import os
import re
import statistics
import sys
import tempfile

import bench

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'accuracy'))
import curve_set_programs as programs  # noqa: E402

LONGEST = 0.5  # seconds natively
FIGURES = ['added', 'MB', 'report', 'curve']
VIEWS = {'report': ['report'], 'curve': ['curve', '--sizes', '1M:1M']}


def one_round(command, builds, options, folder, out):
    """Native seconds, and for each build its figures."""
    native, _ = bench.cpu_seconds(command, out)
    results = []
    for build in builds:
        profile = os.path.join(folder, 'cost.db')
        cpu, _ = bench.cpu_seconds([build, 'record', '-q', '-o', profile] + options.record.split() +
                                   ['--'] + command,
                                   out)
        result = {'added': cpu - native, 'MB': os.path.getsize(profile) / 1e6}
        for view, words in VIEWS.items():
            result[view], _ = bench.cpu_seconds([build] + words + ['-i', profile], out)
        results.append(result)
        os.unlink(profile)
    return native, results


def measure(name, builds, options, folder):
    """Native seconds and a list of figures for each build, medians; None where the program is
    missing or long.
    """
    command = programs.command_of(name, options.workloads)
    if command is None:
        return None
    with open(os.devnull, 'wb') as out:
        if bench.cpu_seconds(command, out)[0] > LONGEST:
            return None
        rounds = [one_round(command, builds, options, folder, out) for _ in range(options.n)]
    native = statistics.median(r[0] for r in rounds)
    return native, [{f: statistics.median(r[1][i][f] for r in rounds) for f in FIGURES}
                    for i in range(len(builds))]


def ratio(results, figure, build):
    """Of this build's figures to the first one's."""
    pairs = [(r[1][build][figure], r[1][0][figure]) for r in results.values()]
    return math.exp(statistics.mean(math.log(max(a, 0.001) / max(b, 0.001)) for a, b in pairs))


def show_totals(results, builds):
    print('\n%-28s' % 'mean, and ratio to the first' + ''.join('%10s %5s' % (f, '')
                                                               for f in FIGURES))
    for i, build in enumerate(builds):
        print('%-28s' % build[-28:] + ''.join(
                  '%10.3f %5.2f' % (statistics.mean(r[1][i][f] for r in results.values()),
                                    ratio(results, f, i))
                  for f in FIGURES))


def parse():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    p.add_argument('-n', type=int, default=5, help='rounds (5)')
    p.add_argument('--only', default='', help='programs whose name matches')
    p.add_argument('--record', default='', help='options for dwell record')
    p.add_argument('--workloads', help='folder of the own programs')
    p.add_argument('--json', action='store_true')
    p.add_argument('dwell', nargs='+')
    a = p.parse_args()
    a.dwell = [os.path.abspath(d) for d in a.dwell]
    a.workloads = os.path.abspath(a.workloads or os.path.join(os.path.dirname(a.dwell[0]), 'tests',
                                                              'accuracy'))
    return a


def main():
    options = parse()
    os.environ.update(programs.ENVIRONMENT)
    names = [n for s in ('fit', 'choose') for n in programs.SETS[s] if re.search(options.only, n)]
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        programs.make_files(folder)
        os.chdir(folder)
        if not options.json:
            print('%-14s %8s' % ('CPU seconds', 'native') + ''.join(
                ' %8s' % f for f in ('added', 'MB') for _ in options.dwell))
        for name in names:
            result = measure(name, options.dwell, options, folder)
            if result is None:
                print('%s is left out: not installed, or too long' % name, file=sys.stderr)
                continue
            results[name] = result
            if not options.json:
                print('%-14s %8.3f' % (name, result[0]) + ''.join(
                          ' %8.*f' % (3 if f == 'added' else 1, b[f]) for f in ('added', 'MB')
                          for b in result[1]), flush=True)
    if not results:
        sys.exit('record_cost.py: no program to measure')
    if options.json:
        json.dump({'builds': options.dwell, 'programs': results}, sys.stdout, indent=1)
    else:
        show_totals(results, options.dwell)
    return 0


if __name__ == '__main__':
    sys.exit(main())
