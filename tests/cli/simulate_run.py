#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""dwell simulate -- COMMAND: what is counted, that nobody notices, and what is refused.

    simulate_run.py [--dwell PATH] [--programs FOLDER] [--only EXPRESSION]

Each case prints one line; the exit status is 0 when none failed.
"""
import os
import re
import sqlite3
import subprocess

from cases import case, check, main

USAGE = 2
SECONDS = 100
# Sets are chosen by no more than the address within a page: the engine's own memory may move the program's.
SMALL = ['--cache=L1i=8K,4,64', '--cache=L1d=4K,4,64', '--cache=LL=64K,16,64']
SEVERAL = ['--also=L1i=4K,2,64 L1d=8K,8,64 LL=256K,4,64', '--also=L1i=8K,4,64 L1d=4K,4,64 LL=16K,4,64',
           '--also=L1i=16K,2,64 L1d=2K,2,64 L2=8K,4,64 LL=64K,16,128,random',
           '--also=L1i=2K,2,64 L1d=8K,1,64 LL=32K,8,64,fifo']
EVENTS = ['Ir', 'Dr', 'Dw', 'I1mr', 'D1mr', 'D1mw', 'ILmr', 'DLmr', 'DLmw']


def run(*arguments):
    """Without address randomisation, so that runs can be compared."""
    done = subprocess.run(['setarch', '-R', DWELL, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=SECONDS)
    return done.returncode, done.stdout.decode('utf-8', 'replace'), done.stderr.decode('utf-8', 'replace')


def program(name):
    return os.path.join(PROGRAMS, name)


def simulate(*arguments, status=0, path='run.db'):
    for old in path, path + '.old':
        if os.path.exists(old):
            os.unlink(old)
    got, out, err = run('simulate', '-q', '-o', path, *arguments)
    check(got == status, *arguments, 'ended with', got, err)
    return out


def ask(sql, path='run.db'):
    with sqlite3.connect('file:%s?mode=ro' % path, uri=True) as db:
        return db.execute(sql).fetchall()


def names(path='run.db'):
    return [row[0] for row in ask('SELECT name FROM event WHERE formula IS NULL ORDER BY id', path)]


def totals(path='run.db', process=None):
    columns = names(path)
    where = '' if process is None else ' WHERE node_id IN (SELECT id FROM node WHERE process_id = %d)' % process
    row = ask('SELECT %s FROM cost%s' % (', '.join('sum("%s")' % c for c in columns), where), path)[0]
    return dict(zip(columns, (v or 0 for v in row)))


def costs(path='run.db'):
    """All costs by process and place in the program: what two runs can be compared by.

    Of a file in memory that is mapped here and there by turns it depends on the moment which part is meant.
    """
    columns = ', '.join('sum("%s")' % c for c in names(path))
    return ask("""SELECT l.process_id, m.path, CASE WHEN m.path LIKE '/memfd:%%' THEN NULL ELSE l.module_address END, %s FROM cost JOIN location l ON l.id = location_id
        LEFT JOIN module m ON m.id = l.module_id GROUP BY 1, 2, 3 ORDER BY 1, 2, 3""" % columns, path)


def arcs(path='run.db'):
    """Calls and inclusive costs by who calls, from where, and who is called; none without a call graph."""
    if not ask("SELECT 1 FROM sqlite_master WHERE name = 'arc'", path):
        return []
    columns = ', '.join('sum("%s")' % c for c in names(path))
    return ask("""SELECT b.process_id, a.function, m.path, l.module_address, b.function, b.object, kind, sum(calls), %s
        FROM arc LEFT JOIN node a ON a.id = arc.caller_id JOIN node b ON b.id = arc.callee_id
        LEFT JOIN location l ON l.id = arc.location_id LEFT JOIN module m ON m.id = l.module_id
        GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7""" % columns, path)


def counted(process=0, path='run.db'):
    """Ir, Dr and Dw as the counters of the process have them; see docs/counting.md."""
    return ask("""SELECT instructions + rep_iterations, accesses - stores, stores FROM process
        WHERE id = %d""" % process, path)[0]


@case
def counts_are_those_of_the_counters():
    for command in (['strings'], ['vectors'], ['signals'], ['faults'], ['jit'], ['selfmod']):
        if not os.path.exists(program(command[0])):
            continue
        for gear in [], ['--no-call-graph']:
            simulate(*SMALL, *gear, '--', program(command[0]), *command[1:])
            t = totals(process=0)
            check((t['Ir'], t['Dr'], t['Dw']) == counted(), gear, command, t, counted())


@case
def a_gather_that_faults_part_way_counts_once():
    # By function: the signal handler has accesses of its own.
    def of(*arguments):
        simulate(*SMALL, '--', program('partway'), *arguments)
        t = totals(process=0)
        check((t['Ir'], t['Dr'], t['Dw']) == counted(), arguments, t, counted())
        return ask("""SELECT f.function, sum("Ir"), sum("Dr"), sum("Dw") FROM cost c
            JOIN frame f ON f.location_id = c.location_id AND f.depth = 0
            WHERE f.function IN ('gather', 'scatter') GROUP BY 1"""), ask('SELECT vector_elements FROM process')
    whole, part = of(), of('fault')
    check(whole == part, whole, part)
    # Four elements of each gather and six of each scatter, a hundred times, as far as the processor has them.
    check(whole[1][0][0] in (0, 400, 1000), whole)


@case
def children_and_new_images_have_counts_of_their_own():
    simulate(*SMALL, '--', 'sh', '-c', 'echo one | cat; /bin/echo two | cat')
    processes = ask("SELECT id FROM process WHERE state IN ('exited', 'exec') AND instructions > 0")
    check(len(processes) >= 4, processes)
    for (process,) in processes:
        t = totals(process=process)
        check((t['Ir'], t['Dr'], t['Dw']) == counted(process), 'process', process, t, counted(process))


@case
def threads_counts_are_those_of_the_counters():
    simulate(*SMALL, '--', program('threads'))
    t = totals()
    check((t['Ir'], t['Dr'], t['Dw']) == counted(), t, counted())


def digits(path='run.db'):
    return [len(str(pid)) for pid, in ask('SELECT pid FROM process ORDER BY id', path)]


def check_filter(*command):
    """With the filter and without all costs are the same, and all calls."""
    for _ in range(3):
        simulate(*command)
        simulate('--no-filter', *command, path='other.db')
        if digits() == digits('other.db'):
            break  # programs write down the number of their process: one digit more, some instructions more
    check(costs() == costs('other.db'), command, totals(), totals('other.db'))
    here, there = arcs(), arcs('other.db')
    check(here == there, command, *(set(here) ^ set(there)))
    check(here or '--no-call-graph' in command, command, 'no calls')


@case
def the_filter_changes_nothing():
    shapes = [[], ['--cache=L1d=4K,full,64'], ['--cache=L1d=4K,4,64,fifo'], ['--cache=L1d=4K,4,64,plru'],
              ['--cache=L1d=4K,4,64,srrip'], ['--cache=L1d=4K,4,64,random'], ['--cache=L1d=3K,3,64'],
              ['--cache=L1d=6K,12,64', '--cache=LL=48K,12,64'], ['--cache=L1d=4K,1,64', '--cache=L1i=4K,1,64'],
              ['--cache=L1d=4K,4,32', '--cache=LL=64K,16,128'], ['--cache=LL=32K,8,64,inclusive'],
              ['--cache=LL=32K,8,64,exclusive'], ['--cache=L1d=4K,4,64,write-through'], ['--write-backs'],
              ['--line-use'], ['--cache=DTLB=16,full,4K', '--cache=ITLB=8,full,4K'], ['--no-instructions'],
              ['--cache=L2=16K,4,64'], ['--cache=L1d=4K,4,64,next-line'], ['--cache=L1d=4K,4,64,stride'],
              # Several with a filter that they share, and such as cannot share one.
              ['--also=L1d=2K,2,64 L1i=1K,2,64 LL=16K,4,64', '--also=L1d=8K,8,64,srrip L1i=4K,4,64 LL=32K,8,64'],
              ['--also=L1d=4K,4,64,random LL=64K,16,64,fifo', '--also=L1d=1K,1,64,plru L1i=2K,full,64 LL=8K,2,64'],
              ['--no-instructions', '--also=L1d=2K,2,64 LL=16K,4,64', '--also=L1d=1K,4,64 L2=4K,4,64 LL=256K,16,128'],
              ['--also=L1d=2K,2,32 LL=16K,4,64'], ['--also=L1d=2K,2,64 L1i=1K,2,64 LL=16K,4,64,inclusive'],
              ['--write-backs', '--also=L1d=2K,2,64 LL=16K,4,64'],
              # Such as are simulated in one pass; also where each segment is told to the call graph.
              SEVERAL, ['--no-call-graph', *SEVERAL], ['--no-instructions', *SEVERAL], ['--jumps', *SEVERAL],
              ['--context=2', *SEVERAL[:2]], ['--cache=L1d=3K,3,64', '--also=L1d=4K,1,64 L1i=1K,1,64 LL=32K,full,64']]
    with open('text', 'w') as f:
        f.write(' '.join(str(i * i % 1013) for i in range(3000)))
    for shape in shapes:
        # Small, but for the first: many runs.
        command = [*SMALL, *shape, '--', *(['gzip', '-c', 'text'] if shape else [program('strings')])]
        check_filter(*command)


@case
def the_filter_gear_changes_nothing():
    """Translated code looks into the caches by itself, where the machine has what it takes; with calls and without."""
    shapes = [[], ['--cache=L1d=6K,12,64', '--cache=LL=48K,12,64'], ['--cache=L1d=4K,1,64', '--cache=L1i=4K,1,64'],
              ['--cache=L1i=1K,2,64', '--cache=L1d=1K,2,64', '--cache=LL=2K,1,64'], ['--no-instructions'],
              ['--cache=L1d=16K,16,64', '--cache=L1i=16K,16,64'], ['--cache=L2=16K,4,64'],
              ['--cache=L1d=4K,4,64,fifo'], ['--cache=LL=64K,full,64'], ['--cache=L1d=1K,1,64,fifo'],
              ['--cache=L1i=8K,4,64,fifo', '--cache=L1d=4K,2,64,fifo', '--cache=LL=64K,16,64,fifo'],
              ['--cache=L1d=4K,4,64,random'], ['--cache=L1d=12K,12,64,random', '--cache=L1i=8K,4,64,random'],
              ['--cache=L1i=8K,4,64,random:7', '--cache=LL=64K,16,64,random'],
              ['--no-instructions', '--cache=L1d=4K,4,64,fifo', '--cache=LL=64K,16,128,plru'],
              ['--cache=L2=16K,4,64,srrip', '--cache=LL=64K,full,64,fifo'], ['--cache=L1d=4K,4,64,plru'], SEVERAL[:1]]
    with open('text', 'w') as f:
        f.write(' '.join(str(i * i % 1013) for i in range(3000)))
    commands = [['gzip', '-c', 'text'], [program('strings')], [program('vectors')], [program('selfmod')],
                [program('jumps')], [program('control')]]
    for shape in shapes:
        for command in commands if not shape else commands[:1]:
            for graph in ([],) if shape else ([], ['--no-call-graph']):
                check_filter(*graph, *SMALL, *shape, '--', *command)


@case
def the_filter_gear_of_several_hierarchies_changes_nothing():
    """What misses in their fronts is looked at later, all that happened before some moment when that comes."""
    for command in (['vectors'], ['selfmod'], ['call-graph'], ['partway', 'fault'], ['exec'], ['toggles']):
        check_filter(*SMALL, *SEVERAL[:2], '--', program(command[0]), *command[1:])
    for command in 'strings', 'jumps':
        check_filter('--no-call-graph', *SMALL, *SEVERAL, '--', program(command))
    # With an odd stack pointer many accesses lie on two lines, of which the fronts miss one or both.
    for way in range(0, 6, 2):
        command = ['--no-call-graph', *SMALL, '--cache=L1d=512,1,64', SEVERAL[1], '--', program('oddstack'), str(way)]
        check_filter(*command)
    simulate(*SMALL, *SEVERAL, '--', program('threads'))
    t = totals()
    check((t['Ir'], t['Dr'], t['Dw']) == counted(), t, counted())
    check(min(t['D1mr'], t['I1mr'], t['D1mr_2'], t['I1mr_4']) > 0, t)


@case
def the_filter_gear_follows_each_call():
    """Recursion, tail calls, handlers that jump out, exceptions, other stacks, processes; with hot caches and small ones."""
    for command in (['call-graph'], ['jumps'], ['returns'], ['exec'], ['forms-static'],
                    ['partway', 'fault'], ['toggles'], ['marks'], ['jit'], ['special']):
        for caches in (SMALL, []) if command == ['call-graph'] else (SMALL,):
            check_filter(*caches, '--', program(command[0]), *command[1:])


@case
def the_filter_gear_starts_and_stops_like_the_replay():
    for more in (['--toggle-collect=two'], ['--start-at=fibonacci'], ['--stop-at=switch_stacks'], ['--no-instructions']):
        check_filter(*SMALL, *more, '--', program('call-graph'))


@case
def the_filter_gear_keeps_its_counts_where_the_code_cache_is_emptied():
    """Misses are counted by places in the code: all are told to its instructions before these numbers are given again."""
    script = 'my %h; for (1..4000) { $h{$_ % 377} .= chr(65 + $_ % 26) } print map { sort split //, $h{$_} } sort keys %h'
    os.environ.update(DWELL_ENGINE_OPTIONS='cache_mb=2', PERL_HASH_SEED='0')
    try:
        for more in [], ['--also=L1i=4K,2,64 L1d=8K,8,64 LL=256K,4,64']:
            check_filter(*SMALL, *more, '--', 'perl', '-e', script)
    finally:
        del os.environ['DWELL_ENGINE_OPTIONS'], os.environ['PERL_HASH_SEED']


@case
def the_filter_gear_keeps_the_misses_of_what_is_tried_again():
    """A store into code misses, faults and is done again; in between the timer calls, twice."""
    os.environ.update(DWELL_ENGINE_OPTIONS='report_us=1000')
    try:
        for more in [], ['--also=L1i=4K,2,64 L1d=8K,8,64 LL=256K,4,64']:
            check_filter(*SMALL, *more, '--', program('selfmod'))
    finally:
        del os.environ['DWELL_ENGINE_OPTIONS']


@case
def what_is_replayed_with_vector_registers_changes_nothing():
    """Jumps and contexts want each segment told, so that code does not look into the caches."""
    with open('text', 'w') as f:
        f.write(' '.join(str(i * i % 1013) for i in range(3000)))
    for more in ['--jumps'], ['--context=2'], ['--jumps', '--cache=L1d=6K,12,64', '--cache=LL=48K,12,64'], ['--jumps', '--no-instructions']:
        check_filter(*SMALL, *more, '--', 'gzip', '-c', 'text')


@case
def the_filter_gear_sees_an_odd_stack_pointer():
    """However it became odd. The cache is small enough to miss wherever an access lies on two lines."""
    for way in range(6):
        command = ['--no-call-graph', *SMALL, '--cache=L1d=512,1,64', '--', program('oddstack'), str(way)]
        simulate(*command)
        simulate('--no-filter', *command, path='other.db')
        check(costs() == costs('other.db'), command, totals(), totals('other.db'))


@case
def the_filter_gear_sees_what_is_not_aligned():
    """Accesses of instructions whose accesses were aligned before."""
    check_filter('--no-call-graph', *SMALL, '--cache=L1d=512,1,64', '--', program('unaligned'), 'sums')
    check_filter('--cache=L1d=512,1,64', '--', program('unaligned'), 'sums')


@case
def threads_are_counted_in_the_filter_gear():
    for graph in [], ['--no-call-graph']:
        simulate(*graph, *SMALL, '--', program('threads'))
        t = totals()
        check((t['Ir'], t['Dr'], t['Dw']) == counted(), t, counted())
        check(t['D1mr'] > 0 and t['I1mr'] > 0, t)
    # What threads have called is below their starts.
    simulate(*SMALL, '--', program('threads'))
    starts = ask('SELECT sum("Ir") FROM arc WHERE caller_id IS NULL')[0][0]
    check(starts == totals()['Ir'], starts, totals())


@case
def each_of_several_hierarchies_counts_as_alone():
    with open('text', 'w') as f:
        f.write(' '.join(str(i * i % 1013) for i in range(3000)))
    simulate(*SMALL, *SEVERAL, '--', 'gzip', '-c', 'text')
    together = totals()
    for number, caches in enumerate(SEVERAL, 2):
        geometry = ['--cache=' + c for c in caches.split('=', 1)[1].split()]
        simulate(*geometry, '--', 'gzip', '-c', 'text', path='other.db')
        alone = totals('other.db')
        for event, count in alone.items():
            if event in EVENTS[:3]:
                check(together[event] == count, event, together, alone)
            else:
                check(together['%s_%d' % (event, number)] == count, caches, event, together, alone)
    check(together['D1mr_4'] > together['D1mr_3'] > together['D1mr_2'] > 0, together)


@case
def a_second_hierarchy_counts_as_alone():
    simulate('--cache=L1i=4K,2,64', '--cache=L1d=2K,2,64', '--cache=LL=16K,4,64', '--', program('strings'))
    alone = totals()
    simulate(*SMALL, '--also=L1i=4K,2,64 L1d=2K,2,64 LL=16K,4,64', '--', program('strings'))
    both = totals()
    check(names() == EVENTS + [e + '_2' for e in EVENTS[3:]], names())
    for event in EVENTS[3:]:
        check(both[event + '_2'] == alone[event], event, both, alone)
    check(both['D1mr'] < alone['D1mr'] and both['Ir'] == alone['Ir'], both, alone)


@case
def mappings_are_where_they_always_are():
    """However long it takes, and whatever is simulated: else two runs would have other misses."""
    seen = set()
    for more in [], [], ['--also=L1i=4K,2,64 L1d=2K,2,64 LL=16K,4,64'], ['--no-call-graph'], ['--no-filter']:
        lines = simulate(*SMALL, *more, '--', 'perl', '-MPOSIX', '-e',
                         'my @a = map { $_ x 999 } 1 .. 9999; open(F, "/proc/self/maps"); print <F>').splitlines()
        # The engine's own have no name.
        seen.add('\n'.join(line for line in lines if '/lib' in line))
    check(len(seen) == 1 and 'libc' in min(seen), *seen)


@case
def larger_caches_miss_less():
    before = None
    for size in 2, 4, 8, 16:
        simulate('--cache=L1i=8K,8,64', '--cache=L1d=%dK,%d,64' % (size, size // 2), '--cache=LL=64K,16,64',
                 '--', program('strings'))
        t = totals()
        misses = t['D1mr'] + t['D1mw']
        check(before is None or misses <= before, size, misses, before)
        before = misses


@case
def line_use_is_charged_to_who_loaded():
    simulate(*SMALL, '--line-use', '--', program('strings'))
    t = totals()
    misses = t['I1mr'] + t['D1mr'] + t['D1mw']
    # Each line is used at least once, and costs 1000 at most; a line has 64 bytes.
    check(misses < t['AcCost1'] <= 1000 * misses * 2 and 0 < t['SpLoss1'] <= 64 * misses * 2, t)
    check(0 < t['SpLoss2'] < t['SpLoss1'], t)


@case
def threads_take_turns_the_same_way_each_time():
    with open('turns.c', 'w') as f:
        f.write(TURNS)
    subprocess.run(['gcc', '-O1', '-pthread', '-o', 'turns', 'turns.c'], check=True)
    for path in 'run.db', 'other.db':
        check(simulate(*SMALL, '--', './turns', path=path) == 'done\n', 'output')
    check(costs() == costs('other.db'), totals(), totals('other.db'))


TWO_THREADS = r"""
static int run_both(void)
{
	int number[2] = { 0, 1 };
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, &number[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	puts("done");
	return 0;
}
"""

TURNS = r"""
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long shared[1 << 14];
static int turn;
static void *work(void *p)
{
	int me = *(int *)p;
	unsigned x = me + 1;

	for (int round = 0; round < 40; round++) {
		for (int i = 0; i < 20000; i++) {
			x = x * 1664525 + 1013904223;
			shared[x >> 18]++;
		}
		pthread_mutex_lock(&lock);
		while (turn != me)
			pthread_cond_wait(&changed, &lock);
		turn = !me;
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}
""" + TWO_THREADS + """int main(void)
{
	return run_both();
}
"""


def handover():
    with open('handover.c', 'w') as f:
        f.write(HANDOVER)
    subprocess.run(['gcc', '-O1', '-pthread', '-o', 'handover', 'handover.c'], check=True)


@case
def threads_that_wait_for_each_other_count_as_replayed():
    """No turn is as long as it may be in either gear, so these end at the same places."""
    handover()
    for more in [], ['--no-call-graph'], SEVERAL:
        check(simulate(*SMALL, *more, '--', './handover', 'sleep') == 'done\n', 'output')
        simulate('--no-filter', *SMALL, *more, '--', './handover', 'sleep', path='other.db')
        check(costs() == costs('other.db'), more, totals(), totals('other.db'))
        check(arcs() == arcs('other.db'), more, 'calls differ')
        check(totals()['D1mr'] > 1000, totals())


@case
def who_spins_lets_others_run_at_the_same_place_each_time():
    """Such a loop has no call, and misses nothing."""
    handover()
    for more in [], ['--no-call-graph']:
        for path in 'run.db', 'other.db':
            check(simulate(*SMALL, *more, '--', './handover', 'spin', path=path) == 'done\n', 'output')
        check(costs() == costs('other.db'), totals(), totals('other.db'))


HANDOVER = r"""
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long shared[1 << 12];
static volatile int turn;
static int spins;
static void touch(unsigned *x)
{
	for (int i = 0; i < 300; i++) {
		*x = *x * 1664525 + 1013904223;
		shared[*x >> 20]++;
	}
}
static void *work(void *p)
{
	int me = *(int *)p;
	unsigned x = me + 1;

	for (int round = 0; round < 40; round++) {
		if (spins) {
			while (turn != me)
				;
			touch(&x);
			turn = !me;
			continue;
		}
		pthread_mutex_lock(&lock);
		while (turn != me)
			pthread_cond_wait(&changed, &lock);
		touch(&x);
		turn = !me;
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}
""" + TWO_THREADS + """int main(int argc, char **argv)
{
	spins = argc > 1 && strcmp(argv[1], "spin") == 0;
	return run_both();
}
"""


@case
def marks_say_when():
    simulate(*SMALL, '--', program('stages'), '3')
    whole = totals()['Ir']
    simulate(*SMALL, '--start-at=middle', '--', program('stages'), '3')
    part = totals()
    check(0 < part['Ir'] < whole, part, whole)
    simulate(*SMALL, '--wait-for-mark', '--', 'true')
    check(totals()['Ir'] == 0, totals())


def inclusive(*functions, path='whole.db'):
    """What the functions cost with all that they call."""
    row = ask("""SELECT sum("Ir"), sum("Dr"), sum("Dw") FROM arc JOIN node ON node.id = callee_id
        LEFT JOIN node AS by ON by.id = arc.caller_id
        WHERE node.function IN (%s) AND by.function IS NOT node.function""" % ', '.join('?' * len(functions)).replace('?', "'%s'") % functions, path)[0]
    return dict(zip(('Ir', 'Dr', 'Dw'), row))


@case
def functions_can_be_toggled():
    simulate(*SMALL, '--', program('toggles'), path='whole.db')
    # Left by return, by recursion, by longjmp, by exceptions; and one of a name that nobody calls.
    for names_of in ('plain',), ('again',), ('whole',), ('jumps',), ('throws',), ('catches',), ('jumps', 'throws'):
        for graph in [], ['--no-call-graph'], ['--context=2']:
            if graph and names_of != ('throws',):
                continue
            simulate(*SMALL, *graph, *('--toggle-collect=' + n for n in names_of), '--', program('toggles'))
            t, wanted = totals(), inclusive(*names_of)
            check({e: t[e] for e in wanted} == wanted, names_of, graph, t, wanted)
    # One within the other: the inner one turns it off.
    simulate(*SMALL, '--toggle-collect=whole', '--toggle-collect=part', '--', program('toggles'))
    t, outer, inner = totals(), inclusive('whole'), inclusive('part')
    check(all(t[e] == outer[e] - inner[e] for e in outer), t, outer, inner)
    # What a signal interrupts goes on behind it.
    simulate(*SMALL, '--toggle-collect=raises', '--', program('toggles'))
    check(inclusive('raises')['Ir'] < totals()['Ir'] <= inclusive('raises', 'handler')['Ir'] + 10, totals())
    # The whole program, and what is toggled inside of a stretch.
    simulate(*SMALL, '--toggle-collect=_start', '--', program('toggles'))
    check(totals()['Ir'] > 0.2 * totals('whole.db')['Ir'], totals())
    simulate(*SMALL, '--toggle-collect=inside', '--start-at=raises', '--', program('toggles'))
    check(0 < totals()['Ir'] < inclusive('inside')['Ir'] / 2, totals())


@case
def a_function_that_nobody_toggles_is_told():
    for options, says in (
            (['--toggle-collect=no_such_function'], "no function 'no_such_function'.*nothing was simulated"),
            (['--toggle-collect=qsort'], "function 'qsort' was not entered.*nothing was simulated"),
            (['--toggle-collect=plain', '--toggle-collect=nobody'], "no function 'nobody'.*made no difference"),
            (['--start-at=nobody'], "no function 'nobody'.*nothing was simulated"),
            (['--start-at=plain', '--stop-at=plain'], "nothing was simulated: function 'plain' was entered before")):
        got, _, err = run('simulate', '-q', '-o', 'run.db', *options, '--', program('toggles'))
        check(got == 0 and re.search(says, err) and err.count('\n') == 1, options, got, err)
    for options, says in (
            (['--toggle-collect='], 'characters'), (['--toggle-collect=' + 'f' * 256], 'characters'),
            (['--toggle-collect=f', '--toggle-collect=f'], 'twice'),
            (['--toggle-collect=f%d' % i for i in range(17)], 'too many'),
            (['--toggle-collect=' + c * 250 for c in 'abcde'], 'too many'),
            (['--curve', '--toggle-collect=f'], '--curve')):
        got, _, err = run('simulate', '-o', 'none.db', *options, '--', 'true')
        check(got == USAGE and says in err and not os.path.exists('none.db'), options, got, err)
    run('simulate', '-q', '-o', 'run.db', '--toggle-collect=plain', '--toggle-collect=part', '--', program('toggles'))
    check('plain, part' in run('info', '-i', 'run.db')[1], run('info', '-i', 'run.db')[1])


@case
def the_command_is_its_own():
    check(simulate('--', 'sh', '-c', 'echo out; exit 7', status=7) == 'out\n', 'output')
    got, out, err = run('simulate', '-o', 'run.db', '--', 'sh', '-c', 'kill -9 $$')
    check(got == -9 or got == 137, got, err)
    got, out, err = run('simulate', '-o', 'run.db', '--', 'true')
    check(got == 0 and out == '' and err.count('\n') == 1 and 'run.db' in err, got, out, err)
    rows = dict(ask('SELECT name, value FROM geometry'))
    check({'L1i', 'L1d', 'LL'} <= set(rows), rows)


@case
def bad_options_are_refused():
    for options, says in (
            (['--cache=L1d=3K,8,64'], 'L1d'),
            (['--also='], '--also'),
            (['--also=L1d=32K,8,63'], '63'),
            (['--also=L1d=32K,8,64 LL=8M,16,64'] * 8, 'fewer'),
            (['--sizes=8K:64K'], '--curve'),
            (['--machine=nonesuch'], 'nonesuch')):
        got, _, err = run('simulate', '-o', 'none.db', *options, '--', 'true')
        check(got == USAGE and says in err and not os.path.exists('none.db'), options, got, err)


def set_up(dwell, programs, folder):
    global DWELL, PROGRAMS
    DWELL, PROGRAMS = dwell, programs
    os.environ.update(XDG_RUNTIME_DIR=folder)


if __name__ == '__main__':
    main('simulate-run', __doc__, set_up, programs='build/tests/programs')
