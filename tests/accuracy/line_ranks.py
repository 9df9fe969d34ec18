#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Are the lines of seven real programs in the order of their exact misses?

line_ranks.py [--build DIR] [--runs N] [--only EXPRESSION] [--at SIZE] [--record OPTIONS] [--rank R]

The programs of seven_programs.py, recorded with the defaults and compared as in compare_code.py.
Prints for each the number of lines with 80 % of the exact misses, the means of Spearman's
coefficient over them and of the one that dwell report expects, and the total error of their shares
in percentage points. Exit status 1 if a program's mean is below --rank by more than three of its
standard errors: a few runs know the mean to these only.
"""
import argparse
import os
import re
import statistics
import sys
import tempfile

import compare_code
import seven_programs


def parse():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    p.add_argument('--build', default='build', help='where dwell is')
    p.add_argument('--runs', type=int, default=1, help='recordings of each, each with its seed')
    p.add_argument('--only', default='', help='programs whose name matches')
    p.add_argument('--at', default='32K', help='the size of the cache (32K)')
    p.add_argument('--record', default='', help='options of dwell record')
    p.add_argument('--rank', type=float, default=0, help='the least mean coefficient of each')
    options = p.parse_args()
    options.by = 'line'
    return options


def mean(values):
    """None when one of them is not known, or there are none."""
    return sum(values) / len(values) if values and None not in values else None


def measure(options, name, folder):
    """Prints the program's line. Returns the most that its mean coefficient may be, by chance."""
    options.command = seven_programs.bench.command_for(name, folder, False)
    truth, seen = {}, []
    for seed in range(1, options.runs + 1):
        seen.append(compare_code.compare(options, seed, truth, folder))
    coefficient, expected = mean([c for _, c, _ in seen]), mean([e for _, _, e in seen])
    print('%-10s %6d %8.3f %9s %8.1f' % (
        name, len(seen[0][0]), coefficient, '' if expected is None else '%.3f' % expected,
        mean([compare_code.off(rows) for rows, _, _ in seen])), flush=True)
    values = [c for _, c, _ in seen]
    return coefficient + (3 * statistics.stdev(values) / len(values)**.5 if len(values) > 1 else 0)


def main():
    options = parse()
    os.environ.update(LC_ALL='C', PYTHONHASHSEED='0', PERL_HASH_SEED='0', PERL_PERTURB_KEYS='0')
    seven_programs.bench.PROGRAMS = seven_programs.PROGRAMS
    names = [n for n in seven_programs.PROGRAMS if re.search(options.only, n)]
    if not names:
        sys.exit("line_ranks.py: no program matches '%s'" % options.only)
    print('%-10s %6s %8s %9s %8s' % ('program', 'lines', 'ranks', 'expected', 'off by'))
    with tempfile.TemporaryDirectory() as folder:
        low = [n for n in names if measure(options, n, folder) < options.rank]
    if low:
        print('bar not reached (%.2f): %s' % (options.rank, ', '.join(low)))
    return 1 if low else 0


if __name__ == '__main__':
    sys.exit(main())
