#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""dwell simulate counts the same with and without the filter, and with code that looks into caches.

    simulate_filter.py [--dwell PATH] [--programs FOLDER] [--only EXPRESSION]

Each case prints one line; the exit status is 0 when none failed.
"""

import csv
import io
import json
import shutil

from cases import case, check, main
from simulate_common import (SEVERAL, SMALL, ask, batches, check_filter, check_same_costs, costs,
                             counted, environment, names,
                             program, run, set_up, simulate, totals)


@case
def the_filter_changes_nothing():
    """Before caches that translated code does not look into; those that it does are in the next
    case.
    """
    shapes = [['--cache=L1d=4K,full,64'], ['--cache=L1d=4K,4,64,srrip'], ['--cache=L1d=3K,3,64'],
              ['--cache=L1d=4K,4,32', '--cache=LL=64K,16,128'], ['--cache=LL=32K,8,64,inclusive'],
              ['--cache=LL=32K,8,64,exclusive'], ['--cache=L1d=4K,4,64,write-through'],
              ['--write-backs'],
              ['--line-use=all'], ['--cache=DTLB=16,full,4K', '--cache=ITLB=8,full,4K'],
              ['--cache=L1d=4K,4,64,next-line'], ['--cache=L1d=4K,4,64,stride'],
              # Several with a filter that they share, and such as cannot share one.
              ['--also=L1d=2K,2,64 L1i=1K,2,64 LL=16K,4,64',
               '--also=L1d=8K,8,64,srrip L1i=4K,4,64 LL=32K,8,64'],
              ['--also=L1d=4K,4,64,random LL=64K,16,64,fifo',
               '--also=L1d=1K,1,64,plru L1i=2K,full,64 LL=8K,2,64'],
              ['--no-instructions', '--also=L1d=2K,2,64 LL=16K,4,64',
               '--also=L1d=1K,4,64 L2=4K,4,64 LL=256K,16,128'],
              ['--also=L1d=2K,2,32 LL=16K,4,64'],
              ['--also=L1d=2K,2,64 L1i=1K,2,64 LL=16K,4,64,inclusive'],
              ['--write-backs', '--also=L1d=2K,2,64 LL=16K,4,64'],
              # Such as are simulated in one pass.
              SEVERAL, ['--no-call-graph', *SEVERAL], ['--no-instructions', *SEVERAL],
              ['--jumps', *SEVERAL],
              ['--context=2', *SEVERAL[:2]], ['--separate-threads', '--jumps', *SEVERAL[:2]],
              ['--cache=L1d=3K,3,64', '--also=L1d=4K,1,64 L1i=1K,1,64 LL=32K,full,64']]
    with open('text', 'w') as f:
        f.write(' '.join(str(i * i % 1013) for i in range(3000)))
    for shape in shapes:
        check_filter(*SMALL, *shape, '--', 'gzip', '-c', 'text')


@case
def the_filter_mode_changes_nothing():
    """Translated code looks into the caches by itself; with calls and without."""
    shapes = [[], ['--cache=L1d=6K,12,64', '--cache=LL=48K,12,64'],
              ['--cache=L1d=4K,1,64', '--cache=L1i=4K,1,64'],
              ['--cache=L1i=1K,2,64', '--cache=L1d=1K,2,64', '--cache=LL=2K,1,64'],
              ['--no-instructions'],
              ['--cache=L1d=16K,16,64', '--cache=L1i=16K,16,64'], ['--cache=L2=16K,4,64'],
              ['--cache=L1d=4K,4,64,fifo'],
              ['--cache=LL=64K,full,64'], ['--cache=L1d=1K,1,64,fifo'],
              ['--cache=L1i=8K,4,64,fifo', '--cache=L1d=4K,2,64,fifo', '--cache=LL=64K,16,64,fifo'],
              ['--cache=L1d=4K,4,64,random'],
              ['--cache=L1d=12K,12,64,random', '--cache=L1i=8K,4,64,random'],
              ['--cache=L1d=2K,2,64,plru', '--cache=L1i=8K,4,64,plru'],
              ['--cache=L1d=16K,16,64,plru', '--cache=LL=none'],
              ['--cache=L1i=8K,4,64,random:7', '--cache=LL=64K,16,64,random'],
              ['--no-instructions', '--cache=L1d=4K,4,64,fifo', '--cache=LL=64K,16,128,plru'],
              ['--cache=L2=16K,4,64,srrip', '--cache=LL=64K,full,64,fifo'],
              ['--cache=L1d=4K,4,64,plru'], SEVERAL[:1],
              ['--cache=LL=none'],
              # Last levels whose sets are no power of two, and of more ways than first levels may
              # have.
              ['--cache=LL=48K,16,64'], ['--cache=LL=9K,3,64', '--no-instructions'],
              ['--cache=LL=60K,20,64'],
              ['--cache=LL=80K,20,64'], ['--cache=LL=64K,32,64'], ['--cache=LL=102K,17,64']]
    with open('text', 'w') as f:
        f.write(' '.join(str(i * i % 1013) for i in range(3000)))
    commands = [['gzip', '-c', 'text'],
                [program('strings')], [program('vectors')], [program('selfmod')],
                [program('jumps')], [program('control')],
                *([program('vector%d' % i), 'calm'] for i in (13, 14, 15))]
    for shape in shapes:
        for command in commands if not shape else commands[:1]:
            for graph in ([],) if shape else ([], ['--no-call-graph']):
                check_filter(*graph, *SMALL, *shape, '--', *command)


@case
def the_filter_mode_of_several_hierarchies_changes_nothing():
    """What misses in their fronts is looked at later, all that happened before some moment when
    that comes.
    """
    for command in (['vectors'], ['selfmod'], ['call-graph'], ['partway', 'fault'], ['exec'],
                    ['toggles']):
        check_filter(*SMALL, *SEVERAL[:2], '--', program(command[0]), *command[1:])
    for command in 'strings', 'jumps':
        check_filter('--no-call-graph', *SMALL, *SEVERAL, '--', program(command))
    # With an odd stack pointer many accesses lie on two lines, of which the fronts miss one or
    # both.
    for way in range(0, 6, 2):
        command = ['--no-call-graph', *SMALL, '--cache=L1d=512,1,64', SEVERAL[1], '--',
                   program('oddstack'), str(way)]
        check_filter(*command)
    simulate(*SMALL, *SEVERAL, '--', program('threads'))
    t = totals()
    check((t['Ir'], t['Dr'], t['Dw']) == counted(), t, counted())
    check(min(t['D1mr'], t['I1mr'], t['D1mr_2'], t['I1mr_4']) > 0, t)


@case
def the_filter_mode_follows_each_call():
    """Recursion, tail calls, handlers that jump out, exceptions, other stacks, processes; with hot
    caches and small ones.
    """
    for command in (['call-graph'], ['jumps'], ['returns'], ['exec'], ['forms-static'],
                    ['partway', 'fault'], ['toggles'], ['marks'], ['jit'], ['special'],
                    ['made-code'], ['dlopen']):
        for caches in (SMALL, []) if command == ['call-graph'] else (SMALL,):
            check_filter(*caches, '--', program(command[0]), *command[1:])


@case
def calls_that_are_open_at_reports_keep_their_costs():
    """Each report ends what code knows of open calls: their returns go by the rules. Also with
    another counter register.
    """
    for switch in 'report_us=1000', 'vector=0', 'report_us=1000,vector=0':
        with environment(switch):
            for command in ['call-graph'], ['returns'], ['special']:
                check_filter(*SMALL, '--', program(command[0]), *command[1:])


@case
def costs_of_calls_add_up_whenever_signals_come():
    """What a function and its calls cost is what the calls of it cost; there is no recursion. Also
    of nodes and threads.
    """
    for options in [], ['--context=2', '--separate-threads']:
        with environment('report_us=1000'):
            simulate(*options, '--cache=LL=1M,16,64', '--', program('fasttimers'))
        check_sums_of_calls()
    simulate('--context=1', '--separate-threads', '--cache=LL=1M,16,64', '--', program('threads'),
             'counters')
    t = totals()
    check((t['Ir'], t['Dr'], t['Dw']) == counted(), t, counted())
    check(len(ask('SELECT DISTINCT thread FROM node')) > 2, ask('SELECT DISTINCT thread FROM node'))
    check_sums_of_calls()


def check_sums_of_calls():
    into, spent = {}, {}

    def add(to, node, numbers):
        row = to.setdefault(node, [0] * 3)
        for i, number in enumerate(numbers[:3]):
            row[i] += number

    for _, (caller, _, callee, _, _, *numbers) in batches('arc_batch', 'run.db'):
        add(into, callee, numbers)
        add(spent, caller, numbers)
    for _, (node, _, *numbers) in batches('cost_batch', 'run.db'):
        add(spent, node, numbers)
    check(len(into) > 100, len(into))
    for node, row in into.items():
        check(row == spent.get(node, [0] * 3),
              ask('SELECT function FROM node WHERE id = %d' % node), row, spent.get(node))


@case
def the_filter_mode_starts_and_stops_like_the_replay():
    for more in (['--toggle-collect=two'], ['--start-at=fibonacci'], ['--stop-at=switch_stacks'],
                 ['--no-instructions']):
        check_filter(*SMALL, *more, '--', program('call-graph'))


@case
def the_filter_mode_keeps_its_counts_where_the_code_cache_is_emptied():
    """Misses are counted by places in the code: all are told to its instructions before these
    numbers are given again.
    """
    script = ('my %h; for (1..4000) { $h{$_ % 377} .= chr(65 + $_ % 26) } print map { sort split '
              '//, $h{$_} } sort keys %h')
    with environment('cache_mb=2', PERL_HASH_SEED='0'):
        for more in [], ['--also=L1i=4K,2,64 L1d=8K,8,64 LL=256K,4,64']:
            check_filter(*SMALL, *more, '--', 'perl', '-e', script)


@case
def the_filter_mode_keeps_the_misses_of_what_is_tried_again():
    """A store into code misses, faults and is done again; in between the timer calls, twice."""
    with environment('report_us=1000'):
        for more in [], ['--also=L1i=4K,2,64 L1d=8K,8,64 LL=256K,4,64']:
            check_filter(*SMALL, *more, '--', program('selfmod'))


@case
def the_filter_mode_simulates_a_gather_once():
    """Also if the thread is stopped between the simulation and the instruction: in four of ten
    runs.
    """
    tiny = ['--cache=L1i=2K,2,64', '--cache=L1d=1K,2,64', '--cache=LL=4K,1,64']
    with environment('report_us=100'):
        for more in [], ['--write-backs']:
            for _ in range(4):
                check_filter(*more, *tiny, '--', program('vectors'))


@case
def the_filter_mode_hands_its_lines_over():
    """To the replay's caches of each kind, where the program maps memory over the tables."""
    for last in '64K,16,64', '192K,16,64', '6M,12,64', '60K,20,64':
        check_filter('--no-call-graph', *SMALL[:2], '--cache=LL=' + last, '--',
                     program('over-tables'))


SHAPES = [[], ['--cache=L1d=4K,4,64,plru'], ['--cache=L1d=4K,4,64,fifo'],
          ['--cache=L1d=4K,4,64,random'], ['--cache=LL=48K,12,64'], ['--cache=LL=80K,20,64'],
          ['--cache=L2=16K,4,64'], ['--cache=DTLB=16,4,4K', '--cache=ITLB=8,full,4K'],
          ['--write-backs'],
          ['--cache=LL=32K,8,64,inclusive'], ['--cache=L1d=4K,4,64,next-line'], ['--line-use=all'],
          SEVERAL[:1]]


def check_filtered(*command):
    """The run was not replayed, nor a part of it."""
    messages = [text for text, in ask('SELECT text FROM message') if 'replay' in text or
                'from here on' in text or 'tables' in text]
    check(not messages, *command, messages)


def check_moved(*command):
    """Tables that move change nothing, and the filter goes on."""
    check_filter(*command, always=True)
    check_filtered(*command)


def bins():
    """Misses and their causes by place in the program, and kind of data structure."""
    return ask("""SELECT m.path, l.module_address, s.kind, cache, sum(misses), sum(cold), sum(by_self), sum(conflicts)
        FROM bin b JOIN structure s ON s.id = b.structure_id JOIN location l ON l.id = b.location_id
        LEFT JOIN module m ON m.id = l.module_id GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4""")


@case
def the_filter_mode_moves_its_tables():
    """Where the program wants their place, whatever it calls for that: with all that is kept by
    line.
    """
    for shape in SHAPES:
        check_moved('--no-call-graph', *SMALL, *shape, '--', program('places'))
    check_moved(*SMALL, '--', program('places'))


@case
def the_filter_mode_looks_into_pieces():
    """Of a table for which there is no room in one piece."""
    with environment('pieces=1'):
        for shape in SHAPES:
            check_moved('--no-call-graph', *SMALL, *shape, '--', program('call-graph'))
        for command in (['strings'], ['vectors'], ['selfmod'], ['partway', 'fault'],
                        ['unaligned', 'sums'], ['places']):
            check_moved(*SMALL, '--', program(command[0]), *command[1:])
        with environment('vector=0'):
            for command in ['strings'], ['selfmod'], ['unaligned', 'sums']:
                check_moved(*SMALL, '--', program(command[0]), *command[1:])


@case
def the_filter_mode_counts_data_in_pieces():
    """As it does in one piece: for each access of a program that has its tables moved, and of
    others.
    """
    for command in ['places'], ['call-graph'], ['strings']:
        for options in [], ['--cache=DTLB=16,4,4K'], ['--conflicts'], ['--sets=1/2']:
            views = []
            for switch in 'pieces=0', 'pieces=1': # of the same length: the stack is the same
                with environment(switch):
                    simulate('--data', *SMALL, *options, '--', program(command[0]), *command[1:])
                check_filtered(switch, command, options)
                views.append(bins())
            check(views[0] == views[1], command, options,
                  [pair for pair in zip(*views) if pair[0] != pair[1]][:5])


@case
def views_say_what_data_was_not_followed():
    """Where the tables cannot give way: its misses are a row, so that rows have the sums of events.
    """
    simulate('--data', *SMALL, '--', program('over-tables'))
    status, out, err = run('bins', '--format', 'csv', 'run.db')
    check(status == 0, err)
    found, t = list(csv.DictReader(io.StringIO(out))), totals()
    for column, events in ('L1_misses', ('I1mr', 'D1mr', 'D1mw')), ('LL_misses',
                                                                    ('ILmr', 'DLmr', 'DLmw')):
        check(sum(int(row[column]) for row in found) == sum(t[event] for event in events), column,
              t)
    check([row for row in found if row['data'] == '[not followed]' and
           int(row['L1_misses']) > 1000], found[:3])
    until, accesses = ask('SELECT data_until, accesses FROM process')[0]
    check(0.3 * accesses < until < 0.8 * accesses, until, accesses)
    given_up = 'given up after %.2f %% of all accesses' % (100 * until / accesses)
    lost = {'L1d': t['D1mr'] + t['D1mw'], 'L1i': t['I1mr'], 'LL': t['ILmr'] + t['DLmr'] + t['DLmw']}
    for cache, misses in ask('SELECT cache, sum(misses) FROM bin GROUP BY 1'):
        lost[cache] -= misses
    shutil.copy('run.db', 'other.db')
    for view in (['bins'], ['objects'], ['objects', '--fields'], ['causes'], ['report'],
                 ['annotate', 'count'],
                 ['diff', '--by', 'data', 'other.db', 'run.db']):
        out = ' '.join(run(*view, *([] if view[0] == 'diff' else ['-i', 'run.db']))[1].split())
        check('exact as far as data was followed' in out and given_up in out, view, out[:300])
        check('%d of %d misses in LL' % (lost['LL'], t['ILmr'] + t['DLmr'] + t['DLmw']) in out,
              view, out[:300])
    for view in ['bins'], ['objects'], ['objects', '--fields'], ['causes'], ['annotate', 'count']:
        found = json.loads(run(*view, '-i', 'run.db', '--format', 'json')[1])
        known = found.get('data_known', found)
        check(known['exact'] is False and given_up in known['how'] and
              known['not_followed'] == lost, view, known, lost)
        check(abs(known['followed_share'] - until / accesses) < 1e-6, view, known)
    objects = json.loads(run('objects', '-i', 'run.db', '--format', 'json')[1])
    for cache, key in ('L1', 'L1_misses'), ('LL', 'LL_misses'):
        total = next(c['misses'] for c in objects['caches'] if c['cache'] == cache)
        events = [n for name, n in t.items() if name[1:3] == ('1m' if cache == 'L1' else 'Lm')]
        check(total == sum(events) == sum(row[key] for row in objects['objects']), cache, total,
              events)
    code = [row for row in objects['objects'] if row['kind'] == 'code']
    for view, key in (['objects', '--fields'], 'fields'), (['causes'], 'causes'):
        shares = [row['cost_share']
                  for row in json.loads(run(*view, '-i', 'run.db', '--format', 'json')[1])[key]]
        without = sum(row['cost_share'] for row in code) if key == 'fields' else 0
        check(abs(sum(shares) + without - 1) < 1e-5, view, sum(shares), without)
    causes = json.loads(run('causes', '-i', 'run.db', '--format', 'json')[1])['causes']
    check(sum(row['misses'] for row in causes if row['cache'] == 'LL') == total, total)
    simulate('--data', *SMALL, '--', program('strings'))
    for view in 'bins', 'causes', 'objects':
        check('exact, as all accesses were simulated' in ' '.join(run(view, '-i',
                                                                      'run.db')[1].split()), view)
        known = json.loads(run(view, '-i', 'run.db', '--format', 'json')[1])
        check(known['exact'] is True and known['not_followed'] == {} and
              known['followed_share'] == 1, view, known)


@case
def jumps_are_counted_whatever_happens_between_them():
    """Also where a thread is stopped behind a branch, a fault ends a segment, or another counter
    register is used.
    """
    always = ['call-graph'], ['partway', 'fault'], ['toggles'], ['selfmod']
    others = ['jumps'], ['special'], ['made-code'], ['dlopen'], ['strings'], ['vector13', 'calm']
    for switch, commands in ('', (*always, *others)), ('report_us=1000', always), ('vector=0',
                                                                                   always):
        with environment(switch):
            for command in commands:
                check_filter('--jumps', *SMALL, '--', program(command[0]), *command[1:])


@case
def jumps_lead_to_what_is_executed_whenever_signals_come():
    """No branch is taken more often than executed; or than what it leads to, unless a handler jumps
    out: 100 times.
    """
    with environment('report_us=1000'):
        simulate('--jumps', '--cache=LL=1M,16,64', '--', program('fasttimers'))
    executed = {place: numbers[0] for place, numbers in costs().items()}
    modules = dict(ask('SELECT id, path FROM module'))
    places = {location: (process, modules.get(inside[0]), inside[1])
              for location, (process, _, *inside) in batches('location_batch', 'run.db') if inside}
    found = lost = 0
    for _, (_, start, end, conditional, n, taken) in batches('jump_batch', 'run.db'):
        check(0 <= taken <= n, start, end, conditional, n, taken)
        if start in places and end in places:
            lost += max(0, taken - executed.get(places[end], 0))
            found += 1
    check(found > 1000 and lost <= 100, found, lost)


@case
def nodes_have_their_costs_in_code():
    """Contexts, and nodes of threads: also of made code, and where code, or the table of lines, is
    forgotten.
    """
    for options in ['--separate-threads', '--jumps'], ['--context=5', '--separate-threads']:
        for command in ['call-graph'], ['partway', 'fault'], ['special'], ['made-code'], ['dlopen']:
            check_filter(*options, *SMALL, '--', program(command[0]), *command[1:])
    for switch in 'report_us=1000', 'vector=0':
        with environment(switch):
            for command in ['call-graph'], ['toggles'], ['selfmod']:
                check_filter('--context=1', '--jumps', *SMALL, '--', program(command[0]))
    script = ('my %h; for (1..100) { $h{$_ % 37} .= chr(65 + $_ % 26) } print map { sort split //, '
              '$h{$_} } sort keys %h')
    with environment('cache_mb=2', PERL_HASH_SEED='0'):
        check_filter('--context=3', '--jumps', *SMALL, '--', 'perl', '-e', script)
    simulate('--context=1', *SMALL, '--', program('over-tables'))
    t = totals()
    check((t['Ir'], t['Dr'], t['Dw']) == counted(), t, counted())


@case
def what_is_replayed_with_vector_registers_changes_nothing():
    """Hierarchies that one pass cannot do, and more than two levels with the use of lines."""
    with open('text', 'w') as f:
        f.write(' '.join(str(i * i % 1013) for i in range(3000)))
    deep = ['--line-use=all', '--cache=L2=16K,4,64']
    for more in (['--context=1', *SEVERAL], ['--context=2', *deep],
                 ['--separate-threads', '--no-instructions', *deep],
                 ['--context=1', '--cache=L1d=6K,12,64', '--cache=LL=48K,12,64', *deep]):
        check_filter(*SMALL, *more, '--', 'gzip', '-c', 'text')


@case
def the_filter_mode_sees_an_odd_stack_pointer():
    """However it became odd. The cache is small enough to miss wherever an access lies on two
    lines.
    """
    for way in range(6):
        command = ['--no-call-graph', *SMALL, '--cache=L1d=512,1,64', '--', program('oddstack'),
                   str(way)]
        simulate(*command)
        simulate('--no-filter', *command, path='other.db')
        check_same_costs(command)


@case
def the_filter_mode_sees_what_is_not_aligned():
    """Accesses of instructions whose accesses were aligned before."""
    check_filter('--no-call-graph', *SMALL, '--cache=L1d=512,1,64', '--', program('unaligned'),
                 'sums')
    check_filter('--cache=L1d=512,1,64', '--', program('unaligned'), 'sums')


if __name__ == '__main__':
    main('simulate-filter', __doc__, set_up, programs='build/tests/programs')
