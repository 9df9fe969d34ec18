#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""dwell simulate as a user meets it.

    simulate.py [--dwell PATH] [--walk PATH]

--walk is examples/column-walk. Each case prints one line; the exit status is 0 when none failed.
"""
import csv
import json
import os
import re
import shutil
import signal
import subprocess

from cases import case, check, main


def run(*arguments):
    done = subprocess.run([DWELL, 'simulate', *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def rows(path):
    with open(path, newline='') as f:
        return list(csv.DictReader(f))


@case
def bad_options_are_refused():
    for status, says, *arguments in (
            (2, 'no command', '--curve'),
            (2, 'no command'),
            (2, '--by is for --curve', '--by', 'line', '--', 'true'),
            (2, '--sizes is for --curve', '--sizes', '8K:64K', '--', 'true'),
            (2, '--format is for --curve', '--format=csv', '--', 'true'),
            (2, '--trace-format is for --trace', '--trace-format', 'lackey', '--', 'true'),
            (2, '--trace-format is for --trace', '--curve', '--trace-format', 'lackey', '--', 'true'),
            (2, "--cache '' names no cache", '--cache', '', '--', 'true'),
            (2, "--cache ' # L1d' names no cache", '--cache= # L1d', '--', 'true'),
            (2, "'lru' and 'fifo': a cache has only one", '--cache=L1d=32K,8,64,lru,fifo', '--', 'true'),
            (2, "policy 'x' is unknown", '--curve', '--policy', 'x', '--', 'true'),
            (2, 'power of two', '--curve', '--lines', '48', '--', 'true'),
            (2, 'power of two', '--curve', '--lines', '64,2', '--', 'true'),
            (2, 'not a size', '--curve', '--lines', '64,,32', '--', 'true'),
            (2, 'twice', '--curve', '--lines', '64,32,64', '--', 'true'),
            (2, 'could not hold', '--curve', '--sizes', '32:8K', '--', 'true'),
            (2, 'LOW:HIGH|not a', '--curve', '--sizes', '64K', '--', 'true'),
            (2, 'too large', '--curve', '--sizes', '8K:1000T', '--', 'true'),
            (2, 'more than 64 sizes', '--curve', '--points-per-octave', '9', '--', 'true'),
            (2, 'more than 1024 sizes', '--curve', '--policy=lru', '--points-per-octave', '100', '--', 'true'),
            (2, 'add --size', '--curve', '--by', 'line', '--', 'true'),
            (2, 'is for --by', '--curve', '--size', '8K', '--', 'true'),
            (2, 'one size of line', '--curve', '--by', 'line', '--size', '8K', '--lines', '32,64', '--', 'true'),
            (2, "'x' is unknown", '--curve', '--by', 'x', '--size', '8K', '--', 'true'),
            (2, "format 'x' is unknown", '--curve', '--format', 'x', '--', 'true'),
            (2, "no event 'Foo'", '-e', 'Wait = 10*Foo', '--', 'true'),
            (2, 'say what it is', '-e', 'Wait', '--', 'true'),
            (2, "'Ir' is measured", '-e', 'Ir = Dr + Dw', '--', 'true'),
            (2, 'two of this name', '-e', 'A = Dr', '--event=A = Dw', '--', 'true'),
            (2, '--event is for runs', '--curve', '-e', 'A = Dr', '--', 'true'),
            (2, 'no process 7', '--curve', '--process', '7', '--', 'true'),
            (5, 'cannot write', '--curve', '-o', '/no/such/folder/x.csv', '--', 'true'),
            (5, 'cannot write', '--curve', '-o', '/dev/full', '--', 'true'),
            (126, 'cannot run', '--curve', '--', '/etc/passwd'),
            (127, 'not found', '--curve', '--', 'no-such-command-here')):
        got, out, err = run(*arguments)
        check(got == status, arguments, 'ended with', got, 'and not', status, repr(err))
        check(err.startswith('dwell') and err.count('\n') == 1 and re.search(says, err), arguments, 'said', repr(err))
        check(out == '', arguments, 'printed', repr(out))


@case
def a_run_that_did_not_happen_leaves_no_file():
    run('--curve', '-o', 'none.csv', '--', 'no-such-command-here')
    check(not os.path.exists('none.csv'), 'there is a file')
    with open('old.csv', 'w') as f:
        f.write('mine\n')
    run('--curve', '-o', 'old.csv', '--', 'no-such-command-here')
    check(open('old.csv').read() == 'mine\n', 'the old file is gone')


@case
def what_cannot_be_profiled_is_run_and_not_simulated():
    shutil.copy('/bin/sh', 'setuid')
    os.chmod('setuid', 0o4755)
    status, out, err = run('--curve', '-o', 'setuid.csv', '--', './setuid', '-c', 'echo ran; exit 3')
    check((status, out) == (3, 'ran\n'), 'it ended with', status, repr(out))
    check('running it unprofiled' in err and 'nothing was simulated' in err, 'it said', repr(err))
    check(not os.path.exists('setuid.csv'), 'there is a file')


@case
def output_and_status_are_the_commands():
    status, out, err = run('--curve', '--sizes', '8K:16K', '--', 'sh', '-c', 'echo hello; exit 7')
    check((status, out) == (7, 'hello\n'), 'it ended with', status, repr(out))
    check(' 16K' in err and 'RANDOM 64' in err, 'it said', repr(err))
    status, out, err = run('--curve', '--sizes', '8K:16K', '--', 'sh', '-c', 'kill -TERM $$')
    check(status == -signal.SIGTERM, 'it ended with', status)
    check(' 16K' in err, 'it said', repr(err))


@case
def the_process_with_most_accesses_is_shown():
    script = 'true; gzip -c -1 "$0" >/dev/null; true'
    _, _, err = run('--curve', '--sizes', '8K:8K', '--', 'sh', '-c', script, DWELL)
    check(re.search(r'^Exact .*: gzip -c -1 ', err), 'it said', repr(err))
    check(re.search(r'process \d of [24] in the run', err), 'it said', repr(err))
    _, _, err = run('--curve', '--process', '0', '--sizes', '8K:8K', '--', 'sh', '-c', script, DWELL)
    check(re.search(r'^Exact .*: sh -c ', err), 'it said', repr(err))


@case
def a_forked_child_has_its_parents_command():
    _, out, err = run('--curve', '--process', '1', '--sizes', '8K:8K', '--', 'sh', '-c', '(echo a; echo b); true')
    check(out == 'a\nb\n' and re.search(r'^Exact .*: sh -c ', err), 'it said', repr(err))


@case
def formats_agree():
    common = ['--curve', '--lines', '32,64', '--sizes', '8K:64K', '--points-per-octave', '2']
    for name in 'curve.csv', 'curve.json':
        # Always at the same addresses.
        status, _, err = run(*common, '-o', name, '--', 'setarch', '-R', WALK, '100')
        check((status, err) == (0, ''), 'it ended with', status, repr(err))
    table = {(r['policy'], r['line_bytes'], r['size_bytes']): r for r in rows('curve.csv')}
    tree = json.load(open('curve.json'))
    check(len(table) == 2 * 2 * 7, 'rows:', len(table))
    for curve in tree['curves']:
        for point in curve['points']:
            row = table[curve['policy'], str(curve['line_bytes']), str(point['size_bytes'])]
            check(int(row['misses']) == point['misses'], row, point)


@case
def misses_are_those_of_the_walk():
    """200 x 200 doubles: 5000 lines, and with a cache of 8 KB neither a pass nor a column's lines stay."""
    status, _, err = run('--curve', '--policy', 'lru', '--by', 'line', '--size', '8K', '-o', 'line.csv', '--', WALK, '200')
    check((status, err) == (0, ''), 'it ended with', status, repr(err))
    found = {r['function']: r for r in rows('line.csv') if 'column-walk.c' in r['file'] and int(r['accesses']) >= 40000}
    check(set(found) == {'matrix_new', 'sum_by_rows', 'sum_by_columns'}, 'lines:', sorted(found))
    passes = int(found['sum_by_rows']['accesses']) // 40000
    # Some of its memory was used for something else before.
    check(4900 <= int(found['matrix_new']['first_touches']) <= 5001, found['matrix_new'])
    check(abs(int(found['sum_by_rows']['lru_misses']) - passes * 5000) <= passes * 10, found['sum_by_rows'])
    # A column has 200 lines, more than the 128 that the cache holds: each touch misses.
    check(int(found['sum_by_columns']['lru_misses']) >= passes * 40000 - 400, found['sum_by_columns'])
    status, _, err = run('--curve', '--policy', 'lru', '--sizes', '8K:8K', '-o', 'one.csv', '--', WALK, '200')
    total = int(rows('one.csv')[0]['misses'])
    by_line = sum(int(r['lru_misses']) for r in rows('line.csv'))
    check(abs(total - by_line) < 0.02 * total, 'the sum by lines is', by_line, 'the curve has', total)


@case
def data_structures_have_their_names():
    status, _, err = run('--curve', '--policy', 'lru', '--by', 'object', '--size', '8K', '-o', 'object.csv', '--', WALK, '200')
    check((status, err) == (0, ''), 'it ended with', status, repr(err))
    first = rows('object.csv')[0]
    check(first['name'].startswith('malloc in matrix_new (column-walk.c:'), first)
    check(int(first['accesses']) >= 360000 and int(first['lru_misses']) >= 170000, first)
    check('[stack]' in [r['name'] for r in rows('object.csv')], 'there is no stack')


@case
def misses_by_data_and_function_have_the_same_sum():
    sums = []
    for by in 'data', 'function', 'line', 'object':
        status, _, err = run('--curve', '--by', by, '--size', '8K', '-o', 'by.json', '--', WALK, '100')
        check((status, err) == (0, ''), 'it ended with', status, repr(err))
        sums.append([sum(r[k] for r in json.load(open('by.json'))['rows'])
                     for k in ('accesses', 'first_touches', 'lru_misses', 'random_misses')])
    for other in sums[1:]:
        for a, b in zip(sums[0], other):
            check(abs(a - b) <= 0.02 * a + 50, 'sums:', sums)


@case
def a_seed_repeats_random_replacement():
    """The program's own addresses vary from run to run: without that all is the same."""
    results = []
    for seed in '5', '5', '6':
        run('--curve', '--policy', 'random', '--seed', seed, '--sizes', '8K:32K', '-o', 'seed.csv', '--',
            'setarch', '-R', WALK, '200')
        results.append([r['misses'] for r in rows('seed.csv')])
    check(results[0] == results[1] != results[2], results)


@case
def derived_events_stay_in_the_profile():
    """Each view has them, beside what it adds by itself; one that it has, too, is what the user says."""
    status, _, err = run('-q', '-o', 'derived.db', '-e', 'Wait = 10*L1m + 100 LLm', '-e', 'CEst=Ir + 20*L1m', '-e',
                         'Half = Wait / 2', '--', WALK, '100')
    check((status, err) == (0, ''), 'it ended with', status, repr(err))
    merged = subprocess.run([DWELL, 'merge', '-o', 'both.db', 'derived.db', 'derived.db'], capture_output=True)
    check(merged.returncode == 0, 'merge ended with', merged.returncode, merged.stderr)
    for path in 'derived.db', 'both.db':
        done = subprocess.run([DWELL, 'report', '-i', path, '--format=csv'], capture_output=True, text=True)
        for row in csv.DictReader(done.stdout.splitlines()):
            n = {k: float(row['self_' + k]) for k in ('Ir', 'L1m', 'LLm', 'Wait', 'CEst', 'Half')}
            check(n['Wait'] == 10 * n['L1m'] + 100 * n['LLm'] and n['Half'] == n['Wait'] / 2, path, row)
            check(n['CEst'] == n['Ir'] + 20 * n['L1m'], path, row)
        check(row and done.returncode == 0, path, 'has no rows')


def set_up(dwell, walk, folder):
    global DWELL, WALK
    DWELL, WALK = dwell, walk


if __name__ == '__main__':
    main('simulate', __doc__, set_up, walk='build/examples/column-walk')
