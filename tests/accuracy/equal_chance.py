#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Has every access the same chance to be sampled, whatever the speed of the code?

slow_fast makes half of its accesses in a function that is about 27 times as fast as the one that
makes the other half. The fast one must have half of the weighted sampled accesses, on average over
several seeds. Turns are longer than windows, about as long, and far shorter; and as long as the
periods of windows, to which a sampler with a fixed period would lock: it has the fewest windows, so
the most seeds.

    equal_chance.py [--build DIR] [--seeds N]
"""
import argparse
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile

# Name, turns, loads in each, options of record, arguments of slow_fast, by how much there are more
# seeds.
CASES = [
    ('turns of 4 million accesses', '20', '2000000', [], [], 1),
    ('turns of 200,000', '400', '100000', [], [], 1),
    ('turns of 2,000', '40000', '1000', [], [], 1),
    # Periods grow through the 400,000 accesses of a turn.
    ('turns as long as periods', '200', '200000', ['--duty', '15'], [], 3),
    # Longer than several windows with the gaps between them.
    ('string instructions', '10', '4000000', [], ['rep'], 1),
    # Short ones, which count themselves: windows are as long as many of them, and as 250 exactly.
    ('short string instructions', '20', '2000000', [], ['rep', '200'], 1),
]
# points, beside three standard errors of the mean of MANY seeds, however few are tried
TOLERANCE = 1.0
MANY = 12

FAST = 'go_fast', 'go_fast_by_string', 'go_fast_by_strings'


def shares(store):
    """For each window its weight and the fast function's share of its accesses.

    Samples that end near stand for those of them that were not kept; see docs/schema.md. From the
    lists of samples, of which the view takes five times as long.
    """
    functions = dict(store.execute('SELECT location_id, function FROM frame WHERE depth = 0'))
    accesses = {i: (functions.get(location), size) for i, location, size in
                store.execute('SELECT id, location, size FROM access')}
    windows = {}
    for first_window, samples in store.execute('SELECT window, list FROM sample_batch'):
        # By what stands for others and what for itself, and by fast and slow; and all of both
        # kinds.
        for window, status, _, distance, access, _, _, place, *_ in json.loads(samples):
            counts = windows.setdefault(first_window + window,
                                        {(near, of): 0 for near in (False, True)
                                         for of in (FAST, 'slow', None)})
            name, size = accesses[access]
            near = status == 0 and distance < 64 and 0 <= place and place + size <= 64
            counts[near, None] += 1
            if name in FAST:
                counts[near, FAST] += 1
            elif name == 'go_slow':
                counts[near, 'slow'] += 1
    for number, stands_for, \
        chosen in (store.execute('SELECT number, stands_for, chosen FROM window')):
        counts = windows.get(number)
        if counts is None:
            continue
        each = (chosen - counts[False, None]) / max(1, counts[True, None])
        fast = counts[False, FAST] + each * counts[True, FAST]
        slow = counts[False, 'slow'] + each * counts[True, 'slow']
        if sum(counts[near, of] for near in (False, True) for of in (FAST, 'slow')):
            yield stands_for, fast / (fast + slow)


def share(options, arguments, more, seed, profile):
    """The fast function's share of the accesses, in percent, and the number of windows."""
    subprocess.run(
        [os.path.join(options.build, 'dwell'), 'record', '-q', '--no-objects', '--seed', str(seed),
         '-o', profile] + more +
        ['--', os.path.join(options.build, 'tests', 'accuracy', 'slow_fast')] + arguments,
        check=True)
    with sqlite3.connect(profile) as store:
        parts = list(shares(store))
    return 100 * sum(w * part for w, part in parts) / sum(w for w, _ in parts), len(parts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--build', default='build')
    parser.add_argument('--seeds', type=int, default=MANY)
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, turns, loads, more, how, times in CASES:
            runs = []
            # What a few seeds do not settle, many do: these are held to the same bounds.
            for seeds in sorted({options.seeds, max(options.seeds, MANY)}):
                runs += [share(options, [turns, loads] + how, more, seed,
                               os.path.join(folder, 'x.db'))
                         for seed in range(len(runs) + 1, times * seeds + 1)]
                shares = [run[0] for run in runs]
                mean = statistics.mean(shares)
                error = statistics.stdev(shares) / len(shares) ** 0.5
                good = abs(mean - 50) <= TOLERANCE + 3 * statistics.stdev(shares) / MANY ** 0.5
                if good:
                    break
            failed += not good
            print('%-8s %-28s %.2f %% of the samples are of the fast half, standard error %.2f; %d '
                  'windows' %
                  ('ok' if good else 'FAILED', name, mean, error,
                   statistics.mean(run[1] for run in runs)))
    print('equal chance: %d ok, %d failed' % (len(CASES) - failed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
