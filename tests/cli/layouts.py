#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The field of each of many layouts of data, in five languages, by the functions that miss on it.

    layouts.py [--dwell PATH] [--only EXPRESSION]

The programs are layouts/layouts.*; a language without a compiler is skipped. Each case prints one
line; the exit status is 0 when none failed.
"""
import json
import os
import shutil
import subprocess

import simulate_common
from cases import Skip, case, check, main
from simulate_common import run

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'layouts')
# Small caches: each loop walks over more than they hold.
CACHES = ['--cache=L1d=4K,4,64', '--cache=LL=32K,8,64']

# For each function the field, and its type, that most of its misses on data are on.
C = {
    'walk_member_array': ('items[].x', 'int'),
    'walk_nested_array': ('row.cells[].weight', 'long int'),
    'walk_nested_block': ('row.cells[].rest', 'long int'),
    'walk_union_double': ('value.u.number', 'double'),
    'walk_union_float': ('value.u.ratio', 'float'),
    'walk_union_int': ('value.u.index', 'int'),
    'walk_union_char': ('value.u.letter', 'char'),
    'walk_circles': ('shape.circle.radius', 'float'),
    'walk_boxes': ('shape.box.wide', 'int'),
    'walk_bits': ('flags.rest', 'unsigned int'),
    'walk_unnamed': ('flags.outer', 'int'),
    'walk_flexible': ('packet.data[]', 'int[]'),
    'walk_grid': ('grid.at[][5]', 'double[4][6]'),
    'walk_kept': ('item.code', 'int'),
    'walk_tree': ('tree.key', 'long int'),
}
CPP = {
    'walk_unique': ('Link.next', 'std::unique_ptr<Link, std::default_delete<Link> >'),
    'walk_shared': ('_Sp_counted_ptr_inplace._M_impl.key', 'long int'),
    'walk_second_base': ('Thing.place', 'double'),
    'walk_own': ('Thing.own', 'long int'),
    'walk_array': ('Fixed.three[].x', 'int'),
    'walk_small_string': ('Record.name._M_dataplus', None),
    'walk_vector_member': ('Team.members._M_finish', None),
    'walk_map': ('_Rb_tree_node._M_storage.second.x', 'int'),
    'walk_unordered': ('_Hash_node._M_storage.second.code', 'int'),
    'walk_list': ('_List_node._M_storage.code', 'int'),
    'walk_deque': ('Padded.x', 'int'),
    'walk_pairs': ('pair.second.x', 'int'),
    'walk_kinds': ('Pen.kind', 'zoo::Kind'),
    'walk_unique_array': ('Part.mass', 'double'),
}
FORTRAN = {
    'walk_points': ('point%y', 'real(kind=8)'),
    'walk_tags': ('point%tag(3)', 'integer(kind=4)(4)'),
    'walk_component': ('holder%inside', 'real(kind=8)(:), allocatable'),
}
RUST = {
    'walk_vec': ('Cell.weight', 'f64'),
    'walk_boxes': ('Node.key', 'u64'),
    'walk_rcs': ('RcInner.value.rest[5]', None),
    'walk_hash': ('(u64, layouts::Cell).__0', 'u64'),
    'walk_shapes': ('Shape.(tag)', None),
    'walk_names': ('Team.names.len', 'usize'),
    'walk_boxed': ('Cell.id', 'u64'),
}
GO = {
    'main.walkGlobal': ('main.point.y', 'float64'),
    'main.walkSlice': ('main.point.tag[2]', None),
    'main.walkNodes': ('main.node.key', 'int64'),
    'main.walkSpots': ('main.team.spots[].x', 'float64'),
    'main.walkOthers': ('main.team.others.len', 'int'),
    'main.walkMap': ('bucket.values[].x', 'float64'),
}


def build(compiler, *command):
    if not shutil.which(compiler):
        raise Skip('no ' + compiler)
    environment = dict(os.environ, GO111MODULE='off', GOCACHE=os.path.abspath('go'))
    done = subprocess.run([compiler, *command], capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        raise Skip('%s does not compile it: %s' % (compiler, done.stderr[:200]))


def simulated():
    status, out, err = run('simulate', '-q', '--data', *CACHES, '-o', 'run.db', '--', './program')
    check(status == 0, status, err)
    if 'not counted by data structure' in err:
        raise Skip('this processor cannot look into simulated caches from translated code')


def field_of(function):
    """That of most misses in the function."""
    status, out, err = run('annotate', function, '--format', 'json', 'run.db')
    check(status == 0, function, err)
    found = {}
    for f in json.loads(out)['files']:
        for line in f['lines']:
            for d in line.get('data', []):
                key = d['field'], d.get('type')
                found[key] = found.get(key, 0) + d['L1_misses']
    return max(found, key=found.get) if found else None


def compare(expected):
    simulated()
    wrong = []
    for function, (field, declared) in expected.items():
        found = field_of(function)
        if found is None or found[0] != field or declared not in (None, found[1]):
            wrong.append('%s: %s instead of %s' % (function, found, (field, declared)))
    check(not wrong, '; '.join(wrong))


def source(name):
    return os.path.join(SOURCES, name)


@case
def fields_in_c():
    build('gcc', '-O1', '-g', '-o', 'program', source('layouts.c'))
    compare(C)


@case
def fields_in_cpp():
    build('g++', '-O1', '-g', '-std=c++17', '-o', 'program', source('layouts.cpp'))
    compare(CPP)


@case
def fields_in_fortran():
    build('gfortran', '-O1', '-g', '-o', 'program', source('layouts.f90'))
    compare(FORTRAN)


@case
def fields_in_rust():
    build('rustc', '-C', 'opt-level=1', '-g', '-o', 'program', source('layouts.rs'))
    compare(RUST)


@case
def fields_in_go():
    build('go', 'build', '-o', 'program', source('layouts.go'))
    compare(GO)


def set_up(dwell, folder):
    simulate_common.set_up(dwell, None, folder)


if __name__ == '__main__':
    main('layouts', __doc__, set_up)
