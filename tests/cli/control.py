#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""When sampling begins and ends, what it costs, and requests to a run in progress.

    control.py [--dwell PATH] [--programs FOLDER] [--only EXPRESSION]

Each case prints one line; the exit status is 0 when none failed.
"""
import csv
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import time

import background
from background import let_end, Recording
from cases import case, check, main, wait_for

USAGE, INPUT, OUTPUT = 2, 3, 5
SECONDS = 60


def run(*arguments, **more):
    done = subprocess.run([DWELL, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=SECONDS, **more)
    return done.returncode, done.stdout.decode(), done.stderr.decode('utf-8', 'replace')


def program(name):
    return os.path.join(PROGRAMS, name)


def record(*arguments, says='', status=0):
    """Record, look at the end, and return what was said."""
    got, out, err = run('record', '--seed', '1', '-o', 'control.db', *arguments)
    check(got == status, 'record', *arguments, 'ended with', got, err)
    check(re.search(says, err), 'record', *arguments, 'said', repr(err))
    return err


def ask(sql, path='control.db'):
    with sqlite3.connect('file:%s?mode=ro' % path, uri=True) as db:
        return db.execute(sql).fetchall()


def one(sql, path='control.db'):
    return ask(sql, path)[0][0]


def functions():
    """function -> samples that were taken or ended there."""
    return dict(ask("""SELECT f.function, count(*) FROM sample s JOIN frame f
        ON f.location_id = s.begin_location AND f.depth = 0 GROUP BY 1"""))


def endless():
    return background.endless(program('stages'))


# ---- Functions and marks ----

@case
def start_at_a_static_function():
    record('--start-at', 'middle', program('stages'), '20')
    found = functions()
    check(found.get('middle', 0) > 100 and found.get('last', 0) > 100, found)
    check(set(found) & {'first', 'main', '_dl_start'} <= {'main'}, 'sampled before:', found)
    check(found.get('first', 0) == 0, 'sampled before:', found)


@case
def start_and_stop():
    record('--start-at', 'middle', '--stop-at', 'last', program('stages'), '20')
    found = functions()
    check(found.get('middle', 0) > 100, found)
    check(set(found) <= {'middle', 'helper', 'main'}, 'sampled outside:', found)


@case
def a_function_entered_again_and_again_stops_once():
    # Helper is entered many times before sampling begins, and then ends it at once.
    record('--start-at', 'last', '--stop-at', 'helper', program('stages'), '20',
           says="function 'helper' was not entered while it mattered")
    check(functions().get('last', 0) > 100, functions())
    check(set(functions()) & {'first', 'middle', 'helper'} == set(), functions())


@case
def no_sample_has_a_reason():
    record('--start-at', 'middle', '--stop-at', 'middle', program('stages'), '2',
           says="nothing was sampled: function 'middle' was entered before the first sample")
    # The window of this seed begins behind those of true, some 36,000.
    record('--duty', '0.01', '--seed', '3', 'true',
           says='nothing was sampled: the run ended before .*--duty 100')


@case
def a_function_of_a_library():
    record('--start-at', 'qsort', program('stages'), '1', says="function 'qsort' was not entered")
    check(one('SELECT count(*) FROM sample') == 0, 'there are samples')


@case
def a_function_that_nobody_has():
    for option, outcome in ('--start-at', 'nothing was sampled'), ('--stop-at',
                                                                   'did not end there'):
        record(option, 'no_such_function', program('stages'), '1',
               says="no function 'no_such_function' .*%s" % outcome)
        check(one("SELECT count(*) FROM message WHERE text LIKE 'no function%'") == 1,
              'it is not in the profile')
    # With -q, too: the profile is not what was asked for.
    record('-q', '--start-at', 'no_such_function', program('stages'), '1', says='no function')


@case
def names_of_cxx():
    with open('names.cc', 'w') as f:
        f.write("""#include <cstdio>
            static long t[4096];
            namespace a { struct b { __attribute__((noinline)) static long f(long n) {
                long s = 0; for (long i = 0; i < n; i++) s += t[i * 7 % 4096]++; return s; } }; }
            __attribute__((noinline)) long g(long n) {
                long s = 0; for (long i = 0; i < n; i++) s += t[i * 9 % 4096]++; return s; }
            template <class T> struct grid { __attribute__((noinline)) T total(long n) {
                T s = 0; for (long i = 0; i < n; i++) s += t[i * 11 % 4096]++; return s; } };
            int main() { long s = g(5000000); s += a::b::f(5000000); s += grid<long>().total(5000000);
                printf("%ld\\n", s); }""")
    subprocess.run(['g++', '-g', '-O1', '-o', 'names', 'names.cc'], check=True, timeout=SECONDS)
    record('--start-at', 'a::b::f', './names')
    found = functions()
    check(any('a::b::f' in name for name in found) and
          not any(name.startswith('g(') for name in found), found)
    # As reports have it.
    record('--start-at', 'grid<long>::total(long)', './names')
    found = functions()
    check(any('grid<long>::total' in name for name in found) and
          not any('a::b::f' in name for name in found), found)
    record('--stop-at', 'a::b::f', '--start-at', 'g', './names')
    found = functions()
    check(any(name.startswith('g(') for name in found) and
          not any('a::b::f' in name for name in found), found)


@case
def marks_in_c_and_cxx():
    for name in 'marks', 'marks-cc', 'marks-static':
        native = subprocess.run([program(name)], capture_output=True, timeout=SECONDS)
        for options in [], ['--wait-for-mark']:
            got, out, _ = run('record', '-o', 'control.db', *options, program(name))
            check(got == 0 and out.encode() == native.stdout, name, 'ended with', got, out)
        found = {f.split('(')[0]: n for f, n in functions().items()}
        check(found.get('kernel', 0) > 100, name, found)
        check(set(found) <= {'kernel', 'main'}, name, 'sampled outside:', found)


@case
def a_disabled_mark_is_none():
    record('--wait-for-mark', program('marks-disabled'), says='did not come to a DWELL_START')
    check(one('SELECT count(*) FROM sample') == 0, 'there are samples')


@case
def named_memory_is_a_site():
    record('--wait-for-mark', program('marks'))
    sites = ask("SELECT id, kind, name, blocks, bytes, live_blocks FROM site WHERE kind = 'region'")
    check(len(sites) == 1 and sites[0][1:] == ('region', 'the named table', 1, 65536, 0), sites)
    inside = one('SELECT count(*) FROM sample WHERE begin_site = %d' % sites[0][0])
    check(inside > 0.9 * one('SELECT count(*) FROM sample'), inside, 'samples lie in it')


# ---- Time, windows, cost ----

@case
def windows_are_not_more():
    # 600 million accesses: after the first 190 million, whose windows have no gaps, they double 1.7
    # times.
    first = None
    for most in 1, 50:
        record('--windows', str(most), program('stages'), '100')
        early, late = ask('SELECT sum(start < 190e6), sum(start > 190e6) FROM window')[0]
        check(most <= late <= 2 * most, late, 'windows instead of 1.7 times', most)
        first = first or early
        check(early == first, early, 'windows at the beginning instead of', first)
    periods = [row[0] for row in ask('SELECT stands_for FROM window ORDER BY number')]
    check(periods[-1] > periods[first] > periods[0], 'periods do not grow:', periods)


@case
def duration_ends_sampling():
    begin = time.monotonic()
    record('--duration', '0.3', program('stages'), '300')
    took = time.monotonic() - begin
    last = one('SELECT max(start + length) FROM window')
    check(last > 0, 'nothing was sampled')
    check(took < 0.45 or last < 0.95 * one('SELECT sum(accesses) FROM process'),
          'sampled to the end')
    check(functions().get('last', 0) == 0 or took < 1, functions())


@case
def what_was_not_sampled_has_no_part():
    record('--start-at', 'middle', '--stop-at', 'last', program('stages'), '40')
    table = list(csv.DictReader(run('report', '-i', 'control.db', '--format=csv')[1].splitlines()))
    shares = {row['name']: float(row['access_share']) for row in table if row['kind'] == 'function'}
    # Middle makes 2 accesses a round; with its call, helper's round makes 4, one in 64 times.
    check(shares['middle'] > 0.9 and shares.get('last', 0) == 0, shares)


@case
def the_report_says_what_it_cannot_know_of_the_memory_held():
    for options, more in ((['--mode', 'count'], r' at the end; before .*'),
                          (['--start-at', 'last'], ', or more: .*'), ([], '')):
        record(*options, program('stages'), '2')
        out = run('report', '-i', 'control.db')[1]
        check(re.search(r'^  memory held   [0-9.]+[KM]%s$' % more, out, re.M), options, out)


def advice():
    """What the report says that would make for enough samples: the option, or None."""
    paragraphs = [' '.join(p.split()) for p in run('report', '-i', 'control.db')[1].split('\n\n')]
    found = re.search(
        r'(?:Few|No) samples.*\. Give the program more work(, or record with (.*))?\. Next: dwell',
        '\n'.join(paragraphs))
    check(found, paragraphs)
    return found.group(2)


@case
def the_period_that_the_report_advises_is_enough():
    # A period from all accesses would be twice as long: half of them are made before sampling is
    # on.
    record('--start-at', 'middle', '--stop-at', 'last', program('stages'), '2')
    said = advice()
    check(re.fullmatch(r'--period [1-9][0-9]*', said or ''), said)
    record('--start-at', 'middle', '--stop-at', 'last', *said.split(), program('stages'), '2')
    check(one('SELECT count(*) FROM sample') >= 5000, said, one('SELECT count(*) FROM sample'))
    check('Few samples' not in run('report', '-i', 'control.db')[1], said)


@case
def nothing_is_advised_that_cannot_help():
    for options, millions, wanted in (['--duty', '100'], 0, None), (['--duty', '0.1'], 2,
                                                                    'a larger --duty'):
        record(*options, program('stages'), str(millions))
        check(advice() == wanted, options, advice())


@case
def delay_begins_it():
    stages = program('stages')
    record('--delay', '2', 'sh', '-c', '"%s" 5; sleep 2; "%s" 60' % (stages, stages))
    first, last = ask("SELECT min(id), max(id) FROM process WHERE exe LIKE '%/stages'")[0]
    windows = 'SELECT count(*) FROM window WHERE process_id = %d'
    check(first < last and one(windows % first) == 0, 'sampled from the start')
    check(one(windows % last) > 0, 'not sampled at all')
    record('--delay', '50', program('stages'), '1', says='ended before the delay was over')
    check(one('SELECT count(*) FROM window') == 0, 'there are windows')


@case
def a_larger_budget_has_more_windows():
    count = {}
    for percent in '5', '50':
        said = record('--overhead', percent, program('stages'), '800',
                      says=r'sampling cost [0-9.]+ % of the CPU time')
        count[percent] = one('SELECT count(*) FROM window')
        cost = float(re.search(r'sampling cost ([0-9.]+) %', said).group(1))
        check(cost <= float(percent) + 10 or re.search('so short|too short', said), 'it cost', cost,
              said)
    check(count['50'] >= 4 * count['5'], 'windows by budget:', count)


@case
def values_are_refused():
    for option, values in {
            '--windows': ['0', '-1', 'x', ''], '--duration': ['0', '-1', 'x', '', '1e3'],
            '--delay': ['-1', 'x', ''], '--overhead': ['0', '-5', 'x', '', '99999'],
            '--start-at': ['', 'f' * 256], '--stop-at': ['']}.items():
        for value in values:
            got, out, err = run('record', option, value, '-o', 'no.db', '--', 'touch', 'ran')
            check(got == USAGE and err.startswith('dwell'), option, value, got, err)
    got, _, err = run('record', '--mode', 'count', '--windows', '3', '-o', 'no.db', '--', 'touch',
                      'ran')
    check(got == USAGE and '--windows' in err, got, err)
    for options, words in ((['--mode', 'count', '--duty', '5'], '--duty is about samples'),
                           (['--period=9', '--mode', 'count'], '--period is about samples'),
                           (['--mode', 'count', '--paths'], '--paths is about samples'),
                           (['-l', '128', '--mode', 'count'], '--line is about samples'),
                           (['--mode', 'count', '--one-line'], '--one-line is about samples'),
                           (['--mode', 'count', '--overhead', '5'],
                            '--overhead says when to sample'),
                           (['--overhead', '5', '--duty', '5'], '--duty and --overhead'),
                           (['--duty', '5', '--overhead', '5'], '--duty and --overhead')):
        got, _, err = run('record', *options, '-o', 'no.db', '--', 'touch', 'ran')
        check(got == USAGE and words in err, options, got, err)
    check(not os.path.exists('ran') and not os.path.exists('no.db'), 'something ran all the same')


# ---- Runs that go on ----

@case
def stop_lets_the_program_run_on():
    with Recording('--seed', '1', 'sh', '-c', '"$0" "$@"; echo after; exit 7', *endless()) as r:
        wait_for(lambda: one('SELECT count(*) FROM window', 'live.db') > 2, 'windows')
        got, out, err = run('stop', '-p', str(r.pid))
        check(got == 0 and out.strip() == os.path.abspath('live.db'), got, out, err)
        check(r.process.poll() is None, 'the program has ended')
        check(one("SELECT value FROM meta WHERE key = 'state'", 'live.db') == 'complete',
              'not complete')
        check(one("SELECT count(*) FROM process WHERE state = 'running'", 'live.db') == 0,
              'some seem to run')
        check(run('report', '-i', 'live.db')[0] == 0, 'report fails')
        before = one('SELECT sum(accesses) FROM process', 'live.db')
        got, out, err = r.end()
        check(got == 7 and out.endswith('after\n'), got, repr(out))
        check("profiling ends here" in err, err)
        check(before == one('SELECT sum(accesses) FROM process', 'live.db'), 'it was written on')


@case
def who_asks_after_the_end_is_answered_at_once():
    with Recording('sleep', '30') as r:
        wait_for(lambda: ask("SELECT pid FROM process WHERE command LIKE 'sleep%'", 'live.db'),
                 'the process')
        pid = one("SELECT pid FROM process WHERE command LIKE 'sleep%'", 'live.db')
        begin = time.monotonic()
        for number in r.pid, pid, r.pid:
            got, out, err = run('stop', '-p', str(number))
            check(got == 0 and out.strip() == os.path.abspath('live.db'), number, got, out, err)
        got, out, err = run('top', '--once', '-p', str(pid))
        check(got == 0 and 'sleep 30' in out, got, out, err)
        got, _, err = run('dump', '-p', str(pid))
        check(got == OUTPUT and 'has ended' in err, got, err)
        # Nor does it keep others waiting who ask for another run.
        got, _, err = run('stop', '-p', '1')
        check(got == INPUT and 'neither profiled' in err, got, err)
        check(time.monotonic() - begin < 15, 'it took', time.monotonic() - begin)


@case
def stop_by_a_profiled_process():
    with Recording('sleep', '3') as r:
        wait_for(lambda: ask("SELECT pid FROM process WHERE command LIKE 'sleep%'", 'live.db'),
                 'the process')
        pid = one("SELECT pid FROM process WHERE command LIKE 'sleep%'", 'live.db')
        got, out, err = run('stop', '--pid=%d' % pid)
        check(got == 0, got, err)
        check(r.end()[0] == 0, 'sleep failed')


@case
def signals_reach_a_program_that_runs_on():
    with Recording('sleep', '30') as r:
        wait_for(lambda: ask('SELECT pid FROM process', 'live.db'), 'the process')
        check(run('stop', '-p', str(r.pid))[0] == 0, 'stop failed')
        r.process.terminate()
        check(r.end()[0] == -signal.SIGTERM, 'ended with', r.process.returncode)


@case
def stop_of_others_is_refused():
    for pid in '1', str(os.getpid()):
        got, out, err = run('stop', '-p', pid)
        check(got == INPUT and 'neither profiled' in err and not out, got, err)
    for arguments in [], ['-p', 'x'], ['-p', '0'], ['12']:
        got, out, err = run('stop', *arguments)
        check(got == USAGE and err.startswith('dwell'), got, err)


def is_complete(path):
    return one("SELECT value FROM meta WHERE key = 'state'",
               path) == 'complete' and not os.path.exists(path + '-wal')


@case
def a_dump_of_samples():
    with Recording('--seed', '1', *endless()) as r:
        wait_for(lambda: one('SELECT count(*) FROM window', 'live.db') > 2, 'windows')
        for path in 'one.db', 'two.db':
            got, out, err = run('dump', '-p', str(r.pid), '-o', path)
            check(got == 0 and out.strip() == os.path.abspath(path) and not err, got, out, err)
            check(is_complete(path), path, 'is not complete')
            check(one("SELECT count(*) FROM process WHERE state = 'running'", path) == 1,
                  'nobody runs')
            check('first' in run('report', '-i', path)[1], 'no names')
            check('dwell dump' in run('info', '-i', path)[1], 'it does not say what it is')
        check(0 < one('SELECT count(*) FROM sample', 'one.db') <= one('SELECT count(*) FROM sample',
                                                                      'two.db'), 'samples')
        check(run('dump', '-p', str(r.pid))[0] == 0 and is_complete('dwell.dump.db'),
              'the default name')
        check(run('diff', 'one.db', 'two.db')[0] == 0, 'diff fails')
        got, out, err = r.end()
        check(got == 0, got, err)
    check(one("SELECT value FROM meta WHERE key = 'state'", 'live.db') == 'complete',
          'the run is not')
    check(one('SELECT count(*) FROM sample', 'live.db') > one('SELECT count(*) FROM sample',
                                                              'two.db'), 'samples')
    check(one('SELECT count(*) FROM message', 'live.db') == 0, 'messages')


def simulated(path):
    """Instructions by the simulation and by the counters; see docs/counting.md."""
    return one('SELECT sum("Ir") FROM cost',
               path), one('SELECT sum(instructions + rep_iterations) FROM process', path)


@case
def a_dump_of_a_simulation():
    with Recording('-q', 'sh', '-c', '"$0" "$@"; exit 3', *endless(), path='sim.db',
                   command='simulate') as r:
        wait_for(lambda: one("SELECT count(*) FROM process WHERE exe LIKE '%/stages'", 'sim.db'),
                 'the process')
        time.sleep(0.3)
        got, _, err = run('dump', '-p', str(r.pid), '-o', 'one.db')
        check(got == 0 and is_complete('one.db'), got, err)
        got, _, err = r.end()
        check(got == 3, got, err)
    one_ir, one_counted = simulated('one.db')
    ir, counted = simulated('sim.db')
    check(0 < one_ir <= one_counted < counted and ir == counted, one_ir, one_counted, ir, counted)
    check('first' in run('report', '-i', 'sim.db')[1], 'no names')


@case
def a_dump_of_who_sleeps_has_all():
    # What it computes takes longer than a process may be silent before it waits.
    script = '$x += $_ for 1..300000; $| = 1; print "ready\\n"; select(undef, undef, undef, 4)'
    with Recording('-q', 'perl', '-e', script, path='sim.db', command='simulate') as r:
        check(r.process.stdout.readline() == b'ready\n', 'it did not begin')
        time.sleep(0.5)
        got, _, err = run('dump', '-p', str(r.pid), '-o', 'one.db')
        check(got == 0 and r.process.poll() is None, got, err)
        r.end()
    ir, counted = simulated('one.db')
    check(ir > 10000000 and ir == counted, ir, counted)


@case
def dumps_that_cannot_be():
    open('other', 'w').write('no profile')
    with Recording(*endless()) as r:
        wait_for(lambda: one('SELECT count(*) FROM process', 'live.db'), 'the process')
        for path, says in (('other', 'no Dwell profile'), ('no/such/one.db', 'No such file'),
                           ('live.db', 'is being written by process'), ('.', 'directory')):
            got, out, err = run('dump', '-p', str(r.pid), '-o', path)
            check(got == OUTPUT and says in err and err.count('\n') == 1 and not out, path, got,
                  err)
        check(run('dump', '-p', str(r.pid), '-o', 'good.db')[0] == 0, 'a good one, after all')
        check(r.process.poll() is None, 'it has ended')
    check(open('other').read() == 'no profile', 'it was overwritten')
    for pid in '1', str(os.getpid()):
        got, out, err = run('dump', '-p', pid)
        check(got == INPUT and 'neither profiled' in err and not out, got, err)
    for arguments in [], ['-p', 'x'], ['-p', '0'], ['12'], ['-p', '1', '-o', '']:
        got, out, err = run('dump', *arguments)
        check(got == USAGE and err.startswith('dwell'), got, err)


@case
def a_dump_of_a_curve_has_the_curve_so_far():
    with Recording('-q', '--curve', '--by=line', '--size=32K', *endless(), path='curve.db',
                   command='simulate') as r:
        wait_for(lambda: os.path.exists(os.path.join(os.environ['XDG_RUNTIME_DIR'], 'dwell',
                                                     str(r.pid))), 'the socket')
        wait_for(lambda: one('SELECT count(*) FROM process', 'curve.db'), 'the process')
        wait_for(lambda: run('dump', '-p', str(r.pid), '-o', 'dump.db')[0] == 0 and
                 one('SELECT count(*) FROM curve', 'dump.db'), 'a dump')
        check(one('SELECT max(accesses) FROM curve', 'dump.db') > 0, 'no accesses')
        check(one('SELECT count(*) FROM curve', 'curve.db') == 0, 'the run is not over')
        check(run('stop', '-p', str(r.pid))[0] == 0, 'it did not stop')
        r.end()
    check(one('SELECT max(accesses) FROM curve', 'curve.db') > 0, 'no accesses')


@case
def a_killed_dump_disturbs_nobody():
    with Recording('-q', *endless(), path='sim.db', command='simulate') as r:
        wait_for(lambda: one('SELECT count(*) FROM process', 'sim.db'), 'the process')
        for _ in range(5):
            asking = subprocess.Popen([DWELL, 'dump', '-p', str(r.pid), '-o', 'one.db'],
                                      stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL)
            time.sleep(0.05)
            asking.kill()
            asking.wait()
        got, _, err = r.end()
        check(got == 0, got, err)
    ir, counted = simulated('sim.db')
    check(ir == counted, ir, counted)


@case
def the_door_does_not_mind_nonsense():
    with Recording(*endless()) as r:
        path = os.path.join(os.environ['XDG_RUNTIME_DIR'], 'dwell', str(r.pid))
        wait_for(lambda: os.path.exists(path), 'the socket')
        for message in (b'', b'\n', b'stop', b'stop x\n', b'stop 99999999999999\n', b'where 1\n',
                        b'dump 1 /x\n',
                        b'dump %d\n' % r.pid, b'dump %d x\n' % r.pid, b'\0' * 1000):
            with socket.socket(socket.AF_UNIX) as s:
                s.settimeout(10)
                s.connect(path)
                s.sendall(message)
                s.shutdown(socket.SHUT_WR)
                check(s.recv(100) in (b'no\n', b''), message)
        check(os.stat(os.path.dirname(path)).st_mode & 0o77 == 0, 'others may enter')
        check(r.process.poll() is None, 'it has ended')
        check(run('stop', '-p', str(r.pid))[0] == 0, 'stop failed')
    check(not os.path.exists(path), 'the socket is left')


@case
def views_of_a_run_that_goes_on():
    # They look at a profile that grows, and are slow when it is large.
    with Recording('--duty', '2', *endless()):
        wait_for(lambda: one('SELECT count(*) FROM frame', 'live.db') > 0, 'names')
        check(one("SELECT value FROM meta WHERE key = 'state'", 'live.db') == 'running',
              'it has ended')
        for view in (['report'], ['curve'], ['annotate'],
                     ['objects'], ['spatial'], ['reuse'], ['info'],
                     ['processes'], ['top', '--once']):
            got, out, err = run(*view, '-i', 'live.db')
            check(got == 0 and out, view, got, err)
        check('first' in run('report', '-i', 'live.db')[1], 'no names yet')
        got, out, _ = run('processes', '-i', 'live.db')
        check(re.search(r'running.*stages', out), out)
        got, out, err = run('top', '-i', 'live.db', '--once', '--show', 'functions')
        check(re.match('running, [0-9]+ s: ', out) and 'FUNCTION' in out and 'first' in out, out,
              err)


@case
def top_finds_the_run():
    with Recording(*endless()) as r:
        wait_for(lambda: one('SELECT count(*) FROM window', 'live.db') > 0, 'windows')
        wait_for(lambda: one("SELECT count(*) FROM frame WHERE file LIKE '%stages.c'",
                             'live.db') > 0, 'names')
        got, out, err = run('top', '-p', str(r.pid), '--once', '--show=lines')
        # As the report has it: without the folder.
        check(got == 0 and re.search(r' stages\.c:[0-9]+ ', out), got, out, err)
    got, out, err = run('top', '-p', str(os.getpid()), '--once')
    check(got == INPUT and not out, got, err)
    got, out, err = run('top', '-i', 'live.db')
    check(got == USAGE and '--once' in err, got, err)
    for arguments in ['--interval', '0'], ['--show', 'x'], ['-p', '1',
                                                            '-i', 'live.db'], ['--size', '0']:
        check(run('top', *arguments, '--once')[0] == USAGE, arguments)


@case
def a_forked_process_has_its_parents_command():
    command = 'sh -c (echo a; echo b); true'
    record('--', 'sh', '-c', '(echo a; echo b); true')
    check(ask("SELECT DISTINCT cause, command FROM process") ==
          [('start', command), ('fork', command)], ask('SELECT * FROM process'))
    out = run('curve', '-i', 'control.db', '--process', '1')[1]
    check(out.startswith('Miss ratio by cache size: %s\n' % command), out)


@case
def all_processes_are_listed():
    record('--', 'sh', '-c', '"$0" 3; seq 1 20000 | sort -n >/dev/null; exit 3', program('stages'),
           status=3)
    count = one('SELECT count(*) FROM process')
    got, out, _ = run('processes', '-i', 'control.db', '--format=json')
    rows = json.loads(out)['processes']
    check(len(rows) == count, len(rows), 'of', count)
    check(abs(sum(r['share'] for r in rows) - 1) < 1e-6, 'shares')
    check(rows[0]['accesses'] >= rows[-1]['accesses'], 'order')
    busiest = rows[0]
    report = json.loads(run('report', '-i', 'control.db', '--process', str(busiest['id']),
                            '--format=json')[1])
    ratio = {c['name']: c['miss_ratio'] for c in report['caches']}
    check({c['name']: c['miss_ratio'] for c in busiest['caches']} == ratio,
          'ratios differ from report')
    got, out, _ = run('processes', '-i', 'control.db', '--format=csv')
    check(len(out.splitlines()) == count + 1, out)


def set_up(dwell, programs, folder):
    global DWELL, PROGRAMS
    DWELL, PROGRAMS = dwell, programs
    Recording.dwell = dwell
    os.environ.update(XDG_RUNTIME_DIR=folder)


if __name__ == '__main__':
    main('control', __doc__, set_up, programs='build/tests/programs')
