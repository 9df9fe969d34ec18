#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Of seven real programs: misses by data structure and cause add up to the events of the same run.

    data_sums.py [--build DIR] [--only EXPRESSION] [--quick]

Each program runs once under `dwell simulate --data` in each of some hierarchies; --quick: the first
one only. In each level the misses of an instruction on all data structures are its misses as
events; pairs of evictions with first touches are all misses, of each data structure, too; and the
views bins and causes show as many. Minutes.
"""
import argparse
import collections
import csv
import io
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in 'cli', 'perf':
    sys.path.insert(0, os.path.join(HERE, '..', folder))
import bench  # noqa: E402
import simulate_common  # noqa: E402
from seven_programs import PROGRAMS  # noqa: E402
from simulate_common import ask, batches, names  # noqa: E402

HIERARCHIES = [
    ['L1i=32K,8,64', 'L1d=32K,8,64', 'LL=1M,16,64'],
    ['L1i=8K,2,64,fifo', 'L1d=16K,4,64,fifo', 'L2=64K,8,64', 'LL=512K,16,128,random'],
]
EVENTS = {'L1d': ['D1mr', 'D1mw'], 'L1i': ['I1mr'], 'L2': ['I2mr', 'D2mr', 'D2mw'],
          'LL': ['ILmr', 'DLmr', 'DLmw']}


def sums(rows):
    """{key: sum} of rows (key..., number) that are not 0."""
    found = collections.Counter()
    for *key, number in rows:
        found[tuple(key)] += number
    return {key: number for key, number in found.items() if number}


def event_misses():
    """Rows (cache, location, misses)."""
    columns = {name: i for i, name in enumerate(names())}
    for _, (_, location, *numbers) in batches('cost_batch', 'run.db'):
        for cache, events in EVENTS.items():
            which = [columns[e] for e in events if e in columns]
            yield cache, location, sum(numbers[i] for i in which if i < len(numbers))


def shown(view):
    """{L1 or another cache: misses} of all rows."""
    status, out, err = simulate_common.run(view, '--format', 'csv', 'run.db')
    if status != 0:
        sys.exit('%s: %s' % (view, err))
    rows = list(csv.DictReader(io.StringIO(out)))
    if view == 'bins':
        return {level: sum(int(r[level + '_misses']) for r in rows) for level in ('L1', 'LL')}
    return sums((r['cache'], int(r['misses'])) for r in rows)


def differences(wanted, found, what):
    keys = [k for k in wanted.keys() | found.keys() if wanted.get(k, 0) != found.get(k, 0)]
    return ['%s: %s: %d, expected %d' % (what, k, found.get(k, 0), wanted.get(k, 0))
            for k in keys[:3]]


def check():
    """Returns (totals by cache, what is wrong)."""
    events = sums(event_misses())
    bins = sums(ask('SELECT cache, location_id, misses FROM bin'))
    wrong = differences(events, bins, 'instructions')
    totals = sums((cache, n) for (cache, _), n in events.items())
    causes = (ask('SELECT cache, structure_id, misses FROM eviction') +
              ask('SELECT cache, structure_id, cold FROM bin'))
    wrong += differences(sums(ask('SELECT cache, structure_id, misses FROM bin')), sums(causes),
                         'structures')
    own = ('SELECT cache, structure_id, misses FROM eviction WHERE structure_id = '
           'evictor_structure_id')
    wrong += differences(sums(ask('SELECT cache, structure_id, by_self FROM bin')), sums(ask(own)),
                         'by self')
    if ask('SELECT count(*) FROM process') == [(1,)]:
        both = {'L1': sum(n for (cache,), n in totals.items() if cache in ('L1d', 'L1i')),
                'LL': totals['LL',]}
        wrong += differences(both, shown('bins'), 'bins') + differences(totals, shown('causes'),
                                                                        'causes')
    return totals, wrong


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--build', default='build')
    p.add_argument('--only', default='.', help='programs whose names match')
    p.add_argument('--quick', action='store_true')
    options = p.parse_args()
    failed = 0
    bench.PROGRAMS = PROGRAMS
    os.environ.update(LC_ALL='C', PYTHONHASHSEED='0', PERL_HASH_SEED='0')
    dwell = os.path.abspath(os.path.join(options.build, 'dwell'))
    with tempfile.TemporaryDirectory() as folder:
        simulate_common.SECONDS = 900
        simulate_common.set_up(dwell, None, folder)
        os.chdir(folder)
        for name in filter(lambda n: re.search(options.only, n), PROGRAMS):
            command = bench.command_for(name, folder, False)
            for caches in HIERARCHIES[:1 if options.quick else None]:
                status, _, err = simulate_common.run('simulate', '-q', '--data', '-o', 'run.db', *(
                    '--cache=' + c for c in caches), '--', *command)
                if status != 0 or 'not counted by data structure' in err:
                    sys.exit('%s ended with %d: %s' % (name, status, err))
                totals, wrong = check()
                print('%-8s %s' % (name, ' '.join('%s %d' % (c, n) for (c,),
                                                  n in sorted(totals.items()))), flush=True)
                print(''.join('    %s\n' % w for w in wrong), end='', flush=True)
                failed += bool(wrong)
    sys.exit(failed > 0)


if __name__ == '__main__':
    main()
