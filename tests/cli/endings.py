#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How programs end, and how 'record' and the views report it.

    endings.py [--dwell PATH] [--programs FOLDER] [--only EXPRESSION]

Each case prints one line; the exit status is 0 when none failed.
"""
import csv
import json
import os
import pty
import re
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

from cases import case, check, main, read_line, Skip

SECONDS = 60


def run(*arguments, **more):
    done = subprocess.run([DWELL, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=SECONDS, **more)
    return done.returncode, done.stdout.decode(), done.stderr.decode('utf-8', 'replace')


def record(path, *command):
    """Returns how it ended, as subprocess has it, and what was said."""
    status, _, err = run('record', '-q', '--seed', '1', '-o', path, '--', *command)
    return status, err


def shell(path, script):
    return record(path, 'sh', '-c', script)


def record_aloud(path, *command):
    status, _, err = run('record', '--seed', '1', '-o', path, '--', *command)
    return status, err


def rows(view, path):
    """The processes of a view as JSON and as CSV."""
    as_json = json.loads(run(view, '-i', path, '--format=json')[1])['processes']
    return as_json, list(csv.DictReader(run(view, '-i', path, '--format=csv')[1].splitlines()))


def ending(row):
    return row['state'], row['exit_status'], row['signal'], row['signal_name']


# ---- Killed by a signal ----

@case
def who_is_killed_is_told_as_killed_with_the_signal():
    for name in 'TERM', 'HUP', 'SEGV', 'ABRT', 'USR1', 'KILL':
        number = getattr(signal, 'SIG' + name)
        status, err = shell('k.db', 'kill -%s $$' % name)
        check(status == -number, name, 'became', status, err)
        wanted = ('killed', None, number, 'SIG' + name)
        for view in 'processes', 'info':
            of_json, of_csv = rows(view, 'k.db')
            check(ending(of_json[0]) == wanted, view, of_json[0])
            check(ending(of_csv[0]) == ('killed', '', str(int(number)), 'SIG' + name), view,
                  of_csv[0])
        report = json.loads(run('report', '-i', 'k.db', '--format=json')[1])
        check(ending(report['process']) == wanted, report['process'])
        told = 'killed by SIG%s (signal %d)' % (name, number)
        check(told + ' after ' in run('report', '-i', 'k.db')[1], run('report', '-i', 'k.db')[1])
        check('killed (SIG%s)' % name in run('processes', '-i', 'k.db')[1],
              run('processes', '-i', 'k.db')[1])
        info = run('info', '-i', 'k.db')[1]
        check('SIG%s (signal %d)\n' % (name, number) in info and 'killed (SIG%s)' % name in info,
              info)
        facts = json.loads(run('info', '-i', 'k.db', '--format=json')[1])
        check((facts['exit_status'], facts['exit_signal']) == (128 + number, number),
              facts['exit_status'])


@case
def who_exits_with_the_status_of_a_signal_is_not_killed():
    check(shell('e.db', 'exit 139')[0] == 139, 'status')
    check(ending(rows('processes', 'e.db')[0][0]) == ('exited', 139, None, None),
          rows('processes', 'e.db'))
    check('exited with status 139' in run('report', '-i', 'e.db')[1], 'report')
    check('killed' not in run('info', '-i', 'e.db')[1], 'info')


@case
def a_child_that_is_killed_is_told_with_the_signal():
    shell('c.db', "sh -c 'kill -PIPE $$'; sh -c 'sleep 0.5; kill -KILL $$'; true")
    endings = [ending(r) for r in rows('processes', 'c.db')[0]]
    check(('killed', None, signal.SIGPIPE, 'SIGPIPE') in endings, endings)
    # Nothing sees SIGKILL come.
    check(('killed', None, None, None) in endings, endings)


@case
def signals_without_a_name_have_a_number():
    status, err = shell('r.db', 'kill -37 $$')
    check(status == -37, status, err)
    check(ending(rows('processes', 'r.db')[0][0]) == ('killed', None, 37, 'SIGRTMIN+3'),
          rows('processes', 'r.db'))


@case
def who_sees_the_signal_come_tells_all_and_who_does_not_is_cut_off():
    for name, told_end in ('TERM', 1), ('ABRT', 1), ('KILL', 0):
        shell('t.db', 'sleep 0.5; kill -%s $$' % name)
        with sqlite3.connect('t.db') as db:
            got = db.execute("SELECT told_end FROM process WHERE state = 'killed'").fetchall()
        check(got == [(told_end,)], name, got)


# ---- Run unprofiled ----

def make_setuid():
    shutil.copy('/bin/true', 'setuid')
    os.chmod('setuid', 0o4755)


@case
def programs_that_ran_unprofiled_are_counted():
    make_setuid()
    check(shell('u.db', './setuid; ./setuid; true') == (0, ''), 'with -q it said something')
    status, err = record_aloud('u.db', 'sh', '-c', './setuid; ./setuid; true')
    check(status == 0 and err.count('it runs unprofiled') == 2, err)
    facts = json.loads(run('info', '-i', 'u.db', '--format=json')[1])
    check((facts['native_programs'], facts['lost_processes']) == (2, 0), facts)
    check('not profiled: cannot be   2\n' in run('info', '-i', 'u.db')[1],
          run('info', '-i', 'u.db')[1])
    shell('u.db', 'true')
    check(json.loads(run('info', '-i', 'u.db', '--format=json')[1])['native_programs'] == 0,
          'there were none')


@case
def a_program_executed_by_its_descriptor_has_its_name():
    make_setuid()
    execute = "import os; os.execve(os.open('setuid', os.O_RDONLY), ['x'], os.environ)"
    status, err = record_aloud('u.db', sys.executable, '-c', execute)
    check(status == 0 and '%s is setuid or setgid: it runs unprofiled' %
          os.path.abspath('setuid') in err, status, err)


@case
def a_command_that_ran_unprofiled_is_told_as_such():
    make_setuid()
    check(record('n.db', './setuid') == (0, ''), 'with -q it said something')
    status, err = record_aloud('n.db', './setuid')
    check(status == 0 and 'running it unprofiled' in err, status, err)
    got, _, err = run('report', '-i', 'n.db')
    check(got == 3 and 'the command was run unprofiled' in err and 'nothing was run' not in err,
          got, err)
    check(json.loads(run('info', '-i', 'n.db', '--format=json')[1])['native_programs'] == 1,
          'native_programs')


# ---- Signals that dwell gets ----

@case
def signals_sent_to_dwell_reach_the_program():
    names = 'INT', 'QUIT', 'HUP', 'TERM', 'USR1', 'USR2', 'ALRM'
    traps = ' '.join('trap "echo %s" %s;' % (name, name) for name in names)
    script = (traps + ' echo begins; n=0; while ! [ -e end ] && [ $((n += 1)) -lt 1000 ]; do sleep '
              '0.05; done; exit 7')
    p = subprocess.Popen([DWELL, 'record', '-q', '-o', 'p.db', '--', 'sh', '-c', script],
                         stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, bufsize=0)
    check(read_line(p.stdout) == b'begins\n', 'it did not begin')
    for name in names:
        p.send_signal(getattr(signal, 'SIG' + name))
        got = read_line(p.stdout)
        check(got == name.encode() + b'\n', name, 'came as', got, p.poll())
    open('end', 'w').close()
    check(p.wait(timeout=SECONDS) == 7, 'it ended with', p.returncode)
    with sqlite3.connect('p.db') as db:
        check(db.execute("SELECT value FROM meta WHERE key = 'state'").fetchone() == ('complete',),
              'it is not complete')


# ---- Job control ----

def wait_for(pid, options):
    """What waitpid tells, within the limit."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        got, status = os.waitpid(pid, options | os.WNOHANG)
        if got:
            return status
        time.sleep(0.005)
    raise TimeoutError('nothing was told of the process')


def in_a_group(*command):
    """As a shell starts a job: its group has a parent outside, in the same session."""
    return subprocess.Popen([DWELL, 'record', '-q', '-o', 'j.db', '--', *command],
                            stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, bufsize=0, preexec_fn=os.setpgrp)


def stop_and_go_on(p, number, to_group):
    status = wait_for(p.pid, os.WUNTRACED)
    check(os.WIFSTOPPED(status) and os.WSTOPSIG(status) == number, number, 'was told as', status)
    os.kill(-p.pid if to_group else p.pid, signal.SIGCONT)
    status = wait_for(p.pid, os.WCONTINUED)
    check(os.WIFCONTINUED(status), 'going on was told as', status)


@case
def who_stops_is_seen_to_stop_and_to_go_on():
    for name in 'STOP', 'TSTP', 'TTIN', 'TTOU':
        for to_group in False, True:
            # The second stop is not to be over before the first is seen to be.
            p = in_a_group('sh', '-c', 'kill -%s $$; echo on; sleep 0.2; kill -%s $$; exit 7' %
                           (name, name))
            try:
                stop_and_go_on(p, getattr(signal, 'SIG' + name), to_group)
                check(read_line(p.stdout) == b'on\n', name, 'it did not go on')
                stop_and_go_on(p, getattr(signal, 'SIG' + name), to_group)
                check(os.waitstatus_to_exitcode(wait_for(p.pid, 0)) == 7, name, 'status')
            finally:
                subprocess.run(['kill', '-KILL', '--', '-%d' % p.pid], stderr=subprocess.DEVNULL)


@case
def who_wants_to_stop_later_or_not_at_all_does_so():
    # As an editor does: it puts the terminal in order, and stops by itself.
    p = in_a_group('sh',
                   '-c', 'trap "echo tidy; kill -STOP $$; echo back; exit 6" TSTP; echo begins;'
                   ' n=0; while [ $((n += 1)) -lt 1000 ]; do sleep 0.05; done')
    try:
        check(read_line(p.stdout) == b'begins\n', 'it did not begin')
        os.kill(p.pid, signal.SIGTSTP)
        check(read_line(p.stdout) == b'tidy\n', 'SIGTSTP did not come')
        stop_and_go_on(p, signal.SIGSTOP, False)
        check(read_line(p.stdout) == b'back\n', 'it did not go on')
        check(os.waitstatus_to_exitcode(wait_for(p.pid, 0)) == 6, 'status')
    finally:
        subprocess.run(['kill', '-KILL', '--', '-%d' % p.pid], stderr=subprocess.DEVNULL)
    p = in_a_group('sh', '-c', 'trap "echo cont; exit 5" CONT; trap "" TSTP; echo begins;'
                   ' n=0; while [ $((n += 1)) -lt 1000 ]; do sleep 0.05; done')
    try:
        check(read_line(p.stdout) == b'begins\n', 'it did not begin')
        os.kill(-p.pid, signal.SIGTSTP)
        time.sleep(0.2)
        check(os.waitpid(p.pid, os.WNOHANG | os.WUNTRACED)[0] == 0, 'it stopped')
        os.kill(p.pid, signal.SIGCONT)
        check(read_line(p.stdout) == b'cont\n', 'SIGCONT did not come')
        check(os.waitstatus_to_exitcode(wait_for(p.pid, 0)) == 5, 'status')
    finally:
        subprocess.run(['kill', '-KILL', '--', '-%d' % p.pid], stderr=subprocess.DEVNULL)


# ---- How dwell ends ----

def on_terminal(*arguments, then):
    """Run dwell on a terminal of its own; `then` gets the terminal and its pid once it has drawn.
    The exit status.
    """
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM='xterm')
        os.execv(DWELL, [DWELL, *arguments])
    check(select.select([terminal], [], [], SECONDS)[0], 'it drew nothing')
    os.read(terminal, 1)
    time.sleep(0.2)
    then(terminal, pid)
    begin = time.monotonic()
    while True:
        if not select.select([terminal], [], [], 10)[0]:
            os.kill(pid, signal.SIGKILL)
        try:
            if not os.read(terminal, 4096):
                break
        except OSError: # as a terminal says that nobody is left
            break
    check(time.monotonic() - begin < 10, 'it took', time.monotonic() - begin, 's to end')
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@case
def top_that_the_user_ends_has_not_failed():
    shell('top.db', 'true')
    for how, then in ('q', lambda terminal, _: os.write(terminal, b'q')), \
                     ('Ctrl-C', lambda terminal, _: os.write(terminal, b'\x03')), \
                     ('TERM', lambda _, pid: os.kill(pid, signal.SIGTERM)):
        # It need not wait for the next picture.
        status = on_terminal('top', '-i', 'top.db', '--interval', '60', then=then)
        check(status == 0, how, 'gave', status)


@case
def help_that_cannot_be_written_is_said():
    for arguments in ['report', '--help'], ['record', '-h'], ['help',
                                                              'report'], ['help'], ['--version']:
        with open('/dev/full', 'w') as full:
            done = subprocess.run([DWELL, *arguments], stdout=full, stderr=subprocess.PIPE,
                                  timeout=SECONDS)
        check(done.returncode == 5 and done.stderr.startswith(b'dwell: cannot write the output'),
              arguments,
              done.returncode, done.stderr)


@case
def an_engine_without_memory_is_a_reason_of_our_own():
    seen = set()
    # Too little for dwell itself, for the engine, and enough: where these are depends on the
    # machine.
    for kilobytes in 35000, 40000, 50000, 60000, 70000, 80000, 100000:
        for command in ['record'], ['simulate']:
            done = subprocess.run(['sh', '-c', 'ulimit -v $0; exec "$@"', str(kilobytes), DWELL,
                                   *command, '-o', 'm.db', '--',
                                   'true'], capture_output=True, timeout=SECONDS)
            seen.add(b'no room for the engine' in done.stderr)
            check(done.returncode == 0 or b'ulimit -v' in done.stderr or kilobytes < 50000,
                  kilobytes, command, done.returncode, done.stderr)
    check(True in seen, 'no size was too small for the engine alone')


@case
def workers_have_the_titles_that_they_gave_themselves():
    # The parent's own, and what a worker that sets none is called, stay as they were given.
    perl = ('$0 = "the master"; for my $name ("worker  one", "", "wörker") { next if fork;'
            ' $0 = $name if $name; my $end = time + 3; while (time < $end) { $x++ } exit 0 } 1 '
            'while wait > 0;')
    check(record('titles.db', 'perl', '-e', perl, 'argument') == (0, ''), 'it failed')
    commands = [row['command'] for row in rows('processes', 'titles.db')[0]]
    own = [command for command in commands if command.startswith('perl -e $0')]
    check(len(own) == 1 and sorted(set(commands) - set(own)) == ['the master', 'worker  one',
                                                                 'wörker'], commands)
    check('worker  one' in run('processes', '-i', 'titles.db')[1], 'text')


@case
def a_server_in_the_background_is_told():
    status, _, err = run('record', '-o', 'left.db', '--', 'sh',
                         '-c', 'sleep 3 >/dev/null 2>&1 & sleep 0.5')
    check(status == 0 and 'ended, and 1 of its processes ran on unprofiled: ' in err, status, err)


@case
def a_disk_that_becomes_full_is_told_when_it_does():
    if os.geteuid() != 0 or shutil.which('unshare') is None:
        raise Skip('needs root and unshare')
    # What the program says at its end comes after that.
    busy = ('import sys, time\nend = time.time() + 3\nwhile time.time() < end: sorted(str(i) for i '
            'in range(9999))\n'
            'sys.stderr.write("my last words\\n")')
    os.mkdir('full')
    done = subprocess.run(
        ['unshare', '-m', 'sh',
         '-c', 'mount -t tmpfs -o size=1600k none full || exit 99; exec "$@"', 'sh', DWELL,
         'record', '-q', '-o', 'full/x.db', '--', sys.executable, '-c', busy], capture_output=True,
        text=True, timeout=SECONDS)
    if done.returncode == 99:
        raise Skip("mounting is not allowed")
    check(re.fullmatch('dwell: profiling ends here: .* the disk is full; the command runs on\nmy '
                       'last words\n'
                       'dwell: profile .* was cut off; it holds what was recorded before\n',
                       done.stderr),
          'it said', repr(done.stderr))
    check(done.returncode == 0, 'ended with', done.returncode)


@case
def programs_by_descriptor_are_profiled_as_the_kernel_runs_them():
    with open('by-fd', 'w') as f:
        f.write('#!/bin/sh\nexit 9\n')
    os.chmod('by-fd', 0o755)
    source = ('import os, sys\nfd = os.open(sys.argv[1], '
              'int(sys.argv[2]))\nos.set_inheritable(fd, sys.argv[3] == "open")\n'
              'try: os.execve(fd, ["x", "-c", "exit 8"], os.environ)\nexcept OSError as e: '
              'sys.exit(e.errno)')
    # A script cannot be read by its interpreter once the descriptor is closed: ENOENT, and the
    # caller goes on.
    for file, kept, status in ('/bin/sh', 'closed', 8), ('by-fd', 'open', 9), ('by-fd', 'closed',
                                                                               2):
        for flags in os.O_RDONLY, os.O_PATH:
            command = [sys.executable, '-IS', '-c', source, file, str(flags), kept]
            check(subprocess.run(command, timeout=SECONDS).returncode == status, 'natively', file,
                  kept, flags)
            told = record('fd.db', *command)
            check(told == (status, ''), file, kept, flags, told)
            last = rows('processes', 'fd.db')[0][-1]
            check((last['state'], last['exit_status']) == ('exited', status), last)


@case
def who_takes_over_the_place_of_another_is_not_taken_for_it():
    """Processes that install a filter are profiled no more, but live on; when they end, others have
    their slots.
    """
    with open('filtered.py', 'w') as f:
        f.write('import ctypes, struct, time\n'
                'libc = ctypes.CDLL(None)\n'
                'allow = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0x7fff0000))\n'
                'program = struct.pack("HxxxxxxQ", 1, ctypes.addressof(allow))\n'
                'assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0\n'
                'print("filtered", flush=True)\n'
                'time.sleep(1.5)\n')
    told = shell(
        'o.db', 'for i in 1 2 3; do %s -IS filtered.py & done | (read x; read x; read x; sleep .3; '
        'for i in 1 2 3 4 5 6 7 8; do sleep 3 & done; wait)' % sys.executable)
    check(told[0] == 0, told)
    states = [(row['command'], row['state']) for row in rows('processes', 'o.db')[0]]
    # A forked shell that becomes a sleep may have its name already.
    check([s for c, s in states if c == 'sleep 3' and s != 'exec'] == ['exited'] * 8, states)
    check([s for c, s in states if 'filtered.py' in c and s == 'detached'] == ['detached'] * 3,
          states)


def set_up(dwell, programs, folder):
    global DWELL, PROGRAMS
    DWELL, PROGRAMS = dwell, programs
    os.environ.update(XDG_RUNTIME_DIR=folder)


if __name__ == '__main__':
    main('endings', __doc__, set_up, programs='build/tests/programs')
