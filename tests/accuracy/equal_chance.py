#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Has every access the same chance to be sampled, whatever the speed of the code?

slow_fast makes half of its accesses in a function that is some 27 times as fast as the one
that makes the other half. The share of the fast one among sampled accesses, each window weighed
by what it stands for, must be one half on average over several seeds: with turns that are longer
than windows, about as long, and far shorter; and with turns as long as the periods that windows
are placed in, which a sampler with a fixed period would lock on to.

    equal_chance.py [--build DIR] [--seeds N]
"""
import argparse
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile

CASES = [
    ('turns of 4 million accesses', '20', '2000000', [], []),
    ('turns of 200,000', '400', '100000', [], []),
    ('turns of 2,000', '40000', '1000', [], []),
    # Periods grow through the 400,000 accesses of a turn.
    ('turns as long as periods', '200', '200000', ['--duty', '15'], []),
    # Longer than several windows with the gaps between them.
    ('string instructions', '10', '4000000', [], ['rep']),
    # Short ones, which count themselves: windows are as long as many of them, and as 250 exactly.
    ('short string instructions', '20', '2000000', [], ['rep', '200']),
]
TOLERANCE = 1.0  # points, beside three standard errors

# Samples that end near stand for those of them that were not kept; see docs/schema.md.
QUERY = '''
WITH s AS MATERIALIZED (SELECT window, begin_location, status = 0 AND distance < 64
        AND begin_address / 64 = (begin_address + begin_size - 1) / 64 AS near FROM sample),
    stand AS (SELECT s.window, (w.chosen - sum(1 - near)) * 1.0 / max(1, sum(near)) AS each
        FROM s JOIN window w ON w.number = s.window GROUP BY s.window),
    part AS (SELECT s.window, sum((f.function <> 'go_slow') * CASE near WHEN 1 THEN each ELSE 1 END) AS fast,
        sum(CASE near WHEN 1 THEN each ELSE 1 END) AS all_of_it
    FROM s JOIN stand ON stand.window = s.window JOIN frame f ON f.location_id = s.begin_location AND f.depth = 0
    WHERE f.function IN ('go_fast', 'go_fast_by_string', 'go_fast_by_strings', 'go_slow') GROUP BY s.window)
SELECT sum(w.stands_for * part.fast * 1.0 / part.all_of_it) / sum(w.stands_for), count(*)
    FROM window w JOIN part ON part.window = w.number'''


def share(options, arguments, more, seed, profile):
    """The fast function's share of the accesses, in percent, and the number of windows."""
    subprocess.run([os.path.join(options.build, 'dwell'), 'record', '-q', '--no-objects', '-s', str(seed),
                    '-o', profile] + more +
                   ['--', os.path.join(options.build, 'tests', 'accuracy', 'slow_fast')] + arguments,
                   check=True)
    with sqlite3.connect(profile) as store:
        part, windows = store.execute(QUERY).fetchone()
    return 100 * part, windows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--build', default='build')
    parser.add_argument('--seeds', type=int, default=12)
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, turns, loads, more, how in CASES:
            runs = [share(options, [turns, loads] + how, more, seed, os.path.join(folder, 'x.db'))
                    for seed in range(1, options.seeds + 1)]
            shares = [run[0] for run in runs]
            mean = statistics.mean(shares)
            error = statistics.stdev(shares) / len(shares) ** 0.5
            good = abs(mean - 50) <= TOLERANCE + 3 * error
            failed += not good
            print('%-8s %-28s %.2f %% of the samples are of the fast half, standard error %.2f; %d windows' %
                  ('ok' if good else 'FAILED', name, mean, error, statistics.mean(run[1] for run in runs)))
    print('equal chance: %d ok, %d failed' % (len(CASES) - failed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
