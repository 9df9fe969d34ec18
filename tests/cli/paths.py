#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Call paths of samples: each caller has its own part of the accesses.

    paths.py --dwell PATH --programs FOLDER

The program 'call-paths' reads a table on known paths, a known number of times on each; see its
source. Each case prints one line; the exit status is 0 when none failed.
"""
import argparse
import collections
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

# Reads of the table in a round, by caller; from_thread runs in two threads.
READS = {'from_large': 200, 'from_small': 600, 'from_deep': 200, 'from_pointer': 200,
         'from_tail': 200,
         'leave_jump': 200, 'leave_handler': 200, 'from_handler': 200, 'leave_throw': 20,
         'from_thread': 400}
# Who called the caller; the C library's own functions may have no names.
CALLERS = {name: 'main' for name in READS}
CALLERS.update({'from_deep': 'from_deep',
                'from_thread': 'repeat_in_thread(unsigned long, unsigned long*)',
                'from_handler': None})
PATH_DEPTH = 16


def check(condition, *what):
    if not condition:
        raise AssertionError(' '.join(str(w) for w in what))


def near(name, found, wanted, part):
    check(abs(found - wanted) <= part * wanted, name, 'is', found, 'and should be', wanted)


def run(*argv):
    done = subprocess.run([DWELL, *argv], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=100)
    check(done.returncode == 0, ' '.join(argv), 'ended with', done.returncode, done.stderr)
    return done.stdout


def record(folder, *options, how=('--paths',)):
    path = os.path.join(folder, 'profile.db')
    out = run('record', '-q', '-o', path, '--seed', '1', *how, *options, '--',
              PROGRAMS + '/call-paths')
    check(out == 'all checks held\n', 'the run said', out)
    return path


def paths_of(profile, *options):
    return json.loads(run('paths', '-i', profile, '--format', 'json', *options))['paths']


def by_caller(paths):
    """caller of read_table -> accesses, misses, summed over its paths."""
    sums = collections.defaultdict(lambda: [0, 0])
    for path in paths:
        check(path['functions'][0] == 'read_table', 'a path to', path['functions'][0])
        caller = path['functions'][1] if len(path['functions']) > 1 else None
        sums[caller][0] += path['access_share']
        sums[caller][1] += path['miss_ratio'] * path['access_share']
    return sums


def compare(paths, part):
    sums = by_caller(paths)
    # The threads run for a moment only: on a busy machine no window may meet it.
    alone = {caller: reads for caller, reads in READS.items() if caller != 'from_thread'}
    every = sum(alone.values())
    whole = sum(accesses for caller, (accesses, _) in sums.items() if caller != 'from_thread')
    strangers = sum(accesses for caller, (accesses, _) in sums.items() if caller not in READS)
    check(strangers < 0.002 * whole, 'callers that do not call:', set(sums) - set(READS))
    for caller, reads in alone.items():
        # What is read seldom scatters.
        near('share of ' + caller, sums[caller][0] / whole, reads / every, max(part, 6 / reads))
    return sums


def shares_are_those_of_the_program(folder):
    profile = record(folder, '--duty', '100', '--period', '50')
    paths = paths_of(profile, '--size', '256K', 'read_table')
    sums = compare(paths, 0.1)
    check(sums['from_large'][1] / sums['from_large'][0] > 0.8, 'few misses from_large',
          sums['from_large'])
    check(sums['from_small'][1] / sums['from_small'][0] < 0.05, 'misses from_small',
          sums['from_small'])
    for path in paths:
        names = path['functions']
        if len(names) > 2 and names[1] in CALLERS and CALLERS[names[1]]:
            check(names[2] == CALLERS[names[1]], 'a path', names)
        if len(names) > 1 and names[1] == 'from_deep':
            check(names == ['read_table'] + ['from_deep'] * PATH_DEPTH, 'a path', names)
        check('jump' not in names[1:] and 'throw_up' not in names[1:], 'what was left called:',
              names)
    # The views say the same.
    folded = [line.rsplit(' ', 1) for line in run('paths', '-i', profile, '--size', '256K',
                                                  '--folded', 'read_table').splitlines()]
    check(all(stack.endswith(';read_table') for stack, _ in folded), 'a stack of', folded[0])
    large = sum(int(n) for stack, n in folded if stack.endswith('main;from_large;read_table'))
    near('misses from_large', large / 1e9, sums['from_large'][1], 0.01)
    text = run('paths', '-i', profile, '--size', '256K', 'read_table')
    lines = text.split('\n\n', 1)[1].splitlines()
    check(lines[1].endswith(' read_table') and lines[2].endswith('  from_large') and
          lines[3].endswith('    main'), 'the text is', text)


def windows_find_the_same(folder):
    """Many windows: each begins with a walk of the stack."""
    profile = record(folder, '--duty', '40', '--period', '30', '--one-line')
    compare(paths_of(profile, '--size', '256K', 'read_table'), 0.35)


def nested_samples_know_paths(folder):
    profile = record(folder, '--duty', '100', '--period', '20')
    compare(paths_of(profile, '--size', '256K', '--line', '128', 'read_table'), 0.2)
    with sqlite3.connect(profile) as db:
        lost = db.execute('''SELECT COUNT(*) FROM nested_touch WHERE end_path != 0
            AND end_path NOT IN (SELECT id FROM path)''').fetchone()[0]
        check(lost == 0, lost, 'touches with a path that is not there')


def a_share_of_windows_knows_paths(folder):
    """Without --paths: callers have what all accesses of a function cost, in about its shares."""
    profile = record(folder, '--duty', '100', '--period', '20', how=())
    with sqlite3.connect(profile) as db:
        windows = db.execute('SELECT DISTINCT window FROM sample WHERE begin_path != 0').fetchall()
        check(windows and all(number < 8 or number % 8 == 0 for number, in windows), 'windows',
              windows)
    compare(paths_of(profile, '--size', '256K', 'read_table'), 0.35)


def main():
    global DWELL, PROGRAMS
    parser = argparse.ArgumentParser()
    parser.add_argument('--dwell', required=True)
    parser.add_argument('--programs', required=True)
    arguments = parser.parse_args()
    DWELL, PROGRAMS = os.path.abspath(arguments.dwell), os.path.abspath(arguments.programs)
    failed = 0
    for case in [shares_are_those_of_the_program, windows_find_the_same, nested_samples_know_paths,
                 a_share_of_windows_knows_paths]:
        with tempfile.TemporaryDirectory() as folder:
            try:
                case(folder)
                print('ok       ' + case.__name__)
            except (AssertionError, sqlite3.Error) as error:
                failed += 1
                print('FAILED   %s: %s' % (case.__name__, error))
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
