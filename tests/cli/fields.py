#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""dwell objects --fields: the fields of data structures that miss.

    fields.py [--dwell PATH] [--program FIELDS] [--only EXPRESSION]

Each case prints one line; the exit status is 0 when none failed.
"""
import csv
import io
import json
import os
import subprocess

import simulate_common
from cases import Skip, case, check, main
from simulate_common import ask, run

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


def near(misses, expected):
    """A block may begin amid a line."""
    check(abs(misses - expected) <= ROUNDS + 1, misses, 'for', expected)


def misses_of(data, path='run.db'):
    """L1 misses of each field of the data structure whose name begins so."""
    return {r['field']: int(r['L1_misses']) for r in rows(path=path) if r['data'].startswith(data)}


# Misses of each field of fields.c in a round: its structures have at least a line for each element.
FIELDS = {
    ('particles', 'particle.mass'): 'double',
    ('particles', 'particle.corner.y'): 'float',
    ('particles', 'particle.position[1]'): 'double[3]',
    ('particles', 'particle.tag.number'): 'int',
    ('particles', 'particle.heat'): 'float',
    ('calloc in make_array', 'particle.neighbours[2]'): 'int[4]',
}


@case
def fields_have_their_names_and_types():
    """Each loop misses once for each element, and nothing else misses on these fields but the first
    touches.
    """
    simulated(PROGRAM)
    found = {(r['data'].split(' (')[0], r['field']): r for r in rows()}
    for key, declared in FIELDS.items():
        check(int(found[key]['L1_misses']) == COUNT * ROUNDS and found[key]['type'] == declared,
              key, found.get(key))
    nodes = found['malloc in make_list', 'node.next']
    check(COUNT * ROUNDS <= int(nodes['L1_misses']) <= COUNT * (ROUNDS + 1) and
          nodes['type'] == 'struct node *', nodes)
    cells = found['malloc in use_table', 'cell.key']
    check(int(cells['L1_misses']) == COUNT * (ROUNDS + 1) and cells['type'] == 'double', cells)
    # An array in a structure without a name: 8 elements a line.
    column = found['columns', 'y[]']
    check(int(column['L1_misses']) == COUNT * ROUNDS // 8 and column['type'] == 'double[20000]',
          column)


@case
def annotated_lines_name_their_fields():
    """The loop over one field misses on nothing else of the array."""
    simulated(PROGRAM)
    status, out, err = run('annotate', 'add_heat', '--format', 'json', 'run.db')
    found = [d for f in json.loads(out)['files'] for l in f['lines'] for d in l.get('data', [])
             if d['name'] == 'particles']
    check(status == 0 and {d['field'] for d in found if d['L1_misses']} == {'particle.heat'}, err,
          found)
    check(sum(d['L1_misses'] for d in found) == COUNT * ROUNDS, found)
    check('  particles particle.heat\n' in run('annotate', 'add_heat', 'run.db')[1], 'text')


@case
def fields_of_cpp():
    """Members of classes and their bases, of what containers hold, and of what a wrapper's caller
    wants.
    """
    simulated(PROGRAM + '-cpp')
    found = {}
    for r in rows():
        found[r['data'].split(' in ')[0], r['field']] = int(r['L1_misses'])
    once = COUNT * ROUNDS
    check(once <= found['new', 'Cell.id'] <= once + COUNT, found['new', 'Cell.id'])
    for key in (('new', 'Cell.more[8]'), ('new', '_List_node._M_storage.d[7]'),
                ('new', '_Rb_tree_node._M_storage.second.d[7]')):
        check(abs(found.get(key, 0) - once) <= ROUNDS, key, found.get(key))
    # The vector is filled from its beginning, and some of its lines hold two of these fields.
    check(once <= found['new', 'Plain.d[2]'] <= once + COUNT // 4, found['new', 'Plain.d[2]'])
    check(once <= found['malloc', 'Gate.level'] <= once + COUNT, found['malloc', 'Gate.level'])


@case
def a_debug_file_has_the_variables_of_a_stripped_file():
    """As the C library's, where its debug file is installed."""
    libc = next((line.split()[2] for line in subprocess.run(['ldd', PROGRAM], capture_output=True,
                                                            text=True).stdout.splitlines()
                 if line.strip().startswith('libc.so')), None)
    notes = subprocess.run(['readelf', '-n', libc], capture_output=True,
                           text=True).stdout if libc else ''
    build_id = next((line.split()[2] for line in notes.splitlines() if 'Build ID' in line), '--')
    if not os.path.exists('/usr/lib/debug/.build-id/%s/%s.debug' % (build_id[:2], build_id[2:])):
        raise Skip('no debug file of the C library')
    simulated(PROGRAM)
    data = {r['data'] for r in rows()}
    check('main_arena' in data, sorted(data))


@case
def without_debug_information_fields_are_offsets():
    """Blocks of calloc have an element size; of the others, steps of no stream tell it."""
    status = subprocess.run(['strip', '--strip-debug', '-o', 'stripped', PROGRAM]).returncode
    check(status == 0, 'strip', status)
    simulated('./stripped')
    blocks = misses_of('calloc in make_array')
    check(blocks == {'+60': COUNT * ROUNDS}, blocks)
    nodes = misses_of('malloc in make_list')
    check(COUNT * ROUNDS <= nodes['+0'] <= COUNT * (ROUNDS + 1), nodes)
    particles = misses_of('particles')
    check(particles == {field: COUNT * ROUNDS for field in ('+0', '+16', '+32', '+40', '+48')},
          particles)


@case
def memory_with_a_name_is_a_structure_of_its_own():
    """Each round misses on all lines; a name holds until it is removed, wherever its memory lies.
    """
    status, _, err = run('simulate', '-q', '--data', '--cache=L1d=32K,8,64', '--cache=LL=64K,16,64',
                         '-o', 'run.db', '--', PROGRAM, 'names')
    if 'not counted by data structure' in err:
        raise Skip('this processor cannot look into simulated caches from translated code')
    check(status == 0, status, err)
    found = {r['data'].split(' (')[0]: int(r['L1_misses']) for r in rows()}
    lines = COUNT // 8
    near(found['left'], lines // 2 * ROUNDS)
    near(found['right'], (lines // 2 + lines) * ROUNDS)
    near(found['columns'], lines * ROUNDS)
    near(found['malloc in use_names'], lines // 2)


@case
def sizes_are_those_of_samples():
    simulated(PROGRAM)
    status, _, err = run('record', '-q', '-o', 'sampled.db', '--', PROGRAM)
    check(status == 0, err)
    sizes = ('SELECT site.kind, blocks, site.bytes, live_blocks, live_bytes, peak_bytes, smallest, '
             'largest, element_size,'
             ' type, layout.bytes FROM site LEFT JOIN layout ON layout.id = layout_id'
             " WHERE site.kind IN ('malloc', 'calloc') AND live_blocks > 0 ORDER BY site.bytes "
             "DESC LIMIT 2")
    expected = [('calloc', 1, 72 * COUNT, 1, 72 * COUNT, 72 * COUNT, 72 * COUNT, 72 * COUNT, 72,
                 'struct particle', 72),
                ('malloc', COUNT, 64 * COUNT, COUNT, 64 * COUNT, 64 * COUNT, 64, 64, 0,
                 'struct node', 64)]
    for path in 'run.db', 'sampled.db':
        check(ask(sizes, path) == expected, path, ask(sizes, path))


@case
def rows_add_up_to_the_structure():
    simulated(PROGRAM)
    fields, bins = 0, 0
    for r in rows():
        check(int(r['L1_misses']) == sum(int(r['L1_' + c]) for c in ('cold', 'by_self',
                                                                     'by_others')), r)
        fields += int(r['L1_misses'])
    status, out, _ = run('bins', '--format', 'csv', 'run.db')
    for r in csv.DictReader(io.StringIO(out)):
        bins += int(r['L1_misses']) if r['data'] != '[code]' else 0
    check(status == 0 and fields == bins, fields, bins)


@case
def samples_have_fields():
    status, _, err = run('record', '-q', '-o', 'sampled.db', '--', PROGRAM)
    check(status == 0, err)
    found = {(r['data'], r['field']): float(r['miss_share']) for r in rows('--size=32K',
                                                                           path='sampled.db')}
    blocks = {field: share for (data, field),
              share in found.items() if data.startswith('calloc in make_array')}
    check(max(blocks, key=blocks.get) == 'particle.neighbours[2]' and
          0.05 < max(blocks.values()) < 0.25, blocks)


@case
def a_name_and_formats():
    simulated(PROGRAM)
    status, out, _ = run('objects', '--fields', 'run.db', 'make_array')
    check(status == 0 and 'particle.neighbours[2]' in out and 'make_list' not in out, out)
    status, out, _ = run('objects', '--fields', '--format', 'json', 'run.db', 'make_array')
    check(status == 0 and json.loads(out)['fields'][0]['field'] == 'particle.neighbours[2]', out)
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
