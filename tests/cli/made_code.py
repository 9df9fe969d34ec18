#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The call graph of dwell simulate of code that is made at run time, of tests/programs/made-code.c.

    made_code.py [--dwell PATH] [--programs FOLDER]

Each case prints one line; the exit status is 0 when none failed.
"""
import collections
import json
import os
import re
import sqlite3
import subprocess

from cases import case, check, main

# Instructions of each function: those of its loops and what is around them. 50 rounds; 350 calls of
# inner.
SELF = {
    'outer': 50 * (2 + 7 * 3 + 4),
    'inner': 350 * (1 + 20 * 3 + 1),
    'tail': 350 * (1 + 5 * 2 + 1),
    'odd': 350 * (1 + 3 * 2 + 1),
    'below': 350 * (1 + 2 * 2 + 1),
    'jumper': 50 * (2 + 1 + 11 * 2 + 1),
    'caller': 50 * 5,
    'again': 50 * (1 + 13 * 2 + 1),
    'replaced': 1 + 100 * 2 + 1 + 1 + 30 * 2 + 1,
    'falls': 100 * (1 + 4 * 2),
    'behind': (200 + 8000) * (1 + 6 * 2 + 1),
    'leaps': (8000 + 50) * (1 + 2 * 2 + 1),
}
UNDER_INNER = SELF['inner'] + SELF['tail'] + SELF['odd'] + SELF['below']
UNDER_OUTER = SELF['outer'] + UNDER_INNER + SELF['jumper']
# In the filter mode, replayed, and told one by one.
WAYS = ((), ('--no-filter',), ('--jumps',), ('--separate-threads',), ('--context', '3'))

ARCS = """
SELECT coalesce(a.function, ''), b.function, kind, sum(calls), sum(Ir)
FROM arc LEFT JOIN node a ON a.id = arc.caller_id JOIN node b ON b.id = arc.callee_id GROUP BY 1, 2, 3
"""
Arc = collections.namedtuple('Arc', 'calls cost')


def simulate(how, *options):
    done = subprocess.run([DWELL, 'simulate', '-q', '-o', 'made.db', *options, '--', PROGRAM, how],
                          capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=60)
    check(done.returncode == 0, done.stdout, done.stderr)
    if how == 'map':
        os.unlink('/tmp/perf-%d.map' % int(done.stdout.split()[0]))
    return sqlite3.connect('made.db')


def arcs(db):
    return {(caller, callee, kind): Arc(*rest) for caller, callee, kind, *rest in db.execute(ARCS)}


def costs(db):
    return dict(
        db.execute('SELECT function, sum(Ir) FROM cost JOIN node ON node.id = node_id GROUP BY 1'))


def nodes(db):
    return collections.Counter(name for name, in db.execute('SELECT function FROM node'))


def check_arc(graph, caller, callee, kind, calls, cost, *what):
    arc = graph.get((caller, callee, kind))
    check(arc == (calls, cost), caller, '->', callee, kind, 'is', arc, 'and not', (calls, cost),
          *what)


def check_graph(db, *what):
    g, own = arcs(db), costs(db)
    check({name: own.get(name) for name in SELF} == SELF, own, *what)
    check_arc(g, 'call_often', 'outer', 'call', 50, UNDER_OUTER, *what)
    check_arc(g, 'outer', 'inner', 'call', 350, UNDER_INNER, *what)
    check_arc(g, 'inner', 'tail', 'jump', 350, UNDER_INNER - SELF['inner'], *what)
    check_arc(g, 'odd', 'below', 'jump', 350, SELF['below'], *what)
    check_arc(g, 'outer', 'jumper', 'call', 50, SELF['jumper'], *what)
    # Before it is known that somebody calls it, it is the end of the function that runs into it.
    check_arc(g, 'call_often', 'behind', 'call', 50, 50 * 14, *what)
    falls = g.get(('falls', 'behind', 'jump'), Arc(0, 0))
    check(50 <= falls.calls <= 100 and falls.cost == falls.calls * 14, falls, *what)
    leaps = [g.get(('leaps', to, 'jump'), Arc(0, 0)) for to in ('behind', 'falls')]
    check(leaps[0].calls >= 50 and sum(a.calls for a in leaps) == 8050 and
          sum(a.cost for a in leaps) == 8050 * 14, leaps, *what)
    check_arc(g, 'call_often', 'falls', 'call', 100, SELF['falls'] + 100 * 14, *what)
    check_arc(g, 'call_often', 'caller', 'call', 50,
              SELF['caller'] + own['from_made'] + SELF['again'], *what)
    check_arc(g, 'caller', 'from_made', 'call', 50, own['from_made'] + SELF['again'], *what)
    check_arc(g, 'from_made', 'again', 'jump', 50, SELF['again'], *what)
    calls = sum(a.calls for (caller, callee, kind), a in g.items() if callee == 'replaced')
    check(calls == 2, 'replaced is called', calls, 'times', *what)
    # The jump of jumper to its own loop is none, wherever the engine has functions begin.
    again = [arc for arc in g if arc[0] == arc[1] and arc[0] in SELF]
    check(not again, again, *what)
    self, = db.execute('SELECT sum(Ir) FROM cost').fetchone()
    roots, = db.execute('SELECT sum(Ir) FROM arc WHERE caller_id IS NULL').fetchone()
    check(self == roots, 'cost', self, 'roots', roots, *what)


@case
def functions_of_a_perf_map_are_nodes():
    for options in WAYS:
        db = simulate('map', *options)
        check_graph(db, *options)
        n = nodes(db)
        check('[anon]' not in n, 'code without a name', *options)
        check('--context' in options or all(n[name] == 1 for name in SELF),
              {name: n[name] for name in SELF}, *options)


@case
def functions_of_a_jitdump_file_have_lines():
    for options in (), ('--no-filter',):
        db = simulate('dump', *options)
        check_graph(db, *options)
        rows = db.execute(
            "SELECT DISTINCT function, file FROM node WHERE file = '/src/made.js'").fetchall()
        check(len(rows) == len(SELF), rows, *options)
        report = subprocess.run([DWELL, 'annotate', '-i', 'made.db', '--format=csv',
                                 '/src/made.js'], capture_output=True, text=True)
        check(report.returncode == 0, report.stderr)


@case
def code_without_names_is_one_function():
    """What it calls, and calls it back, costs once."""
    for options in WAYS:
        db = simulate('none', *options)
        g, own = arcs(db), costs(db)
        check(own['[anon]'] == sum(SELF.values()), own['[anon]'], 'not', sum(SELF.values()),
              *options)
        cost = sum(a.cost for (caller, callee, _), a in g.items() if callee == '[anon]')
        check(cost == sum(SELF.values()) + own['from_made'], 'inclusive', cost, *options)


@case
def views_and_exports_have_them():
    simulate('map').close()
    report = json.loads(subprocess.run([DWELL, 'report', '-i', 'made.db', '--format=json',
                                        '--rows=1000'],
                                       capture_output=True, text=True, check=True).stdout)
    rows = {row['name']: row for row in report['rows']}
    for name, cost in SELF.items():
        check(rows[name]['self']['Ir'] == cost, name, rows[name])
    for to in 'callgrind', 'pprof', 'folded', 'speedscope', 'csv':
        done = subprocess.run([DWELL, 'export', '-i', 'made.db', '--to', to, '-o', 'made.' + to],
                              capture_output=True, text=True)
        check(done.returncode == 0, to, done.stderr)
    with open('made.callgrind') as f:
        names = set(re.findall(r'^c?fn=\(\d+\) (.*)$', f.read(), re.MULTILINE))
    check(names >= set(SELF), 'in the file of Callgrind only', names & set(SELF))


def set_up(dwell, programs, folder):
    global DWELL, PROGRAM
    DWELL, PROGRAM = dwell, os.path.join(programs, 'made-code')


if __name__ == '__main__':
    main('made-code', __doc__, set_up, programs='build/tests/programs')
