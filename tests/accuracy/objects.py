#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether dwell objects finds the data that misses, and how much.

    objects.py --dwell PATH KNOWN_DATA [KNOWN_TYPES] [KNOWN_OWNERS]

KNOWN_DATA is known_data.c: the misses and accesses of each of its variables are known by
construction. KNOWN_TYPES is known_types.cc, with known names and types of variables. KNOWN_OWNERS
is known_owners.c, whose blocks use the same memory in turn. Estimates are checked over several
runs, as not all 95 % intervals contain the truth: the means must be near it, and most intervals
must contain it. Each check prints one line; the exit status is 0 if none failed.
"""
import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

SIZE = '256K'
SEEDS = range(1, 7)
# of all intervals: of 30 that hold the truth in 95 % so few do by chance once in 300 times
COVERED = 0.85
HEAP = 'calloc in heap_new (known_data.c)'
ROUNDS = {'small': 40000, 'lines': 5244, 'dense': 41944, 'call::calls': 10000, HEAP: 2622}
RATIOS = {'small': 128 / 40000, 'lines': 1, 'dense': 1 / 8, 'call::calls': 64 / 10000, HEAP: 1}
TYPES = {'small': 'volatile long int[1024]', 'lines': 'volatile struct line[262200]',
         'dense': 'volatile double[2097200]', 'call::calls': 'volatile long int[512]', HEAP: None}
CXX_TYPES = {'app::boxes': 'app::box<int>[2000]', 'app::points': 'app::point[3000]',
             'app::pairs': 'std::vector<std::pair<int, float>',
             'app::(anonymous namespace)::hidden': 'long int[4000]',
             'app::point::table': 'int[3000]', 'app::box<int>::count': 'long int[512]',
             'next::last': 'int[1000]'}
OWNED = 8 * 32  # accesses to the blocks in a round
failed = 0


def check(good, *what):
    global failed
    failed += not good
    print('%-8s %s' % ('ok' if good else 'FAILED', ' '.join(str(w) for w in what)))


def objects(dwell, program, *arguments, seed=5):
    with tempfile.TemporaryDirectory(prefix='dwell-objects-') as folder:
        path = os.path.join(folder, 'dwell.db')
        subprocess.run([dwell, 'record', '-q', '--seed', str(seed), '-o', path, '--', program],
                       check=True,
                       stdout=subprocess.DEVNULL, timeout=120)
        done = subprocess.run([dwell, 'objects', '-i', path, '--format=json', *arguments],
                              check=True,
                              capture_output=True, timeout=60)
        return json.loads(done.stdout)['objects']


def check_names(rows):
    for name in ROUNDS:
        r = rows.get(name)
        check(r is not None, name, 'is found')
        if r is None:
            continue
        check(r['type'] == TYPES[name], name, 'is', r['type'])
        check((r['file'] or '').endswith('known_data.c'), name, 'is of', r['file'])
        check((r['line'] > 0) == (name != HEAP), name, 'is of line', r['line'])
    heap = rows.get(HEAP, {})
    check((heap.get('blocks'), heap.get('bytes'), heap.get('element_size')) == (1, 262200 * 64, 64),
          'the heap has', [heap.get(k) for k in ('blocks', 'bytes', 'element_size')])
    check([f['function'] for f in heap.get('path', [])][:2] == ['heap_new', 'main'],
          'the heap is allocated by', [f['function'] for f in heap.get('path', [])])


def check_sums(rows):
    check(abs(sum(r['access_share'] for r in rows) - 1) < 1e-6, 'the accesses add up to 1')
    check(abs(sum(r['miss_share'] for r in rows) - 1) < 1e-6, 'the misses add up to 1')
    order = [r['name'] for r in rows[:2]]
    check(order == ['lines', 'dense'] or order == ['dense', 'lines'], 'the first are', order)


def check_estimates(runs):
    """runs: rows by name, for each seed. All of them have all names."""
    accesses = sum(ROUNDS.values())
    misses = sum(ROUNDS[n] * RATIOS[n] for n in ROUNDS)
    held = 0
    for name, count in ROUNDS.items():
        rows = [r[name] for r in runs]
        for what, key, truth, bound in (('of the accesses', 'access_share', count / accesses, 0.03),
                                        ('missing', 'miss_ratio', RATIOS[name], 0.01),
                                        ('of the misses', 'miss_share',
                                         count * RATIOS[name] / misses, 0.03)):
            mean = sum(r[key] for r in rows) / len(rows)
            check(abs(mean - truth) < bound, name,
                  '%s: %.2f %%, in truth %.2f %%' % (what, 100 * mean, 100 * truth))
        held += sum(r['low'] <= RATIOS[name] <= r['high'] for r in rows)
        print('         intervals', ' '.join('%.4f-%.4f' % (r['low'], r['high']) for r in rows))
    intervals = len(runs) * len(ROUNDS)
    check(held >= COVERED * intervals, 'the truth lies in %d of %d intervals' % (held, intervals))


def check_data(dwell, program):
    runs = []
    for seed in SEEDS:
        rows = objects(dwell, program, '--size', SIZE, '--sites-by', 'function', seed=seed)
        check_sums(rows)
        runs.append({r['name']: r for r in rows})
    check_names(runs[0])
    if all(name in r for r in runs for name in ROUNDS):
        check_estimates(runs)
    else:
        check(False, 'not all data was found in all runs')


def check_types(dwell, program):
    rows = {r['name']: r for r in objects(dwell, program)}
    for name, kind in CXX_TYPES.items():
        r = rows.get(name)
        check(r is not None and r['type'].startswith(kind), name, 'is', r and r['type'])


def check_owners(dwell, program):
    """An access is of the block that was there when it was made."""
    rows = objects(dwell, program, '--sites-by', 'function')
    with tempfile.TemporaryDirectory(prefix='dwell-objects-') as folder:
        counted = subprocess.run([dwell, 'record', '--mode', 'count',
                                  '-o', os.path.join(folder, 'dwell.db'), '--',
                                  program], check=True, capture_output=True, timeout=120)
        done = subprocess.run([dwell, 'info', '-i', os.path.join(folder, 'dwell.db')], check=True,
                              capture_output=True, timeout=60)
    accesses = int(re.search(r'^accesses +(\d+)$', done.stdout.decode(), re.M).group(1))
    truth = OWNED * int(re.search(rb'of (\d+) rounds', counted.stdout).group(1)) / accesses
    first, second = ([r['access_share'] for r in rows if owner in r['name']]
                     for owner in ('first_owner', 'second_owner'))
    check(len(first) == len(second) == 1, 'two owners are found')
    if first and second:
        check(abs(first[0] / (first[0] + second[0]) - 0.75) < 0.02,
              'the first owner has %.2f of what both are touched, in truth 0.75' %
              (first[0] / (first[0] + second[0])))
        check(abs(first[0] + second[0] - truth) < 0.02,
              'both have %.3f of all accesses, in truth %.3f' % (first[0] + second[0], truth))


def check_live(dwell, program):
    """Variables are named while the program runs."""
    with tempfile.TemporaryDirectory(prefix='dwell-objects-') as folder:
        path = os.path.join(folder, 'dwell.db')
        run = subprocess.Popen([dwell, 'record', '-q', '-o', path, '--', program, '100000'],
                               stdout=subprocess.DEVNULL,
                               start_new_session=True)
        kind, end = None, time.monotonic() + 30
        while kind is None and time.monotonic() < end and run.poll() is None:
            time.sleep(0.2)
            done = subprocess.run([dwell, 'objects', '-i', path, '--format=json'],
                                  capture_output=True, timeout=60)
            rows = json.loads(done.stdout)['objects'] if done.returncode == 0 else []
            kind = next((r['type'] for r in rows if r['name'] == 'lines'), None)
        check(run.poll() is None and kind == TYPES['lines'], 'while it runs, lines is', kind)
        os.killpg(run.pid, signal.SIGTERM)
        run.wait(timeout=30)


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    p.add_argument('--dwell', default='build/dwell')
    p.add_argument('known_data')
    p.add_argument('known_types', nargs='?')
    p.add_argument('known_owners', nargs='?')
    options = p.parse_args()
    check_data(os.path.abspath(options.dwell), options.known_data)
    check_live(os.path.abspath(options.dwell), options.known_data)
    if options.known_types:
        check_types(os.path.abspath(options.dwell), options.known_types)
    if options.known_owners:
        check_owners(os.path.abspath(options.dwell), options.known_owners)
    print('objects: %d failed' % failed)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
