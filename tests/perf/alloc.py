#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost of tracking allocations, in nanoseconds of CPU time per call.

    alloc.py --dwell PATH --program PATH [--bar NS] [--rounds N]

The program (bench_alloc.c) times its own calls, without and with tracking; the fastest round
counts, as others use the machine, too. Exit status 1 if a call costs more than the bar in the first
case, a block that is freed at once; the time for a million blocks depends on the memory.
"""
import argparse
import re
import subprocess
import sys
import tempfile

FRAMES = ['0', '12']


def measure(arguments, frames, options):
    """What the program says, line by line: text -> nanoseconds."""
    with tempfile.NamedTemporaryFile(suffix='.db') as profile:
        out = subprocess.run([arguments.dwell, 'record', '-q', '-o', profile.name, *options, '--',
                              arguments.program, frames],
                             stdout=subprocess.PIPE, check=True, timeout=200).stdout.decode()
    return {what: float(ns) for what, ns in re.findall(r'^(.*?): +([\d.]+) ns$', out, re.M)}


def best(arguments, frames, options):
    runs = [measure(arguments, frames, options) for _ in range(arguments.rounds)]
    return {what: min(run[what] for run in runs) for what in runs[0]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--dwell', required=True)
    parser.add_argument('--program', required=True)
    parser.add_argument('--bar', type=float, default=150)
    parser.add_argument('--rounds', type=int, default=3)
    arguments = parser.parse_args()
    above = False
    for frames in FRAMES:
        without = best(arguments, frames, ['--no-objects'])
        followed = best(arguments, frames, [])
        for what, ns in followed.items():
            calls = 2 if what.startswith('a pair') else 1
            cost = (ns - without[what]) / calls
            above |= 'one block' in what and cost > arguments.bar
            print('%-32s %2s frames: %6.1f ns, followed %6.1f ns: %6.1f ns a call'
                  % (what, frames, without[what], ns, cost))
    return above


if __name__ == '__main__':
    sys.exit(main())
