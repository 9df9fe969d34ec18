#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Output to a terminal: never wider than it, and without control characters from a profile.

    terminal.py --dwell PATH --programs FOLDER

Each case prints one line; the exit status is 0 when none failed.
"""
import json
import os
import re
import shutil
import sqlite3
import subprocess

from cases import case, check, main

SAMPLES = [['report'], ['reuse'], ['objects'], ['paths'], ['processes'], ['info'],
           ['spatial', '-s', '32K'], ['curve'],
           ['annotate'], ['annotate', 'call-paths.cc'],
           ['annotate', 'call-paths.cc', '--sources', '3'], ['top', '--once'],
           ['top', '--once', '--show', 'lines']]
EVENTS = [['report'], ['report', '--by', 'line'], ['report', '--by', 'object'], ['annotate',
                                                                                 'call-paths.cc'],
          ['annotate', 'call-paths.cc', '--asm'], ['calls'], ['info']]
# Marks that a control character becomes a line of its own, or an order.
ORDERS = 'x\n\x1b[31m\x07\x9bINJECTED'
LONG = 'std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::'
profiles = {}


def set_up(folder, dwell, programs):
    program = os.path.join(programs, 'call-paths')
    profiles.update(dwell=dwell, program=program)
    for name, command in {'samples': ['record', '-q', '--duty', '100', '--paths'],
                          'events': ['simulate', '-q']}.items():
        profiles[name] = os.path.join(folder, name + '.db')
        subprocess.run([dwell, *command, '-o', profiles[name], '--', program], check=True,
                       timeout=100,
                       stdout=subprocess.DEVNULL)


def show(profile, *argv, columns=80, locale='C.UTF-8'):
    done = subprocess.run([profiles['dwell'], *argv, *(['-i', profile] if profile else [])],
                          stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=100,
                          env={**os.environ, 'COLUMNS': str(columns), 'LC_ALL': locale})
    check(done.returncode == 0, argv, 'said', done.stderr.decode(errors='replace'))
    return done.stdout.decode()


def changed(name, to, *statements):
    """A copy of a profile in which texts are others."""
    path = os.path.abspath('%s-%s.db' % (name, to))
    shutil.copy(profiles[name], path)
    with sqlite3.connect(path) as db:
        for statement, *values in statements:
            db.execute(statement, values)
    return path


def long_names(name):
    return changed(name, 'long', ('UPDATE place SET function = ? || function', LONG),
                   ('UPDATE process SET command = command || ?', ' --an-option=of-the-command' * 8))


@case
def no_view_is_wider_than_the_terminal():
    for name, views in [('samples', SAMPLES), ('events', EVENTS)]:
        for path in [profiles[name], long_names(name)]:
            for view in views:
                for line in show(path, *view).split('\n'):
                    check(len(line) <= 80, name, view, len(line), line)
    diff = show('', 'diff', long_names('samples'), profiles['samples'])
    check(max(len(line) for line in diff.split('\n')) <= 80, diff)


@case
def prose_is_broken_where_no_width_is_known():
    for name, views in [('samples', [['report'], ['reuse'], ['paths']]),
                        ('events', [['report'], ['calls']])]:
        for view in views:
            text = subprocess.run([profiles['dwell'], *view, '-i', profiles[name]],
                                  capture_output=True,
                                  check=True).stdout.decode()
            head = text[:re.search('^ *(CACHE|REUSES|COST|SELF|INCL) ', text, re.M).start()]
            check(max(len(line) for line in head.split('\n')) <= 80, head)


@case
def line_numbers_are_whole_and_names_told_apart():
    path = long_names('samples')
    lines = {'call-paths.cc:%s' % n
             for (n,) in sqlite3.connect(path).execute('SELECT line FROM place')}
    text = show(path, 'reuse', '-n', '100')
    places = re.findall(r'\S*:\d+\b', text)
    check(any('call-paths.cc:' in p for p in places), text)
    for place in places:
        check('call-paths' not in place or place in lines, place, 'is no line of the program')
    check('…' in text, 'no mark where names are cut', text)
    # What the name ends with is what tells functions apart.
    text = show(path, 'report', '-n', '5')
    text = text[text.index('More of the misses'):]
    names = re.findall(r'^ *[\d.]+ % .* (std::\S.*)$', text[:text.index(' LINE\n')], re.M)
    check(len(names) > 1 and len(set(names)) == len(names), names)
    check('...' in show(path, 'report', locale='C'), 'no mark in ASCII')


@case
def numbers_have_their_commas_and_nouns_their_plurals():
    few = os.path.abspath('few.db')
    # Less than a window's 100,000 accesses.
    done = subprocess.run([profiles['dwell'], 'record', '-o', few, '--', 'true'],
                          capture_output=True, check=True, timeout=100)
    check(b' in 1 window): ' in done.stderr, done.stderr)
    for view, says in [(['report'], r'Few samples \([\d,]+ in 1 window; 5,000 in 25 would do\)'),
                       (['report', '-v'], r'samples [\d,]+ in 1 window \('),
                       (['top', '--once'], r'[\d,]+ samples in 1 window\n')]:
        text = show(few, *view)
        check(re.search(says, re.sub(' +', ' ', text)), says, 'is not in', text)
    check(re.search(r'^\.\.\. and [\d,]+ more$', show(profiles['samples'], 'reuse', '-n', '1'),
                    re.M), 'no word of the rest')


@case
def no_order_from_a_profile_reaches_the_terminal():
    texts = [('place', 'function'), ('place', 'file'), ('process', 'command'), ('process', 'exe'),
             ('process', 'state'),
             ('module', 'path'), ('variable', 'name'), ('variable', 'type'), ('variable', 'file'),
             ('variable', 'module'),
             ('site', 'kind'), ('object', 'path'), ('event', 'description'), ('geometry', 'value'),
             ('source', 'text')]
    statements = [('UPDATE %s SET %s = %s || ? WHERE %s IS NOT NULL' % (t, c, c, c), ORDERS) for t,
                  c in texts]
    statements += [('INSERT OR REPLACE INTO meta VALUES(?, ?)', key, ORDERS)
                   for key in ['command', 'host', 'cpu', 'creator']]
    statements += [('INSERT INTO message VALUES(0, 0, ?)', ORDERS)]
    for name, views in [('samples', SAMPLES), ('events', EVENTS)]:
        path = changed(name, 'orders', *statements)
        names = [o['name'] for o in json.loads(show(path, 'objects', '--format', 'json'))['objects']
                 if 'INJECTED' in o['name']] if name == 'samples' else []
        for view in views + [['objects', n] for n in names[:3]]:
            if 'call-paths.cc' in view:
                view = [v.replace('call-paths.cc', 'call-paths.cc' + ORDERS) for v in view]
            for columns in [80, 300]:
                text = show(path, *view, columns=columns)
                check(not re.search('[\0-\x09\x0b-\x1f\x7f-\x9f]', text), name, view, repr(text))
                check(not re.search('^ *INJECTED', text, re.M), name, view, text)
                check('x\\x0a\\x1b' in text or columns < 300 or view[0] in ['spatial', 'curve',
                                                                            'top'], view, text)
    done = subprocess.run([profiles['dwell'], 'annotate', 'x\x1b[31m', '-i', path],
                          capture_output=True)
    check(done.returncode == 2 and b'\x1b' not in done.stderr and rb'x\x1b[31m' in done.stderr,
          done.stderr)


main('terminal', __doc__, set_up, programs='build/tests/programs')
