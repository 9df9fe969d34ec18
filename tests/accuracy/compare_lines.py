#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Curves of a sample of lines against exact ones, and what they cost.

compare_lines.py [--dwell PATH] [--lines 1/N] [--sizes LOW:HIGH] [--seed N] [--runs N] -- COMMAND...

Prints a row of docs/results/sampled-lines.md: accesses, CPU time of the run over that of the
program alone (the least of the runs, Dwell's own time included), mean and largest error in points,
the exact ratios, and the errors by size.
"""
import argparse
import csv
import io
import os
import resource
import subprocess
import sys
import tempfile


def cpu_seconds(command):
    """Of the command and all that it waits for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode < 0:
        sys.exit('%s ended with %d: %s' % (command[0], done.returncode, done.stderr.decode()))
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def curve(dwell, path):
    text = subprocess.run([dwell, 'curve', '--format=csv', path], check=True, capture_output=True,
                          text=True).stdout
    return {int(r['size_bytes']): tuple(float(r[c]) for c in ('miss_ratio', 'low', 'high'))
            for r in csv.DictReader(io.StringIO(text))}


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    p.add_argument('--dwell', default='build/dwell')
    p.add_argument('--lines', default='1/128')
    p.add_argument('--sizes', default='4K:64M')
    p.add_argument('--seed', default='1')
    p.add_argument('--runs', type=int, default=3)
    p.add_argument('command', nargs='+')
    o = p.parse_args()
    dwell, fixed = os.path.abspath(o.dwell), ['setarch', '-R']
    with tempfile.TemporaryDirectory(prefix='dwell-lines-') as folder:
        exact, sampled = os.path.join(folder, 'exact.db'), os.path.join(folder, 'lines.db')
        common = ['simulate', '--curve', '-q', '--sizes', o.sizes, '--process', '0']
        run = [*fixed, dwell, *common, '-o', sampled, '--seed', o.seed, '--lines', o.lines, '--',
               *o.command]
        native = min(cpu_seconds([*fixed, *o.command]) for _ in range(o.runs))
        cost = min(cpu_seconds(run) for _ in range(o.runs)) / max(native, 0.001)
        cpu_seconds([*fixed, dwell, *common, '-o', exact, '--policy', 'lru', '--', *o.command])
        want, got = curve(dwell, exact), curve(dwell, sampled)
    errors = [100 * (got[size][0] - want[size][0]) for size in want]
    inside = sum(got[size][1] <= want[size][0] <= got[size][2] for size in want)
    print('| %s | %.2f s | %.1f | %.3f | %.2f | %d of %d |' % (
              os.path.basename(o.command[0]), native, cost, sum(map(abs, errors)) / len(errors),
              max(map(abs, errors)),
              inside, len(errors)))
    print('  exact ' + ' '.join('%.2f' % (100 * w[0]) for w in want.values()))
    print('  error ' + ' '.join('%+.2f' % e for e in errors))


main()
