#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Sampled simulation against the simulation of all accesses: MemSpy's tables 3 to 6, figures 5 and
7 to 10.

    bench_sampled.py [--seeds N] [--only EXPRESSION] [--dwell PATH]

Prints tables in Markdown: means over the seeds, of errors in points. Caches are direct-mapped, with
lines of 64 bytes. Addresses are not randomised, so that all runs have the same ones. Exit status 1
when a true miss ratio lies outside the bounds.
"""
import argparse
import csv
import io
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import bench

PROGRAMS = ['gzip', 'bzip2', 'xz', 'sqlite3', 'perl', 'python3', 'cc1']
SIZES = ['16K', '128K', '1M']
SHARES = ['2%', '5%', '10%', '20%']
LENGTHS = ['100K', '500K', '1M', '4M']
MOST_COST = 0.9
PART = 5  # of the scale of bench.py


def mean(numbers):
    numbers = list(numbers)
    return sum(numbers) / len(numbers)


class Run:
    """One simulation: the miss ratio of L1d in per cent, its bounds, CPU seconds."""

    def __init__(self, bench_run, size, sample=None, seed=1, data=False):
        dwell, argv, base = bench_run
        path = os.path.join(base, 'run.db')
        caches = ['--cache=L1d=%s,1,64' % size, '--cache=LL=8M,16,64', '--no-call-graph', '--data']
        more = ['--sample=' + sample, '--seed=%d' % seed] if sample else []
        with open(os.devnull, 'wb') as out:
            self.cpu, _ = bench.cpu_seconds(['setarch', '-R', dwell, 'simulate',
                                             '-q', '-o', path] + caches + more +
                                            ['--'] + argv, out)
        rows = self.rows(dwell, 'report', path)
        total = {key: sum(float(row['self_' + key]) for row in rows) for key in
                 (key[5:] for key in rows[0] if key.startswith('self_'))}
        accesses = total['Dr'] + total['Dw']
        self.ratio = 100 * (total['D1mr'] + total['D1mw']) / accesses
        self.known, self.unknown = self.sums(path)
        self.low = self.high = self.ratio
        screen = subprocess.run([dwell, 'report', '-i', path], check=True, capture_output=True,
                                text=True).stdout
        found = re.search(r'^L1d +\S+ +1 +\S+ % +(\S+) % +(\S+) %', screen, re.M)
        if found:
            self.low, self.high = map(float, found.groups())
        found = re.search(r'from ([0-9,]+) stretches', ' '.join(screen.split()))
        self.stretches = int(found[1].replace(',', '')) if found else 0
        self.bins = [((row['function'], row['data']), float(row['cost_share']))
                     for row in self.rows(dwell, 'bins', path)] if data else []

    @staticmethod
    def sums(path):
        """Known misses and unknown references in stretches, in per cent of their accesses."""
        store = sqlite3.connect(path)
        misses, unknown, \
            accesses = (store.execute("SELECT sum(misses), sum(unknown), sum(accesses) FROM stretch"
                                      " WHERE cache = 'L1d'").fetchone())
        store.close()
        return (100 * (misses - unknown) / accesses, 100 * unknown / accesses) if accesses else (0,
                                                                                                 0)

    @staticmethod
    def rows(dwell, view, path):
        done = subprocess.run([dwell, view, '-i', path, '--format', 'csv'], check=True,
                              capture_output=True, text=True)
        return list(csv.DictReader(io.StringIO(done.stdout)))

    def holds(self, true):
        """The screen rounds to three digits."""
        return self.low * 0.995 <= true.ratio <= self.high * 1.005


class Program:
    """All simulations of a program, each made once."""

    def __init__(self, name, options, base):
        self.name, self.seeds = name, range(1, options.seeds + 1)
        scale, command = bench.PROGRAMS[name]
        bench.PROGRAMS[name] = max(1, scale // PART), command.replace(bench.ROUNDS, ' 30')
        self.argv = bench.command_for(name, base, False)
        self.how = (options.dwell, self.argv, base)
        with open(os.devnull, 'wb') as out:
            self.native = min(bench.cpu_seconds(self.argv, out)[0] for _ in range(3))
        self.true = {size: Run(self.how, size, data=True) for size in SIZES}
        self.kept = {}

    def sampled(self, size, sample):
        if (size, sample) not in self.kept:
            self.kept[size, sample] = [Run(self.how, size, sample, seed, data=True)
                                       for seed in self.seeds]
        return self.kept[size, sample]

    def error(self, size, sample):
        return mean(abs(run.ratio - self.true[size].ratio) for run in self.sampled(size, sample))

    def inside(self):
        return [run.holds(self.true[size]) for (size, _), runs in self.kept.items() for run in runs]


def table(title, columns, rows):
    print('\n%s\n' % title)
    print('| program | ' + ' | '.join(columns) + ' |')
    print('|---|' + '---|' * len(columns))
    for name, *cells in rows:
        print('| %s | ' % name + ' | '.join(c if isinstance(c, str) else '%.2f' % c
                                            for c in cells) + ' |', flush=True)


def top_of(bins):
    top, cost = [], 0
    for name, part in bins:
        if cost >= MOST_COST:
            break
        top.append((name, part))
        cost += part
    return top


def order(p):
    """Bins to 90 % of cost; those in both; the greatest ratio of cost of two whose order differs;
    is it kept.
    """
    full, sampled = top_of(p.true['128K'].bins), [name for name,
                                                  _ in p.sampled('128K', '10%,500K')[0].bins]
    place = {name: at for at, name in enumerate(sampled)}
    kept = {name for name, _ in top_of(p.sampled('128K', '10%,500K')[0].bins)}
    worst = 1.0
    for i, (name, cost) in enumerate(full):
        for other, less in full[i + 1:]:
            if place.get(name, len(place)) > place.get(other, len(place)) and less > 0:
                worst = max(worst, cost / less)
    return [p.name, str(len(full)), str(len(kept & {name for name, _ in full})), worst,
            'yes' if worst == 1 else 'no']


def unknown(p, size, sample):
    """The true share of misses among unknown references, the estimate, and errors with that and rho
    0, 0.5 and 1.
    """
    runs, true = p.sampled(size, sample), p.true[size].ratio
    shares = [mean((ratio(run) - run.known) / run.unknown for run in runs if run.unknown)
              for ratio in (lambda run: true, lambda run: run.ratio)]
    errors = [mean(abs(run.known + rho * run.unknown - true) for run in runs) for rho in (0, 0.5,
                                                                                          1)]
    return [p.name] + shares + [p.error(size, sample)] + errors


def print_tables(programs):
    table('**Table 3**: 128 KB, `--sample 10%,500K`, in %.',
          ['true', 'low', 'estimate', 'high', 'stretches'],
          [[p.name, p.true['128K'].ratio] +
           [mean(getattr(r, what) for r in p.sampled('128K', '10%,500K')) for what in (
                'low', 'ratio', 'high')] + [str(p.sampled('128K', '10%,500K')[0].stretches)]
           for p in programs])
    table('**Figure 5**: error in points by share, 128 KB, stretches of 500K.', SHARES,
          [[p.name] + [p.error('128K', share + ',500K') for share in SHARES] for p in programs])
    table(
        '**Figures 7 and 8**: true ratio in %, and error in points, by size, `--sample 10%,500K`.',
        [size + what for size in SIZES for what in (' true', ' error')],
        [[p.name] + [n for size in SIZES for n in (p.true[size].ratio, p.error(size, '10%,500K'))]
         for p in programs])
    table('**Figure 9**: error in points by length, 1 MB, a share of 10 %.', LENGTHS,
          [[p.name] + [p.error('1M', '10%,' + length) for length in LENGTHS] for p in programs])
    for length in '500K', '4M':
        table('**Tables 4 and 5**: 1 MB, `--sample 10%%,%s`: the share of misses among unknown '
              'references, and the error '
              'in points with the estimate, and with each rho.' % length,
              ['true rho', 'estimate', 'error', 'rho 0', 'rho 0.5', 'rho 1'],
              [unknown(p, '1M', '10%,' + length) for p in programs])
    table('**Table 6**: bins that make 90 % of the cost, 128 KB, `--sample 10%,500K`.',
          ['bins', 'in both', 'most cost of two swapped, ratio', 'order kept'],
          [order(p) for p in programs])
    table('**Figure 10**: CPU time with `--data`, 128 KB, over that of the program.',
          ['all accesses', '10%,500K', '10%,100K'],
          [[p.name, p.true['128K'].cpu / p.native] +
           [mean(r.cpu for r in p.sampled('128K', '10%,' + length)) / p.native
            for length in ('500K', '100K')] for p in programs])


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    p.add_argument('--seeds', type=int, default=3)
    p.add_argument('--dwell', default='build/dwell')
    p.add_argument('--only', default='')
    options = p.parse_args()
    options.dwell = os.path.abspath(options.dwell)
    base = tempfile.mkdtemp(prefix='dwell-bench-')
    os.environ.update(LC_ALL='C', PERL_HASH_SEED='0', PYTHONHASHSEED='0')
    try:
        programs = [Program(name, options, base) for name in PROGRAMS if re.search(options.only,
                                                                                   name)]
        print_tables(programs)
        inside = [holds for program in programs for holds in program.inside()]
        print('\nThe true miss ratio lies within the bounds in %d of %d runs.' % (sum(inside),
                                                                                  len(inside)))
    finally:
        shutil.rmtree(base, ignore_errors=True)
    return 0 if all(inside) else 1


if __name__ == '__main__':
    sys.exit(main())
