#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Bounds of rows in a sampled simulation, against the simulation of all accesses.

bench_sampled_rows.py [--seeds N] [--only EXPRESSION] [--sample SHARE,LENGTH] [--size SIZE] [--dwell
PATH]

For each program and view: of the rows that make 5 % or more of the misses of a first level, how
many have the truth inside their bounds; the median of the distance of the bounds, as a part of the
truth. Exit status 1 if less than 95 %.
"""
import argparse
import csv
import io
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import bench

BIG = 0.05
CONTAINERS = r'''
#include <list>
#include <map>
#include <unordered_map>
#include <vector>
int main()
{
	std::vector<long> v;
	std::map<long, long> m;
	std::unordered_map<long, long> h;
	std::list<long> l;
	unsigned long x = 1, sum = 0;
	for (long i = 0; i < 60000; i++) {
		x = x * 6364136223846793005ul + 1442695040888963407ul;
		v.push_back(x >> 40);
		m[x >> 44] = i;
		h[x >> 42] = i;
		if (i % 4 == 0)
			l.push_back(i);
	}
	for (int r = 0; r < 30; r++) {
		for (long k : v) {
			auto f = m.find(k >> 4);
			auto g = h.find(k >> 2);
			sum += (f != m.end() ? f->second : 0) + (g != h.end() ? g->second : 0);
		}
		for (long k : l)
			sum += k;
	}
	return sum == 42;
}
'''
STENCIL = '''
program stencil
  implicit none
  integer, parameter :: n = 500
  real(8), allocatable :: a(:,:), b(:,:)
  integer :: i, j, t
  allocate(a(n,n), b(n,n))
  a = 1d0; b = 0d0
  do t = 1, 60
    do j = 2, n-1
      do i = 2, n-1
        b(i,j) = 0.25d0 * (a(i-1,j) + a(i+1,j) + a(i,j-1) + a(i,j+1))
      end do
    end do
    do i = 2, n-1
      do j = 2, n-1
        a(i,j) = b(i,j)
      end do
    end do
  end do
  print *, a(n/2,n/2)
end program
'''
SCALES = {'gzip': 6, 'bzip2': 10, 'xz': 2, 'sqlite3': 5}  # of bench.py: 0.3 to 1 s
# Columns that name a row, misses, and bounds; and rows that are told apart
VIEWS = {'bins': (['function', 'data'], 'L1_misses', 'L1_low', 'L1_high', None),
         'objects': (['data'], 'L1_misses', 'L1_low', 'L1_high', None),
         'report': (['name'], 'self_L1m', 'self_L1m.low', 'self_L1m.high', None),
         'causes': (['cache', 'cause', 'data', 'evictor_data'], 'misses', 'low', 'high',
                    ('cache', 'L1d')),}


def command_of(name, base):
    if name == 'containers':
        source, compiler = 'containers.cc', ['g++', '-O2', '-g']
        text = CONTAINERS
    elif name == 'stencil':
        source, compiler = 'stencil.f90', ['gfortran', '-O1', '-g']
        text = STENCIL
    else:
        if name in SCALES:
            bench.PROGRAMS[name] = SCALES[name], bench.PROGRAMS[name][1]
        else:
            bench.PROGRAMS[name] = 1, bench.PROGRAMS[name][1].replace(bench.ROUNDS, ' 12')
        return bench.command_for(name, base, False)
    path = os.path.join(base, source)
    with open(path, 'w') as out:
        out.write(text)
    subprocess.run(compiler + ['-o', path + '.bin', path], check=True)
    return [path + '.bin']


class Run:
    def __init__(self, options, argv, base, more):
        path = os.path.join(base, 'run.db')
        caches = ['--cache=L1i=32K,8,64', '--cache=L1d=%s' % options.size, '--cache=LL=8M,16,64',
                  '--no-call-graph', '--data']
        subprocess.run(['setarch', '-R', options.dwell, 'simulate',
                        '-q', '-o', path] + caches + more + ['--'] + argv,
                       check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        self.views = {view: self.rows(options.dwell, path, view) for view in VIEWS}

    @staticmethod
    def rows(dwell, path, view):
        names, misses, low, high, only = VIEWS[view]
        done = subprocess.run([dwell, view, '-i', path, '--format', 'csv'], check=True,
                              capture_output=True, text=True)
        found = {}
        for row in csv.DictReader(io.StringIO(done.stdout)):
            if only and row[only[0]] != only[1] or row.get('cause') == 'unknown':
                continue
            key = tuple(row.get(name, row.get('name')) for name in names)
            count, bottom, top = (float(row.get(column) or row[misses]) for column in (misses, low,
                                                                                       high))
            before = found.get(key, (0, 0, 0))
            found[key] = count + before[0], bottom + before[1], top + before[2]
        return found


def big_of(rows):
    whole = sum(count for count, _, _ in rows.values())
    return {key: count for key, (count, _, _) in rows.items() if count >= BIG * whole}


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    p.add_argument('--seeds', type=int, default=3)
    p.add_argument('--dwell', default='build/dwell')
    p.add_argument('--only', default='')
    p.add_argument('--sample', default='10%,100K')
    p.add_argument('--size', default='16K,1,64')
    p.add_argument('--verbose', action='store_true')
    options = p.parse_args()
    options.dwell = os.path.abspath(options.dwell)
    base = tempfile.mkdtemp(prefix='dwell-bench-')
    os.environ.update(LC_ALL='C', PERL_HASH_SEED='0', PYTHONHASHSEED='0')
    inside = pairs = 0
    print('| program | ' + ' | '.join(VIEWS) + ' |\n|---|' + '---|' * len(VIEWS))
    try:
        for name in [n for n in ['gzip', 'bzip2', 'xz', 'sqlite3', 'perl', 'python3', 'containers',
                                 'stencil']
                     if re.search(options.only, n)]:
            argv = command_of(name, base)
            true = Run(options, argv, base, [])
            runs = [Run(options, argv,
                        base, ['--sample=' + options.sample, '--seed=%d' % (seed + 1)])
                    for seed in range(options.seeds)]
            cells = []
            for view in VIEWS:
                held, widths = [], []
                for key, count in big_of(true.views[view]).items():
                    for run in runs:
                        guess, low, high = run.views[view].get(key, (0, 0, 0))
                        held.append(low <= count <= high)
                        widths.append((high - low) / count)
                        if options.verbose and not held[-1]:
                            print('    %s %s %s: true %.0f, %.0f in %.0f to %.0f' %
                                  (name, view, key, count, guess, low, high))
                inside += sum(held)
                pairs += len(held)
                cells.append('%d of %d, %.2f' % (sum(held), len(held), statistics.median(widths))
                             if held else '')
            print('| %s | %s |' % (name, ' | '.join(cells)), flush=True)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    print('\nThe truth is inside in %d of %d (%.1f %%).' % (inside, pairs,
                                                            100 * inside / max(pairs, 1)))
    return 0 if inside >= 0.95 * pairs else 1


if __name__ == '__main__':
    sys.exit(main())
