#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""dwell simulate --curve --lines 1/N: curves of a sample of lines against exact ones, and known
ones.

    lines.py [--dwell PATH] [--programs FOLDER] [--program PATH]

--programs has the programs of tests/programs, --program is regular.c. Each case prints one line;
the exit status is 0 when none failed.
"""
import csv
import io
import json
import os
import re
import sqlite3
import subprocess

from cases import case, check, main

SIZES = '4K:16M'
KB, MB = 1 << 10, 1 << 20


def run(*arguments):
    """Without address randomisation, so that runs can be compared."""
    done = subprocess.run(['setarch', '-R', DWELL, *arguments],
                          stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=120)
    return done.returncode, done.stdout.decode('utf-8', 'replace'), done.stderr.decode('utf-8',
                                                                                       'replace')


def simulate(lines, *command, path='run.db', status=0):
    for old in path, path + '.old':
        if os.path.exists(old):
            os.unlink(old)
    got, _, err = run('simulate', '--curve', '-q', '-o', path, '--sizes', SIZES, *lines, '--',
                      *command)
    check(got == status, lines, command, 'ended with', got, err)
    return path


def view(*arguments):
    status, out, err = run(*arguments)
    check((status, err) == (0, ''), arguments, 'ended with', status, err)
    return out


def curve(path, *arguments):
    """{size: (ratio, low, high)}"""
    rows = csv.DictReader(io.StringIO(view('curve', '--format=csv', *arguments, path)))
    return {int(r['size_bytes']): tuple(float(r[c]) for c in ('miss_ratio', 'low', 'high'))
            for r in rows}


def points(path):
    with sqlite3.connect('file:%s?mode=ro' % path, uri=True) as db:
        return db.execute(
            'SELECT process_id, line_bytes, policy, size_bytes, accesses, misses, lines FROM curve'
            ' ORDER BY 1, 2, 3, 4').fetchall()


def check_near(got, want, most, mean, *what):
    errors = {size: 100 * (got[size][0] - want[size]) for size in want}
    check(max(map(abs, errors.values())) <= most, *what, 'errors', errors)
    check(sum(map(abs, errors.values())) / len(errors) <= mean, *what, 'mean of errors', errors)


@case
def bad_values_are_refused():
    for says, *arguments in (
            ('must be 1 to 1048576', '--lines', '1/0'),
            ('N of --lines', '--lines', '1/x'),
            ('N of --lines', '--lines', '1/'),
            ('N of --lines', '--lines', '1/-4'),
            ('N of --lines', '--lines', '1/1048577'),
            ('write 1/128', '--lines', '2/128'),
            ('write 1/128', '--lines', '/128'),
            ('is the second', '--lines', '1/8,1/16'),
            ('most lines', '--lines', '1/8:0'),
            ('most lines', '--lines', '1/8:x'),
            ('power of two', '--lines', '48,1/8'),
            ('of one size', '--lines', '32,64,1/8'),
            ('LRU caches alone', '--lines', '1/8', '--policy', 'random'),
            ('LRU caches alone', '--lines', '1/8', '--policy', 'both'),
            ('--by needs all lines', '--lines', '1/8', '--by', 'line', '--size', '8K')):
        status, out, err = run('simulate', '--curve', *arguments, '--', 'true')
        check(status == 2, arguments, 'ended with', status, err)
        check(err.startswith('dwell') and err.count('\n') == 1 and re.search(says, err), arguments,
              'said', err)
        check(out == '', arguments, 'printed', out)
    status, _, err = run('simulate', '--lines', '1/8', '--', 'true')
    check(status == 2 and '--curve' in err, 'without --curve:', status, err)


@case
def a_sample_of_all_lines_is_exact():
    """Straddling and string accesses, gathers, faults, new code."""
    for name in 'strings', 'vectors', 'unaligned', 'faults', 'jit', 'regular':
        command = [PROGRAM, 'copies', '600',
                   '4'] if name == 'regular' else [os.path.join(PROGRAMS, name)]
        if name == 'unaligned':
            command.append('sums')
        if not os.path.exists(command[0]):
            continue
        for lines in '64', '16':
            exact = points(simulate(['--policy=lru', '--lines', lines], *command, path='exact.db'))
            sampled = points(simulate(['--lines', lines + ',1/1'], *command))
            if sampled[0][4] != exact[0][4]:  # some make a few accesses more at times
                far = max(abs(a - b) for row in zip(exact, sampled) for a,
                          b in zip(row[0][3:], row[1][3:]))
                check(name == 'vectors' and far < 3000, name, 'lines of', lines, exact, sampled)
                continue
            check(exact == sampled, name, 'lines of', lines, exact, sampled)
            check(exact[0][4] > 1000, name, exact)


@case
def caches_of_known_programs():
    # 3000 lines in turn: all miss in caches of fewer, and none in larger ones
    for command in ['cycle', '3000', '700'], ['cycle', '3000', '700', '64'], ['cycle', '3000',
                                                                              '700', '33']:
        got = curve(simulate(['--lines', '1/128'], PROGRAM, *command))
        check(all(got[s][0] > 0.90 for s in got if s <= 128 * KB), command, got)
        check(all(got[s][0] < 0.01 for s in got if s >= 256 * KB), command, got)
    # of 20,000 lines at random an access misses if its line is not among those of the cache
    exact = curve(simulate(['--policy=lru'], PROGRAM, 'random', '20000', '1500000',
                           path='exact.db'))
    check(abs(exact[512 * KB][0] - (1 - 8192 / 20000) * 0.97) < 0.05, exact)
    got = curve(simulate(['--lines', '1/128'], PROGRAM, 'random', '20000', '1500000'))
    check_near(got, {s: exact[s][0] for s in exact}, 8, 2, 'random')


@case
def a_sample_is_near_the_exact_curve():
    for command in ['copies', '3000', '60'], ['copies', '40000', '3']:
        exact = curve(simulate(['--policy=lru'], PROGRAM, *command, path='exact.db'))
        for lines in '1/8', '1/32', '1/128', '1/1024':
            got = curve(simulate(['--lines', lines], PROGRAM, *command))
            check_near(got, {s: exact[s][0] for s in exact}, 1.5, 0.4, command, lines)
            check(all(low <= ratio <= high for ratio, low, high in got.values()), command, lines,
                  got)
            check(any(low < high for _, low, high in got.values()), 'no interval', got)


@case
def seeds_choose_other_lines():
    runs = [points(simulate(['--lines', '1/16', '--seed', seed], PROGRAM, 'cycle', '3000', '100'))
            for seed in ('1', '1', '2')]
    check(runs[0] == runs[1], 'one seed, two curves', runs[0], runs[1])
    check(runs[0] != runs[2], 'two seeds, one curve', runs[0])


@case
def accesses_are_counted_exactly():
    exact = points(simulate(['--policy=lru'], PROGRAM, 'copies', '3000', '10', path='exact.db'))
    got = points(simulate(['--lines', '1/128'], PROGRAM, 'copies', '3000', '10'))
    check(exact[0][4] == got[0][4], exact[0], got[0])
    check(abs(got[0][6] / exact[0][6] - 1) < 0.02, 'lines', exact[0], got[0])


@case
def first_touches_are_counted():
    """In caches that hold all lines, each line misses once: within 2 %, whatever the sample is."""
    for command in ['copies', '400', '40'], ['cycle', '1000', '400'], ['cycle', '20000', '30']:
        for lines in '64', '16', '256':
            exact = points(simulate(['--policy=lru', '--lines', lines], PROGRAM, *command,
                                    path='exact.db'))[-1]
            for sample, seed in (('1/128', '1'), ('1/128', '2'), ('1/8', '3'), ('1/1024', '4'),
                                 ('1/32:200', '5')):
                path = simulate(['--lines', '%s,%s' % (lines, sample), '--seed', seed], PROGRAM,
                                *command)
                got = points(path)[-1]
                check(got[4] == exact[4], command, lines, sample, 'accesses', got, exact)
                check(abs(got[5] / exact[5] - 1) < 0.02, command, lines, sample, 'first touches',
                      got, exact)
                check(abs(got[6] / exact[6] - 1) < 0.02, command, lines, sample, 'lines', got,
                      exact)
                ratio, low, high = curve(path)[exact[3]]
                check(low <= exact[5] / exact[4] <= high, command, lines, sample, ratio, low, high,
                      exact)


@case
def intervals_hold_at_cliffs():
    """Loops over somewhat more, or less, than a cache: a sample knows their length to some percent
    only.
    """
    inside, at_cliffs, seed = [], [], 0
    for lines in '1100', '1900', '2200', '3900', '4300', '15000', '18000':
        command = ['cycle', lines, str(600000 // int(lines))]
        exact = curve(simulate(['--policy=lru'], PROGRAM, *command, path='exact.db'))
        for _ in range(6):
            # A seed is in or out with nearly all sizes, and with other loops: each has its own.
            seed += 1
            got = curve(simulate(['--lines', '1/128', '--seed', str(seed)], PROGRAM, *command))
            holds = {s: got[s][1] <= exact[s][0] <= got[s][2] for s in exact}
            inside += holds.values()
            at_cliffs += [holds[s] for s in exact
                          if exact.get(s // 2, exact[s])[0] - exact.get(2 * s, exact[s])[0] > 0.3]
            rising = [s for s in got if 2 * s in got and got[s][0] < got[2 * s][0] - 1e-7]
            check(not rising, command, 'more misses in a larger cache', got)
    # Of 42 seeds 40 hold; that seven do not is a chance of less than one in a thousand.
    for name, held in ('all sizes', inside), ('cliffs', at_cliffs):
        check(sum(held) >= 0.83 * len(held), name, 'inside', sum(held), 'of', len(held))


@case
def few_lines_for_a_long_time_are_known():
    """A cycle of 200 lines takes more accesses than probes go back, who meet 100 lines there."""
    command = ['stay', '200', '100', '600']
    exact = curve(simulate(['--policy=lru'], PROGRAM, *command, path='exact.db'))
    check(exact[8 * KB][0] > 0.0015 and exact[16 * KB][0] < 0.0003, exact)
    got = [curve(simulate(['--lines', '1/128', '--seed', str(seed)], PROGRAM, *command))
           for seed in range(128)]
    inside = [c[s][1] <= exact[s][0] <= c[s][2] for c in got for s in exact]
    check(sum(inside) >= 0.83 * len(inside), 'inside', sum(inside), 'of', len(inside))
    mean = sum(c[16 * KB][0] for c in got) / len(got)
    # one seed is far too high or right: the mean of 128 has an error of 0.00007
    check(mean < 0.0009, 'mean', mean, [c[16 * KB] for c in got])


@case
def a_few_lines_are_enough():
    """Of a footprint of some hundred lines the sample may have one, or none."""
    exact = points(simulate(['--policy=lru'], PROGRAM, 'cycle', '20', '50000', path='exact.db'))
    for seed in '1', '2', '3':
        got = points(simulate(['--lines', '1/1048576', '--seed', seed], PROGRAM, 'cycle', '20',
                              '50000'))
        check(abs(got[-1][5] / exact[-1][5] - 1) < 0.02, got[-1], exact[-1])


@case
def a_fixed_size_bounds_the_sample():
    command = [PROGRAM, 'cycle', '40000', '12']
    exact = curve(simulate(['--policy=lru'], *command, path='exact.db'))
    got = simulate(['--lines', '1/8:1000'], *command)
    check_near(curve(got), {s: exact[s][0] for s in exact}, 5, 1, command)
    lines = points(got)[0][6]
    check(abs(lines / 42000 - 1) < 0.3, 'lines', lines)


@case
def processes_and_threads_have_their_own():
    path = simulate(['--lines', '1/16'], PROGRAM, 'family', '3000', '200')
    rows = [p for p in points(path) if p[3] == 64 * KB]
    check(len(rows) == 2, 'processes', rows)
    for process, *_, accesses, misses, lines in rows:
        check(misses / accesses > 0.9, process, rows)
        check(1500 < lines < 6000, process, rows)
    check(rows[1][4] > 1.8 * rows[0][4], 'the child has two threads', rows)
    check(len(points(simulate(['--lines', '1/16', '--process', '1'], PROGRAM, 'family', '3000',
                              '20'))) == 13, 'one')


@case
def a_killed_run_keeps_what_it_had():
    path = simulate(['--lines', '1/16'], 'timeout', '-s', 'KILL', '2', PROGRAM, 'cycle', '3000',
                    '100000000',
                    status=-9)
    rows = [p for p in points(path) if p[3] == 64 * KB]
    check(any(p[4] > 1000000 and p[5] / p[4] > 0.9 for p in rows), rows)


@case
def views_say_that_it_is_a_sample():
    path = simulate(['--lines', '1/128'], PROGRAM, 'copies', '3000', '60')
    text = view('curve', path)
    check('Miss ratio' in text and 'Exact' not in text and 'one of 128 lines' in text, text)
    check('95 % INTERVAL' in text, text)
    shown = json.loads(view('curve', '--format=json', path))
    check((shown['exact'], shown['lines_one_in']) == (False, 128), shown)
    check(all(p['low'] <= p['miss_ratio'] <= p['high'] for p in shown['points']), shown)
    check(re.search(r'lines, one in +128\n', view('info', path)), view('info', path))
    exact = json.loads(view('curve', '--format=json',
                            simulate(['--lines', '1/1'], PROGRAM, 'copies', '3000', '6')))
    check(exact['exact'] is True and 'lines_one_in' not in exact, exact)
    simulate(['--lines', '1/64'], PROGRAM, 'copies', '3000', '6', path='other.db')
    status, _, err = run('merge', '-o', 'both.db', path, 'other.db')
    check(status != 0 and 'other samples of lines' in err, status, err)


def set_up(folder, dwell, programs, program):
    global DWELL, PROGRAMS, PROGRAM
    DWELL, PROGRAMS, PROGRAM = dwell, programs, program


if __name__ == '__main__':
    main('lines', __doc__, set_up, programs='build/tests/programs',
         program='build/tests/cli/regular')
