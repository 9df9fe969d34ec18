#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost of profiling: CPU time of engine, target and collector, relative to the target alone.

Seven programs, each natively and under each mode in turn (A B C A B C ...), user and system
time of the whole process tree. For each program the fastest run counts: everything else on the
machine only adds time. Ratios and their geometric means are printed. Exit status 1 if the mean over
all programs, or the start, misses its bar. A run's first 240 million accesses, most of which are in
windows, take a third of the native time of programs of 3 s, and a tenth with --long; the bars are
the same.

    bench.py [-n RUNS] [--quick | --long] [--dwell PATH] [--only EXPRESSION]
"""
import argparse
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'transparency'))
import inputs  # noqa: E402

# name -> scale of the inputs (some 3 s natively, on a fast processor; sqlite3 10), and the command;
# $IN is their directory
PROGRAMS = {
    'gzip': (40, 'gzip -9 -c $IN/text'),
    'bzip2': (100, 'bzip2 -9 -c $IN/text'),
    'xz': (9, 'xz -6 -T1 -c $IN/text'),
    'sqlite3': (40, 'sqlite3 :memory: ".read $IN/job.sql"'),
    'python3': (1, '/usr/bin/python3 $IN/job.py 200'),
    'perl': (1, 'perl $IN/job.pl 200'),
    'cc1': (5, '$CC1 -quiet -O1 $IN/steps.i -o /dev/null'),
}
# Some 10 s: the scale instead, or the rounds that the command ends with.
LONG = {'gzip': 160, 'bzip2': 400, 'xz': 36, 'python3': 900, 'perl': 800, 'cc1': 17}
ROUNDS = ' 200'
VARIANTS = [('count', ['--mode', 'count']), ('record', [])]
BARS = {'count': 1.55, 'record': 1.6}
START_BAR = 60  # ms


def cpu_seconds(argv, out):
    """User and system time of argv and of every process it waited for, and the wall time."""
    start = time.monotonic()
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit('bench: %s ended with %d' % (' '.join(argv), process.returncode))
    return usage.ru_utime + usage.ru_stime, time.monotonic() - start


def command_for(name, base, quick, is_long=False):
    scale, command = PROGRAMS[name]
    if is_long and command.endswith(ROUNDS):
        command = command[:-len(ROUNDS)] + ' %d' % LONG[name]
    elif is_long:
        scale = LONG.get(name, scale)
    scale = max(1, scale // 12) if quick else scale
    folder = os.path.join(base, str(scale))
    if not os.path.exists(folder):
        inputs.make(folder, scale)
    if name == 'cc1':
        subprocess.run(['gcc', '-E', folder + '/steps.c', '-o', folder + '/steps.i'], check=True)
        cc1 = subprocess.run(['gcc', '-print-prog-name=cc1'], check=True, capture_output=True)
        command = command.replace('$CC1', cc1.stdout.decode().strip())
    if quick:
        command = re.sub(ROUNDS + '$', ' 3', command)
    argv = re.findall(r'"[^"]*"|\S+', command.replace('$IN', folder))
    return [word.strip('"') for word in argv]


def measure(name, argv, options, base):
    """{variant: least CPU seconds}, 'native' among them; the variants take turns."""
    profile = os.path.join(base, 'bench.db')
    best = {}
    with open(os.devnull, 'wb') as out:
        for _ in range(options.n):
            for variant, arguments in [('native', None)] + VARIANTS:
                full = argv if arguments is None else \
                    [options.dwell, 'record', '-q', '-o', profile] + arguments + ['--'] + argv
                cpu, wall = cpu_seconds(full, out)
                old = best.get(variant, (cpu, wall))
                best[variant] = (min(cpu, old[0]), min(wall, old[1]))
    return best


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def start_up(options, base):
    """The wall time that profiling adds to a program that does nothing, in milliseconds."""
    best = measure('true', ['true'], argparse.Namespace(n=max(10, options.n), dwell=options.dwell),
                   base)
    return {v: 1000 * (best[v][1] - best['native'][1]) for v, _ in VARIANTS}


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    p.add_argument('-n', type=int, default=5, help='runs of each (5)')
    length = p.add_mutually_exclusive_group()
    length.add_argument('--quick', action='store_true', help='inputs of a quarter second, 2 runs')
    length.add_argument('--long', action='store_true', help='inputs of 10 seconds instead of 3')
    p.add_argument('--dwell', default='build/dwell')
    p.add_argument('--only', default='')
    p.add_argument('--json', help='write the figures there too')
    options = p.parse_args()
    options.dwell = os.path.abspath(options.dwell)
    if options.quick:
        options.n = min(options.n, 2)
    os.environ.update(LC_ALL='C', PYTHONHASHSEED='0')
    base = tempfile.mkdtemp(prefix='dwell-bench-')
    names = [n for n in PROGRAMS if re.search(options.only, n)]
    figures = {}
    try:
        print('%-10s %9s' % ('program', 'native s') + ''.join('%9s %7s' % (v + ' s', 'ratio') for v,
                                                              _ in VARIANTS))
        for name in names:
            best = measure(name, command_for(name, base, options.quick, options.long), options,
                           base)
            ratios = {v: best[v][0] / best['native'][0] for v, _ in VARIANTS}
            figures[name] = {'native_seconds': best['native'][0], 'ratios': ratios}
            print('%-10s %9.3f' % (name, best['native'][0]) +
                  ''.join('%9.3f %7.2f' % (best[v][0], ratios[v]) for v, _ in VARIANTS), flush=True)
        if names:
            means = {v: geometric_mean([figures[n]['ratios'][v] for n in names]) for v,
                     _ in VARIANTS}
            figures['geometric mean'] = {'ratios': means}
            print('%-10s %9s' % ('geo. mean', '') + ''.join('%9s %7.2f' % ('', means[v]) for v,
                                                            _ in VARIANTS))
            print('%-10s %9s' % ('bar', '') + ''.join('%9s %7.2f' % ('', BARS[v]) for v,
                                                      _ in VARIANTS))
        added = start_up(options, base)
        figures['start-up'] = {'added_ms': added}
        print('start-up: ' + ', '.join('%s adds %.1f ms' % (v, added[v]) for v, _ in VARIANTS) +
              ' (bar: %d ms)' % START_BAR)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    if options.json:
        with open(options.json, 'w') as f:
            json.dump(figures, f, indent=1)
    is_whole = names == list(PROGRAMS) and not options.quick
    missed = is_whole and any(means[v] > BARS[v] for v in BARS) or max(added.values()) > START_BAR
    return 1 if missed else 0


if __name__ == '__main__':
    sys.exit(main())
