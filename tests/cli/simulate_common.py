# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of dwell simulate share: small caches, runs in them, and what these counted."""
import contextlib
import json
import os
import sqlite3
import subprocess

from cases import check

SECONDS = 100
# Sets are chosen by no more than the address within a page: the engine's own memory may move the
# program's.
SMALL = ['--cache=L1i=8K,4,64', '--cache=L1d=4K,4,64', '--cache=LL=64K,16,64']
SEVERAL = ['--also=L1i=4K,2,64 L1d=8K,8,64 LL=256K,4,64',
           '--also=L1i=8K,4,64 L1d=4K,4,64 LL=16K,4,64',
           '--also=L1i=16K,2,64 L1d=2K,2,64 L2=8K,4,64 LL=64K,16,128,random',
           '--also=L1i=2K,2,64 L1d=8K,1,64 LL=32K,8,64,fifo']
EVENTS = ['Ir', 'Dr', 'Dw', 'I1mr', 'D1mr', 'D1mw', 'ILmr', 'DLmr', 'DLmw']


KEPT = ('DWELL_ENGINE_OPTIONS', 'PERL_HASH_SEED', 'PYTHONHASHSEED', 'XDG_RUNTIME_DIR')
PLACE = {'PATH': '/usr/local/bin:/usr/bin:/bin', 'LC_ALL': 'C', 'PAGER': 'cat',
         'MALLOC_PERTURB_': '0'}
place_bytes = 1440


@contextlib.contextmanager
def layout(more):
    """With a stack that ends so many bytes lower."""
    global place_bytes
    place_bytes += more
    try:
        yield
    finally:
        place_bytes -= more


def own_environment():
    """As long in each folder, for each user and each switch: the stack ends below it, and where it
    lies decides which of its lines meet others.
    """
    own = dict(PLACE, **{name: os.environ.get(name, '') for name in KEPT})
    own = {name: value for name, value in own.items() if value or name == 'XDG_RUNTIME_DIR'}
    own['PADDING'] = 'x' * (place_bytes - sum(len(name) + len(value) + 2 + 8 for name,
                                              value in own.items()))
    return own


def run(*arguments):
    """Without address randomisation, so that runs can be compared."""
    done = subprocess.run(['setarch', '-R', DWELL, *arguments],
                          stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=SECONDS, env=own_environment())
    return done.returncode, done.stdout.decode('utf-8', 'replace'), done.stderr.decode('utf-8',
                                                                                       'replace')


@contextlib.contextmanager
def environment(switch, **more):
    """With another switch of the engine."""
    before = dict(os.environ)
    os.environ.update(more, DWELL_ENGINE_OPTIONS=','.join(
                          filter(None, [os.environ.get('DWELL_ENGINE_OPTIONS'), switch])))
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def program(name):
    """A name of the same length wherever the build lies."""
    if not os.path.exists(name):
        os.symlink(os.path.join(PROGRAMS, name), name)
    return './' + name


def simulate(*arguments, status=0, path='run.db'):
    for old in path, path + '.old':
        if os.path.exists(old):
            os.unlink(old)
    got, out, err = run('simulate', '-q', '-o', path, *arguments)
    check(got == status, *arguments, 'ended with', got, err)
    return out


def ask(sql, path='run.db'):
    with sqlite3.connect('file:%s?mode=ro' % path, uri=True) as db:
        return db.execute(sql).fetchall()


def names(path='run.db'):
    return [row[0] for row in ask('SELECT name FROM event WHERE formula IS NULL ORDER BY id', path)]


def batches(table, path):
    """(id, its list) of each row of a view, as the table below it has them: ten times as fast."""
    for first, text in ask('SELECT first_id, list FROM %s' % table, path):
        yield from enumerate(json.loads(text), first)


def totals(path='run.db', process=None):
    columns = names(path)
    nodes = {node for node, row in batches('node_batch', path) if process in (None, row[0])}
    sums = [0] * len(columns)
    for _, (node, _, *numbers) in batches('cost_batch', path):
        if node in nodes:
            for i, number in enumerate(numbers):
                sums[i] += number
    return dict(zip(columns, sums))


def costs(path='run.db'):
    """All costs by process and place in the program: what two runs can be compared by.

    Of a file in memory that is mapped here and there by turns it depends on the moment which part
    is meant.
    """
    modules = dict(ask('SELECT id, path FROM module', path))
    places = {}
    for location, (process, _, *inside) in batches('location_batch', path):
        module, address = inside or (None, None)
        name = modules.get(module)
        places[location] = process, name, None if name and name.startswith('/memfd:') else address
    sums, width = {}, len(names(path))
    for _, (_, location, *numbers) in batches('cost_batch', path):
        if location in places:
            row = sums.setdefault(places[location], [0] * width)
            for i, number in enumerate(numbers):
                row[i] += number
    return sums


def check_same_costs(*what):
    """Those of both runs."""
    if costs() != costs('other.db'):
        check(False, *what, totals(), totals('other.db'))


def arcs(path='run.db'):
    """Calls and inclusive costs by who calls, from where, and who is called; none without a call
    graph.
    """
    if not ask("SELECT 1 FROM sqlite_master WHERE name = 'arc'", path):
        return []
    columns = ', '.join('sum("%s")' % c for c in names(path))
    return ask("""SELECT b.process_id, a.function, m.path, l.module_address, b.function, b.object, kind, sum(calls), %s
        FROM arc LEFT JOIN node a ON a.id = arc.caller_id JOIN node b ON b.id = arc.callee_id
        LEFT JOIN location l ON l.id = arc.location_id LEFT JOIN module m ON m.id = l.module_id
        GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7""" % columns, path)


def nodes(path='run.db'):
    """Process, thread, and functions with their objects, callers last, of each node."""
    rows = {row[0]: row[1:] for row in ask(
                'SELECT id, process_id, thread, function, object, caller_id FROM node', path)}
    found = {}

    def chain(node):
        if node not in found:
            process, thread, function, of, caller = rows[node]
            found[node] = process, thread, ((function, of), *(chain(caller)[2] if caller else ()))
        return found[node]

    return {node: chain(node) for node in rows}


def places(path='run.db'):
    """File and address of each location."""
    modules = dict(ask('SELECT id, path FROM module', path))
    return {location: (modules.get(inside[0]), inside[1]) if inside else None
            for location, (_, _, *inside) in batches('location_batch', path)}


def costs_of_nodes(path='run.db'):
    """Costs by node and place, and calls with their costs by caller, place, callee and kind."""
    of, at, sums, width = nodes(path), places(path), {}, len(names(path)) + 1

    def add(key, numbers):
        row = sums.setdefault(key, [0] * width)
        for i, number in enumerate(numbers):
            row[i] += number

    for _, (node, location, *numbers) in batches('cost_batch', path):
        add((of[node], at.get(location)), numbers)
    for _, (caller, location, callee, kind, *numbers) in batches('arc_batch', path):
        add((of.get(caller), at.get(location), of[callee], kind), numbers)
    return sums


def jumps(path='run.db'):
    """How often each jump was executed and taken."""
    of, at, sums = nodes(path), places(path), {}
    for _, (node, start, end, conditional, executed, taken) in batches('jump_batch', path):
        key = of[node], at.get(start), at.get(end), conditional
        before = sums.get(key, (0, 0))
        sums[key] = before[0] + executed, before[1] + taken
    return sums


def counted(process=0, path='run.db'):
    """Ir, Dr and Dw as the counters of the process have them; see docs/counting.md."""
    return ask("""SELECT instructions + rep_iterations, accesses - stores, stores FROM process
        WHERE id = %d""" % process, path)[0]


def set_up(dwell, programs, folder):
    global DWELL, PROGRAMS
    DWELL, PROGRAMS = dwell, programs
    os.environ.update(XDG_RUNTIME_DIR=folder)


def digits(path='run.db'):
    return [len(str(pid)) for pid, in ask('SELECT pid FROM process ORDER BY id', path)]


PART = os.environ.get('DWELL_TEST_PART', '1/1')
IS_WHOLE = PART == '1/1'


def is_left_out(count=[0]):
    """DWELL_TEST_PART=K/N: only each Nth comparison, from the Kth; each kind of option comes with
    many programs.
    """
    count[0] += 1
    part, parts = map(int, PART.split('/'))
    return count[0] % parts != part % parts


def check_filter(*command, always=False):
    """With the filter and without all costs are the same, and all calls and jumps."""
    if not always and is_left_out():
        return
    for _ in range(8):
        simulate(*command)
        simulate('--no-filter', *command, path='other.db')
        # Programs write down the number of their process: one digit more, some instructions more;
        # and other digits use other bytes of a table.
        if digits() == digits('other.db') and (costs() == costs('other.db') or
                                               '--line-use' not in ' '.join(command)):
            break
    check_same_costs(command)
    here, there = arcs(), arcs('other.db')
    check(here == there, command, *(set(here) ^ set(there)))
    check(here or '--no-call-graph' in command, command, 'no calls')
    if any(word.startswith(('--context', '--separate-threads')) for word in command):
        here, there = costs_of_nodes(), costs_of_nodes('other.db')
        check(here == there, command,
              sorted((k, here.get(k), there.get(k)) for k in set(here) | set(there)
                     if here.get(k) != there.get(k))[:10])
    if '--jumps' in command:
        here, there = jumps(), jumps('other.db')
        check(here, command, 'no jumps')
        check(here == there, command, sorted(set(here.items()) ^ set(there.items()), key=str)[:20])
