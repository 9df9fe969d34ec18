#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The call graph of dwell simulate against Callgrind's: calls and inclusive instructions of arcs.

    compare_arcs.py [--dwell PATH] [--scale N] [--only EXPRESSION] [--top N] [--markdown]

Programs run as in compare_simulate.py, and mmap() returns the same addresses: python's allocator
reads bits of these, and branches on them. Callgrind runs with --separate-recs=2, which separates
outermost calls of a function from those inside them: only the outermost ones have an inclusive cost
with the same meaning in both.

Callgrind skips the stubs of linkage tables, except those of .plt.got, which it does not know: these
are skipped here. It cannot see jumps to functions without a symbol: everything below such a
function is left out. So is the dynamic linker, whose work depends on processor and environment.
"""
import argparse
import collections
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import compare_simulate as cs
import compare_valgrind as cv
from compare_simulate import inputs

# What it does depends on the processor, which Valgrind has another one, and on the environment.
LINKER = 'ld-linux-x86-64.so.2+'
# Memory that the program asks for itself; malloc's is where it would be.
SAME_MAPS = """
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
void *mmap64(void *at, size_t bytes, int prot, int flags, int fd, off_t offset)
{
	static unsigned long next = 1ul << 39; /* where neither the kernel nor Valgrind puts anything */
	if (at == 0 && (flags & MAP_ANONYMOUS)) {
		at = (void *)next;
		next += (bytes + 4095) & ~4095ul;
		flags |= MAP_FIXED;
	}
	return (void *)syscall(SYS_mmap, at, bytes, prot, flags, fd, offset);
}
void *mmap(void *at, size_t bytes, int prot, int flags, int fd, off_t offset) __attribute__((alias("mmap64")));
"""
Arc = collections.namedtuple('Arc', 'caller callee')


class Names:
    """A function has many names; here it has the place in its file where one of them is defined."""

    def __init__(self):
        self.tables = {}

    @staticmethod
    def nm(options, path, table):
        done = subprocess.run(['nm', '-C', '--defined-only'] + options + [path],
                              capture_output=True, text=True)
        for line in done.stdout.splitlines():
            fields = line.split(None, 2)
            if len(fields) == 3 and fields[1] in 'tTwWi':
                table.setdefault(re.sub('@.*', '', fields[2]), int(fields[0], 16))
                table.setdefault(re.sub(r'\.(part|isra|constprop)\..*', '', fields[2]),
                                 int(fields[0], 16))

    def table(self, path):
        if path not in self.tables:
            table = self.tables[path] = {}
            self.nm(['-D'], path or '', table)
            notes = subprocess.run(['readelf', '-n', path], capture_output=True, text=True).stdout
            build = re.search('Build ID: ([0-9a-f]+)', notes)
            if build:
                debug = '/usr/lib/debug/.build-id/%s/%s.debug' % (build.group(1)[:2],
                                                                  build.group(1)[2:])
                self.nm([], debug if os.path.exists(debug) else path, table)
        return self.tables[path]

    def place(self, function, path):
        function = re.sub(r"'\d+$", '', function)
        inside = re.fullmatch(r'\[.*\+0x([0-9a-f]+)\]', function) or re.fullmatch('0x([0-9a-f]+)',
                                                                                  function)
        address = int(inside.group(1),
                      16) if inside else self.table(path).get(re.sub('@.*', '', function))
        where = os.path.basename(path or '')
        return '%s+%#x' % (where, address) if address is not None else '%s:%s' % (where, function)


    def has_name(self, place):
        """Does a function that place() gave have a symbol?"""
        where, _, address = place.partition('+')
        tables = [t for path, t in self.tables.items() if os.path.basename(path or '') == where]
        return not address or any(int(address, 16) in t.values() for t in tables)


names = Names()


def through_stubs(arcs):
    """Calls of the stubs that have no object are calls of what these jump to."""
    targets = collections.defaultdict(set)
    for arc in arcs:
        if arc.caller.startswith('???+'):
            targets[arc.caller].add(arc.callee)
    result = collections.defaultdict(lambda: [0, 0])
    for arc, (calls, cost) in arcs.items():
        if arc.caller in targets:
            continue
        if len(targets[arc.callee]) == 1:  # whose own instruction is not the function's
            arc, cost = Arc(arc.caller, *targets[arc.callee]), cost - calls
        result[arc][0] += calls
        result[arc][1] += cost
    return dict(result)


def unseen(arcs, jumps):
    """Arcs that hang on a jump to a function without a symbol."""
    callees = collections.defaultdict(set)
    for arc in arcs:
        callees[arc.caller].add(arc.callee)
    nameless = {arc for arc in jumps if not names.has_name(arc.callee)}
    left_out = set()
    for arc in nameless:
        reached, rest = set(), [arc.callee]
        while rest:
            function = rest.pop()
            for callee in callees[function] - reached:
                reached.add(callee)
                if Arc(function, callee) in nameless:
                    rest.append(callee)
        left_out.add(arc)
        left_out |= {Arc(arc.caller, r) for r in reached} | {Arc(arc.callee, r) for r in reached}
    return left_out


class Reader:
    """A file of Callgrind's, with its compressed names."""

    def __init__(self):
        self.names = {'ob': {}, 'fn': {}}
        self.arcs = collections.defaultdict(lambda: [0, 0])

    def name(self, kind, text):
        number, _, name = text.partition(' ')
        if name:
            self.names[kind][number] = name
        return self.names[kind].get(number, text)

    def read(self, lines):
        ob = fn = cob = cfn = ''
        calls = None
        for line in lines:
            key, found, value = line.rstrip('\n').partition('=')
            if calls is not None:  # the line behind calls= has the inclusive cost
                arc = self.arcs[Arc(names.place(fn, ob), names.place(cfn, cob or ob))]
                arc[0] += calls
                if not cfn.endswith("'2"):
                    arc[1] += int(line.split()[1])
                calls, cob = None, ''
            elif not found:
                continue
            elif key == 'ob':
                ob = self.name('ob', value)
            elif key == 'fn':
                fn = self.name('fn', value)
            elif key == 'cob':
                cob = self.name('ob', value)
            elif key == 'cfn':
                cfn = self.name('fn', value)
            elif key == 'calls':
                calls = int(value.split()[0])
        return dict(self.arcs)


def callgrind(argv, base, options, before):
    out = os.path.join(base, 'callgrind.arcs')
    cv.run(before + [cv.VALGRIND, '-q', '--tool=callgrind', '--separate-recs=2',
                     '--show-below-main=yes', '--vex-guest-chase=no',
                     '--callgrind-out-file=' + out] + argv, base, options.patience)
    with open(out) as f:
        return through_stubs(Reader().read(f))


def dwell(argv, base, options, before):
    profile = os.path.join(base, 'arcs.db')
    cv.run(before + [options.dwell, 'simulate',
                     '-o', profile] + options.more.split() + ['--'] + argv, base, options.patience)
    arcs, jumps = collections.defaultdict(lambda: [0, 0]), set()
    with sqlite3.connect(profile) as db:
        rows = db.execute('SELECT a.function, a.object, b.function, b.object, sum(calls), sum(Ir),'
                          " max(kind = 'jump') FROM arc"
                          ' JOIN node a ON a.id = arc.caller_id JOIN node b ON b.id = '
                          'arc.callee_id GROUP BY 1, 2, 3, 4')
        for caller, caller_object, callee, callee_object, calls, cost, has_jumps in rows:
            arc = Arc(names.place(caller, caller_object), names.place(callee, callee_object))
            arcs[arc][0] += calls
            arcs[arc][1] += cost
            if has_jumps:
                jumps.add(arc)
        total, = db.execute('SELECT sum(Ir) FROM cost').fetchone()
    os.unlink(profile)
    return dict(arcs), jumps, total


def is_near(mine, other, limit, floor):
    return abs(mine - other) <= max(other * limit / 100, floor)


def compare(name, base, options):
    argv = cv.prepare(name, base, options)
    before, before_theirs = cs.alike(argv, base, options)
    theirs = callgrind(argv, base, options, before_theirs)
    ours, jumps, total = dwell(argv, base, options, before)
    left_out = unseen(ours, jumps)
    wanted = [a for a in theirs if a not in left_out and
              not any(place.startswith(LINKER) for place in a)]
    rows = []
    for arc in sorted(wanted, key=lambda a: -theirs[a][1])[:options.top]:
        mine = ours.get(arc, [0, 0])
        good = (is_near(mine[0], theirs[arc][0], options.limit, 1) and
                is_near(mine[1], theirs[arc][1], options.limit, total * options.floor / 100))
        rows.append((name, arc, mine, theirs[arc], good))
    return rows


def percent(mine, other):
    return '%+.3f %%' % (100 * (mine - other) / other) if other else str(mine)


def show(rows, options):
    if not options.all:
        rows = [row for row in rows if not row[-1]]
    for name, arc, mine, other, good in rows:
        print('%-8s %-60s calls %12s %12s  inclusive %15s %15s %10s %s' % (
                  name, '%s -> %s' % arc, format(mine[0], ','), format(other[0], ','),
                  format(mine[1], ','),
                  format(other[1], ','), percent(mine[1], other[1]), '' if good else 'far'))


def summarize(rows):
    print('| program | arcs | within the limit |')
    print('|---|---:|---:|')
    for name in dict.fromkeys(row[0] for row in rows):
        mine = [row[-1] for row in rows if row[0] == name]
        print('| %s | %d | %d |' % (name, len(mine), sum(mine)))


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    p.add_argument('--dwell', default='build/dwell')
    p.add_argument('--scale', type=int, default=1)
    p.add_argument('--functions', type=int, default=12, help='how many functions cc1 compiles')
    p.add_argument('--only', default='')
    p.add_argument('--more', default='', help='more options of dwell simulate')
    p.add_argument('--patience', type=float, default=300, help='seconds that one run may take')
    p.add_argument('--top', type=int, default=50,
                   help='arcs of each program, by their inclusive cost')
    p.add_argument('--limit', type=float, default=1, help='per cent')
    p.add_argument('--floor', type=float, default=0.01,
                   help="per cent of the program's instructions that no arc need be nearer than")
    p.add_argument('--all', action='store_true', help='show also what is within the limit')
    options = p.parse_args()
    options.dwell = os.path.abspath(options.dwell)
    base = tempfile.mkdtemp(prefix='dwell-arcs-')
    plain_environment = cv.environment
    cv.environment = lambda base: dict(plain_environment(base), PERL_HASH_SEED='0',
                                       PYTHONHASHSEED='0')
    # which would not hear of the seed
    cv.PROGRAMS = dict(cs.PROGRAMS, python3=cs.PROGRAMS['python3'].replace(' -E', ''))
    cv.inputs = inputs
    inputs.make(os.path.join(base, 'inputs'), options.scale)
    cs.preload(base, 'same-maps', SAME_MAPS)
    rows = []
    try:
        for name in [n for n in cv.PROGRAMS if re.search(options.only, n)]:
            rows += compare(name, base, options)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    show(rows, options)
    summarize(rows)
    return 0 if all(row[-1] for row in rows) else 1


if __name__ == '__main__':
    sys.exit(main())
