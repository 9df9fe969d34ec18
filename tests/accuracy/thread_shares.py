#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Has each thread its share of the samples, whatever a window does to its speed?

A window slows a thread down that computes, and not one that sleeps. thread_shares runs threads of
both kinds. Their accesses are counted exactly; here they are held against the weights of their
samples, means over several seeds. Threads from the third on of `short` are one kind.

    thread_shares.py [--build DIR] [--seeds N] [--millions N] [--record OPTIONS]
"""
import argparse
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile

KINDS = {'speeds': 3, 'sleeps': 5, 'short': 3}  # threads that are told apart
TOLERANCE = 0.15  # of the share
LEAST = 0.05      # smaller ones have too few samples


def shares(options, kind, seed, profile):
    """(exact, sampled) shares of the threads in the accesses, and the number of windows."""
    program = os.path.join(options.build, 'tests', 'accuracy', 'thread_shares')
    subprocess.run([os.path.join(options.build, 'dwell'), 'record',
                    '-q', '--no-objects', '--seed', str(seed),
                    '-o', profile] + options.record.split() + ['--', program, kind,
                                                               str(options.millions)], check=True)
    with sqlite3.connect(profile) as store:
        exact, said = [0] * KINDS[kind], [0] * KINDS[kind]
        for thread, \
            accesses in (store.execute('SELECT idx, accesses FROM thread WHERE process_id = 0')):
            exact[min(thread, KINDS[kind] - 1)] += accesses
        for thread, \
            weight in (store.execute('SELECT begin_thread, total(weight) FROM sample GROUP BY 1')):
            said[min(thread, KINDS[kind] - 1)] += weight
        windows = store.execute('SELECT count(*) FROM window').fetchone()[0]
    return [e / sum(exact) for e in exact], [s / sum(said) for s in said], windows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--build', default='build')
    parser.add_argument('--seeds', type=int, default=5)
    parser.add_argument('--millions', type=int, default=100)
    parser.add_argument('--record', default='--duty 10', help='options of dwell record')
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            runs = [shares(options, kind, seed, os.path.join(folder, 'x.db'))
                    for seed in range(1, options.seeds + 1)]
            for thread in range(KINDS[kind]):
                exact = statistics.mean(run[0][thread] for run in runs)
                said = [run[1][thread] for run in runs]
                good = exact < LEAST or abs(statistics.mean(said) - exact) <= TOLERANCE * exact
                failed += not good
                print('%-7s %-7s thread %d: %.1f %% of the accesses, %.1f %% of '
                      'the samples (%s); %d windows' % ('ok' if good else 'FAILED', kind, thread,
                                                        100 * exact, 100 * statistics.mean(said),
                                                        ' '.join('%.1f' % (100 * s) for s in said),
                                                        statistics.mean(run[2] for run in runs)))
    print('thread shares: %d failed' % failed)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
