#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A profiler that is too late for some windows keeps the others complete.

    late.py --dwell PATH

`dwell record` is stopped repeatedly while its command continues, so that its ring fills up. Each
window of the profile must have all its samples: only whole late windows are dropped. And windows
represent those left out before them. Each case prints one line; the exit status
is 0 when none failed.
"""
import argparse
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

COMMAND = [sys.executable, '-c', 'print(sum(i * i % 7 for i in range(100000)))']
SAID = '199999\n'
STOPS = 6
STOPPED_S, RUNNING_S = 0.2, 0.05


def check(condition, *what):
    if not condition:
        raise AssertionError(' '.join(str(w) for w in what))


def record_late(path):
    with subprocess.Popen([DWELL, 'record', '-o', path, '--seed', '1', '--duty', '100',
                           '--period', '50',
                           '--', *COMMAND], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        for _ in range(STOPS):
            time.sleep(RUNNING_S)
            child.send_signal(signal.SIGSTOP)
            time.sleep(STOPPED_S)
            child.send_signal(signal.SIGCONT)
        out, err = child.communicate(timeout=100)
        check(child.returncode == 0, 'it ended with', child.returncode, err)
        check(out == SAID, 'the command said', out)
    return err


def late_windows_are_left_out_whole(folder):
    path = os.path.join(folder, 'profile.db')
    said = record_late(path)
    with sqlite3.connect(path) as db:
        windows = db.execute(
            'SELECT number, length, stands_for, samples, start FROM window').fetchall()
        found = dict(db.execute('SELECT window, COUNT(*) FROM sample GROUP BY window'))
        lost = db.execute('SELECT SUM(lost_records) FROM process').fetchone()[0]
    check(windows, 'no windows at all')
    for number, _, _, samples, _ in windows:
        check(found.get(number, 0) == samples, 'window', number, 'has', found.get(number, 0), 'of',
              samples)
    # Or nothing was tried here.
    check(any(stands_for > 2 * length for _, length, stands_for, _, _ in windows),
          'none was left out')
    check(not lost or 'records were lost' in said, lost, 'were lost, and it said', said)
    end = windows[-1][4] + windows[-1][1]
    stand_for = sum(w[2] for w in windows)
    # Windows take all of their periods.
    check(stand_for == end, 'they stand for', stand_for, 'of', end)


def main():
    global DWELL
    parser = argparse.ArgumentParser()
    parser.add_argument('--dwell', required=True)
    DWELL = os.path.abspath(parser.parse_args().dwell)
    with tempfile.TemporaryDirectory() as folder:
        try:
            late_windows_are_left_out_whole(folder)
            print('ok       late_windows_are_left_out_whole')
        except (AssertionError, sqlite3.Error) as error:
            print('FAILED   late_windows_are_left_out_whole: %s' % error)
            return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
