#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The engine's counts are the same in each way of counting.

    count_ways.py [--dwell PATH] [--programs FOLDER] [--only EXPRESSION]

Short string instructions are counted in translated code, long ones after leaving it. Pieces of code
count themselves, or defer their counts to later pieces.
"""
import os
import sqlite3
import subprocess

from cases import case, check, main

SECONDS = 100
COLUMNS = 'accesses, loads, stores, instructions, rep_iterations'


def counted(switch, *command):
    """The counts of a run without address randomisation, with this switch of the engine."""
    environment = dict(os.environ, DWELL_ENGINE_OPTIONS=switch)
    subprocess.run(['setarch', '-R', DWELL, 'record', '-q', '--mode=count', '-o', 'run.db', '--',
                    *command],
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=environment,
                   timeout=SECONDS, check=True)
    with sqlite3.connect('file:run.db?mode=ro', uri=True) as db:
        return db.execute('SELECT %s FROM process' % COLUMNS).fetchall()


@case
def short_string_instructions_count_themselves_rightly():
    program = os.path.join(PROGRAMS, 'strings')
    # As long as the other: the environment lies on the program's stack.
    engine, code = counted('quick_reps=0', program), counted('quick_reps=1', program)
    check(engine[0][-1] > 1000, 'only', engine[0][-1], 'iterations: the program shows nothing')
    check(engine == code, COLUMNS, 'are', code, 'and should be', engine)


@case
def so_they_do_without_avx():
    program = os.path.join(PROGRAMS, 'strings')
    engine, code = counted('vector=0,quick_reps=0', program), counted('vector=0,quick_reps=1',
                                                                      program)
    check(engine == code, COLUMNS, 'are', code, 'and should be', engine)


# Their counts do not depend on time or on addresses.
PLAIN = ('leaving', 'faults', 'faults step', 'flags', 'returns', 'jumps', 'control', 'special',
         'partway', 'partway fault',
         'strings', 'newcode 1 1')


@case
def what_is_left_to_later_code_is_counted():
    for command in PLAIN:
        name, *arguments = command.split()
        for vector in 0, 1:
            each, later = (counted('defers=%d,vector=%d' % (defers, vector),
                                   os.path.join(PROGRAMS, name), *arguments)
                           for defers in (0, 1))
            check(each[0][0] > 10000, command, 'has only', each[0][0], 'accesses')
            check(each == later, 'of', command, COLUMNS, 'are', later, 'and should be', each)


@case
def so_it_is_where_the_cache_is_emptied_and_tables_are_small():
    for command in PLAIN[:6]:
        name, *arguments = command.split()
        each, later = (counted('defers=%d,cache_mb=2,ib_bits=8' % defers,
                               os.path.join(PROGRAMS, name), *arguments)
                       for defers in (0, 1))
        check(each == later, 'of', command, COLUMNS, 'are', later, 'and should be', each)


def set_up(dwell, programs, folder):
    global DWELL, PROGRAMS
    DWELL, PROGRAMS = dwell, programs
    os.environ.update(XDG_RUNTIME_DIR=folder)


if __name__ == '__main__':
    main('count-ways', __doc__, set_up, programs='build/tests/programs')
