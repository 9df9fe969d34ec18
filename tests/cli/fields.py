#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""dwell objects --fields: the fields of data structures that miss.

    fields.py [--dwell PATH] [--program FIELDS] [--only EXPRESSION]

Each case prints one line; the exit status is 0 when none failed.
"""
import csv
import io
import json

import simulate_common
from cases import Skip, case, check, main
from simulate_common import run

CACHES = ['--cache=L1d=32K,8,64', '--cache=LL=256K,16,64']
COUNT, ROUNDS = 20000, 4


def simulated(program, *options, path='run.db'):
    done = run('simulate', '-q', '--data', *CACHES, '-o', path, *options, '--', program)
    check(done[0] == 0, *done)
    if 'not counted by data structure' in done[2]:
        raise Skip('this processor cannot look into simulated caches from translated code')


def rows(*options, path='run.db'):
    status, out, err = run('objects', '--fields', '--format', 'csv', *options, path)
    check(status == 0, err)
    return list(csv.DictReader(io.StringIO(out)))


def misses_of(data, path='run.db'):
    """L1 misses of each field of the data structure whose name begins so."""
    return {r['field']: int(r['L1_misses']) for r in rows(path=path) if r['data'].startswith(data)}


@case
def fields_are_told_by_their_offsets():
    """Each loop misses at each element: the elements are larger than a line, or as large."""
    simulated(PROGRAM)
    blocks = misses_of('calloc in make_array')
    check(blocks == {'+60': COUNT * ROUNDS}, blocks)
    nodes = misses_of('malloc in make_list')
    check(COUNT * ROUNDS <= nodes['+0'] <= COUNT * (ROUNDS + 1), nodes)


@case
def rows_add_up_to_the_structure():
    simulated(PROGRAM)
    fields, bins = 0, 0
    for r in rows():
        check(int(r['L1_misses']) == sum(int(r['L1_' + c]) for c in ('cold', 'by_self', 'by_others')), r)
        fields += int(r['L1_misses'])
    status, out, _ = run('bins', '--format', 'csv', 'run.db')
    for r in csv.DictReader(io.StringIO(out)):
        bins += int(r['L1_misses']) if r['data'] != '[code]' else 0
    check(status == 0 and fields == bins, fields, bins)


@case
def samples_have_fields():
    status, _, err = run('record', '-q', '-o', 'sampled.db', '--', PROGRAM)
    check(status == 0, err)
    found = {(r['data'], r['field']): float(r['miss_share']) for r in rows('--size=32K', path='sampled.db')}
    blocks = {field: share for (data, field), share in found.items() if data.startswith('calloc in make_array')}
    check(max(blocks, key=blocks.get) == '+60' and 0.05 < blocks['+60'] < 0.25, blocks)


@case
def a_name_and_formats():
    simulated(PROGRAM)
    status, out, _ = run('objects', '--fields', 'run.db', 'make_array')
    check(status == 0 and '+60' in out and 'make_list' not in out, out)
    status, out, _ = run('objects', '--fields', '--format', 'json', 'run.db', 'make_array')
    check(status == 0 and json.loads(out)['fields'][0]['field'] == '+60', out)
    status, _, err = run('objects', '--fields', 'run.db', 'nothing_like_it')
    check(status == 2 and 'nothing_like_it' in err, status, err)


@case
def other_profiles_are_refused():
    status, _, err = run('simulate', '-q', '-o', 'other.db', 'true')
    check(status == 0, err)
    status, _, err = run('objects', '--fields', 'other.db')
    check(status == 3 and err.count('\n') == 1, status, err)


def set_up(dwell, program, folder):
    global PROGRAM
    PROGRAM = program
    simulate_common.set_up(dwell, None, folder)


if __name__ == '__main__':
    main('fields', __doc__, set_up, program='build/tests/cli/fields')
