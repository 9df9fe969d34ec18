#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Costs stay in proportion to what a program has: four times as much of it takes four times the
time.

    scaling.py --dwell PATH --program GROWS --library PATH [--only EXPRESSION] [--all]

Each row is something that grows (grows.c), and how the program is run. The CPU time of all
processes counts, less that of almost nothing of it, and less the program's own. What takes less
than the floor is taken for the floor, so that noise does not count. A row that misses the bar is
measured again, twice: the least time counts. The last rows compare the call graph's price with a
run without it.

With --all each kind runs in each mode. Exit status 1 when a row misses its bar.
"""
import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile

# For four times as much. What grows with the square takes 16 times; short runs on a busy machine
# scatter.
BAR, SHORT_BAR = 4.5, 6.5
FLOOR = 0.12  # seconds
SECONDS = 100  # for a run, which counts as so much if it takes longer
GRAPH_BAR, GRAPH_FLOOR = 3, 0.15

COUNT, RECORD, PATHS = ['record', '--mode', 'count'], ['record'], ['record', '-g']
SIMULATE, DATA = ['simulate'], ['simulate', '--data']
CONTEXTS, JUMPS, THREADS = (['simulate', '--context=2'], ['simulate', '--jumps'],
                            ['simulate', '--separate-threads'])
MODES = [COUNT, RECORD, PATHS, SIMULATE, DATA, CONTEXTS, JUMPS, THREADS]

# What grows, how much of it at first, and the modes in which `make check` looks at it.
ROWS = [
    ('rewritten', 20000, [COUNT, SIMULATE]),
    ('rewritten_at_boundary', 20000, [COUNT]),
    ('callees', 4000, [SIMULATE]),
    ('jumped_to', 4000, [JUMPS]),
    ('callers', 4000, [SIMULATE]),
    ('functions', 4000, [SIMULATE]),
    ('named_by_map', 4000, [SIMULATE]),
    ('made_regions', 2000, [COUNT]),
    ('made_and_gone', 2000, [SIMULATE]),
    ('module_in_turns', 250, [SIMULATE, DATA]),
    ('paths', 4000, [CONTEXTS]),
    ('code_mappings', 4000, [COUNT]),
    ('mappings', 4000, [DATA]),
    ('parts', 4000, [COUNT]),
    ('live_blocks', 40000, [RECORD]),
    ('sites', 4000, [DATA]),
    ('pairs', 2000, [DATA]),
    ('threads', 400, [SIMULATE]),
    ('forks', 40, [COUNT]),
    ('signals', 4000, [SIMULATE]),
]
# One million steps: what leads to N places, and how many.
PRICES = [('fixed_callees', 4096), ('fixed_jumps', 4096), ('fixed_callers', 2048),
          ('fixed_cases', 4096)]
PRICED = [[], ['--jumps'], ['--context=2']]


def cpu_seconds(command):
    def used():
        u = resource.getrusage(resource.RUSAGE_CHILDREN)
        return u.ru_utime + u.ru_stime

    before = used()
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return SECONDS
    if done.returncode != 0:
        sys.exit('scaling.py: %s: %s' % (' '.join(command), done.stderr.decode('utf-8', 'replace')))
    return used() - before


class Runs:
    """The least times so far."""

    def __init__(self, options):
        self.options, self.least = options, {}

    def measure(self, mode, kind, n):
        o = self.options
        program = [o.program, kind, str(n), o.library]
        # A new file each time: without the work of keeping the old one.
        with tempfile.TemporaryDirectory() as folder:
            took = cpu_seconds([o.dwell, *mode, '-q', '-o', os.path.join(folder, 'run.db'), '--',
                                *program] if mode else program)
        key = tuple(mode), kind, n
        self.least[key] = min(took, self.least.get(key, took))
        return self.least[key]

    def cost(self, mode, kind, n):
        """Of profiling n of it, but for what a run costs anyhow."""
        return self.measure(mode, kind, n) - self.measure(mode, kind, 1) - self.measure([], kind, n)


def tries(good, measure):
    """The first result that is good, or the third."""
    for _ in range(3):
        result = measure()
        if good(result) or max(result) >= SECONDS / 2:
            break
    return result


def is_linear(runs, kind, n, mode):
    once, four = tries(lambda r: r[1] <= runs.bar * max(r[0], FLOOR),
                       lambda: (runs.cost(mode, kind, n), runs.cost(mode, kind, 4 * n)))
    good = four <= runs.bar * max(once, FLOOR)
    print('%-6s %-24s %7d %-22s %5.2f s, four times as many: %5.2f s'
          % ('ok' if good else 'FAILED', kind, n, ' '.join(mode), once, four), flush=True)
    return good


def is_cheap(runs, kind, n, more):
    def measure():
        base = runs.measure(['simulate', '--no-call-graph'], kind, n)
        return max(base, GRAPH_FLOOR), runs.measure(['simulate', *more], kind, n)

    without, took = tries(lambda r: r[1] <= GRAPH_BAR * r[0], measure)
    good = took <= GRAPH_BAR * without
    print('%-6s %-24s %7d simulate %-13s %5.2f s, without a call graph: %5.2f s'
          % ('ok' if good else 'FAILED', kind, n, ' '.join(more), took, without), flush=True)
    return good


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    p.add_argument('--dwell', required=True)
    p.add_argument('--program', required=True)
    p.add_argument('--library', default='')
    p.add_argument('--only', default='', help='kinds that match')
    p.add_argument('--all', action='store_true', help='each kind in each mode')
    options = p.parse_args()
    os.environ['MALLOC_PERTURB_'] = '0'
    runs, bad = Runs(options), 0
    runs.bar = BAR if options.all else SHORT_BAR
    for kind, n, modes in ROWS:
        for mode in (MODES if options.all else modes) if re.search(options.only, kind) else []:
            bad += not is_linear(runs, kind, n, mode)
    for kind, n in PRICES:
        for more in PRICED if re.search(options.only, kind) else []:
            bad += not is_cheap(runs, kind, n, more)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
