#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""dwell simulate --data: how data structures are accessed, of programs whose answer is known.

    patterns.py [--dwell PATH] [--program PATTERNS] [--only EXPRESSION]

Each case prints one line; the exit status is 0 when none failed.
"""
import csv
import io
import json
import os

import simulate_common
from cases import case, check, main
from simulate_common import ask, run

CACHES = '--cache=D1=32K,8,64', '--cache=LL=256K,16,64'


def accessed(*options):
    """Simulate the command in `options`."""
    done = run('simulate', '-q', '--data', *CACHES, '-o', 'run.db', *options)
    check(done[0] == 0, *options, *done)
    check('not counted by data structure' not in done[2], done[2])


def patterns(where):
    """Of the structures: accesses in windows; shares of regular ones, near ones, and those through
    links of its own.
    """
    found = ask(
        'SELECT seen, 1.0 * usual / max(known, 1), 1.0 * near / max(known, 1), 1.0 * from_self / '
        'accesses, '
        '1.0 * from_others / accesses FROM pattern JOIN structure ON structure.id = structure_id '
        'LEFT JOIN site ON '
        'site.id = structure.site_id LEFT JOIN variable ON variable.start = structure.start '
        'AND structure.kind = \'variable\' WHERE %s ORDER BY accesses DESC' % where)
    check(found, where)
    return found


def variable(name):
    return patterns('variable.name = \'%s\'' % name)[0]


def block(kind):
    """That with the most accesses."""
    return patterns('site.kind = \'%s\'' % kind)[0]


def about(value, wanted, most=0.05):
    return abs(value - wanted) <= most


@case
def a_stream_is_regular_and_near():
    for options in (), ('--references',):
        accessed(*options, PROGRAM, 'stream')
        seen, regular, near, own, _ = variable('line')
        check(seen > 1000 and about(regular, 1) and about(near, 1) and own == 0, seen, regular,
              near, own)


@case
def a_matrix_is_regular_by_rows_and_by_columns_but_near_by_rows_only():
    for what, wanted in ('rows', 1), ('columns', 0):
        accessed(PROGRAM, what)
        seen, regular, near, _, _ = variable('square')
        check(seen > 1000 and about(regular, 1) and about(near, wanted), what, seen, regular, near)


@case
def a_hash_table_is_irregular():
    accessed(PROGRAM, 'hash')
    seen, regular, near, _, _ = block('calloc')
    check(seen > 1000 and about(regular, 0) and about(near, 0), seen, regular, near)


@case
def an_index_is_regular_and_what_it_leads_to_is_not():
    accessed(PROGRAM, 'gather')
    check(about(variable('order')[1], 1, 0.1) and about(variable('line')[1], 0), variable('order'),
          variable('line'))


@case
def a_list_leads_to_itself_whatever_its_order():
    for what, wanted in ('list', 1), ('shuffled', 0):
        accessed(PROGRAM, what)
        seen, regular, _, own, others = block('calloc')
        check(seen > 1000 and about(regular, wanted, 0.1), what, seen, regular)
        check(own > 0.8 and others < 0.2, what, own, others)


@case
def pointers_lead_to_another_array():
    accessed(PROGRAM, 'pointers')
    check(about(block('malloc')[1], 1) and block('malloc')[3:] == (0, 0), block('malloc'))
    seen, regular, _, own, others = block('calloc')
    check(about(regular, 0) and own == 0 and others > 0.9, seen, regular, own, others)


def shown(*names):
    """Form and access of data structures, whose names begin so; of blocks that with the most
    references.
    """
    status, out, err = run('objects', '--format', 'csv', 'run.db')
    check(status == 0, err)
    rows = sorted(csv.DictReader(io.StringIO(out)), key=lambda r: -float(r['references'] or 0))
    found = [[(r['form'], r['access']) for r in rows if r['name'].startswith(name)]
             for name in names]
    check(all(found), names, out)
    return [f[0] for f in found]


def shown_all(name):
    """Form and access of the data structures whose names begin so, as objects shows them."""
    status, out, err = run('objects', '--format', 'csv', 'run.db')
    check(status == 0, err)
    found = [(r['form'], r['access']) for r in csv.DictReader(io.StringIO(out))
             if r['name'].startswith(name)]
    check(found, name, out)
    return found


@case
def objects_tells_form_and_access():
    """By the types of debug information; the nodes of lists have none."""
    for what, names, wanted in (
            ('stream', ['line'], [('array', 'regular')]),
            ('rows', ['square'], [('2D array', 'regular')]),
            ('columns', ['square'], [('2D array', 'regular')]),
            ('hash', ['calloc in hash', 'next_random::x'],
             [('array', 'irregular'), ('scalar', 'regular')]),
            ('list', ['calloc in follow'], [('linked', 'regular')]),
            ('shuffled', ['calloc in follow'], [('linked', 'irregular')]),
            ('tree', ['calloc in make_tree'], [('linked', 'both')]),
            ('pointers', ['malloc in pointers', 'calloc in pointers'],
             [('pointers', 'regular'), ('array', 'irregular')]),
            ('gather', ['order', 'line'], [('array', 'regular'), ('array', 'irregular')]),
            ('points', ['malloc in points'], [('structures', 'regular')])):
        accessed(PROGRAM, what)
        check(shown(*names) == wanted, what, shown(*names), wanted)


@case
def rows_that_were_allocated_one_by_one_are_a_2d_array():
    for what, name, wanted in (
            ('apart', 'malloc in make_matrix', ('2D array', 'regular')),
            ('apart-columns', 'malloc in make_matrix', ('2D array', 'regular')),
            ('untyped', 'malloc in untyped', ('2D array', 'regular'))):
        accessed(PROGRAM, what)
        check(wanted in shown_all(name), what, shown_all(name))


@case
def records_and_buffers_are_no_rows():
    for what, name in ('records', 'malloc in records'), ('buffers', 'malloc in untyped'):
        accessed(PROGRAM, what)
        check('2D array' not in [form for form, _ in shown_all(name)], what, shown_all(name))


@case
def some_sets_tell_form_and_access_too():
    """Windows see accesses to all sets."""
    for what, name, wanted in (('columns', 'square', ('2D array', 'regular')),
                               ('shuffled', 'calloc in follow', ('linked', 'irregular')),
                               ('hash', 'calloc in hash', ('array', 'irregular')),
                               ('apart', 'malloc in make_matrix', ('2D array', 'regular'))):
        accessed('--sets=1/8,3', PROGRAM, what)
        check(wanted in shown_all(name), what, shown_all(name))
        rows = list(csv.DictReader(io.StringIO(run('objects', '--format', 'csv', 'run.db')[1])))
        check(rows and not any(r['references'] or r['L1_miss_ratio'] for r in rows), what,
              'references are not counted')
        # its lines break by its width
        heading = ' '.join(run('objects', 'run.db')[1].split('\n\n')[0].split())
        check(heading.endswith('; references to some sets are not counted'), what, heading)


@case
def diff_shows_how_forms_changed():
    accessed(PROGRAM, 'shuffled')
    os.rename('run.db', 'before.db')
    accessed(PROGRAM, 'list')
    out = run('diff', '--by', 'data', 'before.db', 'run.db')[1]
    line = [x for x in out.splitlines() if 'calloc in follow' in x]
    check(line and ' linked ' in line[0] and ' irregular to regular ' in line[0], out)
    out = run('diff', '--by', 'data', '--format', 'csv', 'before.db', 'run.db')[1]
    rows = [r for r in csv.DictReader(io.StringIO(out)) if r['name'].startswith('calloc in follow')]
    check(rows and all((r['form_a'], r['form_b'], r['access_a'], r['access_b']) ==
                       ('linked', 'linked', 'irregular', 'regular') for r in rows), rows)
    found = json.loads(run('diff', '--by', 'data', '--format', 'json', 'before.db', 'run.db')[1])
    rows = [r for r in found['rows'] if r['name'].startswith('calloc in follow')]
    check(rows and rows[0]['access_a'] == 'irregular' and rows[0]['access_b'] == 'regular', rows)
    out = run('diff', '--format', 'csv', 'before.db', 'run.db')[1]
    check('form_a' not in out, out[:200])


@case
def a_name_has_its_strides_and_links():
    accessed(PROGRAM, 'points')
    out = run('objects', 'points', 'run.db')[1]
    check('regular: ' in out and 'usual, in bytes: 32\n' in out and 'links' not in out, out)
    accessed(PROGRAM, 'shuffled')
    out = run('objects', 'follow', 'run.db')[1]
    check('irregular: ' in out and ' of accesses through addresses that it held itself, ' in out,
          out)


@case
def merged_profiles_keep_forms():
    accessed(PROGRAM, 'shuffled')
    os.rename('run.db', 'first.db')
    accessed(PROGRAM, 'points')
    os.rename('run.db', 'second.db')
    status, _, err = run('merge', '-o', 'run.db', 'first.db', 'second.db')
    check(status == 0, err)
    check(shown('calloc in follow', 'malloc in points') == [('linked', 'irregular'),
                                                            ('structures', 'regular')])


@case
def samples_have_the_form_of_the_type():
    for what, name, wanted in ('columns', 'square', '2D array'), ('points', 'malloc in points',
                                                                  'structures'):
        done = run('record', '-q', '-o', 'run.db', PROGRAM, what)
        check(done[0] == 0, *done)
        rows = csv.DictReader(io.StringIO(run('objects', '--format', 'csv', 'run.db')[1]))
        forms = [r['form'] for r in rows if r['name'].startswith(name)]
        check(forms == [wanted], what, forms)


def set_up(dwell, program, folder):
    global PROGRAM
    PROGRAM = program
    simulate_common.set_up(dwell, None, folder)


if __name__ == '__main__':
    main('patterns', __doc__, set_up, program='build/tests/cli/patterns')
