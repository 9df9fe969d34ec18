#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Are the misses that a profile charges to code, or to data structures, those of an exact
simulation?

    compare_code.py [--build DIR] [--runs N] [--by line|function|object] [--at SIZE] [--rank R]
                    [--record OPTIONS] -- COMMAND [ARGUMENT...]

Records the command, asks dwell report for the lines, functions or objects that miss in a cache of
SIZE with random replacement, and simulates the same command exactly (dwell simulate --curve --by).
Prints those with 80 % of the exact misses, with their shares; Spearman's coefficient of rank
correlation over them; and the total error of their shares. First touches are left out on both
sides, as a profile keeps them apart. For lines it also prints the coefficient that dwell report
expects. Exit status 1 if the mean coefficient over the runs is below --rank.
"""
import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

PART = 0.8


def run(command):
    done = subprocess.run(command, stdout=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit('%s: exit status %d' % (' '.join(command), done.returncode))


def key_of(row, by):
    """A place; code without line information is known by its function alone."""
    if by == 'object':
        return row['name']
    if by == 'line' and row.get('line'):
        return '%s:%d' % (os.path.basename(row['file'] or ''), row['line'])
    return row['function']


def containers(path):
    """Of lines in inlined code, the function that contains it; a simulation counts it there."""
    with sqlite3.connect(path) as store:
        rows = store.execute('''SELECT i.file, i.line, o.function, count(*)
            FROM frame i JOIN frame o USING (location_id) WHERE i.depth = 0 AND i.line > 0
            AND o.depth = (SELECT max(depth) FROM frame WHERE location_id = i.location_id)
            GROUP BY 1, 2, 3 ORDER BY 4''')
        return {(file, line): function for file, line, function, _ in rows}


def sampled(a, seed, folder, with_first=False):
    """(share of the misses by place, process, the coefficient that dwell expects or None)."""
    dwell, path = os.path.join(a.build, 'dwell'), os.path.join(folder, 'sampled.db')
    run([dwell, 'record', '-q', '-o', path,
         '--seed', str(seed)] + a.record.split() + ['--'] + a.command)
    told = json.loads(subprocess.run([dwell, 'report', '-i', path, '--size', a.at, '--format=json'],
                                     check=True,
                                     stdout=subprocess.PIPE).stdout)
    shares, outer = {}, containers(path) if a.by == 'function' else {}
    for row in told['lines' if outer else a.by + 's']:
        if outer:
            row['function'] = outer.get((row['file'], row.get('line')), row['function'])
        # Of data structures, misses include first touches.
        share = row['miss_share'] - (row['cold_share'] if a.by == 'object' else 0)
        share += row['cold_share'] if with_first else 0
        shares[key_of(row, a.by)] = shares.get(key_of(row, a.by), 0) + share
    process = told['process']
    expected = told['line_order']['rank_correlation'] if a.by == 'line' else None
    return shares, process['id'] if isinstance(process, dict) else process, expected


def exact(a, process, folder, with_first=False):
    dwell, path = os.path.join(a.build, 'dwell'), os.path.join(folder, 'exact.db')
    run([dwell, 'simulate', '-q', '--curve', '--policy', 'random', '--by', a.by, '--size', a.at,
         '--process', str(process), '-o', path, '--'] + a.command)
    view = ['objects'] if a.by == 'object' else ['report', '--by', a.by]
    told = json.loads(subprocess.run([dwell, *view, '-i', path, '--process', str(process),
                                      '--format=json'], check=True,
                                     stdout=subprocess.PIPE).stdout)
    misses = {}
    for row in told['objects' if a.by == 'object' else 'rows']:
        sums = row if a.by == 'object' else {**row['self'], 'misses': row['self']['random_misses']}
        k = key_of({'function': row['name'], **row}, a.by)
        misses[k] = misses.get(k, 0) + sums['misses'] - (0 if with_first else sums['first_touches'])
    total = sum(misses.values())
    return {k: m / total for k, m in misses.items()} if total > 0 else {}


def heaviest(shares):
    """The fewest places that make PART of all."""
    chosen, sum_ = [], 0
    for k in sorted(shares, key=shares.get, reverse=True):
        if sum_ >= PART:
            break
        chosen.append(k)
        sum_ += shares[k]
    return chosen


def ranks(values):
    """Ranks from 1 on; equal values share the mean of theirs."""
    order = sorted(range(len(values)), key=values.__getitem__)
    out = [0.0] * len(values)
    i = 0
    while i < len(order):
        k = i
        while k + 1 < len(order) and values[order[k + 1]] == values[order[i]]:
            k += 1
        for j in range(i, k + 1):
            out[order[j]] = (i + k) / 2 + 1
        i = k + 1
    return out


def spearman(x, y):
    """1 for a single item: there is nothing to put into order."""
    a, b = ranks(x), ranks(y)
    mean = (len(a) + 1) / 2
    top = sum((p - mean) * (q - mean) for p, q in zip(a, b))
    below = (sum((p - mean) ** 2 for p in a) * sum((q - mean) ** 2 for q in b)) ** 0.5
    return top / below if below > 0 else 1.0 if len(a) < 2 else 0.0


def compare(a, seed, truth, folder):
    """
    One recording against the exact simulation of its process, which `truth` keeps:
    rows of (place, exact share, sampled share), coefficient, the one that dwell expects or None.
    """
    shares, process, expected = sampled(a, seed, folder)
    if process not in truth:
        truth[process] = exact(a, process, folder)
    rows = [(k, truth[process][k], shares.get(k, 0)) for k in heaviest(truth[process])]
    return rows, spearman([e for _, e, _ in rows], [s for _, _, s in rows]), expected


def overlap(truth, shares):
    """What of the misses is charged to the right places."""
    return sum(min(e, shares.get(k, 0)) for k, e in truth.items())


def off(rows):
    """By how much the shares are off, all together, in points."""
    return 100 * sum(abs(e - s) for _, e, s in rows)


def parse():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    p.add_argument('--build', default='build', help='where dwell is')
    p.add_argument('--runs', type=int, default=1, help='recordings, each with its seed')
    p.add_argument('--by', choices=['line', 'function', 'object'], default='line')
    p.add_argument('--at', default='32K', help='the size of the cache (32K)')
    p.add_argument('--rank', type=float, help='the least mean coefficient')
    p.add_argument('--record', default='', help='more options of dwell record')
    p.add_argument('command', nargs='+')
    return p.parse_args()


def main():
    a = parse()
    truth, coefficients, errors = {}, [], []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(1, a.runs + 1):
            rows, coefficient, expected = compare(a, seed, truth, folder)
            for k, e, s in rows:
                print('%6.2f %%  %6.2f %%  %s' % (100 * e, 100 * s, k))
            coefficients.append(coefficient)
            errors.append(off(rows))
            print('%d places, rank correlation %.3f%s, off by %.1f points' % (
                      len(rows), coefficient,
                      '' if expected is None else ' (%.3f expected)' % expected, errors[-1]))
    mean = sum(coefficients) / len(coefficients)
    print('mean of %d: rank correlation %.3f, off by %.1f points' % (
        len(coefficients), mean, sum(errors) / len(errors)))
    if a.rank is not None and mean < a.rank:
        print('bar not reached: rank correlation %.3f, wanted %.3f' % (mean, a.rank))
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
