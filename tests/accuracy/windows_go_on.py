#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Do windows come to the end of a run, whatever its threads did before?

If the last thread's timer were not set again, there would be no more windows. That may happen,
rarely, if windows open and close while threads hand over to each other. So there are several runs,
and the last window of each must be near its end. (Windows need not represent most of the run: on a
busy machine the collector may be too late for some, which are then counted as lost.)

    windows_go_on.py [--build DIR] [--runs N]
"""
import argparse
import os
import sqlite3
import subprocess
import sys
import tempfile

LEAST = 0.9  # of the accesses; the last period may have had no window yet


def reached(options, seed, profile):
    """Where the last window ends, as a share of the run's accesses."""
    subprocess.run([os.path.join(options.build, 'dwell'), 'record', '-q', '--seed', str(seed),
                    '-o', profile, '--',
                    os.path.join(options.build, 'tests', 'accuracy', 'handover')],
                   check=True, stdout=subprocess.DEVNULL)
    with sqlite3.connect(profile) as store:
        return store.execute('SELECT (SELECT max(start + length) FROM window) * 1.0 / '
                             'max(accesses) FROM process').fetchone()[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--build', default='build')
    parser.add_argument('--runs', type=int, default=12)
    options = parser.parse_args()
    if hasattr(os, 'sched_setaffinity'):
        os.sched_setaffinity(0, range(os.cpu_count()))  # threads are to meet each other
    with tempfile.TemporaryDirectory() as folder:
        parts = [reached(options, seed, os.path.join(folder, 'x.db'))
                 for seed in range(1, options.runs + 1)]
    failed = sum(part < LEAST for part in parts)
    print('the last windows end at %.2f of the accesses at least: %d ok, %d failed' %
          (min(parts), len(parts) - failed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
