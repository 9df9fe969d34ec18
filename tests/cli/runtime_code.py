#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Code made at run time has only the names that its process wrote to /tmp/perf-PID.map.

    runtime_code.py [--dwell PATH] [--programs FOLDER]

The program is tests/programs/walk-code.c. Each case prints one line; the exit status is 0 when none
failed.
"""
import json
import os
import shutil
import subprocess

from cases import Skip, case, check, main

LINES = 1 << 15
ROUNDS = 100
WALK = 'walk \\x1b[31m lines' # as its name is shown


def run(*argv):
    done = subprocess.run([DWELL, *argv], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=100)
    check(done.returncode == 0, ' '.join(argv), 'ended with', done.returncode, done.stdout,
          done.stderr)
    return done.stdout


def functions(command, how, *options, rounds=ROUNDS):
    """Function -> its row, of a run that leaves such a map behind; the profile is profile.db."""
    pid = run(command, '-q', '-o', 'profile.db', *options, '--', PROGRAM, how, str(rounds))
    for end in ('.map', '.map.elsewhere'):
        if os.path.lexists('/tmp/perf-%d%s' % (int(pid), end)):
            os.unlink('/tmp/perf-%d%s' % (int(pid), end))
    report = json.loads(run('report', '-i', 'profile.db', '--format', 'json', '--rows', '100000'))
    if command == 'simulate':
        return {row['name']: row['self'] for row in report['rows']}
    return {row['function']: row for row in report['functions']}


@case
def functions_have_their_names():
    rows = functions('record', 'plain')
    check(WALK in rows, 'the loop is not among', list(rows)[:5])
    check(rows[WALK]['samples'] > 100, 'the loop has', rows[WALK])
    check(not {'before', 'empty', 'minus', 'beyond'} & set(rows), 'what is no entry is a name')
    check('made at run time' not in run('report', '-i', 'profile.db'), 'a hint that nobody needs')


@case
def a_jitdump_file_gives_functions_and_lines():
    rows = functions('record', 'jitdump')
    check(rows.get('js:walk', {}).get('samples', 0) > 100, 'the loop is not among', list(rows)[:5])
    check(rows['js:walk'].get('file') == '/src/walk.js', 'its file is', rows['js:walk'].get('file'))
    check('before' not in rows, 'what was there before has the code')
    lines = json.loads(run('report', '-i', 'profile.db', '--format', 'json',
                           '--rows', '100000'))['lines']
    check({row['line'] for row in lines if row['function'] == 'js:walk'} <= {10, 12, 13},
          'its lines are others')
    check(any(row['function'] == 'js:walk' and row['line'] == 12 for row in lines),
          'the line of the load is not there')


@case
def maps_of_others_are_not_read():
    for how in ('link', 'old', 'pipe') + (('stranger',) if os.geteuid() == 0 else ()):
        rows = functions('record', how)
        check(WALK not in rows and '[anon]' in rows, how, 'has', list(rows)[:5])
        text = run('report', '-i', 'profile.db')
        check('code made at run time that /tmp/perf-' in text, 'no hint in', text)


@case
def a_map_without_end_is_cut_and_that_is_said():
    done = subprocess.run([DWELL, 'record', '-o', 'profile.db', '--', PROGRAM, 'large'],
                          stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=100)
    os.unlink('/tmp/perf-%d.map' % int(done.stdout))
    check('.map is larger than 64 MB' in done.stderr, 'it said', done.stderr)
    check('walk' in run('report', '-i', 'profile.db'), 'what stands in front is not read')


@case
def a_container_has_a_folder_and_numbers_of_its_own():
    apart = ['unshare', '-Urmp', '--fork', '--mount-proc']
    # Its own /tmp may hide the program.
    own = 'exec 7<"$0" && mount -t tmpfs own /tmp && exec /proc/self/fd/7 "$@"'
    if shutil.which('unshare') is None or subprocess.run([*apart, 'sh', '-c', own, '/bin/true'],
                                                         capture_output=True).returncode != 0:
        raise Skip('no namespace of one\'s own')
    done = subprocess.run([DWELL, 'record', '-q', '-o', 'profile.db', '--', *apart, 'sh', '-c', own,
                           PROGRAM, 'stay'],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
    check(done.stdout == '1\n', 'its number is', done.stdout, done.stderr)
    rows = json.loads(run('report', '-i', 'profile.db', '--format', 'json',
                          '--rows', '100000'))['functions']
    check(WALK in {row['function'] for row in rows}, 'its names are not those of its own /tmp')


@case
def simulated_code_has_its_names():
    """With and without a call graph; and none that its process has not told."""
    for name, how, *options in (WALK, 'plain'), (WALK, 'plain', '--no-call-graph'), ('[anon]',
                                                                                     'old'):
        rows = functions('simulate', how, *options, rounds=10)
        reads = rows.get(name, {}).get('Dr', 0)
        check(LINES * 10 <= reads < 1.01 * LINES * 10, name, 'reads', reads)


def set_up(dwell, programs, folder):
    global DWELL, PROGRAM
    DWELL, PROGRAM = dwell, os.path.join(programs, 'walk-code')


if __name__ == '__main__':
    main('runtime-code', __doc__, set_up, programs='build/tests/programs')
