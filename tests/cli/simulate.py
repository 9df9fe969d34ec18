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
    done = subprocess.run([DWELL, 'simulate', *arguments],
                          stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def view(*arguments):
    done = subprocess.run([DWELL, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=120)
    check((done.returncode, done.stderr) == (0, ''), arguments, 'ended with', done.returncode,
          repr(done.stderr))
    return done.stdout


def shown(*arguments):
    return json.loads(view(*arguments, '--format=json'))


@case
def bad_options_are_refused():
    for status, says, *arguments in (
            (2, 'no command', '--curve'),
            (2, 'no command'),
            (2, '--by is for --curve', '--by', 'line', '--', 'true'),
            (2, '--sizes is for --curve', '--sizes', '8K:64K', '--', 'true'),
            (2, '--trace-format is for --trace', '--trace-format', 'lackey', '--', 'true'),
            (2, '--trace-format is for --trace', '--curve', '--trace-format', 'lackey',
             '--', 'true'),
            (2, "--cache '' names no cache", '--cache', '', '--', 'true'),
            (2, "--cache ' # L1d' names no cache", '--cache= # L1d', '--', 'true'),
            (2, "'lru' and 'fifo': a cache has only one", '--cache=L1d=32K,8,64,lru,fifo', '--',
             'true'),
            (2, "policy 'x' is unknown", '--curve', '--policy', 'x', '--', 'true'),
            (2, 'power of two', '--curve', '--lines', '48', '--', 'true'),
            (2, 'power of two', '--curve', '--lines', '64,2', '--', 'true'),
            (2, 'not a size', '--curve', '--lines', '64,,32', '--', 'true'),
            (2, 'twice', '--curve', '--lines', '64,32,64', '--', 'true'),
            (2, 'could not hold', '--curve', '--sizes', '32:8K', '--', 'true'),
            (2, 'LOW:HIGH|not a', '--curve', '--sizes', '64K', '--', 'true'),
            (2, 'too large', '--curve', '--sizes', '8K:1000T', '--', 'true'),
            (2, 'more than 64 sizes', '--curve', '--points-per-octave', '9', '--', 'true'),
            (2, 'more than 1024 sizes', '--curve', '--policy=lru', '--points-per-octave', '100',
             '--', 'true'),
            (2, 'add --size', '--curve', '--by', 'line', '--', 'true'),
            (2, 'is for --by', '--curve', '--size', '8K', '--', 'true'),
            (2, 'one size of line', '--curve', '--by', 'line', '--size', '8K', '--lines', '32,64',
             '--', 'true'),
            (2, "'x' is unknown", '--curve', '--by', 'x', '--size', '8K', '--', 'true'),
            (2, 'format', '--curve', '--format', 'csv', '--', 'true'),
            (2, "no event 'Foo'", '-e', 'Wait = 10*Foo', '--', 'true'),
            (2, 'say what it is', '-e', 'Wait', '--', 'true'),
            (2, "'Ir' is measured", '-e', 'Ir = Dr + Dw', '--', 'true'),
            (2, 'two of this name', '-e', 'A = Dr', '--event=A = Dw', '--', 'true'),
            (2, '--event is for runs', '--curve', '-e', 'A = Dr', '--', 'true'),
            (2, 'no process 7', '--curve', '--process', '7', '--', 'true'),
            (5, 'cannot write', '--curve', '-o', '/no/such/folder/x.db', '--', 'true'),
            (5, 'not a', '--curve', '-o', '/dev/full', '--', 'true'),
            (126, 'cannot run', '--curve', '--', '/etc/passwd'),
            (127, 'not found', '--curve', '--', 'no-such-command-here')):
        got, out, err = run(*arguments)
        check(got == status, arguments, 'ended with', got, 'and not', status, repr(err))
        check(err.startswith('dwell') and err.count('\n') == 1 and re.search(says, err), arguments,
              'said', repr(err))
        check(out == '', arguments, 'printed', repr(out))


@case
def a_run_that_did_not_happen_leaves_no_file():
    run('--curve', '-o', 'none.db', '--', 'no-such-command-here')
    check(not os.path.exists('none.db'), 'there is a file')
    with open('old.db', 'w') as f:
        f.write('mine\n')
    run('--curve', '-o', 'old.db', '--', 'no-such-command-here')
    check(open('old.db').read() == 'mine\n', 'the old file is gone')


@case
def what_cannot_be_profiled_is_run_and_not_simulated():
    shutil.copy('/bin/sh', 'setuid')
    os.chmod('setuid', 0o4755)
    status, out, err = run('--curve', '-o', 'setuid.db', '--', './setuid', '-c', 'echo ran; exit 3')
    check((status, out) == (3, 'ran\n'), 'it ended with', status, repr(out))
    check('running it unprofiled' in err and err.count('\n') == 1, 'it said', repr(err))


@case
def output_and_status_are_the_commands():
    status, out, err = run('--curve', '--sizes', '8K:16K', '--', 'sh', '-c', 'echo hello; exit 7')
    check((status, out) == (7, 'hello\n'), 'it ended with', status, repr(out))
    check(re.fullmatch(r'dwell: [0-9.e+,]+ accesses, written to dwell.db; see: dwell curve\n', err),
          'it said', repr(err))
    check(shown('info')['exit_status'] == 7, 'another status')
    status, out, err = run('--curve', '--sizes', '8K:16K', '--', 'sh', '-c', 'kill -TERM $$')
    check(status == -signal.SIGTERM, 'it ended with', status)
    check(len(shown('curve', '--policy', 'lru')['points']) == 2, 'another curve')


@case
def the_process_with_most_accesses_is_shown():
    script = 'true; head -c 300000 "$0" | gzip -c -1 >/dev/null; true'
    run('--curve', '--sizes', '8K:8K', '--', 'sh', '-c', script, DWELL)
    check(view('curve', '--policy=lru').startswith('Exact miss ratio by cache size: gzip -c -1\n'),
          view('curve'))
    check(shown('curve', '--policy=lru', '--process=0')['command'].startswith('sh -c '),
          'process 0')
    run('--curve', '--process', '0', '--sizes', '8K:8K', '--', 'sh', '-c', script, DWELL)
    check(shown('curve', '--policy=lru', '--process=0')['command'].startswith('sh -c '),
          'process 0 alone')
    done = subprocess.run([DWELL, 'curve', '--process=1'], capture_output=True, text=True)
    check(done.returncode == 2 and 'no exact curve' in done.stderr, done)


@case
def a_forked_child_has_its_parents_command():
    _, out, _ = run('--curve', '--process', '1', '--sizes', '8K:8K', '--', 'sh',
                    '-c', '(echo a; echo b); true')
    command = shown('curve', '--process=1', '--policy=lru')['command']
    check(out == 'a\nb\n' and command.startswith('sh -c '), command)


@case
def formats_agree():
    status, _, err = run('-q', '--curve', '--lines', '32,64', '--sizes', '8K:64K',
                         '--points-per-octave', '2', '--',
                         WALK, '100')
    check((status, err) == (0, ''), 'it ended with', status, repr(err))
    curves = shown('curve')['curves']
    check([(c['policy'], c['line_bytes'], len(c['points'])) for c in curves] == [
        ('lru', 32, 7), ('random', 32, 7), ('lru', 64, 7), ('random', 64, 7)], curves)
    text, table = view('curve'), list(csv.DictReader(view('curve', '--format=csv').splitlines()))
    check(all(text.count(c['curve']) == 1 for c in curves) and text.count('exact, ') == 4, text)
    for curve in curves:
        check(curve['exact'] and curve['accesses'] > 60000 and 'samples' not in curve, curve)
        rows = [r for r in table if r['curve'] == curve['curve']]
        one = shown('curve', '--policy', curve['policy'], '--line', str(curve['line_bytes']))
        check(one['points'] == curve['points'] and len(rows) == 7, rows, one)
        for row, point in zip(rows, curve['points']):
            check(int(row['size_bytes']) == point['size_bytes'] and
                  row['low'] == row['miss_ratio'] == row['high'], row)
            check(abs(float(row['miss_ratio']) - point['misses'] / curve['accesses']) < 1e-7, row,
                  point)
    check([p['size_bytes'] for p in shown('curve', '--policy=lru', '--line=64',
                                          '--sizes=16K:32K')['points']] ==
          [16 << 10, 23168, 32 << 10], 'sizes')


@case
def misses_are_those_of_the_walk():
    """200 x 200 doubles: 5000 lines, and with a cache of 8 KB neither a pass nor a column's lines
    stay.
    """
    status, _, err = run('-q', '--curve', '--policy', 'lru', '--by', 'line', '--size', '8K', '--',
                         WALK, '200')
    check((status, err) == (0, ''), 'it ended with', status, repr(err))
    lines = shown('report', '--by=line')['rows']
    found = {r['name']: r['self'] for r in lines if 'column-walk.c' in (r['file'] or '') and
             r['self']['accesses'] >= 40000}
    check(set(found) == {'main', 'sum_by_rows', 'sum_by_columns'}, 'lines:', sorted(found))
    passes = found['sum_by_rows']['accesses'] // 40000
    # matrix_new is inlined. Some of its memory was used for something else before.
    check(4900 <= found['main']['first_touches'] <= 5001, found['main'])
    check(abs(found['sum_by_rows']['lru_misses'] - passes * 5000) <= passes * 10,
          found['sum_by_rows'])
    # A column has 200 lines, more than the 128 that the cache holds: each touch misses.
    check(found['sum_by_columns']['lru_misses'] >= passes * 40000 - 400, found['sum_by_columns'])
    check(shown('curve')['points'][0]['misses'] == sum(r['self']['lru_misses'] for r in lines),
          'another sum')
    check(lines[0]['name'] == 'sum_by_columns', 'the first line is', lines[0])


@case
def data_structures_have_their_names():
    status, _, err = run('-q', '--curve', '--policy', 'lru', '--by', 'object', '--size', '8K', '--',
                         WALK, '200')
    check((status, err) == (0, ''), 'it ended with', status, repr(err))
    told = shown('objects')
    first = told['objects'][0]
    check(first['name'].startswith('malloc in matrix_new (column-walk.c:'), first)
    check(first['accesses'] >= 360000 and first['misses'] >= 170000, first)
    check(first['miss_ratio'] == first['low'] == first['high'] == first['misses'] /
          first['accesses'], first)
    check('[stack]' in [r['name'] for r in told['objects']], 'there is no stack')
    check(told['exact'] and told['policy'] == 'lru' and told['size_bytes'] == 8 << 10, told)
    variables = [r for r in told['objects'] if r['kind'] == 'variable']
    check(any(r['name'] == '_rtld_global' for r in variables), 'variables:', variables)
    text = view('objects')
    check('exact miss ratio' in text and 'malloc in matrix_new' in text, text)
    done = subprocess.run([DWELL, 'objects', '--size=16K'], capture_output=True, text=True)
    check(done.returncode == 2 and 'cache of 8K' in done.stderr, done)


@case
def exact_names_are_those_of_samples():
    """There is one attribution: what a recording says of the heaviest data is what the simulation
    says.
    """
    run('-q', '--curve', '--policy', 'random', '--by', 'object', '--size', '8K', '--', WALK, '400')
    subprocess.run([DWELL, 'record', '-q', '-o', 'sampled.db', '--', WALK, '400'], check=True,
                   capture_output=True)
    exact, sampled = shown('objects')['objects'], shown('objects', '-i', 'sampled.db',
                                                        '--size=8K')['objects']
    keys = 'name', 'kind', 'file', 'line', 'function', 'allocator', 'blocks', 'bytes'
    check([exact[0][k] for k in keys] == [sampled[0][k] for k in keys], exact[0], sampled[0])
    check(abs(exact[0]['miss_share'] - sampled[0]['miss_share']) < .1, exact[0], sampled[0])


@case
def misses_by_data_and_function_have_the_same_sum():
    sums = []
    for by in 'data', 'function', 'line', 'object':
        status, _, err = run('-q', '--curve', '--by', by, '--size', '8K', '--', WALK, '100')
        check((status, err) == (0, ''), 'it ended with', status, repr(err))
        if by in ('data', 'object'):
            rows = shown('objects')['objects']
            sums.append([sum(r[k] for r in rows) for k in ('accesses', 'first_touches', 'misses')])
        else:
            rows = shown('report', '--by', by)['rows']
            sums.append([sum(r['self'][k] for r in rows) for k in ('accesses', 'first_touches',
                                                                   'random_misses')])
    for other in sums[1:]:
        for a, b in zip(sums[0], other):
            check(abs(a - b) <= 0.02 * a + 50, 'sums:', sums)


@case
def lines_of_memory_are_rows():
    run('-q', '--curve', '--by', 'data', '--size', '8K', '--lines', '128', '--', WALK, '100')
    rows = shown('objects')['objects']
    check(all(r['kind'] == 'line' and int(r['name'], 16) % 128 == 0 for r in rows) and
          len(rows) > 600, rows[:3])


@case
def curves_merge_and_others_say_what_shows_them():
    for path in 'a.db', 'b.db':
        run('-q', '-o', path, '--curve', '--by=object', '--size=8K', '--', WALK, '100')
    subprocess.run([DWELL, 'merge', '-o', 'both.db', 'a.db', 'b.db'], check=True,
                   capture_output=True)
    for process, path in ('0', 'a.db'), ('1', 'b.db'):
        for command in 'curve', 'objects':
            got, want = shown(command, '-i', 'both.db', '--process', process), shown(command,
                                                                                     '-i', path)
            for told in (got, want):
                for c in told.get('curves', []):
                    del c['process'], c['curve']
            check(got == want, command, process, 'differs')
    for arguments in (['report'], ['spatial'], ['paths'], ['reuse'], ['diff', 'b.db'],
                      ['export', '--to=csv', '-o', '-']):
        command, *more = arguments
        done = subprocess.run([DWELL, command, 'a.db' if more[:1] == ['b.db'] else '-ia.db', *more],
                              capture_output=True, text=True)
        check(done.returncode != 0 and "'dwell curve' shows it" in done.stderr and
              done.stderr.count('\n') == 1, done)
    done = subprocess.run([DWELL, 'curve', '-i', 'a.db', '--ways=4'], capture_output=True,
                          text=True)
    check(done.returncode == 2 and 'leave out' in done.stderr, done)


@case
def exact_and_sampled_curves_share_a_plot():
    run('-q', '-o', 'a.db', '--curve', '--policy=lru', '--', WALK, '100')
    subprocess.run([DWELL, 'record', '-q', '-o', 'sampled.db', '--', WALK, '100'], check=True,
                   capture_output=True)
    curves = shown('curve', '-i', 'sampled.db', '-i', 'a.db', '--policy=lru')['curves']
    check(['exact' in c for c in curves] == [False, True], curves)
    text = view('curve', '-i', 'sampled.db', '-i', 'a.db', '--policy=lru')
    check('exact, LRU, 64-byte lines, a.db' in text, text)


@case
def a_seed_repeats_random_replacement():
    """The program's own addresses vary from run to run: without that all is the same."""
    results = []
    for seed in '5', '5', '6':
        run('--curve', '--policy', 'random', '--seed', seed, '--sizes', '8K:32K', '--', 'setarch',
            '-R', WALK, '200')
        results.append([p['misses'] for p in shown('curve')['points']])
    check(results[0] == results[1] != results[2], results)


@case
def derived_events_stay_in_the_profile():
    """Each view has them, beside what it adds by itself; one that it has, too, is what the user
    says.
    """
    status, _, err = run('-q', '-o', 'derived.db', '-e', 'Wait = 10*L1m + 100 LLm',
                         '-e', 'CEst=Ir + 20*L1m', '-e',
                         'Half = Wait / 2', '--', WALK, '100')
    check((status, err) == (0, ''), 'it ended with', status, repr(err))
    merged = subprocess.run([DWELL, 'merge', '-o', 'both.db', 'derived.db', 'derived.db'],
                            capture_output=True)
    check(merged.returncode == 0, 'merge ended with', merged.returncode, merged.stderr)
    for path in 'derived.db', 'both.db':
        done = subprocess.run([DWELL, 'report', '-i', path, '--format=csv'], capture_output=True,
                              text=True)
        for row in csv.DictReader(done.stdout.splitlines()):
            n = {k: float(row['self_' + k]) for k in ('Ir', 'L1m', 'LLm', 'Wait', 'CEst', 'Half')}
            check(n['Wait'] == 10 * n['L1m'] + 100 * n['LLm'] and n['Half'] == n['Wait'] / 2, path,
                  row)
            check(n['CEst'] == n['Ir'] + 20 * n['L1m'], path, row)
        check(row and done.returncode == 0, path, 'has no rows')


def set_up(dwell, walk, folder):
    global DWELL, WALK
    DWELL, WALK = dwell, walk


if __name__ == '__main__':
    main('simulate', __doc__, set_up, walk='build/examples/column-walk')
