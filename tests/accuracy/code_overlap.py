#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Are the misses of a set of programs charged to the right lines and functions?

code_overlap.py --set fit|choose|report [--build DIR] [--runs N] [--only EXPRESSION] [--keep DIR]
[--record OPTIONS]

The programs of curve_set_programs.py, recorded with the defaults. For lines of code in a cache of
32 KB and functions in one of 1 MB, with random replacement, it prints the *overlap*: the sum over
all lines of the lesser of the exact and the sampled share of the misses, first touches included.
Exact shares (dwell simulate --curve --by) are kept in the folder --keep.
"""
import argparse
import json
import os
import re
import statistics
import sys
import tempfile

import compare_code
import curve_set_programs as programs

PARTS = ('line', '32K'), ('function', '1M')


def overlap(program, by, at, options, folder):
    """Mean over the recordings."""
    kept = os.path.join(options.keep, '%s-%s-%s.json' % (program, by, at))
    options.by, options.at = by, at
    options.command = programs.command_of(program, os.path.join(options.build, 'tests', 'accuracy'))
    found = []
    for seed in range(1, options.runs + 1):
        shares, process, _ = compare_code.sampled(options, seed, folder, True)
        if not os.path.exists(kept):
            with open(kept, 'w') as f:
                json.dump(compare_code.exact(options, process, folder, True), f)
        with open(kept) as f:
            found.append(compare_code.overlap(json.load(f), shares))
    return statistics.mean(found)


def parse():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    p.add_argument('--set', choices=sorted(programs.SETS), required=True)
    p.add_argument('--build', default='build', help='where dwell and the programs are')
    p.add_argument('--runs', type=int, default=1, help='recordings, each with its seed')
    p.add_argument('--only', default='', help='programs whose name matches')
    p.add_argument('--record', default='', help='more options of dwell record')
    p.add_argument('--keep', default=os.path.expanduser('~/.cache/dwell-code'),
                   help='folder of what is kept')
    options = p.parse_args()
    options.build, options.keep = os.path.abspath(options.build), os.path.abspath(options.keep)
    return options


def main():
    options = parse()
    os.environ.update(programs.ENVIRONMENT)
    inputs = os.path.join(options.keep, 'inputs')
    programs.make_files(inputs)
    os.chdir(inputs)
    print('%-14s' % 'program' + ''.join('%12s %4s' % part for part in PARTS))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for program in programs.SETS[options.set]:
            if not re.search(options.only, program):
                continue
            rows.append([overlap(program, by, at, options, folder) for by, at in PARTS])
            print('%-14s' % program + ''.join('%17.3f' % value for value in rows[-1]), flush=True)
    print('%-14s' % 'mean' + ''.join('%17.3f' % statistics.mean(column) for column in zip(*rows)))
    return 0


if __name__ == '__main__':
    sys.exit(main())
