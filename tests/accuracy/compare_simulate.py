#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""dwell simulate against Cachegrind: the same programs, inputs and caches.

    compare_simulate.py [--dwell PATH] [--scale N] [--only EXPRESSION] [--markdown]

Programs run as in compare_valgrind.py: one environment, no address randomisation, the same string
functions. Counts must agree within --limit per cent, misses within the greater of --miss-limit per
cent and --miss-floor. Bit tests between registers, which Valgrind does in memory, are removed from
its counts, with the misses charged to them; misses of others that they cause remain.

Other differences:
- The kernel and Valgrind place memory differently. Caches whose sets depend on more than the
  address within a page are affected. And mremap natively moves blocks that Valgrind grows in place.
- ld.so puts the thread's variables at another place within a page.
- Valgrind's bit tests write below the stack, and so evict other lines.
- Its brk() gives no more than 8 MB.
--layouts, --one-heap and --short-brk show the effect of the first, second and last;
docs/results/simulation.md explains all.
"""
import argparse
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import compare_valgrind as cv

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'transparency'))
import inputs  # noqa: E402

# Valgrind loads this into each program: so do we, or ld.so would have less to do.
PRELOAD = '/usr/libexec/valgrind/vgpreload_core-amd64-linux.so'
# What the first byte of a program's stack is, and nothing else.
PROBE = """
#include <stdio.h>
int main(int argc, char **argv)
{
	(void)argc;
	printf("%lx\\n", (unsigned long)argv & 4095);
	return 0;
}
"""

# For --short-brk: a page in the way of the heap, where Valgrind's brk() ends.
SHORT_BRK = """
#include <sys/mman.h>
#include <unistd.h>
__attribute__((constructor)) static void end_heap(void)
{
	unsigned long end = (((unsigned long)sbrk(0) + 4095) & ~4095ul) + (8ul << 20);
	mmap((void *)end, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}
"""

PROGRAMS = dict(cv.PROGRAMS, **{'python3': 'python3 -S -E -c "x = {i: str(i) for i '
                                'in range(60000)}; print(sum(len(v) for v in x.values()))"',
                                'perl': 'perl -e "my %h; $h{$_ % 5000} .= $_ for 1..150000; print '
                                'scalar keys %h"',})
# For --one-heap: malloc takes this much when it begins, and neither maps nor moves blocks of its
# own.
HEAP = 1 << 27
TUNABLES = {'top_pad': HEAP, 'mmap_threshold': HEAP, 'trim_threshold': 8 * HEAP}
COUNTS = ['Ir', 'Dr', 'Dw']
MISSES = ['I1mr', 'D1mr', 'D1mw', 'ILmr', 'DLmr', 'DLmw']
CACHES = {'I1': '32768,8,64', 'D1': '32768,8,64', 'LL': '8388608,16,64'}
OURS = {'I1': 'L1i', 'D1': 'L1d', 'LL': 'LL'}


def totals(profile):
    with sqlite3.connect(profile) as db:
        names = [row[0]
                 for row in db.execute('SELECT name FROM event WHERE formula IS NULL ORDER BY id')]
        sums = db.execute('SELECT %s FROM cost' % ', '.join('sum("%s")' % n
                                                            for n in names)).fetchone()
    return dict(zip(names, sums))


def stack_of(command, argv, base, more):
    """Where argv[] begins in its page, for a program of a name as long and with the same arguments.
    """
    probe = os.path.join(base, 'p' *
                         (len(argv[0]) - len(base) - 1)) if len(argv[0]) > len(base) + 1 else ''
    if not probe:  # a link of that length somewhere else
        probe = '/tmp/' + 'p' * (len(argv[0]) - 5)
    shutil.copy(os.path.join(base, 'probe'), probe)
    try:
        done = subprocess.run(
            ['setarch', '-R'] + command + [probe] + argv[1:], cwd=base, check=True,
            env=dict(cv.environment(base), **more), capture_output=True, text=True)
    finally:
        os.unlink(probe)
    return int(done.stdout, 16)


def alike(argv, base, options):
    """Commands that run Dwell and Valgrind in the same environment, such that the stack is at one
    place within its page.

    Valgrind adds LD_PRELOAD behind all others. Its stacks begin with less, so that it wants a
    longer variable, by 80 bytes or so.
    """
    with open(base + '/probe.c', 'w') as f:
        f.write(PROBE)
    subprocess.run(['gcc', '-o', base + '/probe', base + '/probe.c'], check=True)
    pad = {'ours': '', 'theirs': ''}
    for _ in range(4):
        ours = stack_of([options.dwell, 'record', '-q', '--mode=count', '-o', base + '/probe.db',
                         '--'], argv, base,
                        {'PAD': pad['ours'], 'LD_PRELOAD': PRELOAD})
        theirs = stack_of([cv.VALGRIND, '-q', '--tool=none'], argv, base, {'PAD': pad['theirs']})
        if ours == theirs:
            break
        above = (theirs - ours) % 4096
        pad['theirs' if above < 2048 else 'ours'] += 'x' * min(above, 4096 - above)
    else:
        print('%s: the stack is at %x, not at %x' % (argv[0], ours, theirs), file=sys.stderr)
    return ['env', 'PAD=' + pad['ours'], 'LD_PRELOAD=' + PRELOAD], ['env', 'PAD=' + pad['theirs']]


def simulate(argv, base, options, before):
    profile = os.path.join(base, 'simulated.db')
    for name in profile, profile + '.old':
        if os.path.exists(name):
            os.unlink(name)
    caches = ['--cache=%s=%s' % (OURS[k], v) for k, v in CACHES.items()]
    cv.run(before + [options.dwell, 'simulate',
                     '-o', profile] + caches + options.more.split() + ['--'] + argv,
           base, options.patience)
    return totals(profile)


def layouts(argv, base, options):
    """{event: (least, most)} of runs with address randomisation: memory lies elsewhere each time.
    """
    runs = []
    caches = ['--cache=%s=%s' % (OURS[k], v) for k, v in CACHES.items()]
    for _ in range(options.layouts):
        subprocess.run([options.dwell, 'simulate', '-q', '--no-call-graph', '-o', base +
                        '/layout.db'] + caches + ['--'] + argv,
                       cwd=base, env=dict(cv.environment(base), LD_PRELOAD=PRELOAD), check=True,
                       stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, timeout=options.patience)
        runs.append(totals(base + '/layout.db'))
    return {e: (min(r[e] for r in runs), max(r[e] for r in runs)) for e in COUNTS + MISSES if runs}


def cachegrind(argv, base, options, before):
    out = os.path.join(base, 'cachegrind.out')
    cv.run(before + [cv.VALGRIND, '-q', '--tool=cachegrind', '--cache-sim=yes',
                     '--vex-guest-chase=no', '--cachegrind-out-file=' + out] +
           ['--%s=%s' % pair for pair in CACHES.items()] + argv, base, options.patience)
    with open(out) as f:
        lines = f.read().splitlines()
    events = next(line.split()[1:] for line in lines if line.startswith('events:'))
    values = next(line.split()[1:] for line in reversed(lines) if line.startswith('summary:'))
    return dict(zip(events, map(int, values)))


def misses_at(path, wanted):
    """{event: how often} of the instructions at wanted[object file], in a Callgrind file by
    instruction.
    """
    found, here, skip, events = {}, set(), False, []
    with open(path) as f:
        for line in f:
            if line.startswith('events:'):
                events = line.split()[1:]
            elif line.startswith('ob='):
                here = wanted.get(line[3:].strip(), set())
            elif line.startswith('calls='):
                skip = True
            elif line.startswith('0x'):
                word = line.split()
                if not skip and int(word[0], 16) in here:
                    for event, value in zip(events, map(int, word[2:])):
                        found[event] = found.get(event, 0) + value
                skip = False
    return found


def bit_tests(argv, base, options, before):
    """What Valgrind counts for bit tests, executions and misses, from a Callgrind run by
    instruction.
    """
    cv.valgrind('callgrind', argv, base, options, before)
    path, form = (os.path.join(base, 'callgrind.out'),
                  re.compile(r'\s*([0-9a-f]+):\s+bt[src]?[wlq]?\s+%\w+,%\w+\s*$'))
    places = {}
    for name in cv.executions(path):
        if os.path.exists(name):
            dump = subprocess.run(['objdump', '-d', '--no-show-raw-insn', name],
                                  capture_output=True, text=True)
            places[name] = {int(m[1], 16) for m in map(form.match, dump.stdout.splitlines()) if m}
    return cv.bit_tests(path), misses_at(path, places)


def is_near(event, mine, other, options):
    if event in COUNTS:
        return abs(mine - other) <= other * options.limit / 100
    return abs(mine - other) <= max(other * options.miss_limit / 100, options.miss_floor)


def compare(name, base, options):
    argv = cv.prepare(name, base, options)
    before, before_theirs = alike(argv, base, options)
    ours, theirs = simulate(argv, base, options, before), cachegrind(argv, base, options,
                                                                     before_theirs)
    if not options.fast:
        tests, misses = bit_tests(argv, base, options, before_theirs)
        for event in MISSES:
            theirs[event] -= misses.get(event, 0)
        for kind in tests:
            for event in 'Dr', 'Dw':
                theirs[event] -= tests[kind] * cv.BIT_TESTS['cachegrind'][kind][event]
    for event, (least, most) in layouts(argv, base, options).items():
        print('%-9s %-6s %15s to %15s, wherever memory lies' % (name, event, format(least, ','),
                                                                format(most, ',')))
    return [(name, e, ours[e], theirs[e], is_near(e, ours[e], theirs[e], options))
            for e in COUNTS + MISSES]


def show(rows, markdown):
    form = '| %s | %s | %s | %s | %s | %s |' if markdown else '%-9s %-6s %15s %15s %12s %s'
    print(form % ('program', 'event', 'Dwell', 'Cachegrind', 'difference', ''))
    if markdown:
        print('|---|---|---:|---:|---:|---|')
    for name, event, mine, other, good in rows:
        print(form % (name, event, format(mine, ','), format(other, ','),
                      '%+.4f %%' % (100 * (mine - other) / other) if other else mine - other,
                      '' if good else 'far'))


def environment(base):
    """As compare_valgrind has it, and hashes as in every run."""
    return dict(cv_environment(base), PYTHONHASHSEED='0', PERL_HASH_SEED='0')


cv_environment, cv.environment = cv.environment, environment


def one_heap(base):
    e = dict(environment(base), PYTHONMALLOC='malloc')
    e['GLIBC_TUNABLES'] += ''.join(':glibc.malloc.%s=%d' % pair for pair in TUNABLES.items())
    return e


def preload(base, name, source):
    """A library of ours for the program under Dwell and under Valgrind, so that both do the same.
    """
    global PRELOAD
    path = '%s/%s.so' % (base, name)
    with open('%s/%s.c' % (base, name), 'w') as f:
        f.write(source)
    subprocess.run(['gcc', '-O1', '-shared', '-fPIC', '-o', path, '%s/%s.c' % (base, name)],
                   check=True)
    PRELOAD += ':' + path
    before = cv.environment
    cv.environment = lambda folder: dict(before(folder), LD_PRELOAD=path)


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    p.add_argument('--dwell', default='build/dwell')
    p.add_argument('--scale', type=int, default=1)
    p.add_argument('--functions', type=int, default=12, help='how many functions cc1 compiles')
    p.add_argument('--only', default='')
    p.add_argument('--more', default='', help='more options of dwell simulate')
    p.add_argument('--patience', type=float, default=300, help='seconds that one run may take')
    p.add_argument('--limit', type=float, default=0.1, help='per cent, for counts')
    p.add_argument('--miss-limit', type=float, default=0.5, help='per cent, for misses')
    p.add_argument('--miss-floor', type=int, default=50)
    p.add_argument('--layouts', type=int, default=0,
                   help='show the range of so many runs with address randomisation')
    p.add_argument(
        '--one-heap', action='store_true',
        help='malloc takes memory once: where mmap and mremap put blocks makes no difference')
    p.add_argument('--short-brk', action='store_true',
                   help='the heap ends after 8 MB, as under Valgrind')
    p.add_argument('--fast', action='store_true', help='do not run Callgrind for the bit tests')
    p.add_argument('--markdown', action='store_true')
    options = p.parse_args()
    options.dwell = os.path.abspath(options.dwell)
    if options.one_heap:
        cv.environment = one_heap
    base = tempfile.mkdtemp(prefix='dwell-simulate-')
    if options.short_brk:
        preload(base, 'short-brk', SHORT_BRK)
    cv.PROGRAMS = PROGRAMS
    cv.inputs = inputs
    inputs.make(os.path.join(base, 'inputs'), options.scale)
    rows = []
    try:
        for name in [n for n in PROGRAMS if re.search(options.only, n)]:
            rows += compare(name, base, options)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    show(rows, options.markdown)
    return 0 if all(row[-1] for row in rows) else 1


if __name__ == '__main__':
    sys.exit(main())
