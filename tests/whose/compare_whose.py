#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""dwell simulate --data counts what a naive reference counts, on random programs.

compare_whose.py [--dwell PATH] [--naive PATH] [--seeds FIRST:END] [--shapes N] [--only EXPRESSION]

Valgrind's lackey writes down the accesses of each program, and naive_whose counts the misses of
each bin and the pairs of evictions in some hierarchy; and the references of each bin. The same
program runs under Dwell, with --data and with --references. All numbers must be equal. Random
programs are random_program.py's.
"""
import argparse
import collections
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import random_program  # noqa: E402

VALGRIND = shutil.which('valgrind.bin') or shutil.which('valgrind')
CACHES = ['L1d', 'L2', 'L3', 'L4', None, 'L1i']
NOT_COUNTED = 'not counted by data structure'
WAYS = ['--data'], ['--references'], ['--conflicts'], ['--conflicts', '--references']


def cache(rng, name, lines, most_ways, line=64):
    ways = rng.choice([w for w in (1, 2, 3, 4, 8, 12, 16) if w <= most_ways])
    sets = 1 << rng.randint(3, 6)
    if name not in ('L1i', 'L1d'):
        sets = max(1, lines // ways)
    return '%s=%d,%d,%d,%s' % (name, sets * ways * line, ways, line,
                               rng.choice(['lru', 'lru', 'fifo', 'random:%d' % rng.randint(1, 9)]))


def shape(rng):
    """A hierarchy as options; translated code can look into its first level."""
    caches = [cache(rng, 'L1d', 0, 16)]
    if rng.random() < 0.8:
        caches.append(cache(rng, 'L1i', 0, 16))
    lower = rng.choice([[], ['LL'], ['LL'], ['LL'], ['L2', 'LL'], ['L2', 'L3', 'LL']])
    for i, name in enumerate(lower):
        caches.append(cache(rng, name, 128 << 2 * i, 16, rng.choice([64, 64, 64, 128])))
    # One policy for all is the common case, and has code of its own.
    if rng.random() < 0.5:
        policy = rng.choice(['lru', 'fifo'])
        caches = [','.join(c.split(',')[:3] + [policy]) for c in caches]
    if not lower:
        caches.append('LL=none')
    return caches


# ---- What the reference counts ----

def trace(program):
    path = program + '.trace'
    subprocess.run(['setarch', '-R', VALGRIND, '-q', '--tool=lackey', '--trace-mem=yes',
                    '--log-file=' + path, program],
                   check=True)
    return path


def naive(options, program, traced, caches):
    with open(traced) as f:
        done = subprocess.run([options.naive, program + '.map', *caches], stdin=f,
                              capture_output=True, text=True, check=True)
    found = {}
    for line in done.stdout.splitlines():
        kind, cache_number, *rest = line.split()
        words = 4 if kind == 'eviction' else 2
        found[(kind, int(cache_number), *rest[:words])] = tuple(map(int, rest[words:]))
    return found


# ---- What Dwell counts ----

class Profile:
    def __init__(self, path):
        self.db = sqlite3.connect('file:%s?mode=ro' % path, uri=True)
        self.pc = {}
        for first, text in self.db.execute('SELECT first_id, list FROM location_batch'):
            for location, row in enumerate(json.loads(text), first):
                self.pc[location] = row[1]
        self.sites = {site: (kind, json.loads(calls)) for site, kind,
                      calls in self.db.execute('SELECT id, kind, path FROM site')}
        self.names = {i: self.name(*row) for i,
                      *row in self.db.execute('SELECT id, kind, site_id, start FROM structure')}
        self.levels = [c for c, in self.db.execute('SELECT DISTINCT cache FROM bin')]

    def name(self, kind, site, start):
        if kind == 'variable':
            return 'variable:%x' % start
        if kind != 'site':
            return kind
        what, calls = self.sites[site]
        if what in ('stack', 'thread-local', 'allocator', 'brk'):
            return what
        return 'mapping' if what == 'mmap' else 'site:' + ','.join('%x' % self.pc[c] for c in calls)

    def counts(self, lowest):
        """As naive() has them. `lowest`: the number of LL."""
        lengths = {'bin': 4, 'eviction': 2, 'references': 1}
        found = collections.defaultdict(lambda: [0, 0, 0, 0])

        def number(name):
            return lowest if name == 'LL' else CACHES.index(name)
        for structure, location, name, *numbers in self.db.execute(
                'SELECT structure_id, location_id, cache, misses, cold, by_self, conflicts FROM '
                'bin'):
            row = found['bin', number(name), '%x' % self.pc[location], self.names[structure]]
            for i, n in enumerate(numbers):
                row[i] = None if n is None else row[i] + n
        for name, structure, function, by, by_function, misses, conflicts in self.db.execute(
                'SELECT cache, structure_id, location_id, evictor_structure_id, '
                'evictor_location_id, misses, conflicts FROM eviction'):
            key = ('eviction', number(name), '%x' % self.pc[function], self.names[structure],
                   '%x' % self.pc[by_function], self.names[by])
            found[key][0] += misses
            found[key][1] = None if conflicts is None else found[key][1] + conflicts
        for structure, location, count in self.db.execute(
                'SELECT structure_id, location_id, sum(counted) FROM reference GROUP BY 1, 2'):
            found['references', 0, '%x' % self.pc[location], self.names[structure]][0] += count
        return {key: tuple(row[:lengths[key[0]]]) for key, row in found.items()}


def simulate(options, program, caches, folder, which, environment=None):
    path = os.path.join(folder, 'run.db')
    command = ['setarch', '-R', options.dwell, 'simulate', '-q', *which, '-o', path,
               *('--cache=' + c for c in caches)]
    if not any(c.startswith('L1i') for c in caches):
        command.append('--no-instructions')
    done = subprocess.run([*command, '--', program], capture_output=True, text=True, timeout=100,
                          env=environment)
    if done.returncode != 0 or NOT_COUNTED in done.stderr:
        sys.exit('%s: %d: %s' % (' '.join(command), done.returncode, done.stderr))
    lowest = sum(not c.startswith('L1i') and not c.endswith('none') for c in caches) - 1
    return Profile(path).counts(lowest)


def compare(wanted, found, which):
    """The keys that differ, first those of the first levels."""
    if '--references' not in which:  # they are estimates
        wanted, found = ({k: n for k, n in counts.items() if k[0] != 'references'}
                         for counts in (wanted, found))
    if '--conflicts' not in which:
        wanted = {k: n if k[0] == 'references' else n[:-1] + (None,) for k, n in wanted.items()}
    return sorted((k for k in wanted.keys() | found.keys() if wanted.get(k) != found.get(k)),
                  key=lambda k: (k[1] % 5, k))


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--dwell', default='build/dwell')
    p.add_argument('--naive', default='build/tests/whose/naive_whose')
    p.add_argument('--seeds', default='0:8', help='of programs, the last one excluded')
    p.add_argument('--shapes', type=int, default=4, help='hierarchies for each program')
    p.add_argument('--calls', type=int, default=60, help='how long each program runs')
    p.add_argument('--shape', help='the only hierarchy, its caches with blanks between them')
    options = p.parse_args()
    options.dwell, options.naive = os.path.abspath(options.dwell), os.path.abspath(options.naive)
    if VALGRIND is None:
        print('valgrind is not installed')
        sys.exit(77)
    failed = 0
    kinds = {'bin': 0, 'eviction': 0, 'references': 0}
    first, end = map(int, options.seeds.split(':'))
    for seed in range(first, end):
        with tempfile.TemporaryDirectory() as folder:
            program = random_program.make(seed, folder, options.calls)
            traced = trace(program)
            rng = random.Random(seed)
            for number in range(options.shapes):
                caches = options.shape.split() if options.shape else shape(rng)
                wanted = naive(options, program, traced, caches)
                for kind in kinds:
                    kinds[kind] += sum(k[0] == kind for k in wanted)
                for which in WAYS[number % 2::2]:
                    found = simulate(options, program, caches, folder, which)
                    wrong = compare(wanted, found, which)
                    if not wrong:
                        continue
                    failed += 1
                    print('seed %d: %s %s: %d of %d counts differ' %
                          (seed, ' '.join(which), ' '.join(caches), len(wrong), len(wanted)))
                    for key in wrong[:5]:
                        print('   ', *key, 'expected', wanted.get(key), 'found', found.get(key))
                if options.shape:
                    break
    print('%d bins, %d pairs of evictions, %d bins of references; %d runs differ' %
          (*kinds.values(), failed))
    sys.exit(failed > 0)


if __name__ == '__main__':
    main()
