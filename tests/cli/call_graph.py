#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The call graph of dwell simulate, of a program whose calls are known
(tests/programs/call-graph.c).

    call_graph.py [--dwell PATH] [--programs FOLDER]

Each case prints one line; the exit status is 0 when none failed.
"""
import collections
import os
import sqlite3
import subprocess

from cases import case, check, main


ARCS = """
SELECT coalesce(a.function, ''), b.function, kind, sum(calls), sum(Ir), count(DISTINCT b.id), min(b.thread)
FROM arc LEFT JOIN node a ON a.id = arc.caller_id JOIN node b ON b.id = arc.callee_id GROUP BY 1, 2, 3
"""
Arc = collections.namedtuple('Arc', 'calls cost nodes thread')


def simulate(*options):
    done = subprocess.run([DWELL, 'simulate', '-q', '-o', 'graph.db', *options, '--', PROGRAM],
                          capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=60)
    check(done.returncode == 0, done.stdout, done.stderr)
    return sqlite3.connect('graph.db')


def arcs(db):
    return {(caller, callee, kind): Arc(*rest) for caller, callee, kind, *rest in db.execute(ARCS)}


def sums(db):
    self, = db.execute('SELECT sum(Ir) FROM cost').fetchone()
    roots, = db.execute('SELECT sum(Ir) FROM arc WHERE caller_id IS NULL').fetchone()
    return self, roots


def cost_of(db, function):
    return db.execute('SELECT sum(Ir) FROM cost JOIN node ON node.id = node_id WHERE function = ?',
                      (function,)).fetchone()[0]


def calls_between(graph, caller, callee, calls, kind='call'):
    arc = graph.get((caller, callee, kind))
    check(arc is not None and arc.calls == calls, caller, '->', callee, kind, arc, 'not', calls)
    return arc


@case
def each_way_to_call_is_counted():
    db = simulate()
    g = arcs(db)
    calls_between(g, 'main', 'fibonacci', 1)
    calls_between(g, 'fibonacci', 'fibonacci', 66)
    calls_between(g, 'main', 'tail_caller', 20)
    calls_between(g, 'tail_caller', 'tail_target', 20, 'jump')
    calls_between(g, 'tail_target', 'leaf', 20)
    calls_between(g, 'main', 'jump_back', 30)
    calls_between(g, 'jump_back', 'throw_at', 30)
    calls_between(g, 'throw_at', 'throw_at', 150)
    calls_between(g, 'jump_back', 'leaf', 30)
    calls_between(g, '', 'on_signal', 7, 'signal')
    calls_between(g, 'on_signal', 'leaf', 7)
    calls_between(g, 'in_thread', 'leaf', 1)
    calls_between(g, '', 'other_stack', 1, 'start')
    calls_between(g, 'other_stack', 'leaf', 10)
    check(('main', 'leaf', 'call') not in g, 'main does not call leaf')
    check(('on_signal', 'jump_back', 'call') not in g and ('raise', 'on_signal', 'call') not in g,
          'a handler is a root')


@case
def costs_add_up():
    db = simulate()
    g = arcs(db)
    self, roots = sums(db)
    check(self == roots, 'cost', self, 'roots', roots)
    # Recursion: what it costs from outside is all that it costs.
    check(g['main', 'fibonacci', 'call'].cost == cost_of(db, 'fibonacci'), 'fibonacci')
    check(g['fibonacci', 'fibonacci', 'call'].cost == 0, 'inner calls cost nothing of their own')
    # A tail call is inside of its caller.
    inside = cost_of(db, 'tail_caller') + cost_of(db, 'tail_target') + g['tail_target', 'leaf',
                                                                         'call'].cost
    check(g['main', 'tail_caller', 'call'].cost == inside, g['main', 'tail_caller', 'call'].cost,
          inside)
    # leaf(n) executes the same loop as often as n: costs are those of the calls, not of the
    # caller's share.
    one, two = g['one', 'leaf', 'call'], g['two', 'leaf', 'call']
    check((one.calls, two.calls) == (5, 5) and one.cost < two.cost < 2 * one.cost, one, two)
    # Nobody pays for what happens on another stack.
    check(g['', 'other_stack', 'start'].cost > g['other_stack', 'leaf', 'call'].cost > 2000,
          g['', 'other_stack', 'start'])
    check(g['main', 'switch_stacks', 'call'].cost < 3000, g['main', 'switch_stacks', 'call'])


@case
def contexts_are_the_last_callers():
    leaves = []
    for depth in 0, 1, 2:
        db = simulate('--context', str(depth))
        self, roots = sums(db)
        check(self == roots, 'cost', self, 'roots', roots)
        g = arcs(db)
        calls_between(g, 'fibonacci', 'fibonacci', 66)
        check(g['fibonacci', 'fibonacci', 'call'].nodes == 1, 'recursion makes no contexts',
              g['fibonacci', 'fibonacci', 'call'])
        leaves.append(
            db.execute("SELECT count(DISTINCT callee_id) FROM arc JOIN node ON node.id = callee_id"
                       " WHERE function = 'leaf'").fetchone()[0])
        if depth == 1:
            rows = db.execute("SELECT a.function FROM node b JOIN node a ON a.id = b.caller_id "
                              "WHERE b.function = 'leaf'").fetchall()
            callers = {'one', 'two', 'jump_back', 'tail_target', 'on_signal', 'in_thread',
                       'other_stack'}
            check({r[0] for r in rows} == callers, rows)
    check(leaves == [1, 7, 7], 'contexts of leaf', leaves)


@case
def threads_are_told_apart():
    db = simulate('--separate-threads')
    threads = db.execute(
        "SELECT thread, sum(Ir) FROM cost JOIN node ON node.id = node_id WHERE function = 'leaf'"
        " GROUP BY 1 ORDER BY 1").fetchall()
    check([t for t, _ in threads] == [0, 1], threads)
    check(threads[1][1] > 2000, 'the thread executes the loop 1000 times', threads)
    self, roots = sums(db)
    check(self == roots, 'cost', self, 'roots', roots)
    check(simulate().execute('SELECT count(*) FROM node WHERE thread IS NOT NULL').fetchone() ==
          (0,), 'not asked for')


@case
def jumps_are_counted():
    db = simulate('--jumps')
    rows = db.execute(
        "SELECT conditional, sum(executed), sum(taken) FROM jump JOIN node ON node.id = node_id"
        " WHERE function = 'leaf' GROUP BY 1 ORDER BY 1").fetchall()
    # 78 calls, 2734 times around: 20 of 4, 30 of 3, 7 of 2, 1 of 1000, 10 of 100, 5 of 10, 5 of 20.
    rounds = 20 * 4 + 30 * 3 + 7 * 2 + 1000 + 10 * 100 + 5 * 10 + 5 * 20
    executed = sum(r[1] for r in rows if r[0])
    check(rounds <= executed <= rounds + 2 * 78, rows, rounds)
    check(all(taken <= executed for _, executed, taken in rows), rows)
    check(simulate().execute('SELECT count(*) FROM jump').fetchone() == (0,), 'not asked for')


@case
def without_a_call_graph_costs_are_the_same():
    with_calls, without = simulate(), None
    costs = dict(with_calls.execute('SELECT function, sum(Ir) FROM cost JOIN node ON node.id = '
                                    'node_id GROUP BY 1'))
    with_calls.close()
    without = simulate('--no-call-graph')
    check(without.execute('SELECT count(*) FROM arc').fetchone() == (0,), 'arcs')
    for function in 'fibonacci', 'leaf', 'tail_target', 'throw_at', 'other_stack':
        check(cost_of(without, function) == costs[function], function, cost_of(without, function),
              costs[function])


@case
def bad_options_are_refused():
    for says, *options in (
            ('the number of callers', '--context', 'x'),
            ('the number of callers', '--context', '65'),
            ('--no-call-graph', '--context', '2', '--no-call-graph'),
            ('--no-call-graph', '--jumps', '--no-call-graph'),
            ('--no-call-graph', '--separate-threads', '--no-call-graph')):
        done = subprocess.run([DWELL, 'simulate', '-o', 'bad.db', *options, '--', 'true'],
                              capture_output=True, text=True)
        check(done.returncode == 2 and says in done.stderr and done.stderr.count('\n') == 1,
              options, done.stderr)
        check(not os.path.exists('bad.db'), 'a profile in spite of', options)


def set_up(dwell, programs, folder):
    global DWELL, PROGRAM
    DWELL, PROGRAM = dwell, os.path.join(programs, 'call-graph')


if __name__ == '__main__':
    main('call-graph', __doc__, set_up, programs='build/tests/programs')
