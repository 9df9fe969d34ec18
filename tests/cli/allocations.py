#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How blocks are told apart and named, in samples and simulations alike.

    allocations.py --dwell PATH
"""
import json
import os
import re
import shutil
import subprocess

from cases import Skip, case, check, main

DWELL = None
# CALLS calls of malloc in one function; block i is walked i + 1 times.
TWELVE = """\
#include <stdlib.h>
static volatile int *block[64];
static void walk(int i)
{
	for (int r = 0; r <= i; r++)
		for (int k = 0; k < 16384; k += 16)
			block[i][k]++;
}
int main(void)
{
CALLS
	for (int r = 0; r < 20; r++)
		for (int i = 0; i < COUNT; i++)
			walk(i);
	return 0;
}
"""


def set_up(folder, dwell):
    global DWELL
    DWELL = dwell


def build(name, source, *options):
    if shutil.which('gcc') is None:
        raise Skip('no gcc')
    subprocess.run(['gcc', '-O1', *options, '-x', 'c', '-', '-o', name], input=source, text=True,
                   check=True)


def twelve(count, name, *options):
    calls = ''.join('\tblock[%d] = malloc(65536);\n' % i for i in range(count))
    build(name, TWELVE.replace('CALLS', calls).replace('COUNT', str(count)), *options)


def dwell(*arguments):
    done = subprocess.run([DWELL, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=120)
    check(done.returncode == 0, arguments, 'ended with', done.returncode, done.stderr)
    return done.stdout


RECORD = ['record', '--duty', '100']
DATA = ['simulate', '--data', '--cache', 'L1d=4K,8,64', '--cache', 'LL=32K,8,64']


def objects(mode, program, *options, record=()):
    if os.path.exists('a.db'):
        os.unlink('a.db')
    dwell(*mode, *record, '-q', '-o', 'a.db', '--', './' + program)
    text = dwell('objects', '-i', 'a.db', '--rows', '100000', '--format', 'json', *options)
    return json.loads(text)['objects']


def blocks(rows, function='malloc'):
    return {row['name']: row for row in rows if row['name'].startswith(function + ' in ')}


@case
def calls_of_a_function_without_lines_have_rows():
    twelve(5, 'five')
    for mode in RECORD, DATA:
        for options in [], ['--sites-by', 'path']:
            names = blocks(objects(mode, 'five', *options))
            found = sorted(int(re.search(r'\[(\d) of 5\]$', name)[1]) for name in names)
            check(found == [1, 2, 3, 4, 5], mode, options, list(names))


@case
def of_many_calls_those_with_the_most_misses_have_rows():
    """Of twelve, the last eight are walked most often."""
    twelve(12, 'twelve')
    for mode in RECORD, DATA:
        for options in [], ['--sites-by', 'path']:
            names = blocks(objects(mode, 'twelve', *options))
            others = [name for name in names if name.endswith(' [other 4 of 12]')]
            told = sorted(int(m[1])
                          for m in (re.search(r'\[(\d+) of 12\]$', name) for name in names) if m)
            check(len(others) == 1 and len(told) == 8, mode, options, list(names))
            check(mode is RECORD or told == [5, 6, 7, 8, 9, 10, 11, 12], mode, told)
            check(names[others[0]]['blocks'] == 4, names[others[0]])


@case
def many_calls_of_one_line_are_one():
    calls = 'block[0] = malloc(65536);' + ''.join('block[%d] = malloc(65536);' % i
                                                  for i in range(1, 12))
    build('line', TWELVE.replace('CALLS', calls).replace('COUNT', '12'), '-g')
    for mode in RECORD, DATA:
        names = blocks(objects(mode, 'line'))
        check(list(names) == ['malloc in main (<stdin>:11)'], list(names))


# ---- Allocators of the program ----

POOL = """\
#include <stdlib.h>
struct pool {
	char *memory;
	size_t used;
};
__attribute__((noinline)) void *pool_get(struct pool *p, size_t bytes)
{
	p->used += bytes;
	return p->memory + p->used - bytes;
}
__attribute__((noinline)) void pool_put(struct pool *p, void *block)
{
	p->used = (size_t)((char *)block - p->memory);
}
static void walk(volatile int *p, int n)
{
	for (int r = 0; r < n; r++)
		for (int k = 0; k < 16384; k += 16)
			p[k]++;
}
static __attribute__((noinline)) void *make_red(struct pool *p)
{
	char *block = pool_get(p, 65536);

	block[0] = 1;
	return block;
}
static __attribute__((noinline)) void *make_blue(struct pool *p)
{
	char *block = pool_get(p, 65536);

	block[0] = 2;
	return block;
}
int main(void)
{
	struct pool p = {malloc(1 << 20), 0};
	void *red = make_red(&p), *blue = make_blue(&p), *again;

	walk(red, 600);
	walk(blue, 200);
	pool_put(&p, blue);
	again = make_red(&p);
	walk(again, 600);
	return red == blue;
}
"""


@case
def allocators_of_the_program_are_followed_in_all_modes():
    """Red blocks are walked six times as often as the blue one, which a red one follows at its
    place.
    """
    build('pool', POOL, '-g')
    curve = ['simulate', '--curve', '--by', 'object', '--size', '32K']
    for mode in RECORD, DATA, curve:
        rows = objects(mode, 'pool', record=['--allocator', 'pool_get:2,free=pool_put:2'])
        found = {row['name'].split(' (')[0]: row for row in rows}
        red, blue = found.get('pool_get in make_red'), found.get('pool_get in make_blue')
        check(red and blue, mode, list(found))
        check(red['blocks'] == 2 and blue['blocks'] == 1, mode, red, blue)
        key = 'access_share' if mode is not DATA else 'miss_share'
        if mode is DATA:
            red, blue = red.get('L1_misses'), blue.get('L1_misses')
        else:
            red, blue = red[key], blue[key]
        check(4 < red / blue < 8 if mode is RECORD else 5.8 < red / blue < 6.2, mode, red, blue)


@case
def an_allocator_of_a_run_that_asks_for_none_is_refused():
    for options in [], ['--curve'], ['--curve', '--by', 'line']:
        done = subprocess.run([DWELL, 'simulate', *options, '--allocator', 'pool_get', 'true'],
                              capture_output=True, text=True,
                              timeout=60)
        check(done.returncode == 2 and '--data' in done.stderr, options, done.stderr)


# ---- Functions that hand blocks on ----

WRAPPERS = """\
#include <stdlib.h>
#include <string.h>
struct cell {
	long key;
	struct cell *next;
};
struct sheet {
	double cells[6];
	int id;
};
__attribute__((noinline)) static void *get(size_t n)
{
	void *p = malloc(n);

	if (p == NULL)
		abort();
	return p;
}
__attribute__((noinline)) static void *get_clear(size_t n, size_t bytes)
{
	void *p = get(n * bytes);

	memset(p, 0, n * bytes);
	return p;
}
__attribute__((noinline)) static void *resize(void *p, size_t n)
{
	p = realloc(p, n);
	if (p == NULL)
		exit(3);
	return p;
}
__attribute__((noinline)) static struct cell *make_cell(long key, struct cell *next)
{
	struct cell *c = get(sizeof *c);

	c->key = key;
	c->next = next;
	return c;
}
__attribute__((noinline)) static struct sheet *make_sheets(long n)
{
	struct sheet *s = get_clear(n, sizeof *s);

	for (long i = 0; i < n; i++)
		s[i].id = i;
	return s;
}
__attribute__((noinline)) static long *make_index(long n)
{
	long *x = get(n * sizeof *x);

	for (long i = 0; i < n; i++)
		x[i] = i * 7 % n;
	return x;
}
int main(void)
{
	struct sheet *sheets = make_sheets(20000);
	long *index = make_index(20000);
	struct cell *list = NULL;
	int *lines = NULL;
	double sum = 0;

	for (long i = 0; i < 20000; i++)
		list = make_cell(i, list);
	for (int n = 1000; n < 60000; n += 1000) {
		lines = resize(lines, n * sizeof *lines);
		memset(lines, n & 1, n * sizeof *lines);
	}
	for (int r = 0; r < 5; r++)
		for (long i = 0; i < 20000; i++) {
			sum += sheets[index[i]].cells[2];
			sheets[i].cells[1] = sum;
		}
	for (struct cell *c = list; c != NULL; c = c->next)
		sum += c->key;
	return sum == 1;
}
"""


@case
def functions_that_hand_blocks_on_are_found():
    """The blocks are those of the functions that use them, in both modes, whatever the compiler
    made of them.
    """
    for options in ('-O0', '-g'), ('-O1', '-g'), ('-O2', '-g'), ('-O1',):
        build('handing', WRAPPERS, *options)
        for mode in RECORD, DATA:
            found = {row['name'].split(' (')[0]: row for row in objects(mode, 'handing')}
            wanted = ['malloc in make_cell', 'malloc in make_index']
            # Without types a function that has another one write to the block may do more than hand
            # it on, and so may one that a single call has its block from.
            wanted += ['malloc in make_sheets', 'realloc in main'] if '-g' in options else \
                      ['malloc in get_clear', 'realloc in resize']
            check(set(wanted) <= set(found), options, mode, list(found)[:10])
            if '-g' in options:
                check(found['malloc in make_sheets']['type'] == 'struct sheet', options, mode,
                      found['malloc in make_sheets'])
                # Of samples, rare rows are not shown.
                lines = dwell('objects', '-i', 'a.db').split('\n')
                check(mode is RECORD or any(' struct sheet malloc in make_sheets ' in line
                                            for line in lines), options, mode, lines)


main('allocations', __doc__, set_up)
