#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that lie at one address in turn keep their own names: code, variables, mappings, and
blocks.

    names_over_time.py --dwell PATH
"""
import json
import os
import shutil
import subprocess

from cases import Skip, case, check, main

DWELL = None
# A table of its own, walked by a function of its own. Sizes differ, so that names beside each other
# tell, too.
LIBRARY = """\
static int before_NAME[16], tab_NAME[SIZE], after_NAME[64];
int walk_NAME(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += tab_NAME[(i * 4099L) % SIZE]++;
	before_NAME[n & 15]++;
	after_NAME[n & 63]++;
	return s;
}
"""
HEAP = """\
#define _GNU_SOURCE
#include <sys/mman.h>
#include <stddef.h>
static char *heap;
static size_t used;
void *calloc_piece(size_t bytes)
{
	if (heap == NULL)
		heap = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return heap + (used += bytes) - bytes;
}
void drop_heap(void)
{
	munmap(heap, 1 << 20);
}
"""


def build(name, source, *options):
    subprocess.run(['gcc', '-O1', '-g', *options, '-x', 'c', '-', '-o', name], input=source,
                   text=True, check=True)


def set_up(folder, dwell):
    global DWELL
    DWELL = dwell
    if shutil.which('gcc') is None:
        return
    for name in 'red', 'blue':
        build('lib%s.so' % name, LIBRARY.replace('NAME', name).replace('SIZE', '65536'),
              '-shared', '-fPIC')
    build('libheap.so', HEAP, '-shared', '-fPIC')
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'in_turn.c'),
              encoding='utf-8') as f:
        build('in_turn', f.read())
    for name in 'a.data', 'b.data':
        with open(name, 'wb') as f:
            f.write(bytes(1 << 18))


def dwell(*arguments):
    done = subprocess.run([DWELL, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=120)
    if done.returncode == 77:
        raise Skip('the libraries do not lie at one address')
    check(done.returncode == 0, arguments, 'ended with', done.returncode, done.stderr)
    return done.stdout


def run(mode, what, n, *options):
    if shutil.which('gcc') is None:
        raise Skip('no gcc')
    name = what + '.db'
    if os.path.exists(name):
        os.unlink(name)
    dwell(*mode, *options, '-q', '-o', name, '--', './in_turn', what, str(n))
    return name


RECORD = ['record', '--duty', '100']
DATA = ['simulate', '--data', '--references', '--cache', 'L1d=4K,8,64', '--cache', 'LL=32K,8,64']


def rows(view, name, *options):
    return json.loads(dwell(view, '-i', name, '--rows', '100000', '--format', 'json', *options))


def objects(name, *options):
    """Structure -> share of the accesses."""
    return {row['name']: row['access_share'] for row in rows('objects', name, *options)['objects']}


def pairs(name, *options):
    """Function and structure -> misses in the first level."""
    sums = {}
    for row in rows('bins', name, *options)['bins']:
        key = row['function'], row['data']
        sums[key] = sums.get(key, 0) + row['L1_misses']
    return sums


def check_pairs(found, wanted):
    """These functions miss on their own tables only, nearly at each access."""
    for name, accesses in wanted.items():
        there = {key[1]: misses for key, misses in found.items() if key[0] == 'walk_' + name}
        # 16 of the table's accesses in turn are to other lines, and again only 65536 / 4099 later.
        check(abs(there.get('tab_' + name, 0) - accesses) < accesses / 50, name, 'misses on', there,
              'of', accesses)
        other = sum(misses for what, misses in there.items() if what.startswith('tab_') and
                    what != 'tab_' + name)
        check(other == 0, name, 'misses on the other table', there)


def check_shares(found, name, wanted, tolerance=0.05):
    for what, share in wanted.items():
        check(abs(found.get(what, 0) - share) < tolerance, what, 'has', found.get(what), 'not',
              share, 'in', name, found)


# ---- Libraries ----


@case
def samples_have_the_variable_that_lay_there_then():
    found = objects(run(RECORD, 'turn', 300000))
    check_shares(found, 'turn', {'tab_red': 0.73, 'tab_blue': 0.24})


@case
def misses_have_the_variable_that_lay_there_then():
    name = run(DATA, 'turn', 20000)
    check_pairs(pairs(name), {'red': 180000, 'blue': 60000})
    text = dwell('causes', '-i', name, '--rows', '100000', '--format', 'json')
    for row in json.loads(text)['causes']:
        for side in 'missed', 'evictor':
            names = row.get(side + '_function'), row.get(side + '_data')
            check(not (names[0] or '').startswith('walk_') or
                  not (names[1] or '').startswith('tab_') or
                  names[0][5:] == names[1][4:], 'a pair that never was', row)


@case
def objects_of_an_exact_curve_do():
    found = objects(run(['simulate', '--curve', '--by', 'object', '--size', '64K'], 'turn', 20000))
    check_shares(found, 'turn', {'tab_red': 0.73, 'tab_blue': 0.24}, 0.2)
    check(2.7 < found['tab_red'] / found['tab_blue'] < 3.3, found)


@case
def a_sampled_simulation_does():
    found = pairs(run([*DATA[:2], '--cache', 'L1d=4K,8,64', '--sample=30%,20K'], 'turn', 20000))
    for (function, data), misses in found.items():
        if function.startswith('walk_') and data.startswith('tab_'):
            check(function[5:] == data[4:], function, data, misses)


@case
def many_loads_in_turn_do():
    found = pairs(run(DATA, 'often', 300))
    check_pairs(found, {'red': 75 * 900, 'blue': 75 * 300})
    # Few windows lie in it, and a window is in few of the loads.
    found = [objects(run(RECORD, 'often', 3000, '--seed', str(seed))) for seed in range(4)]
    red, blue = (sum(f[name] for f in found) for name in ('tab_red', 'tab_blue'))
    check(1.6 < red / blue < 6, red, blue)


@case
def a_library_at_another_place_is_the_same():
    found = objects(run(RECORD, 'moved', 400000))
    check(1.5 < found['tab_red'] / found['tab_blue'] < 2.5, found)
    check_pairs(pairs(run(DATA, 'moved', 20000)), {'red': 40000, 'blue': 20000})


@case
def children_have_their_own():
    check_pairs(pairs(run(DATA, 'children', 20000)), {'red': 40000, 'blue': 40000})
    name = run(RECORD, 'children', 50000)
    for process, wanted in (1, 'red'), (2, 'blue'), (0, 'red'), (3, 'blue'):
        found = objects(name, '--process', str(process))
        check(found.get('tab_' + wanted, 0) > 0.3, process, found)
        check(('tab_blue' if wanted == 'red' else 'tab_red') not in found, process, found)


@case
def a_program_that_executes_itself_has_its_own():
    name = run(RECORD, 'exec', 50000)
    check(objects(name, '--process', '0').get('tab_red', 0) > 0.3, 'the first')
    check(objects(name, '--process', '1').get('tab_blue', 0) > 0.3, 'the second')
    check_pairs(pairs(run(DATA, 'exec', 20000)), {'red': 20000, 'blue': 20000})


@case
def a_merged_profile_has_them():
    one, other = run(RECORD, 'turn', 50000), run(RECORD, 'moved', 50000)
    dwell('merge', '-o', 'sum.db', one, other)
    for process, name in (0, one), (1, other):
        before, after = objects(name), objects('sum.db', '--process', str(process))
        check_shares(after, 'sum.db', {what: share for what,
                                       share in before.items() if what.startswith('tab_')}, 0.001)
    one, other = run(DATA, 'turn', 5000), run(DATA, 'moved', 5000)
    os.unlink('sum.db')
    dwell('merge', '-o', 'sum.db', one, other)
    check_pairs(pairs('sum.db'), {'red': 45000 + 10000, 'blue': 15000 + 5000})
    os.unlink('sum.db')


# ---- Memory ----


@case
def memory_where_a_library_was_is_not_its_variable():
    found = objects(run(RECORD, 'memory', 400000))
    check_shares(found, 'memory', {'tab_red': 0.48}, 0.1)
    check(any(what.startswith('mmap in memory_after') and share > 0.3 for what,
              share in found.items()), found)
    misses = pairs(run(DATA, 'memory', 20000))
    check(misses.get(('memory_after', 'tab_red'), 0) == 0, misses)


@case
def files_mapped_in_turn_have_their_names():
    found = objects(run(RECORD, 'files', 400000))
    by_file = [sum(share for what, share in found.items() if what.startswith(name))
               for name in ('a.data', 'b.data')]
    check(2.5 < by_file[0] / by_file[1] < 3.5, found)
    misses = pairs(run(DATA, 'files', 20000))
    by_file = [sum(n for (_, what), n in misses.items() if what and what.startswith(name))
               for name in ('a.data', 'b.data')]
    check(2.9 < by_file[0] / by_file[1] < 3.1, misses)


@case
def blocks_in_memory_that_was_unmapped_are_gone():
    found = objects(run(RECORD, 'heap', 500000, '--allocator', 'calloc_piece'))
    pieces = sum(share for what,
                 share in found.items() if what.startswith('calloc_piece in heap_after'))
    maps = sum(share for what, share in found.items() if what.startswith('mmap in heap_after'))
    check(2.5 < maps / pieces < 3.5, found)


main('names-over-time', __doc__, set_up)
