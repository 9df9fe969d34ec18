#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Bad input and failures, with the real engine.

    bad_input.py [--dwell PATH] [--only EXPRESSION]

There must be no crash and no hang, a message on stderr that begins with 'dwell:', the documented
exit status (src/cli/exit_codes.h), and nothing on stdout. Each case prints one line; the exit
status is 0 when none failed.
"""
import csv
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import time

from broken import broken_programs, WRONG_VALUES
from cases import case, check, main, Skip

USAGE, INPUT, OUTPUT, NOT_EXECUTABLE, NOT_FOUND = 2, 3, 5, 126, 127
SECONDS = 60
VIEWS = [['report'], ['curve'], ['annotate'], ['objects'],
         ['objects', '--sites-by=path', '--format=json'], ['paths'], ['paths', '--folded'],
         ['reuse'], ['info'], ['info', '--format=json'], ['processes'], ['top', '--once']]


def start(*arguments, **more):
    return subprocess.Popen([DWELL, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **more)


def run(*arguments, **more):
    """(exit status, stdout, stderr) of dwell with these arguments."""
    process = start(*arguments, **more)
    try:
        out, err = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise AssertionError('%s still ran after %d s' % (' '.join(arguments), SECONDS))
    return process.returncode, out.decode(), err.decode('utf-8', 'replace')


def refused(status, says, *arguments, **more):
    """dwell refuses: this exit status, these words on stderr, nothing on stdout."""
    got, out, err = run(*arguments, **more)
    command = 'dwell ' + ' '.join(arguments)
    check(got == status, command, 'ended with', got, 'and not', status, repr(err[:200]))
    check(re.search(says, err), command, 'said', repr(err[:300]), 'and not', repr(says))
    check(err.startswith('dwell'), command, 'said', repr(err[:300]))
    check(out == '', command, 'printed', repr(out[:200]))


def state_of(path):
    """(state of the file, [(state, exit_status, accesses) of each process])."""
    with sqlite3.connect('file:%s?mode=ro' % path, uri=True) as db:
        check(db.execute('PRAGMA integrity_check').fetchone()[0] == 'ok', path, 'is damaged')
        state = db.execute("SELECT value FROM meta WHERE key = 'state'").fetchone()[0]
        return state, db.execute('SELECT state, exit_status, accesses FROM process').fetchall()


def profile():
    """A good profile of a short run, made once: with each kind of row, but few, as all views read
    it hundreds of times.
    """
    if not os.path.exists('good.db'):
        status, _, err = run('record', '-o', 'good.db', '--', 'sh',
                             '-c', 'seq 1 3000 | sort >/dev/null')
        check(status == 0, 'recording ended with', status, err)
    return 'good.db'


def small_mount(folder, size):
    """A new file system of a few pages at folder, seen by this process and its children only."""
    if not hasattr(small_mount, 'apart'):
        if os.geteuid() != 0 or shutil.which('unshare') is None:
            raise Skip('mounting takes root')
    os.makedirs(folder, exist_ok=True)
    return ['unshare', '-m', 'sh',
            '-c', 'mount -t tmpfs -o size=%s none "$0" || exit 99; exec "$@"' % size, folder]


def run_in(prefix, *arguments):
    done = subprocess.run([*prefix, DWELL, *arguments],
                          stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=SECONDS)
    if done.returncode == 99:
        raise Skip('mounting is not allowed')
    return done.returncode, done.stdout.decode(), done.stderr.decode('utf-8', 'replace')


# ---- The command line ----

@case
def without_a_command_it_says_where_help_is():
    refused(USAGE, '--help')
    refused(USAGE, 'no command to record', 'record')
    refused(USAGE, 'no command to record', 'record', '--')


@case
def unknown_words_are_named():
    refused(USAGE, "'recrod' is not a command", 'recrod')
    refused(USAGE, 'nonsense', 'record', '--nonsense', '--', 'true')
    refused(USAGE, "'xml'", 'report', '--format=xml')
    refused(USAGE, "'turbo'", 'record', '--mode', 'turbo', '--', 'true')
    refused(USAGE, "'extra'", 'info', '-i', 'good.db', 'extra')
    refused(USAGE, "'extra'", 'help', 'info', 'extra')


@case
def values_out_of_range_are_refused_before_anything_runs():
    for option, values in {
            '--period': ['0', '-1', 'x', '1e9', '', '99999999999999999999999'],
            '--seed': ['-1', 'x', ''],
            '--duty': ['0', '101', '-3', 'x', 'nan', ''],
            '--line': ['0', '63', '4', '8192', 'x']}.items():
        for value in values:
            refused(USAGE, 'dwell', 'record', option, value, '-o', 'no.db', '--', 'touch', 'ran')
    for option, values in {'--sizes': ['8K', '64M:8K', '0:1K', 'x:y', ':'], '--line': ['63', 'x'],
                           '--policy': ['best'], '--points-per-octave': ['0', 'x'],
                           '--ways': ['0', '-1', 'x', '129']}.items():
        for value in values:
            refused(USAGE, 'dwell', 'curve', '-i', profile(), option, value)
    for view in ['report', 'annotate', 'reuse']:
        refused(USAGE, 'must hold a line of 64', view, '-i', profile(), '--size', '63')
    check(not os.path.exists('ran') and not os.path.exists('no.db'), 'something ran all the same')


@case
def what_is_wrong_is_said_of_one_thing_and_of_none():
    """What a message tells to do can be done, and its numbers and articles agree with their nouns.
    """
    for view in [['report', '-i', 'none.db'], ['diff', 'none.db', profile()],
                 ['merge', 'none.db', profile(), '-o', 'm.db']]:
        refused(INPUT, "no profile 'none.db': make one with 'dwell record', or name another\n",
                *view)
    refused(USAGE, 'an overhead of 0 makes no sense', 'record', '--overhead', '0', '--', 'true')
    refused(USAGE, "a delay of 'x' is not a number", 'record', '--delay', 'x', '--', 'true')
    refused(USAGE, 'a cache of 1 byte: it must hold a line of 64', 'report', '-i', profile(),
            '--size', '1')
    refused(USAGE, 'a cache of 1 byte: it must hold a line', 'spatial', '-i', profile(),
            '--size', '1')
    refused(USAGE, "a line of '1': it is a power of two from 8 to 4096 bytes", 'record',
            '--line', '1', '--', 'true')
    refused(USAGE, "a line of '1': it is a power of two from 4 to 4096 bytes", 'report',
            '-i', profile(), '--line', '1')


@case
def code_that_no_sample_saw_is_named_with_what_is_near():
    good = profile()
    for view in ['annotate', 'reuse']:
        refused(USAGE, "file or function 'no_such_function_anywhere'", view, '-i', good,
                'no_such_function_anywhere')
        refused(USAGE, "'two' is one", view, '-i', good, 'one', 'two')
    refused(USAGE, "file or function 'no-such-file.c'", 'reuse', '-i', good, 'no-such-file.c:12')
    refused(USAGE, 'rows', 'reuse', '-i', good, '--rows', '0')
    refused(USAGE, 'sources', 'annotate', '-i', good, '--sources', '-1')
    _, out, _ = run('reuse', '-i', good, '--format=csv')
    place = next((row for row in (line.split(',') for line in out.splitlines()[1:])
                  if row[0] == 'reuse' and row[6]), None)
    if place is None:
        raise Skip('the shell has no line numbers')
    refused(USAGE, 'the nearest lines that do: [1-9]', 'reuse', '-i', good, '%s:999999' % place[5])


@case
def parts_that_no_sample_is_of():
    view = ['curve', '-i', profile()]
    refused(USAGE, "no samples in a file or function 'nosuch_function'", *view,
            '--function', 'nosuch_function')
    refused(USAGE, "no samples in a data structure 'nosuch_object'", *view,
            '--object', 'nosuch_object')
    refused(USAGE, "'nosuch' is no FILE:LINE", *view, '--line-at', 'nosuch')
    refused(USAGE, "'nosuch' is no machine", *view, '--caches', 'nosuch')
    refused(USAGE, 'larger than the one before', *view, '--caches', '1M,32K')
    refused(USAGE, 'no machine', *view, '--caches', '1K,2K,3K,4K')
    refused(USAGE, "'nosuch_file.c'", *view, '--line-at', 'nosuch_file.c:12')
    refused(USAGE, 'more than 12 curves', *view, *['--object', 'stack'] * 13)
    refused(USAGE, 'more than 12 curves', *view, *['--process', '0'] * 4, *['-i', profile()] * 4)
    refused(INPUT, 'missing.db', *view, '-i', 'missing.db')
    refused(USAGE, "no samples in a data structure 'nosuch_object'", 'objects', '-i', profile(),
            'nosuch_object')
    refused(USAGE, "file or function 'nosuch_function'", 'paths', '-i', profile(),
            'nosuch_function')
    refused(USAGE, "'two' is one too many", 'paths', '-i', profile(), 'one', 'two')
    refused(USAGE, '--folded', 'paths', '-i', profile(), '--folded', '--format=csv')
    refused(USAGE, 'rows', 'paths', '-i', profile(), '-n', '0')
    refused(USAGE, 'must hold a line of 64', 'paths', '-i', profile(), '--size', '63')
    refused(USAGE, "'two' is one too many", 'objects', '-i', profile(), 'one', 'two')
    refused(USAGE, "blocks by 'colour' is unknown", 'objects', '-i', profile(),
            '--sites-by', 'colour')
    refused(USAGE, 'rows', 'objects', '-i', profile(), '--rows', '0')
    refused(USAGE, 'must hold a line of 64', 'objects', '-i', profile(), '--size', '63')


def without_samples():
    """A profile of a run that was only counted."""
    if not os.path.exists('counted.db'):
        run('record', '-q', '--mode', 'count', '-o', 'counted.db', '--', 'sh',
            '-c', 'seq 1 1000 >/dev/null')
    return 'counted.db'


@case
def line_sizes_without_samples_are_said_to_be_not_known():
    status, out, err = run('spatial', '-i', without_samples())
    check(status == 0 and 'No samples were taken: the miss ratios are not known.' in out, status,
          out, err)
    check('L1d' not in out, 'an empty heading:', out)
    for part in ['--function', 'main'], ['--object', 'stack'], ['--line-at', 'walk.c:12']:
        for view in 'spatial', 'curve':
            refused(USAGE, 'no samples|walk.c', view, '-i', without_samples(), *part)
        refused(USAGE, 'no samples|walk.c', 'spatial', '-i', without_samples(), *part,
                '--format=json')


@case
def what_a_profile_without_samples_misses_is_not_known_to_diff():
    counted, sampled = without_samples(), profile()
    for side, other, paths in ('a', 'b', [counted, sampled]), ('b', 'a', [sampled, counted]):
        lines = run('diff', *paths,
                    '--size', '1M')[1].split('By function')[1].split('\n\n')[1].splitlines()
        cells = [row.split() for row in lines[1:] if not row.startswith('...')]
        check(cells and all(c[1 + 'ab'.index(side)] == c[0] == c[3] == '-' for c in cells), lines)
        table = list(csv.DictReader(run('diff', *paths, '--size', '1M',
                                        '--format=csv')[1].splitlines()))
        check(table and all(r['misses_' + side] == '' and r['outside'] == '' for r in table),
              table[:3])
        check(any(r['misses_' + other] != '' for r in table), table[:3])
        found = json.loads(run('diff', *paths, '--size', '1M', '--format=json')[1])
        check(all(r[side]['misses'] is None and r['outside'] is None and
                  r[other]['misses'] is not None
                  for r in found['rows']), found['rows'][:2])
        check(all(c['outside'] is None for c in found['caches']), found['caches'])


# ---- The program ----

@case
def a_program_that_is_not_there():
    refused(NOT_FOUND, 'no-such-program: command not found', 'record', '--', 'no-such-program')
    refused(NOT_FOUND, 'No such file', 'record', '--', './no-such-program')
    refused(NOT_FOUND, 'dwell', 'record', '--', '')
    check(not os.path.exists('dwell.db'), 'a profile of nothing was left behind')


@case
def a_program_that_cannot_be_executed():
    with open('plain', 'w') as f:
        f.write('echo no\n')
    refused(NOT_EXECUTABLE, 'Permission denied', 'record', '--', './plain')
    refused(NOT_EXECUTABLE, 'directory', 'record', '--', '/')
    refused(NOT_EXECUTABLE, 'Permission denied', 'record', '--', '/dev/null')
    with open('orphan', 'w') as f:
        f.write('#!/no/such/interpreter\n')
    os.chmod('orphan', 0o755)
    refused(NOT_EXECUTABLE, 'interpreter', 'record', '--', './orphan')


@case
def an_engine_that_cannot_be_executed():
    """The program is not to blame."""
    os.mkdir('beside')
    for name in 'dwell', 'dwell-engine':
        shutil.copy(os.path.join(os.path.dirname(DWELL), name), 'beside')
    os.chmod('beside/dwell-engine', 0o644)
    done = subprocess.run(['beside/dwell', 'record', '-o', 'engine.db', '--', 'true'],
                          capture_output=True, timeout=SECONDS)
    check(done.returncode != 0 and b"cannot execute the engine" in done.stderr and
          b'dwell-engine' in done.stderr, done)
    check(not os.path.exists('engine.db'), 'a profile was made')


@case
def the_engine_is_found_where_an_installation_was_moved():
    for folder in 'moved/bin', 'moved/libexec/dwell':
        os.makedirs(folder)
    shutil.copy(DWELL, 'moved/bin')
    moved = ['moved/bin/dwell', 'record', '-q', '-o', 'moved.db', '--', 'true']
    shutil.copy(os.path.join(os.path.dirname(DWELL), 'dwell-engine'), 'moved/libexec/dwell')
    check(subprocess.run(moved, timeout=SECONDS).returncode == 0 and os.path.exists('moved.db'),
          'not found')


@case
def a_corrupt_elf_file_ends_as_an_error():
    for name, content in broken_programs().items():
        with open(name, 'wb') as f:
            f.write(content)
        os.chmod(name, 0o755)
        status, out, err = run('record', '-o', 'corrupt.db', '--', './' + name)
        check(status in (NOT_EXECUTABLE, 128 + signal.SIGSEGV, -signal.SIGSEGV, -signal.SIGKILL,
                         -signal.SIGBUS),
              name, 'ended with', status, repr(err[:200]))
        check(status < 0 or err.startswith('dwell:'), name, 'said', repr(err[:200]))
        check('fault in the engine' not in err, name, 'said', repr(err[:200]))
        check(out == '', name, 'printed', out)


# ---- The profile as output ----

@case
def an_output_that_cannot_be_written():
    os.mkdir('folder')
    with open('foreign.txt', 'w') as f:
        f.write('my thesis\n')
    refused(OUTPUT, 'No such file', 'record', '-o', 'no/such/folder/x.db', '--', 'touch', 'ran')
    refused(OUTPUT, 'directory', 'record', '-o', 'folder', '--', 'touch', 'ran')
    refused(OUTPUT, 'not a regular file', 'record', '-o', '/dev/full', '--', 'touch', 'ran')
    refused(OUTPUT, 'no Dwell profile', 'record', '-o', 'foreign.txt', '--', 'touch', 'ran')
    refused(OUTPUT, 'dwell', 'record', '-o', '/proc/x.db', '--', 'touch', 'ran')
    refused(OUTPUT, 'dwell', 'record', '-o', '', '--', 'touch', 'ran')
    check(not os.path.exists('ran'), 'the program ran all the same')
    with open('foreign.txt') as f:
        check(f.read() == 'my thesis\n', 'a file of the user was changed')


@case
def a_dump_to_a_full_disk_leaves_nothing():
    status, out, err = run_in(small_mount('full', '200k'), 'record', '-q', '-o', 'dumped.db', '--',
                              'sh', '-c',
                              '"$0" dump -p $PPID -o full/x.db; echo $?; ls full', DWELL)
    check(status == 0 and out == '%d\n' % OUTPUT, 'ended with', status, 'and printed', repr(out))
    check(re.fullmatch("dwell: cannot write profile '.*full/x.db': the disk is full\n", err),
          'it said', repr(err))


@case
def a_full_disk_does_not_stop_the_program():
    for size in '16k', '200k':
        prefix = small_mount('full', size)
        status, out, err = run_in(prefix, 'record', '-o', 'full/x.db', '--', 'sh', '-c',
                                  'seq 1 300000 | sort -r | tail -n 1; exit 7')
        check(re.search('disk is full', err), 'it said', repr(err))
        check(status == OUTPUT and out == '' or status in (7, OUTPUT) and out == '1\n',
              'ended with', status, 'and printed', repr(out))


@case
def a_view_whose_output_cannot_be_written():
    for view in VIEWS:
        with open('/dev/full', 'w') as full:
            done = subprocess.run([DWELL, *view, '-i', profile()], stdout=full,
                                  stderr=subprocess.PIPE,
                                  timeout=SECONDS)
        check(done.returncode == OUTPUT, view, 'ended with', done.returncode)
        check(done.stderr.startswith(b'dwell: '), view, 'said', done.stderr[:200])


# ---- The profile as input ----

@case
def a_profile_that_is_none():
    with sqlite3.connect('other.db') as db:
        db.execute('CREATE TABLE t(x)')
    open('empty.db', 'w').close()
    with open('text.db', 'w') as f:
        f.write('this is a text\n' * 1000)
    for path, says in {
            'missing.db': 'dwell record', 'empty.db': 'empty', 'text.db': 'not a Dwell profile',
            'other.db': 'not a Dwell profile', '/': 'directory', '/dev/zero': 'regular'}.items():
        for view in VIEWS:
            refused(INPUT, says, *view, '-i', path)


@case
def a_profile_of_another_version():
    shutil.copy(profile(), 'newer.db')
    with sqlite3.connect('newer.db') as db:
        db.execute('PRAGMA user_version = 999')
    for view in VIEWS:
        refused(INPUT, 'version|newer', *view, '-i', 'newer.db')


def survives(path):
    """Each view ends by itself: with what it could read, or with a sentence."""
    for view in VIEWS:
        status, _, err = run(*view, '-i', path)
        check(status in (0, INPUT, OUTPUT), view, 'of', path, 'ended with', status, repr(err[:300]))
        check(status == 0 or err.startswith('dwell: '), view, 'said', repr(err[:300]))


@case
def a_truncated_profile():
    with open(profile(), 'rb') as f:
        good = f.read()
    for length in [1, 15, 16, 99, 100, 4095, 4096, 8192, len(good) // 2, len(good) - 4096,
                   len(good) - 1]:
        with open('cut.db', 'wb') as f:
            f.write(good[:length])
        survives('cut.db')
        status = run('report', '-i', 'cut.db')[0]
        check(status == INPUT, 'cut to', length, 'bytes: the report ended with', status)


@case
def a_profile_with_wrong_bytes():
    with open(profile(), 'rb') as f:
        good = f.read()
    chance = random.Random(7)
    for _ in range(30):
        bad = bytearray(good)
        for _ in range(chance.choice([1, 10, 100])):
            bad[chance.randrange(100, len(bad))] = chance.randrange(256)
        with open('bytes.db', 'wb') as f:
            f.write(bad)
        survives('bytes.db')


@case
def a_profile_with_wrong_values():
    for change in WRONG_VALUES:
        shutil.copy(profile(), 'wrong.db')
        with sqlite3.connect('wrong.db') as db:
            db.execute(change)
        db.close()
        survives('wrong.db')


# ---- Killed ----

@case
def a_program_killed_by_sigkill():
    status, _, err = run('record', '-o', 'killed.db', '--', 'sh',
                         '-c', 'seq 1 1000 >/dev/null; kill -KILL $$')
    check(status == -signal.SIGKILL, 'dwell ended with', status, repr(err))
    state, processes = state_of('killed.db')
    check(state == 'complete', 'the file is', state)
    check(processes[0][0] == 'killed' and processes[0][2] > 0, 'the process is', processes[0])
    check(run('report', '-i', 'killed.db')[0] == 0, 'the report failed')


@case
def a_program_that_ends_by_a_signal():
    for name in 'TERM', 'SEGV', 'INT':
        status, _, err = run('record', '-q', '-o', 'signal.db', '--', 'sh',
                             '-c', 'kill -%s $$' % name)
        check(status == -getattr(signal, 'SIG' + name), name, 'became', status, repr(err))


def kill_collector(mode, reap):
    """SIGKILL to dwell in the middle of a run: the program goes on to its own end."""
    path = 'orphan-%s-%s.db' % (mode, reap)
    work = ('echo begins; i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done; seq 1 5 | sort -r; '
            'echo $i; echo ends >&2')
    process = start('record', '--mode', mode, '-o', path, '--', 'sh', '-c', work,
                    start_new_session=True)
    check(process.stdout.readline() == b'begins\n', 'it did not begin')
    time.sleep(0.3)
    process.kill()
    if reap:
        process.wait()
    try:
        # The pipes close when the program, which has lost its parent, is done.
        rest, err = process.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise AssertionError('in mode %s the program still ran after 20 s' % mode)
    check(rest == b'5\n4\n3\n2\n1\n300000\n', mode, 'the program went on to print', rest)
    check(err.endswith(b'ends\n'), mode, 'it said', err)
    for view in ['info'], ['report']:
        status, _, err = run(*view, '-i', path)
        check(status in (0, INPUT), view, 'ended with', status, err)
        check(status == 0 or view == ['report'], 'info cannot read the file:', err)
    status, out, err = run('top', '--once', '-i', path)
    check(status == INPUT or out.startswith('cut off with its profiler: sh -c '), 'top says',
          repr(out), err)


@case
def a_collector_killed_by_sigkill():
    kill_collector('sample', True)
    kill_collector('count', True)


@case
def a_collector_killed_and_never_waited_for():
    """Its parent leaves it a zombie, which still has a process number."""
    kill_collector('sample', False)
    kill_collector('count', False)


@case
def a_dead_writer_that_nobody_waited_for_does_not_hold_its_file():
    process = start('record', '-q', '-o', 'zombie.db', '--', 'sh', '-c', 'echo begins; sleep 1')
    check(process.stdout.readline() == b'begins\n', 'it did not begin')
    status, _, err = run('record', '-q', '-o', 'zombie.db', '--', 'true')
    check(status == OUTPUT and 'is being written by process %d' % process.pid in err, status, err)
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    status, _, err = run('record', '-q', '-o', 'zombie.db', '--', 'true')
    check(status == 0, 'ended with', status, err)
    process.communicate()


@case
def a_simulation_that_goes_on_or_was_cut_off_says_so():
    said = 'still running, or cut off with its profiler'
    process = start('simulate', '-q', '-o', 'cut.db', '--',
                    'sh', '-c', 'echo begins; while :; do :; done',
                    start_new_session=True)
    try:
        check(process.stdout.readline() == b'begins\n', 'it did not begin')
        end = time.monotonic() + SECONDS
        while 'Events by' not in run('report', '-i', 'cut.db')[1] and time.monotonic() < end:
            time.sleep(0.1)
        check(said in run('report', '-i', 'cut.db')[1], 'of a run that goes on nothing is said')
    finally:
        process.kill()
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    for view in ['report'], ['report', '--by=line'], ['calls']:
        status, out, err = run(*view, '-i', 'cut.db')
        check(status == 0 and said in out, view, 'ended with', status, 'and said', repr(out[:200]),
              err)
    run('simulate', '-q', '-o', 'cut.db', '--', 'sh', '-c', 'exit 3')
    check('exited with status 3 after' in run('report', '-i', 'cut.db')[1],
          'the status is not told')
    run('simulate', '-q', '-o', 'cut.db', '--', 'true')
    check(not re.search('exited|running', run('report', '-i', 'cut.db', '--by', 'line')[1]),
          'a good end is told')


@case
def an_interrupted_recording_leaves_a_profile():
    process = start('record', '-o', 'interrupted.db', '--',
                    'sh', '-c', 'echo begins; while :; do :; done',
                    start_new_session=True)
    check(process.stdout.readline() == b'begins\n', 'it did not begin')
    time.sleep(0.5)
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=SECONDS)
    check(process.returncode == -signal.SIGINT, 'it ended with', process.returncode)
    state, processes = state_of('interrupted.db')
    check(state == 'complete' and processes[0][2] > 0, 'the file holds', state, processes)


# ---- Too little of something ----

@case
def a_tiny_dev_shm_does_not_matter():
    prefix = small_mount('/dev/shm', '4k')
    status, out, err = run_in(prefix, 'record', '-o', 'shm.db', '--', 'sh',
                              '-c', 'seq 1 20000 | sort -rn | head -n 1')
    check((status, out) == (0, '20000\n'), 'ended with', status, 'and printed', repr(out), err)
    check(state_of('shm.db')[1][0][2] > 0, 'nothing was counted')


@case
def too_little_memory_is_said():
    limited = ['sh', '-c', 'ulimit -v $0; exec "$@"']
    for kilobytes in '150000', '300000', '2000000':
        status, out, err = run_in(limited + [kilobytes], 'record', '-o', 'memory.db', '--', 'echo',
                                  'done')
        check((status, out) == (0, 'done\n') or (status != 0 and re.search('dwell: ', err)),
              'with', kilobytes, 'KB it ended with', status, repr(out), repr(err))


@case
def few_descriptors():
    limited = ['sh', '-c', 'ulimit -n $0; exec "$@"']
    for count in '16', '32':
        status, out, err = run_in(limited + [count], 'record', '-o', 'few.db', '--', 'echo', 'done')
        check((status, out) == (0, 'done\n') or (status != 0 and err.startswith('dwell: ')),
              'with', count, 'descriptors it ended with', status, repr(out), repr(err))


@case
def closed_standard_descriptors():
    done = subprocess.run(['sh', '-c',
                           'exec "$0" record -o closed.db -- sh -c "exit 6" <&- >&- 2>&-', DWELL],
                          timeout=SECONDS)
    check(done.returncode == 6, 'it ended with', done.returncode)
    check(state_of('closed.db')[0] == 'complete', 'the file is not complete')


def set_up(dwell, folder):
    global DWELL
    DWELL = dwell


if __name__ == '__main__':
    main('bad-input', __doc__, set_up)
