# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of the command line have in common: cases, and how they are run.

    from cases import case, check, main

    @case
    def a_fact():
        check(1 + 1 == 2, 'sums')

    main('name', __doc__, set_up)
"""
import argparse
import os
import re
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

import dispositions

FAILURES = (AssertionError, subprocess.SubprocessError, OSError, sqlite3.Error, ValueError,
            KeyError)
CASE_SECONDS = 300 # whatever a case waits for
cases = []


class Skip(Exception):
    """This machine cannot show it."""


def case(function):
    cases.append(function)
    return function


def check(condition, *what):
    if not condition:
        raise AssertionError(' '.join(str(w) for w in what))


def wait_for(condition, what, seconds=20):
    """The condition may fail as long as the profile is not there."""
    end = time.monotonic() + seconds
    while True:
        try:
            if condition():
                return
        except sqlite3.Error:
            pass
        check(time.monotonic() < end, 'waited in vain for', what)
        time.sleep(0.05)


def read_line(stream, seconds=30):
    """The next line, of a pipe without a buffer."""
    line, end = b'', time.monotonic() + seconds
    while not line.endswith(b'\n'):
        check(select.select([stream], [], [], max(0, end - time.monotonic()))[0],
              'no line came, but', line)
        got = os.read(stream.fileno(), 1)
        if not got:
            break
        line += got
    return line


def too_long(number, frame):
    raise TimeoutError('it took longer than %d s' % CASE_SECONDS)


def run_case(function):
    """Returns how it ended, and why."""
    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(CASE_SECONDS)
    try:
        function()
    except Skip as e:
        return 'skipped', str(e)
    except FAILURES as e:
        return 'FAILED', '%s: %s' % (type(e).__name__, e)
    finally:
        signal.alarm(0)
    return 'ok', ''


def main(name, doc, set_up, **places):
    """Runs the cases in a folder of their own, a line for each. `places`: options besides --dwell
    and what they are by default, paths all; set_up gets all of them, from the root, and the folder.
    Ends the program.
    """
    dispositions.set_to_default()
    p = argparse.ArgumentParser(description=doc.split('\n')[0])
    for option, default in dict(dwell='build/dwell', **places).items():
        p.add_argument('--' + option, default=default)
    p.add_argument('--only', default='', help='only cases whose name matches this expression')
    options = vars(p.parse_args())
    only, counts = options.pop('only'), {'ok': 0, 'FAILED': 0, 'skipped': 0}
    options = {option: os.path.abspath(path) for option, path in options.items()}
    folder = tempfile.mkdtemp(prefix='dwell-%s-' % name)
    os.environ.update(LC_ALL='C', PAGER='cat')
    os.environ.pop('COLUMNS', None)
    os.chdir(folder)
    set_up(folder=folder, **options)
    for function in cases:
        if not re.search(only, function.__name__):
            continue
        begin = time.monotonic()
        how, why = run_case(function)
        counts[how] += 1
        print('%-8s %-52s %5.1f s  %s' % (how, function.__name__, time.monotonic() - begin, why),
              flush=True)
    os.chdir('/')
    shutil.rmtree(folder, ignore_errors=True)
    print(name + ': %(ok)d ok, %(FAILED)d failed, %(skipped)d skipped' % counts)
    sys.exit(1 if counts['FAILED'] else 0)
