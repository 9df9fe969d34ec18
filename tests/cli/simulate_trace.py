#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""dwell simulate --trace as a user meets it.

    simulate_trace.py [--dwell PATH]

A trace made up here, with accesses that straddle lines, is simulated twice: by dwell, and by a
plain simulator of Cachegrind's rules below. Each case prints one line; the exit status is 0 when
none failed.
"""
import json
import os
import random
import subprocess

from cases import case, check, main

CACHES = ('--cache', 'L1i=1K,2,32', '--cache', 'L1d=2K,4,64', '--cache', 'LL=8K,8,64')


def run(*arguments, stdin=''):
    done = subprocess.run([DWELL, 'simulate', *arguments], input=stdin, capture_output=True,
                          text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def counts(*arguments, stdin=''):
    status, out, err = run('-q', *arguments, stdin=stdin)
    check((status, out, err) == (0, '', ''), arguments, 'ended with', status, repr(err))
    return {e['name']: e['total'] for e in shown('info')['events'] if e['formula'] is None}


def shown(*arguments):
    done = subprocess.run([DWELL, *arguments, '--format=json'], capture_output=True, text=True)
    check((done.returncode, done.stderr) == (0, ''), arguments, 'ended with', done.returncode,
          repr(done.stderr))
    return json.loads(done.stdout)


class Cache:
    """LRU: each set a list of lines, the one used last at its end."""

    def __init__(self, size, ways, line):
        self.line, self.ways = line, ways
        self.sets = [[] for _ in range(size // line // ways)]

    def touch(self, line):
        lines = self.sets[line % len(self.sets)]
        hit = line in lines
        if hit:
            lines.remove(line)
        elif len(lines) == self.ways:
            lines.pop(0)
        lines.append(line)
        return hit

    def misses(self, address, size):
        hits = [self.touch(n) for n in range(address // self.line,
                                             (address + size - 1) // self.line + 1)]
        return not all(hits)


def cachegrind(trace):
    """The nine counts. A straddling access is one miss at most; the last level is asked for all of
    it.
    """
    i1, d1, ll = Cache(1024, 2, 32), Cache(2048, 4, 64), Cache(8192, 8, 64)
    n = dict.fromkeys('Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw'.split(), 0)
    for kind, address, size in trace:
        first, short = (i1, 'I') if kind == 'I' else (d1, 'D')
        what = 'w' if kind == 'S' else 'r'
        size = min(size, 32)
        n[short + what] += 1
        if first.misses(address, size):
            n[short + '1m' + what] += 1
            if ll.misses(address, size):
                n[short + 'Lm' + what] += 1
    return n


def make_trace(accesses):
    r, pc, trace = random.Random(7), 0x400000, []
    for i in range(accesses):
        if r.random() < .1:
            pc = 0x400000 + r.randrange(12000)
        size = r.randrange(1, 12)
        trace.append(('I', pc, size))
        pc += size
        if r.random() < .5:
            where = r.choice((0x7000 + i * 8 % 3000, 0x10000 + r.randrange(1500),
                              0x20000 + r.randrange(40000)))
            trace.append((r.choice('LLSM'), where, r.choice((1, 2, 4, 8, 8, 16, 32, 64, 512))))
    return trace


def lackey(trace):
    lines = ['==99== Lackey, an example Valgrind tool', '==99==']
    lines += [('I  %08x,%d' if kind == 'I' else ' ' + kind + ' %08x,%d') % (address, size)
              for kind, address, size in trace]
    return '\n'.join(lines + ['==99== ', '']) + '\n'


@case
def counts_are_those_of_cachegrinds_rules():
    trace = make_trace(30000)
    with open('trace', 'w') as f:
        f.write(lackey(trace))
    want = cachegrind(trace)
    check(min(want.values()) > 100, 'the trace is too tame', want)
    check(counts('--trace', 'trace', *CACHES) == want, 'not', want)
    check(counts('--trace', '-', '--trace-format', 'lackey', *CACHES, stdin=lackey(trace)) == want,
          'from a pipe')


@case
def dinero_says_the_same_of_single_bytes():
    trace = [(kind, address, 1) for kind, address, _ in make_trace(5000)]
    label = {'L': 0, 'M': 0, 'S': 1, 'I': 2}
    din = ''.join('%d %x\n' % (label[kind], address) for kind, address, _ in trace)
    want = cachegrind(trace)
    check(counts('--trace', '-', *CACHES, stdin=din) == want, 'not', want)
    check(counts('--trace', '-', '--trace-format=dinero', *CACHES, stdin=din) == want, 'not', want)


@case
def features_add_events():
    text = lackey(make_trace(3000))
    got = counts('--trace', '-', *CACHES, '--write-backs', '--line-use=all',
                 '--cache', 'DTLB=4,full,4K', stdin=text)
    want = ('Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw D1wb LLwb AcCost1 SpLoss1 AcCost2 SpLoss2 DTmr '
            'DTmw')
    check(' '.join(got) == want, got)
    check(all(got[name] > 0 for name in got), got)
    got = counts('--trace', '-', *CACHES, '--no-instructions', stdin=text)
    check(' '.join(got) == 'Ir Dr Dw D1mr D1mw DLmr DLmw', got)
    for policy in ('fifo', 'random', 'random:7', 'plru', 'srrip'):
        one = counts('--trace', '-', '--cache', 'L1d=2K,4,64,' + policy, stdin=text)
        check(one == counts('--trace', '-', '--cache', 'L1d=2K,4,64,' + policy, stdin=text), policy,
              'differs')


@case
def views_show_the_counts():
    text = lackey(make_trace(300))
    want = counts('--trace', '-', *CACHES, stdin=text)
    status, out, err = run('--trace', '-', *CACHES, '-o', 'result.db', stdin=text)
    check((status, out, err) == (0, '', 'dwell: %d accesses, written to result.db; see: dwell '
                                 'report -i result.db\n' % (want['Dr'] + want['Dw'])), err)
    row, = shown('report', '-i', 'result.db')['rows']
    check({k: v for k, v in row['self'].items() if k in want} == want and row['name'] == '[trace]',
          row)
    info = shown('info', '-i', 'result.db')
    check(info['command'] == 'trace standard input' and info['geometry']['L1d'] == '2K,4,64,lru',
          info)


@case
def machines_and_files_are_geometries():
    with open('caches', 'w') as f:
        f.write('# of an old machine\nmachine = haswell\nL2 = none\nL1d = 8K,2,32 # small\n'
                'write-backs\n')
    counts('--trace', '-', '--config', 'caches', '--cache', 'ITLB=64,4,4K', stdin='I  1000,4\n')
    geometry = shown('info')['geometry']
    check(geometry == {'L1i': '32K,8,64,lru', 'L1d': '8K,2,32,lru', 'LL': '8M,16,64,lru,inclusive',
                       'ITLB': '64,4,4K',
                       'write-backs': ''}, geometry)
    for machine in ('host', 'zen4', 'a64fx', 'sapphire-rapids'):
        counts('--trace', '-', '--machine', machine, stdin='I  1000,4\n S 10,8\n')


@case
def bad_use_is_refused():
    with open('empty', 'w'):
        pass
    for status, says, *arguments in (
            (2, 'leave out the command', '--trace', 'x', '--', 'true'),
            (2, 'leave out --curve', '--trace', 'x', '--curve'),
            (2, 'leave out --sizes', '--trace', 'x', '--sizes', '8K:16K'),
            (2, 'leave out --also', '--trace', 'x', '--also', 'L1d=1K,2,64'),
            (2, 'leave out --delay', '--trace', 'x', '--delay', '3'),
            (2, 'leave out --cache', '--curve', '--cache', 'L1d=1K,2,64', '--', 'true'),
            (2, '--no-filter is for runs', '--curve', '--no-filter', '--', 'true'),
            (2, "trace format 'x' is unknown", '--trace', 'x', '--trace-format', 'x'),
            (2, "no machine 'x'", '--trace', 'x', '--machine', 'x'),
            (2, "no cache 'L7'", '--trace', 'x', '--cache', 'L7=1K,2,64'),
            (2, 'SIZE,WAYS,LINE', '--trace', 'x', '--cache', 'L1d=1K'),
            (2, 'cannot be: L1d: 3 sets', '--trace', 'x', '--cache', 'L1d=192,1,64'),
            (2, 'more than 24', '--trace', 'x', *['--cache', 'L1d=1K,2,64'] * 25),
            (2, 'cannot read no-such-file', '--trace', 'x', '--config', 'no-such-file'),
            (3, 'cannot read no-such-file', '--trace', 'no-such-file'),
            (3, 'cannot read .: ', '--trace', '.'),
            (3, 'no access in it', '--trace', 'empty'),
            (5, 'cannot write', '--trace', 'empty', '-o', '/no/such/folder/x.db')):
        got, out, err = run(*arguments)
        check(got == status and says in err and err.count('\n') == 1 and out == '', arguments, got,
              repr(err))


@case
def a_bad_line_is_named():
    good = 'I  1000,4\n L 10,8\n'
    for text, line in ((good + ' L 10\n', 3), (good + good + ' X 10,4\n', 5), ('hello\n', 1),
                       ('0 10\n3 10\n', 2),
                       (good + ' L ffffffffffffffff,8\n', 3), ('0 10\n0 10', None)):
        got, out, err = run('--trace', '-', stdin=text)
        if line is None:
            check(got == 0, 'without a last line end:', repr(err))
        else:
            check(got == 3 and out == '' and
                  err.startswith('dwell: standard input, line %d: ' % line), text, repr(err))
    got, out, err = run('--trace', '-', '-o', 'none.db', stdin='hello\n')
    check(got == 3 and not os.path.exists('none.db'), 'there is a file')


def set_up(dwell, folder):
    global DWELL
    DWELL = dwell


if __name__ == '__main__':
    main('simulate-trace', __doc__, set_up)
