#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""dwell simulate --data, bins and causes: whose data misses, and why.

    bins.py [--dwell PATH] [--program FIGHTING] [--only EXPRESSION]

Each case prints one line; the exit status is 0 when none failed.
"""
import collections
import csv
import io
import json
import re

import simulate_common
from cases import case, check, main
from simulate_common import ask, environment, run, simulate, totals

LL = '--cache=LL=1M,16,64'
CAUSES = ['cold', 'by_self', 'by_others']


def counted(*options, path='run.db'):
    """Simulate the command in `options`."""
    done = run('simulate', '-q', '--data', '-o', path, *options)
    check(done[0] == 0, *options, *done)
    check('not counted by data structure' not in done[2], done[2])


def rows(view, *options, path='run.db'):
    status, out, err = run(view, '--format', 'csv', *options, path)
    check(status == 0, view, err)
    return list(csv.DictReader(io.StringIO(out)))


def bin_of(function, data, level='L1'):
    """(misses, causes) of a function on the data structure whose name begins so."""
    found = [r for r in rows('bins') if r['function'] == function and r['data'].startswith(data)]
    check(len(found) == 1, function, data, found)
    return [int(found[0]['%s_%s' % (level, what)]) for what in ['misses', *CAUSES]]


@case
def two_arrays_evict_each_other():
    """Direct-mapped: each access misses, as the other array has taken the place."""
    counted('--cache=L1d=32K,1,64', LL, PROGRAM, 'arrays')
    misses, cold, by_self, by_others = bin_of('multiply', 'aligned_alloc in fight (fighting.c:32)')
    check((misses, cold, by_self) == (409600, 0, 0), misses, cold, by_self)
    # The program has written the lines of the first array last: it finds each once, but for some
    # that the stack evicts.
    misses, cold, by_self, by_others = bin_of('multiply', 'aligned_alloc in fight (fighting.c:31)')
    check(0 <= misses - (409600 - 512) <= 8 and (cold, by_self) == (0, 0), misses, cold, by_self)
    first, second = rows('causes')[:2]
    check({first['data'], second['data']} == {first['evictor_data'], second['evictor_data']}, first,
          second)
    check(first['cause'] == second['cause'] == 'other', first, second)


@case
def what_an_allocation_touches_is_its_blocks():
    """calloc clears 200 bytes of each block: of 4 or 5 lines 2 have a header, which has been
    written before. Headers are written when a block comes and when it goes.
    """
    counted('--cache=L1d=32K,8,64', LL, PROGRAM, 'clear')
    l1 = {r['name'].split(' (')[0]: int(r['L1_misses']) for r in rows('objects')}
    blocks = 60 * 2000
    check(blocks <= l1['calloc in clear'] <= 3 * blocks, l1)
    check(blocks <= l1['[allocator]'] <= 4 * blocks, l1)
    check(l1.get('[unknown]', 0) < 0.01 * sum(l1.values()), l1)


@case
def samples_name_the_allocators_memory_alike():
    status, _, err = run('record', '-q', '-o', 'samples.db', PROGRAM, 'clear')
    check(status == 0, err)
    samples = {r['name'].split(' (')[0]: r for r in rows('objects', path='samples.db')}
    check({'calloc in clear', '[allocator]'} <= set(samples), list(samples))
    check(samples['[allocator]']['kind'] == 'allocator', samples['[allocator]'])


@case
def with_two_ways_each_array_evicts_itself():
    counted('--cache=L1d=32K,2,64', LL, PROGRAM, 'arrays')
    for line in 31, 32:
        misses, cold, by_self, by_others = bin_of('multiply',
                                                  'aligned_alloc in fight (fighting.c:%d)' % line)
        check(misses == 51200 and cold == 0 and by_others <= 512, line, misses, cold, by_self,
              by_others)


@case
def a_list_and_a_stream():
    """All nodes miss in both caches, the stream once a line; in LL the list evicts the stream."""
    counted('--cache=L1d=32K,8,64', LL, PROGRAM, 'list')
    for function, line in ('follow', 63), ('add_up', 64):
        misses, cold, by_self, \
            by_others = (bin_of(function, 'aligned_alloc in take_turns (fighting.c:%d)' % line))
        check(0 <= 163840 - misses <= 2 and cold == 0 and by_others < 2000, function, misses, cold,
              by_others)
    check(bin_of('follow', 'aligned_alloc', 'LL')[0] > 160000, 'the list fits LL')
    misses, cold, by_self, by_others = bin_of('add_up', 'aligned_alloc', 'LL')
    check(by_others > 0.9 * misses, 'the stream', misses, by_others)


def check_sums(options):
    """Returns the misses of each cache."""
    counted(*options)
    events = totals()
    bins = {cache: numbers for cache, *numbers in
            ask('SELECT cache, sum(misses), sum(cold), sum(by_self) FROM bin GROUP BY cache')}
    evicted = dict(ask('SELECT cache, sum(misses) FROM eviction GROUP BY cache'))
    ours = dict(ask('SELECT cache, sum(misses) FROM eviction WHERE structure_id = '
                    'evictor_structure_id GROUP BY cache'))
    expected = {'L1d': ['D1mr', 'D1mw'], 'L1i': ['I1mr'], 'L2': ['I2mr', 'D2mr', 'D2mw'],
                'LL': ['ILmr', 'DLmr', 'DLmw']}
    for cache, (misses, cold, by_self) in bins.items():
        wanted = sum(events.get(event, 0) for event in expected[cache])
        check(misses == wanted, options, cache, misses, 'for', wanted)
        check(misses - cold == evicted.get(cache, 0), options, cache, misses, cold, evicted)
        check(by_self == ours.get(cache, 0), options, cache, by_self, ours)
    return {cache: numbers[0] for cache, numbers in bins.items()}


def check_views(misses, options):
    """Of a run of one process, as views show one."""
    shown = rows('bins')
    for level in 'L1', 'LL':
        for r in shown:
            check(int(r[level + '_misses']) == sum(int(r['%s_%s' % (level, c)]) for c in CAUSES), r)
        all_shown = sum(int(r[level + '_misses']) for r in shown)
        wanted = sum(misses[c] for c in misses if c.startswith(level))
        check(all_shown == wanted, options, level, all_shown, wanted)
    for by in 'data', 'function', 'both':
        causes = rows('causes', '--by', by)
        check(sum(int(r['misses']) for r in causes) == sum(misses.values()), by)
        costs = [float(r['cost_share']) for r in causes if r['cost_share']]
        check(costs == sorted(costs, reverse=True) and abs(sum(costs) - 1) < 1e-3, by,
              costs[:9], sum(costs))
        check({r['cache'] for r in causes if not r['cost_share']} <= {'L2'}, by)


@case
def sums_are_the_events():
    """Bins and causes add up to the misses of each cache, whichever way translated code looks them
    up.
    """
    with open('text', 'w') as f:
        f.write(' '.join(str(i * i % 1013) for i in range(3000)))
    small = ['--cache=L1i=8K,4,64', '--cache=L1d=4K,4,64']
    for shape in (
            [*small, '--cache=LL=64K,16,64'], [*small, '--cache=LL=64K,16,64', '--no-call-graph'],
            ['--cache=L1d=4K,1,64', '--cache=L1i=4K,1,64', '--cache=LL=16K,2,64'],
            ['--cache=L1d=6K,12,64', '--cache=LL=48K,12,64'], [*small, '--cache=LL=64K,8,128'],
            [*small, '--cache=L2=16K,4,64', '--cache=LL=96K,12,64'],
            ['--cache=L1d=4K,4,64,random', '--cache=LL=64K,16,64,random'],
            ['--cache=L1d=4K,4,64,fifo', '--cache=LL=64K,16,64,fifo'],
            ['--no-instructions', *small],
            [*small, '--cache=LL=64K,16,64', '--write-backs'],
            [*small, '--cache=LL=16K,4,64,exclusive'],
            [*small, '--cache=L2=16K,4,64,inclusive', '--cache=LL=96K,12,64,exclusive', '--jumps'],
            [*small, '--cache=LL=16K,4,64,inclusive', '--cache=DTLB=16,4,4K', '--context=1'],
            [*small, '--cache=L1d=4K,4,64,next-line', '--cache=LL=32K,8,64,next-line'],
            [*small, '--cache=LL=64K,16,64', '--line-use'],
            [*small, '--cache=LL=64K,16,64', '--line-use=all']):
        options = [*shape, '--', 'gzip', '-c', 'text']
        check_views(check_sums(options), options)
    for more in [], ['--write-backs'], ['--context=1', '--cache=DTLB=16,4,4K']:
        check_sums([*small, LL, *more, 'sh', '-c', 'gzip -c text | gzip -d; :'])


@case
def causes_do_not_depend_on_what_else_is_counted():
    """Contexts, TLBs, write-backs and the use of lines change nothing but the way through the
    engine.
    """
    caches = ['--cache=L1i=8K,4,64', '--cache=L1d=4K,4,64', '--cache=LL=64K,16,64']
    script = (
        'my %h; for (1..99) { $h{$_ % 37} .= "x" x $_ } print map { length $h{$_} } sort keys %h')
    for command in [PROGRAM, 'arrays'], ['perl', '-e', script]:
        with environment('', PERL_HASH_SEED='0'):
            counted(*caches, *command)
            causes, bins = rows('causes', '--by', 'both'), rows('bins')
            for more in (['--context=2'], ['--separate-threads', '--jumps'],
                         ['--cache=DTLB=16,4,4K', '--cache=ITLB=8,2,4K'],
                         ['--write-backs', '--context=1'], ['--line-use=all'], ['--line-use']):
                counted(*caches, *more, *command)
                others = rows('causes', '--by', 'both')
                check(others == causes, command, more,
                      [pair for pair in zip(causes, others) if pair[0] != pair[1]][:3])
                told = [{k: v for k, v in r.items() if 'reference' not in k and 'ratio' not in k}
                        for r in bins if int(r['L1_misses'])]
                seen = [{k: v for k, v in r.items() if 'reference' not in k and 'ratio' not in k}
                        for r in rows('bins')
                        if int(r['L1_misses'])]
                check(sorted(map(str, told)) == sorted(map(str, seen)), command, more, len(told),
                      len(seen))
                check('references are not counted' in run('objects', 'run.db')[1], command, more)


@case
def functions_compute_and_wait():
    """All functions are there with their instructions, and shares of one sum; those with most of it
    come first.
    """
    counted(LL, PROGRAM, 'arrays')
    functions = {}
    for r in rows('bins'):
        values = (float(r['function_compute']), float(r['function_wait']),
                  int(r['function_instructions']))
        check(functions.setdefault((r['function'], r['file']), values) == values, r)
    sums = [compute + wait for compute, wait, _ in functions.values()]
    check(all(a > b - 1e-8 for a, b in zip(sums, sums[1:])) and abs(sum(sums) - 1) < 1e-4,
          sum(sums), sums)
    check(sum(f[2] for f in functions.values()) == totals()['Ir'], 'instructions', functions)
    compute, wait, instructions = next(v for (name, _),
                                       v in functions.items() if name == 'multiply')
    cost = sum(10 * (int(r['L1_misses']) - int(r['L1_cold'])) +
               190 * (int(r['LL_misses']) - int(r['LL_cold']))
               for r in rows('bins') if r['function'] == 'multiply')
    check(abs(wait / compute - cost / instructions) < 1e-3 * wait / compute, compute, wait, cost,
          instructions)
    lines = run('bins', 'run.db')[1].splitlines()
    heading = next(l for l in lines if 'COMPUTE' in l)
    check('WAIT' in heading and heading.index('COMPUTE') < heading.index('COST'), heading)
    check(len([l for l in lines if ' multiply ' in l and l.count('%') >= 3]) >= 1, lines)


@case
def views_take_rows_and_formats():
    counted(LL, PROGRAM, 'arrays')
    status, out, _ = run('bins', '-n', '1', 'run.db')
    check(status == 0 and 'multiply' in out and '... and' in out, out)
    for view in 'bins', 'causes':
        status, out, _ = run(view, '--format', 'json', '--focus', 'aligned_alloc', 'run.db')
        listed = json.loads(out)[view]
        check(status == 0 and listed and
              all('aligned_alloc' in str(list(row.values())) for row in listed), listed[:3])


@case
def a_name_chooses_a_function_or_a_data_structure():
    counted(LL, PROGRAM, 'list')
    for view in 'bins', 'causes':
        assert_all(rows(view, 'fighting.c:63'), 'data',
                   'aligned_alloc in take_turns (fighting.c:63)')
    assert_all(rows('bins', 'follow'), 'function', 'follow')
    assert_all(rows('causes', '--by', 'function', 'follow'), 'function', 'follow')
    # By function, a data structure chooses who misses on it.
    check({r['function'] for r in rows('causes', '--by', 'function', 'fighting.c:64')} >=
          {'add_up'}, 'add_up')
    for view in 'bins', 'causes':
        status, out, err = run(view, 'run.db', 'nowhere')
        check(status == 2 and not out and err.count('\n') == 1 and "'nowhere'" in err, view, status,
              out, err)
        status, out, err = run(view, '--focus', 'nowhere', 'run.db')
        check(status == 0 and 'No row matches' in out, view, status, out, err)


def assert_all(found, column, name):
    check(found and all(r[column] == name for r in found), column, name, found[:3])


@case
def objects_sums_up_bins():
    """Data structures have the misses of their bins, and all together those of the events."""
    counted('--cache=L1d=4K,4,64', '--cache=L2=16K,4,64', '--cache=LL=96K,12,64', PROGRAM, 'list')
    events, objects, bins = totals(), rows('objects'), rows('bins')
    first = events['I1mr'] + events['D1mr'] + events['D1mw']
    second = events['I2mr'] + events['D2mr'] + events['D2mw']
    for level, wanted in ('L1', first), ('L2', second), ('LL', events['ILmr'] + events['DLmr'] +
                                                         events['DLmw']):
        check(sum(int(r[level + '_misses']) for r in objects) == wanted, level, wanted)
        check(abs(sum(float(r[level + '_miss_share']) for r in objects) - 1) < 1e-5, level)
        for r in objects:
            check(int(r[level + '_misses']) == sum(int(r['%s_%s' % (level, c)]) for c in CAUSES), r)
    for column in ['%s_%s' % (level, what) for level in ('L1', 'LL') for what in ['misses',
                                                                                  *CAUSES]]:
        of_objects, of_bins = collections.Counter(), collections.Counter()
        for r in objects:  # two files may have variables of one name
            of_objects[r['name']] += int(r[column])
        for b in bins:
            of_bins[b['data']] += int(b[column])
        check(+of_objects == +of_bins, column, +of_objects - of_bins, +of_bins - of_objects)
    check({r['line'] for r in objects[:2]} == {'63', '64'}, objects[:2])


@case
def objects_of_counted_misses_look_like_those_of_samples():
    counted(LL, PROGRAM, 'list')
    list_row = rows('objects', 'fighting.c:63')[0]
    check((list_row['kind'], list_row['blocks'], list_row['bytes']) == ('heap', '1', '2097152'),
          list_row)
    status, out, _ = run('objects', 'fighting.c:63', 'run.db')
    check(status == 0 and 'aligned_alloc of 1 block, 2M in all' in out and '[code]' not in out, out)
    check([r['kind'] for r in rows('objects', 'code')] == ['code'], 'code')
    # its own memory, before there is a malloc
    linker = [r['name'] for r in rows('objects') if r['kind'] == 'mapping']
    check(any('__minimal_malloc' in name or 'ld-linux' in name for name in linker), linker)
    heading = next(l for l in run('objects', 'run.db')[1].splitlines() if 'COST' in l)
    for title in 'COST', 'REFERENCES', 'L1 MISSES', 'LL MISSES':  # what 80 columns keep
        check(title in heading, title, heading)
    by_level = [int(r['L1_misses']) for r in rows('objects', '--sort', 'L1')]
    check(by_level == sorted(by_level, reverse=True), by_level)
    check(len(rows('objects', '--sites-by', 'function', 'take_turns')) == 1, 'take_turns')
    for options, words in ((['--sort', 'ratio'], 'cost, L1 or LL'), (['-s', '32K'], '--size'),
                           (['nowhere'], "'nowhere'")):
        status, out, err = run('objects', *options, 'run.db')
        check(status == 2 and not out and words in err and err.count('\n') == 1, options, status,
              err)


@case
def reports_begin_with_the_top_data_structures():
    """Of the list and the stream, which make nearly all misses of LL; then the fields of the list's
    nodes are proposed. Arrays have no fields, so bins are.
    """
    counted(LL, PROGRAM, 'list')
    status, out, err = run('report', 'run.db')
    screen = out[:out.index('\n\nEvents by')]
    lines = screen.split('\n')
    titles = [i for i, line in enumerate(lines) if line.endswith(' DATA STRUCTURE')]
    check(status == 0 and len(titles) == 1 and len(lines) <= 20, screen)
    shown = lines[titles[0] + 1:titles[0] + 3]
    objects = rows('objects', '--sort', 'LL')[:2]
    for line, r in zip(shown, objects):
        check(r['name'] in line and format(int(r['LL_misses']), ',') in line, line, r)
    check('It waits in follow (' in screen and ', for ' in screen and
          lines[-1] == 'Next: dwell objects --fields -i run.db', screen)
    check("'dwell record' tells" not in screen, screen)
    status, by_data, _ = run('report', '--by', 'data', 'run.db')
    check(status == 0 and by_data == run('objects', '-n', '40', 'run.db')[1], by_data)
    check(rows('report', '--by', 'data') == rows('objects'), 'rows')
    counted('--cache=L1d=32K,1,64', LL, PROGRAM, 'arrays', path='arrays.db')
    check('\nNext: dwell bins -i arrays.db\n' in run('report', 'arrays.db')[1], 'arrays')
    status, out, err = run('report', '--by', 'data', '--event', 'Ir', 'run.db')
    check(status == 2 and '--event' in err and err.count('\n') == 1, status, err)


@case
def annotated_lines_name_their_data():
    """A line's structures have all its misses; the loops of the program use one structure each."""
    counted(LL, PROGRAM, 'list')
    for asm in [], ['--asm']:
        status, out, _ = run('annotate', 'take_turns', *asm, '--format', 'json', 'run.db')
        files = json.loads(out)
        lines = files['instructions'] if asm else [line for f in files['files']
                                                   for line in f['lines']]
        lines = [line for line in lines if 'data' in line]
        check(status == 0 and any(line['data'] for line in lines), asm, lines[:3])
        for line in lines:
            for level, events in ('L1', ['I1mr', 'D1mr', 'D1mw']), ('LL', ['ILmr', 'DLmr', 'DLmw']):
                shown = sum(d[level + '_misses'] for d in line['data'])
                check(shown == sum(line['events'][e] for e in events), asm, line, level)
    status, out, _ = run('annotate', 'add_up', '--sources', '1', 'run.db')
    below = out[out.index('The data that the hottest lines miss on'):].split('\n')
    check(status == 0 and below[2].endswith('fighting.c:57') and len(below) == 5, below)
    check(below[3].endswith('  aligned_alloc in take_turns (fighting.c:64)'), below)
    check('hottest lines' not in run('annotate', 'add_up', '--sources', '0', 'run.db')[1],
          'none asked for')
    simulate('--', 'true', path='other.db')
    status, out, err = run('annotate', 'main', '--sources', '1', 'other.db')
    check(status == 2 and not out and err.count('\n') == 1, status, out, err)


@case
def two_runs_are_compared_by_data_structure():
    """Direct-mapped against two ways, for the array that is written last: each of its 4,096 doubles
    misses when it is written and 100 times when it is read; with two ways each of its 512 lines
    does.
    """
    for path, ways in ('a.db', 1), ('b.db', 2):
        counted('--cache=L1d=32K,%d,64' % ways, LL, PROGRAM, 'arrays', path=path)
    status, out, err = run('diff', '--by', 'data', '--sites-by', 'line', '--format', 'json', 'a.db',
                           'b.db')
    found = json.loads(out)
    row = [r for r in found['rows']
           if r['name'] == 'aligned_alloc in fight (fighting.c:32)'][0]['events']
    check(status == 0 and found['by'] == 'data', status, err)
    a, b = row['L1m']['a'], row['L1m']['b']  # the allocator may have touched a line before
    check(101 * 4096 - 1 <= a <= 101 * 4096 and 101 * 512 - 1 <= b <= 101 * 512 and
          row['L1m']['change'] == b - a, row)
    cold = row['L1m_cold']['a']
    check(511 <= cold <= 512 and row['L1m_others']['a'] == a - cold and
          row['L1m_others']['b'] <= 512, row)
    for side, path in ('a', 'a.db'), ('b', 'b.db'):
        objects, own, compared = rows('objects',
                                      path=path), collections.Counter(), collections.Counter()
        check(found['totals']['L1m'][side] == sum(int(r['L1_misses']) for r in objects), path)
        for r in objects:  # two files may have variables of one name
            own[r['name']] += int(r['LL_misses'])
        for r in found['rows']:
            compared[r['name']] += r['events']['LLm'][side]
        check(+own == +compared, path, +own - compared, +compared - own)
    # the misses of L1 are most of the cycles, and Ir is the same
    status, out, _ = run('diff', 'a.db', 'b.db')
    check(status == 0 and re.search('largest change of CEst first:\n\n.*\n.* multiply ', out), out)
    check(re.search(r'\n +LLm +LLm +L1m +Ir ', run('annotate', 'multiply', 'a.db')[1]),
          'misses come first, as in the report')
    status, out, _ = run('diff', '--by', 'data', 'a.db', 'b.db')
    check(status == 0 and 'largest change of Cost' in out, out)
    for number in '', ' [2]':  # two lines of a function are two arrays
        check('aligned_alloc in fight (fighting.c)%s\n' % number in out, out)
    status, out, _ = run('diff', '--by', 'data', '--sites-by', 'function', 'a.db', 'b.db')
    check(status == 0 and 'aligned_alloc in fight (fighting.c)\n' in out, out)
    status, _, err = run('diff', '--by', 'data', '--fail-if',
                         'aligned_alloc in fight (fighting.c) [2]:L1m < 0%', 'a.db', 'b.db')
    check(status == 1 and 'holds' in err, status, err)
    simulate('--', 'true', path='other.db')
    status, out, err = run('diff', '--by', 'data', 'a.db', 'other.db')
    check(status == 3 and not out and 'other.db' in err and err.count('\n') == 1, status, out, err)


@case
def exports_and_top_show_data_structures():
    counted(LL, PROGRAM, 'list')
    status, out, err = run('export', '--to', 'json', 'run.db')
    lines = json.loads(out)['rows']
    check(status == 0 and all('data' in r for r in lines), err, lines[:2])
    for r in lines:
        wanted = sum(r['values'][e] for e in ['I1mr', 'D1mr', 'D1mw'])
        check(sum(x['L1_misses'] for x in r['data']) == wanted, r)
    status, out, err = run('top', '--once', '-n', '2', 'run.db')
    names = [r['name'] for r in rows('objects')[:2]]
    check(status == 0 and all(name in out for name in names) and 'exact misses: L1 ' in out, status,
          out, err)
    check(len(out.split('\n')) == 8, out)


@case
def all_processes_are_shown_unless_one_is_asked_for():
    """Two processes run the same program, at the same addresses; a shell starts them."""
    def numberless(name):  # "[1 of 2]" depends on what other processes do
        return re.sub(r' \[\d+ of \d+\]', '', name)
    counted(LL, 'sh', '-c', '%s arrays; %s list; true' % (PROGRAM, PROGRAM))
    processes = range(len(ask('SELECT id FROM process')))
    check(len(processes) >= 3, processes)
    for view, key in (('bins', ('function', 'data')), ('objects', ('name',)),
                      ('causes', ('data', 'cause', 'cache', 'evictor_data'))):
        column = 'misses' if view == 'causes' else 'L1_misses'
        whole, parts = collections.Counter(), collections.Counter()
        for r in rows(view):
            whole[tuple(numberless(r[k]) for k in key)] += int(r[column])
        for p in processes:
            for r in rows(view, '--process', str(p)):
                parts[tuple(numberless(r[k]) for k in key)] += int(r[column])
        check(+whole == +parts and +whole, view, +whole - parts, +parts - whole)
    l1 = totals('run.db')
    check(sum(int(r['L1_misses']) for r in rows('objects')) == l1['I1mr'] + l1['D1mr'] + l1['D1mw'],
          l1)


@case
def merged_profiles_keep_their_data_structures():
    """Both processes show in the merged profile what they show in their own."""
    parts = {'list.db': 'list', 'arrays.db': 'arrays'}
    for path, what in parts.items():
        counted(LL, PROGRAM, what, path=path)
    status, _, err = run('merge', *parts, '-o', 'both.db')
    check(status == 0 and not err, status, err)
    for process, path in enumerate(parts):
        for view in ['bins'], ['causes', '--by', 'both'], ['objects', '--fields']:
            own = rows(*view, path=path)
            check(rows(*view, '--process', str(process), path='both.db') == own and own, path, view)
    simulate(LL, '--', 'true', path='other.db')
    status, _, err = run('merge', 'list.db', 'other.db', '-o', 'both.db')
    check(status == 0 and "'other.db' has no misses by data structure" in err, status, err)


@case
def cold_conflict_and_capacity_misses_are_all_misses():
    """The arrays are 64 KB apart, and their 1,024 lines are as many as the direct-mapped cache has:
    they conflict.
    """
    caches = ['--cache=L1d=64K,1,64', '--cache=L1i=8K,2,64', LL]
    counted('--conflicts', *caches, PROGRAM, 'arrays')
    multiply = [r for r in rows('bins') if r['function'] == 'multiply' and
                r['data'].startswith('aligned_alloc')]
    # The first round may miss lines that others have displaced in the fully associative cache.
    check(len(multiply) == 2 and all(int(r['L1_capacity']) <= 512 < 409000 <= int(r['L1_conflict'])
                                     for r in multiply), multiply)
    for view, options in ('bins', []), ('objects', []), ('objects', ['--fields']):
        for r in rows(view, *options):
            for level in 'L1', 'LL':
                misses, *parts = (int(r['%s_%s' % (level, what)])
                                  for what in ('misses', 'cold', 'conflict', 'capacity'))
                check(misses == sum(parts), view, options, level, r)
    causes, sums = collections.Counter(), collections.Counter()
    for r in rows('causes', '--by', 'both'):
        check(int(r['conflict']) + int(r['capacity']) == (0 if r['cause'] == 'cold'
                                                          else int(r['misses'])), r)
        causes['L1' if r['cache'].startswith('L1') else r['cache']] += int(r['conflict'])
    for r in rows('bins'):
        for level in 'L1', 'LL':
            sums[level] += int(r[level + '_conflict'])
    check(+causes == +sums, causes, sums)
    found = json.loads(run('annotate', 'multiply', '--format', 'json', 'run.db')[1])
    lines = [d for f in found['files'] for line in f['lines'] for d in line.get('data', [])]
    check(sum(d['L1_conflict'] for d in lines) == sum(int(r['L1_conflict']) for r in rows('bins')
                                                      if r['function'] == 'multiply'), lines)
    status, out, _ = run('diff', '--by', 'data', '--format', 'json', 'run.db', 'run.db')
    check(status == 0 and json.loads(out)['totals']['L1m_conflict']['a'] == sums['L1'], out[:500])
    check('CONFLICT' in run('bins', 'run.db')[1] and 'CONFLICT' in run('causes', 'run.db')[1],
          'a column of text')
    counted(*caches, PROGRAM, 'arrays')
    for view in 'bins', 'causes', 'objects':
        check(not any('conflict' in key for key in rows(view)[0]), view)


@case
def what_cannot_be_is_refused():
    for part in ['--sample', '10%'], ['--sets', '1/8']:
        status, _, err = run('simulate', '--conflicts', *part, '-o', 'other.db', 'true')
        check(status == 2 and part[0] in err and '--conflicts' in err, part, status, err)
    for options, words in ((['--also', 'L1d=2K,2,64'], '--also'), (['--no-filter'], '--no-filter'),
                           (['--curve'], '--curve')):
        status, _, err = run('simulate', '--data', *options, '-o', 'other.db', 'true')
        check(status == 2 and words in err and '--data' in err, options, status, err)
    simulate('--', 'true', path='other.db')
    for view in ['bins'], ['causes'], ['report', '--by', 'data']:
        status, _, err = run(*view, 'other.db')
        check(status == 3 and 'dwell simulate --data' in err, view, err)
    for more, words in ((['--cache=L1d=32K,8,64,stride'], '--data needs first levels without'),
                        (['--conflicts', '--write-backs'], '--conflicts needs plain caches'),
                        (['--references', '--line-use'], '--references needs no replay, and')):
        status, out, err = run('simulate', '-q', '--data', *more, '-o', 'other.db', 'echo', 'on')
        check(status == 2 and out == '' and words in err, more, status, out, err)


def set_up(dwell, program, folder):
    global PROGRAM
    PROGRAM = program
    simulate_common.set_up(dwell, None, folder)


if __name__ == '__main__':
    main('bins', __doc__, set_up, program='build/tests/cli/fighting')
