#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""dwell simulate --data finds the misses of known.c to the last one.

    known.py [--dwell PATH] [--programs FOLDER] [--only EXPRESSION]

Each case prints one line; the exit status is 0 when none failed.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'cli'))
import simulate_common  # noqa: E402
from cases import case, check, main  # noqa: E402
from simulate_common import ask, run, totals  # noqa: E402

ROUNDS, CELLS, PER_LINE = 100, 4096, 8
LINES = CELLS // PER_LINE  # of an array
TURNS, NODES, STREAM_LINES, TABLE_LINES = 10, 16384, 16384, 64
NODE_LINES = 2 * NODES


def counted(program, *caches):
    """{(cache, variable): [misses, cold, by itself, conflicts]} and {(cache, variable, evictor):
    misses}.
    """
    options = ['--cache=' + c for c in caches]
    status, _, err = run('simulate', '-q', '--conflicts', '--no-instructions', '-o', 'run.db',
                         *options, '--',
                         os.path.join(simulate_common.PROGRAMS, program))
    check(status == 0, status, err)
    check('not counted by data structure' not in err, err)
    names = dict(ask("SELECT structure.id, variable.name FROM structure JOIN variable ON "
                     "variable.start = structure.start "
                     "WHERE kind = 'variable'"))
    bins = {(cache, names.get(of)): numbers for cache, of, *numbers in ask(
                'SELECT cache, structure_id, sum(misses), sum(cold), sum(by_self), sum(conflicts) '
                'FROM bin GROUP BY 1, 2')}
    evicted = {(cache, names.get(of), names.get(by)): misses for cache, of, by, misses in ask(
                   'SELECT cache, structure_id, evictor_structure_id, sum(misses) FROM eviction '
                   'GROUP BY 1, 2, 3')}
    return bins, evicted


def equal(what, found, expected):
    check(found == expected, what, 'found', found, 'expected', expected)


@case
def direct_mapped_two_arrays_evict_each_other():
    """Each cell's other array has the same place. The stack's line misses at the call and, evicted,
    at the return.
    """
    bins, evicted = counted('known-fight', 'L1d=32K,1,64', 'LL=1M,16,64')
    events = totals()
    equal('D1mr', events['D1mr'], 2 * ROUNDS * CELLS + 1)  # 819,201
    equal('D1mw', events['D1mw'], 2 * CELLS + 1)
    for one, other in ('left', 'right'), ('right', 'left'):
        # The first loop stores to each cell, 512 lines for the first time. Of a line's cells the
        # first one would miss in a fully associative cache, too: 1023 lines were used since.
        equal(one, bins['L1d', one],
              [(ROUNDS + 1) * CELLS, LINES, 0, (ROUNDS + 1) * (CELLS - LINES)])
        # One of them has evicted the line of the stack, and that never comes between them.
        equal((one, other), evicted['L1d', one, other], (ROUNDS + 1) * CELLS - LINES)
    equal('stack', bins['L1d', 'own_stack'], [2, 1, 0, 0])
    equal('LL', [bins['LL', one] for one in ('left', 'right')], [[LINES, LINES, 0, 0]] * 2)


@case
def arrays_that_fit_together_miss_by_conflicts_alone():
    """They are 64 KB apart, and each set gets one line of both. Together they have as many lines as
    the cache.
    """
    bins, _ = counted('known-apart', 'L1d=64K,1,64', 'LL=1M,16,64')
    for one in 'left', 'right':
        equal(one, bins['L1d', one], [(ROUNDS + 1) * CELLS, LINES, 0, (ROUNDS + 1) * CELLS - LINES])


@case
def a_fully_associative_cache_has_no_conflicts():
    """The first level has eight sets of one line, and LL one set of 256."""
    bins, _ = counted('known-fight', 'L1d=512,1,64', 'LL=16K,256,64')
    for one in 'left', 'right':
        equal(one, bins['L1d', one],
              [(ROUNDS + 1) * CELLS, LINES, 0, (ROUNDS + 1) * (CELLS - LINES)])
        equal(one, bins['LL', one], [(ROUNDS + 1) * LINES, LINES, ROUNDS * LINES, 0])


@case
def with_more_ways_each_array_evicts_itself():
    """Each set has room for a line of both arrays, and the next line of an array takes the place of
    its last one.
    """
    for ways in 2, 4, 8:
        bins, evicted = counted('known-fight', 'L1d=32K,%d,64' % ways, 'LL=1M,16,64')
        events = totals()
        equal('D1mr', events['D1mr'], 2 * ROUNDS * LINES + 1)  # 102,401
        equal('D1mw', events['D1mw'], 2 * LINES + 1)
        for one in 'left', 'right':
            equal((ways, one), bins['L1d', one], [(ROUNDS + 1) * LINES, LINES, ROUNDS * LINES, 0])
        equal('pairs', {pair for pair in evicted if pair[0] == 'L1d' and 'own_stack' not in pair},
              {('L1d', one, one) for one in ('left', 'right')})


@case
def with_room_for_both_nothing_is_evicted():
    bins, evicted = counted('known-fight', 'L1d=128K,4,64', 'LL=1M,16,64')
    equal('bins', bins, {(cache, name): [n, n, 0, 0] for cache in ('L1d', 'LL')
                         for name, n in (('left', LINES), ('right', LINES), ('own_stack', 1))})
    equal('evictions', evicted, {})


@case
def a_list_and_a_stream():
    """In each turn 48 lines pass each set of LL in the same order, and LRU keeps the last 16 of
    them.

    So nothing is ever found again. The 16 lines of the stream evict the last half of the list, and
    so does that half the first one, which has evicted the stream. As the list was filled, it passed
    in another order, but by halves, too.
    """
    bins, evicted = counted('known-list', 'L1d=32K,8,64', 'LL=1M,16,64')
    for cache in 'L1d', 'LL':
        equal((cache, 'nodes'), bins[cache, 'nodes'][:2], [(TURNS + 1) * NODE_LINES, NODE_LINES])
        equal((cache, 'stream'), bins[cache, 'stream'][:2], [TURNS * STREAM_LINES, STREAM_LINES])
        equal((cache, 'conflicts'), [bins[cache, name][3] for name in ('nodes', 'stream')], [0, 0])
    equal('stream by nodes', evicted['LL', 'stream', 'nodes'], (TURNS - 1) * STREAM_LINES)
    equal('nodes by stream', evicted['LL', 'nodes', 'stream'], TURNS * NODE_LINES // 2)
    equal('nodes by nodes', evicted['LL', 'nodes', 'nodes'], TURNS * NODE_LINES // 2)


@case
def a_table_misses_while_a_list_passes():
    """Eight nodes use each line of the table in turn; then 1008 other lines pass, and L1 has 512.

    In LL the 16 lines of the stream that pass each set evict the table once a turn.
    """
    bins, _ = counted('known-table', 'L1d=32K,8,64', 'LL=1M,16,64')
    equal('nodes', bins['L1d', 'nodes'][:2], [(TURNS + 1) * NODE_LINES, NODE_LINES])
    equal('stream', bins['L1d', 'stream'][:2], [TURNS * STREAM_LINES, STREAM_LINES])
    equal('table in L1', bins['L1d', 'table'], [TURNS * NODES // 8, TABLE_LINES, 0, 0])
    equal('table in LL', bins['LL', 'table'], [TURNS * TABLE_LINES, TABLE_LINES, 0, 0])


def set_up(dwell, programs, folder):
    simulate_common.set_up(dwell, programs, folder)


if __name__ == '__main__':
    main('known', __doc__, set_up, programs='build/tests/whose')
