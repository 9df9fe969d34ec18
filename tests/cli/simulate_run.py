#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""dwell simulate -- COMMAND: its counts, its transparency, and what it refuses.

    simulate_run.py [--dwell PATH] [--programs FOLDER] [--only EXPRESSION]

Each case prints one line; the exit status is 0 when none failed.
"""
import os
import re
import subprocess

from cases import case, check, main
from simulate_common import EVENTS, SEVERAL, SMALL, arcs, ask, check_same_costs, counted, names, \
    program, run, set_up, simulate, totals

USAGE = 2


@case
def counts_are_those_of_the_counters():
    for command in (['strings'], ['vectors'], ['signals'], ['faults'], ['jit'], ['selfmod']):
        if not os.path.exists(program(command[0])):
            continue
        for mode in [], ['--no-call-graph']:
            simulate(*SMALL, *mode, '--', program(command[0]), *command[1:])
            t = totals(process=0)
            check((t['Ir'], t['Dr'], t['Dw']) == counted(), mode, command, t, counted())


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
    # Four elements of each gather and six of each scatter, a hundred times, as far as the processor
    # has them.
    check(whole[1][0][0] in (0, 400, 1000), whole)


@case
def children_and_new_images_have_counts_of_their_own():
    for more in [], ['--no-call-graph'], ['--no-call-graph', '--write-backs'], ['--context=1',
                                                                                '--jumps']:
        simulate(*SMALL, *more, '--', 'sh', '-c', 'echo one | cat; /bin/echo two | cat')
        processes = ask(
            "SELECT id FROM process WHERE state IN ('exited', 'exec') AND instructions > 0")
        check(len(processes) >= 4, more, processes)
        for (process,) in processes:
            t = totals(process=process)
            check((t['Ir'], t['Dr'], t['Dw']) == counted(process), more, 'process', process, t,
                  counted(process))


@case
def threads_counts_are_those_of_the_counters():
    for graph in ['--no-call-graph'], []:
        simulate(*graph, *SMALL, '--', program('threads'))
        t = totals()
        check((t['Ir'], t['Dr'], t['Dw']) == counted(), t, counted())
        check(t['D1mr'] > 0 and t['I1mr'] > 0, t)
    # What threads have called is below their starts.
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
    simulate('--cache=L1i=4K,2,64', '--cache=L1d=2K,2,64', '--cache=LL=16K,4,64', '--',
             program('strings'))
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
    for more in ([], [], ['--also=L1i=4K,2,64 L1d=2K,2,64 LL=16K,4,64'], ['--no-call-graph'],
                 ['--no-filter'],
                 ['--jumps', '--context=2'], ['--write-backs', '--cache=DTLB=16,4,4K'],
                 ['--line-use']):
        lines = simulate(*SMALL, *more, '--', 'perl', '-MFcntl', '-e',
                         'my @a = map { $_ x 999 } 1 .. 9999; open(F, "/proc/self/maps"); print '
                         '<F>').splitlines()
        # The engine's own have no name.
        seen.add('\n'.join(line for line in lines if '/lib' in line))
    check(len(seen) == 1 and 'libc' in min(seen), *seen)


@case
def larger_caches_miss_less():
    before = None
    for size in 2, 4, 8, 16:
        simulate('--cache=L1i=8K,8,64', '--cache=L1d=%dK,%d,64' % (size, size // 2),
                 '--cache=LL=64K,16,64',
                 '--', program('strings'))
        t = totals()
        misses = t['D1mr'] + t['D1mw']
        check(before is None or misses <= before, size, misses, before)
        before = misses


@case
def line_use_is_charged_to_who_loaded():
    simulate(*SMALL, '--line-use=all', '--', program('strings'))
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
    check_same_costs()


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
    """No turn is as long as it may be in either mode, so these end at the same places."""
    handover()
    for more in [], ['--no-call-graph'], SEVERAL:
        check(simulate(*SMALL, *more, '--', './handover', 'sleep') == 'done\n', 'output')
        simulate('--no-filter', *SMALL, *more, '--', './handover', 'sleep', path='other.db')
        check_same_costs(more)
        check(arcs() == arcs('other.db'), more, 'calls differ')
        check(totals()['D1mr'] > 1000, totals())


@case
def who_spins_lets_others_run_at_the_same_place_each_time():
    """Such a loop has no call, and misses nothing."""
    handover()
    for more in [], ['--no-call-graph']:
        for path in 'run.db', 'other.db':
            check(simulate(*SMALL, *more, '--', './handover', 'spin', path=path) == 'done\n',
                  'output')
        check_same_costs()


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
    names = ', '.join("'%s'" % name for name in functions)
    row = ask("""SELECT sum("Ir"), sum("Dr"), sum("Dw") FROM arc JOIN node ON node.id = callee_id
        LEFT JOIN node AS by ON by.id = arc.caller_id
        WHERE node.function IN (%s) AND by.function IS NOT node.function""" % names, path)[0]
    return dict(zip(('Ir', 'Dr', 'Dw'), row))


@case
def functions_can_be_toggled():
    simulate(*SMALL, '--', program('toggles'), path='whole.db')
    # Left by return, by recursion, by longjmp, by exceptions; and one of a name that nobody calls.
    for names_of in (('plain',), ('again',), ('whole',), ('jumps',), ('throws',), ('catches',),
                     ('jumps', 'throws')):
        for graph in [], ['--no-call-graph'], ['--context=2']:
            if graph and names_of != ('throws',):
                continue
            simulate(*SMALL, *graph, *('--toggle-collect=' + n for n in names_of), '--',
                     program('toggles'))
            t, wanted = totals(), inclusive(*names_of)
            check({e: t[e] for e in wanted} == wanted, names_of, graph, t, wanted)
    # One within the other: the inner one turns it off.
    simulate(*SMALL, '--toggle-collect=whole', '--toggle-collect=part', '--', program('toggles'))
    t, outer, inner = totals(), inclusive('whole'), inclusive('part')
    check(all(t[e] == outer[e] - inner[e] for e in outer), t, outer, inner)
    # What a signal interrupts goes on behind it.
    simulate(*SMALL, '--toggle-collect=raises', '--', program('toggles'))
    check(inclusive('raises')['Ir'] < totals()['Ir'] <= inclusive('raises', 'handler')['Ir'] + 10,
          totals())
    # The whole program, and what is toggled inside of a stretch.
    simulate(*SMALL, '--toggle-collect=_start', '--', program('toggles'))
    check(totals()['Ir'] > 0.2 * totals('whole.db')['Ir'], totals())
    simulate(*SMALL, '--toggle-collect=inside', '--start-at=raises', '--', program('toggles'))
    check(0 < totals()['Ir'] < inclusive('inside')['Ir'] / 2, totals())


@case
def a_function_that_nobody_toggles_is_told():
    for options, says in (
            (['--toggle-collect=no_such_function'],
             "no function 'no_such_function'.*nothing was simulated"),
            (['--toggle-collect=qsort'], "function 'qsort' was not entered.*nothing was simulated"),
            (['--toggle-collect=plain', '--toggle-collect=nobody'],
             "no function 'nobody'.*made no difference"),
            (['--start-at=nobody'], "no function 'nobody'.*nothing was simulated"),
            (['--start-at=plain', '--stop-at=plain'],
             "nothing was simulated: function 'plain' was entered before")):
        got, _, err = run('simulate', '-q', '-o', 'run.db', *options, '--', program('toggles'))
        check(got == 0 and re.search(says, err) and err.count('\n') == 1, options, got, err)
    for options, says in ((['--toggle-collect='], 'characters'),
                          (['--toggle-collect=' + 'f' * 256], 'characters'),
                          (['--toggle-collect=f', '--toggle-collect=f'], 'twice'),
                          (['--toggle-collect=f%d' % i for i in range(17)], 'too many'),
                          (['--toggle-collect=' + c * 250 for c in 'abcde'], 'too many'),
                          (['--curve', '--toggle-collect=f'], '--curve')):
        got, _, err = run('simulate', '-o', 'none.db', *options, '--', 'true')
        check(got == USAGE and says in err and not os.path.exists('none.db'), options, got, err)
    run('simulate', '-q', '-o', 'run.db', '--toggle-collect=plain', '--toggle-collect=part', '--',
        program('toggles'))
    check('plain, part' in run('info', '-i', 'run.db')[1], run('info', '-i', 'run.db')[1])


@case
def threads_that_take_turns_get_on_in_stretches():
    """Where hardly anything is left of a stretch its blocks are few, for all of them."""
    for seed in range(3):
        for kind in 'counters', 'brief':
            simulate('--sample=20%,20K', '--seed=%d' % seed, '--', program('threads'), kind)
        stretches, = ask('SELECT count(*) FROM stretch')[0]
        check(stretches > 1, stretches)


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


if __name__ == '__main__':
    main('simulate-run', __doc__, set_up, programs='build/tests/programs')
