#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""dwell simulate --data: references of data structures, hits too.

    references.py [--dwell PATH] [--program SHARING] [--programs PATH] [--only EXPRESSION]

Each case prints one line; the exit status is 0 when none failed.
"""
import csv
import io
import re
import subprocess

import simulate_common
from cases import Skip, case, check, main
from simulate_common import ask, batches, names, run, totals

SMALL, LARGE = 8 * 256, 1024  # references of add_up in a turn, see sharing.c


def counted(*options):
    """Simulate the command in `options`."""
    done = run('simulate', '-q', '--data', '--cache=D1=32K,8,64', '--cache=LL=256K,16,64',
               '-o', 'run.db', *options)
    check(done[0] == 0, *options, *done)
    check('not counted by data structure' not in done[2], done[2])


def rows():
    status, out, err = run('bins', '--format', 'csv', 'run.db')
    check(status == 0, err)
    return list(csv.DictReader(io.StringIO(out)))


def of_add_up(data):
    found = [r for r in rows() if r['function'] == 'add_up' and
             r['data'].startswith('aligned_alloc in share (' + data)]
    check(len(found) == 1, data, found)
    return [int(found[0]['references' + end]) for end in ('', '_low', '_high')]


def accesses():
    """Those of each instruction, by location."""
    at = [names().index(event) for event in ('Dr', 'Dw')]
    sums = {}
    for _, (_, location, *numbers) in batches('cost_batch', 'run.db'):
        sums[location] = sums.get(location, 0) + sum(numbers[i] for i in at if i < len(numbers))
    return sums


@case
def one_loop_shares_two_structures():
    """Of 12,288,000 references two thirds go to 2 KB that always hit, the others to 1 MB that
    misses.
    """
    turns = 4000
    counted(PROGRAM, str(turns))
    for line, each in ('sharing.c:30', SMALL), ('sharing.c:31', LARGE):
        value, low, high = of_add_up(line)
        check(low <= value <= high and high > low, line, value, low, high)
        # Of a hundred intervals five miss the truth; none misses it by as much again.
        width = high - low
        check(low - width / 2 <= turns * each <= high + width / 2, line, value, low, high,
              turns * each)
    both = sum(of_add_up(line)[0] for line in ('sharing.c:30', 'sharing.c:31'))
    check(abs(both - turns * (SMALL + LARGE)) <= 2, both)


@case
def an_instruction_with_one_structure():
    """Each turn's call of add_up has a return address on the stack, which one instruction pops:
    nothing else is seen.
    """
    counted(PROGRAM, '4000')
    found = [r for r in rows() if r['function'] == 'add_up' and r['data'] == '[stack]']
    check(len(found) == 1 and
          found[0]['references'] == found[0]['references_high'] == str(9 * 4000), found)
    check(int(found[0]['references_low']) < 9 * 4000, 'windows did not see all of them', found)


@case
def all_rows_are_all_references():
    counted(PROGRAM, '4000')
    events = totals()
    shown = sum(int(r['references']) for r in rows())
    _, out, _ = run('bins', 'run.db')
    unseen = re.search(r'([0-9,]+) more are of code that no window saw', ' '.join(out.split()))
    shown += int(unseen[1].replace(',', '')) if unseen else 0
    # A bin that was never seen has as many references as misses: these are beside the others.
    check(0 <= shown - events['Dr'] - events['Dw'] <= events['D1mr'] // 100, shown, events)


@case
def windows_change_no_counts():
    """String instructions are exact, and no instruction has more references than accesses."""
    counted(PROGRAM, '1000')
    all_accesses = accesses()
    exact = ask(
        'SELECT location_id, sum(counted) FROM reference GROUP BY 1 HAVING sum(counted) > 0')
    check(any(n == 1048576 for _, n in exact), 'memset of 1 MB', exact)
    for location, n in exact:
        check(n == all_accesses[location], location, n, all_accesses[location])
    seen = ask('SELECT location_id, sum(seen) FROM reference GROUP BY 1')
    check(all(n <= all_accesses[location] for location, n in seen), 'more were seen than there are')
    check(sum(n for _, n in seen) >= 10000, 'ten windows')


def check_instructions(*what):
    """Each has as many references as accesses."""
    of_events = {location: n for location, n in accesses().items() if n}
    of_bins = dict(ask('SELECT location_id, sum(counted) FROM reference GROUP BY 1'))
    check(of_bins == of_events, *what, 'instructions',
          set(of_bins.items()) ^ set(of_events.items()))


@case
def all_of_them_exactly():
    """9 calls of add_up a turn: 8 on 2 KB, one on 1 MB. Sums by instruction are the accesses of the
    events.
    """
    turns = 300
    counted('--references', PROGRAM, str(turns))
    for line, each in ('sharing.c:30', SMALL), ('sharing.c:31', LARGE):
        check(of_add_up(line) == 3 * [turns * each], line, of_add_up(line), turns * each)
    found = [r for r in rows() if r['function'] == 'add_up' and r['data'] == '[stack]']
    check([r['references'] for r in found] == [str(9 * turns)], found)
    check_instructions()
    all_accesses = totals()['Dr'] + totals()['Dw']
    check(sum(int(r['references']) for r in rows()) == all_accesses, 'all rows')
    _, out, _ = run('bins', 'run.db')
    check('References, hits too: exact' in out and '~' not in out and 'INTERVAL' not in out, out)


@case
def misses_are_those_of_a_run_without():
    both = []
    for option in '--data', '--references':
        counted(option, PROGRAM, '100')
        both.append([{k: v for k, v in r.items() if 'references' not in k and 'ratio' not in k}
                     for r in rows()
                     if int(r['L1_misses'])])
        both.append(totals())
    of_data, of_references = ([sorted(map(sorted, (r.items() for r in rows))), events]
                              for rows, events in zip(both[::2], both[1::2]))
    check(of_data == of_references, 'counts differ', of_data, of_references)


def of_structures():
    """References by place in the program, and kind of data structure."""
    return ask("""SELECT m.path, l.module_address, s.kind, sum(counted) FROM reference r
        JOIN structure s ON s.id = r.structure_id JOIN location l ON l.id = r.location_id
        LEFT JOIN module m ON m.id = l.module_id GROUP BY 1, 2, 3 ORDER BY 1, 2, 3""")


@case
def no_caches_or_contexts_change_references():
    """Lines that are hidden, taken out, or brought by others keep or lose what is known of them."""
    with open('text', 'w') as f:
        f.write(' '.join(str(i * i % 1013) for i in range(1000)))
    small = ['--cache=L1i=8K,4,64', '--cache=D1=4K,4,64', '--cache=LL=64K,16,64']
    for command in [PROGRAM, '20'], ['gzip', '-c', 'text']:
        counted('--references', *small, *command)
        plain = of_structures()
        check(sum(row[-1] for row in plain) == totals()['Dr'] + totals()['Dw'], totals())
        for more in (['--write-backs'], ['--cache=LL=8K,1,64,inclusive', '--write-backs'],
                     ['--cache=LL=32K,8,64,exclusive'], ['--cache=D1=4K,4,64,next-line'],
                     ['--cache=DTLB=4,full,4K', '--cache=ITLB=2,1,4K'],
                     ['--cache=DTLB=16,4,4K', '--cache=D1=6K,12,64'], ['--context=2'],
                     ['--separate-threads', '--jumps', '--write-backs']):
            counted('--references', *small, *more, *command)
            found = of_structures()
            check(found == plain, more, command,
                  sorted(set(plain) ^ set(found), key=str)[:9])


@case
def a_forked_process_begins_with_none():
    loop = 'i=0; while [ $i -lt %d ]; do i=$((i+1)); done; '
    for more in [], ['--no-call-graph'], ['--write-backs'], ['--context=2']:
        counted('--references', *more, 'sh', '-c', loop % 400 + '(' + loop % 300 + 'echo $i)')
        found = dict(ask('SELECT process_id, sum(counted) FROM reference r '
                         'JOIN structure s ON s.id = r.structure_id GROUP BY 1'))
        accesses = {process: t['Dr'] + t['Dw'] for process, t in ((p, totals(process=p))
                                                                  for p in (0, 1))}
        check(found == accesses, more, found, accesses)


ALLOCATOR = """\
#include <stdio.h>
#include <stdlib.h>

static char heap[1 << 20] __attribute__((aligned(4096)));
static size_t used;
static __attribute__((noinline)) long reads(volatile char *p)
{
	long s = 0;

	for (int i = 0; i < 16384; i += 64)
		s += p[i];
	return s;
}
/* Each clears, or copies, some bytes more than were asked for, upwards or downwards. */
void *calloc(size_t n, size_t each)
{
	char *p = heap + used, *to = p - 8 * (used > 0);
	size_t bytes = n * each + 8 + 8 * (used > 0);

	used += n * each + 64;
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(0) : "memory");
	return p;
}
void *realloc(void *old, size_t size)
{
	char *p = heap + used, *to = p + 16384 + 7, *from = (char *)old + 16384 + 7;
	size_t bytes = 16384 + 8;

	used += size + 64;
	__asm__ volatile("std; rep movsb; cld" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
	return p;
}
void *malloc(size_t size)
{
	used += size + 64;
	return heap + used - size - 64;
}
void free(void *p)
{
	(void)p;
}
int main(int argc, char **argv)
{
	long s = 0;

	for (int i = 0; i < 10; i++) {
		char *p = calloc(1, 16384);

		s += reads(p);
		s += reads(realloc(p, 20000));
	}
	(void)argv;
	return s == argc;
}
"""


@case
def string_instructions_in_an_allocating_function_are_of_the_block():
    """calloc writes 16 or 8 bytes beside its block; realloc reads 8 beside the old one."""
    done = subprocess.run(['gcc', '-O1', '-g', '-fno-builtin', '-x', 'c', '-', '-o', 'own'],
                          input=ALLOCATOR.encode(), check=False)
    if done.returncode != 0:
        raise Skip('no gcc')
    for options in ['--references'], []:
        counted(*options, './own')
        found = {(r['function'], r['data'].split(' (')[0]): int(r['references']) for r in rows()}
        check(found.get(('calloc', 'calloc in main')) == 163840, options, found)
        check(found.get(('realloc', 'realloc in main')) == 163920, options, found)
        check(found.get(('realloc', 'calloc in main')) == 163840, options, found)
        if options:
            check(found.get(('reads', 'calloc in main')) ==
                  found.get(('reads', 'realloc in main')) == 2560, found)


DIVIDING = """\
#define _GNU_SOURCE
#include <signal.h>
#include <ucontext.h>

static long data[8] __attribute__((aligned(64)));
static void divide_by_one(int signal, siginfo_t *info, void *context)
{
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RCX] = 1;
	(void)signal, (void)info;
}
static __attribute__((noinline)) void divide(long *p, long by)
{
	__asm__ volatile("mov (%0), %%rax; mov 8(%0), %%rax; xor %%edx, %%edx; div %%rcx;"
			 "mov 16(%0), %%rax; mov 24(%0), %%rax"
			 : "+r"(p), "+c"(by) : : "rax", "rdx", "memory");
}
int main(void)
{
	struct sigaction action = {.sa_sigaction = divide_by_one, .sa_flags = SA_SIGINFO};

	sigaction(SIGFPE, &action, 0);
	for (int i = 0; i < 100; i++)
		divide(data, i % 2);
	return 0;
}
"""


@case
def what_a_fault_puts_off_is_counted_once():
    """An instruction that faults runs again, or not at all, as those behind it, which code may have
    checked with others before. Elements of a vector instruction are done one by one. Where stores
    are written through most go to C.
    """
    done = subprocess.run(['gcc', '-O1', '-g', '-x', 'c', '-', '-o', 'dividing'],
                          input=DIVIDING.encode(), check=False)
    commands = [[simulate_common.program(name), *arguments] for name, *arguments in
                (['partway', 'fault'], ['faults'], ['selfmod'])]
    if done.returncode == 0:
        commands.append(['./dividing'])
    for more in [], ['--cache=D1=32K,8,64,write-through'], ['--context=2']:
        for command in commands:
            counted('--references', *more, *command)
            found = ask('SELECT sum(counted) FROM reference')
            events = totals()
            check(found == [(events['Dr'] + events['Dw'],)], more, command, found, events)
            # A file in memory that is mapped here and there by turns has its own places for both.
            if 'selfmod' not in command[0]:
                check_instructions(more, command)


CLOSED = """\
#define _GNU_SOURCE
#include <signal.h>
#include <sys/mman.h>

static char one[4096] __attribute__((aligned(4096))), two[4096] __attribute__((aligned(4096)));
static void open_page(int signal, siginfo_t *info, void *context)
{
	mprotect((void *)((long)info->si_addr & ~4095l), 4096, PROT_READ | PROT_WRITE);
	(void)signal, (void)context;
}
static __attribute__((noinline)) void put(volatile char *p)
{
	*p = 1;
}
static __attribute__((noinline)) void push(char *p)
{
	__asm__ volatile("pushq (%0); pop %%rax" : : "r"(p) : "rax", "memory");
}
int main(void)
{
	struct sigaction action = {.sa_sigaction = open_page, .sa_flags = SA_SIGINFO};

	sigaction(SIGSEGV, &action, 0);
	for (int i = 0; i < 300; i++) {
		char *p = i % 3 ? two : one;

		if (i % 2)
			mprotect(p, 4096, PROT_NONE);
		put(p);
		mprotect(p, 4096, PROT_NONE);
		push(p);
	}
	return 0;
}
"""


@case
def what_a_fault_puts_off_is_taken_from_its_structure():
    """Of 300 calls 100 are for one page, 200 for the other, which are closed before. Each call has
    a return address on the stack, and push two accesses more.
    """
    done = subprocess.run(['gcc', '-O1', '-g', '-x', 'c', '-', '-o', 'closed'],
                          input=CLOSED.encode(), check=False)
    if done.returncode != 0:
        raise Skip('no gcc')
    for more in [], ['--cache=D1=32K,8,64,write-through']:
        counted('--references', *more, './closed')
        found = {(r['function'], r['data']): int(r['references']) for r in rows()
                 if r['function'] in ('put', 'push')}
        check(found == {('put', 'one'): 100, ('put', 'two'): 200, ('put', '[stack]'): 300,
                        ('push', 'one'): 100, ('push', 'two'): 200, ('push', '[stack]'): 900},
              more, found)


@case
def references_exclude_what_data_does():
    for other in ['--no-filter'], ['--also=D1=8K,1,64']:
        status, _, err = run('simulate', '--references', *other, '--', PROGRAM, '1')
        words = '--references does not go with ' + other[0].split('=')[0]
        check(status == 2 and words in err, status, err)
    status, _, err = run('simulate', '--references', '--sets=1/8', '--', PROGRAM, '1')
    check(status == 2 and '--references does not go with --sets' in err, status, err)


@case
def references_of_stretches_stand_for_the_run():
    """Those of the two arrays, in each turn two to one. Half a turn is cut off at each end of a
    stretch of 6.
    """
    counted('--references', '--sample=10%,20K', PROGRAM, '4000')
    small, large = (of_add_up(line)[0] for line in ('sharing.c:30', 'sharing.c:31'))
    check(abs(small / (small + large) - SMALL / (SMALL + LARGE)) < 0.02, small, large)
    check(0.3 * 4000 * SMALL < small < 1.5 * 4000 * SMALL, small)


def set_up(dwell, program, programs, folder):
    global PROGRAM
    PROGRAM = program
    simulate_common.set_up(dwell, programs, folder)


if __name__ == '__main__':
    main('references', __doc__, set_up, program='build/tests/cli/sharing',
         programs='build/tests/programs')
