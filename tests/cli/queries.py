#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The SQL queries of docs/schema.md: each runs, and those about samples agree with the views.

    queries.py --dwell PATH --programs FOLDER --schema FILE
"""
import argparse
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile


def check(condition, *what):
    if not condition:
        raise AssertionError(' '.join(str(w) for w in what))


class Profiles:
    """A sampled and a simulated one of the same program."""

    def __init__(self, dwell, programs, folder):
        self.dwell = dwell
        self.sampled, self.simulated = (os.path.join(folder, 'sampled.db'),
                                        os.path.join(folder, 'simulated.db'))
        program = programs + '/call-paths'
        # So many samples that some of the near ones are left out: what is left has several weights.
        self.run('record', '-q', '--paths', '--seed', '1', '--duty', '80', '-o', self.sampled, '--',
                 program)
        self.run('simulate', '-q', '--data', '-o', self.simulated, '--', program)

    def run(self, *argv):
        done = subprocess.run([self.dwell, *argv], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=100)
        check(done.returncode == 0, argv, 'ended with', done.returncode, done.stderr)
        return done.stdout


def queries_of(path):
    """What the text before a query says -> the query."""
    with open(path) as f:
        text = f.read()
    return dict(re.findall(r'^([^\n`]+[^\n]*):\n\n```sql\n(.*?)```', text, re.M | re.S))


def is_about_events(query):
    return re.search(r'\b(node|cost|arc|bin|eviction)\b', query) is not None


def each_one_runs(profiles, queries):
    check(len(queries) > 10, 'only these were found', list(queries))
    # without them where the processor lacks instructions
    with sqlite3.connect(profiles.simulated) as db:
        has_bins = db.execute('SELECT count(*) FROM bin').fetchone()[0] > 0
    for title, query in queries.items():
        path = profiles.simulated if is_about_events(query) else profiles.sampled
        with sqlite3.connect(path) as db:
            found = db.execute(query).fetchall()
        check(found or 'variable' in title or not has_bins and
              re.search(r'\b(bin|eviction)\b', query), 'nothing for', title)


def weights_sum_up_to_the_accesses(profiles, queries):
    with sqlite3.connect(profiles.sampled) as db:
        accesses, = db.execute('SELECT accesses FROM process').fetchone()
        total, kinds = db.execute(
            'SELECT sum(weight), count(DISTINCT CAST(weight AS INTEGER)) FROM sample').fetchone()
        near, other = db.execute("""SELECT avg(weight) FILTER (WHERE status = 0 AND distance < 64),
            avg(weight) FILTER (WHERE distance > 64) FROM sample""").fetchone()
    check(abs(total / accesses - 1) < 0.05, 'weights', total, 'accesses', accesses)
    check(kinds > 1 and near > 1.1 * other, 'near samples stand for', near, 'others for', other)


def shares_are_those_of_report(profiles, queries):
    title = next(t for t in queries if t.startswith("Each function's share"))
    with sqlite3.connect(profiles.sampled) as db:
        shares = dict(db.execute(queries[title]).fetchall())
        counted = dict(db.execute("""SELECT f.function, 100.0 * count(*) / (SELECT count(*) FROM sample) FROM sample s
            JOIN frame f ON f.location_id = s.begin_location AND f.depth = 0 GROUP BY 1""").fetchall())
    report = json.loads(profiles.run('report', '--format', 'json', '-i', profiles.sampled))
    seen = {}
    for f in report['functions']:
        seen[f['function']] = seen.get(f['function'], 0) + 100 * f['access_share']
    for name in sorted(seen, key=seen.get)[-2:]:
        check(abs(shares.get(name, 0) - seen[name]) < 1, name,
              'has', shares.get(name), 'in SQL and', seen[name],
              'in the report; of the samples', counted.get(name))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('--dwell', required=True)
    parser.add_argument('--programs', required=True)
    parser.add_argument('--schema', required=True)
    arguments = parser.parse_args()
    queries, failed = queries_of(arguments.schema), 0
    with tempfile.TemporaryDirectory() as folder:
        profiles = Profiles(os.path.abspath(arguments.dwell), arguments.programs, folder)
        for case in [each_one_runs, weights_sum_up_to_the_accesses, shares_are_those_of_report]:
            try:
                case(profiles, queries)
                print('ok       ' + case.__name__)
            except (AssertionError, sqlite3.Error) as error:
                failed += 1
                print('FAILED   %s: %s %s' % (case.__name__, type(error).__name__, error))
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
