#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How far are sampled curves of a set of programs from the exact ones, and what does recording
cost?

    curve_set.py --set fit|choose|report [--dwell PATH] [--seeds N] [--only EXPRESSION]
                 [--policy NAMES] [--line SIZES] [--again] [--json] [--points] ...

The sets and their programs: curve_set_programs.py. Exact curves (dwell simulate --curve: both
policies, lines of 32, 64 and 128 bytes, 14 sizes of 8 KB to 64 MB) are computed once and kept, with
the recorded ones of each build, in the folder --keep: a new build of dwell needs no new exact
curves. For each policy and size of line a table with a row for each program, mean over the seeds:

    mean, largest  error in percentage points, and the size at which it is largest
    near           share of the points within 10 % or 0.1 points
    bias           mean signed error from 256 KB to 16 MB; over all programs: mean of its absolute
    hold           share of the intervals that hold the exact value
    width          median width of the interval relative to the value, where that is at least 0.1 %

and a table of costs: CPU seconds of record (program and collector) minus native, medians. Exact
curves take half an hour for all three sets, recordings a few seconds each.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

import curve_set_programs as programs

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'perf'))
import bench  # noqa: E402

POLICIES, LINES, SIZES = 'random,lru', '32,64,128', '8K:64M'
MEDIUM = (256 << 10, 16 << 20)  # sizes that the bias is of
NOISE = 0.01  # points: what the exact curve of random replacement scatters by
ROW = '%-14s %7.3f %8.2f %6s %7.0f %+7.3f %7.0f %7s'


def digest(*files):
    """Of their contents."""
    sum_ = hashlib.sha256()
    for name in files:
        with open(name, 'rb') as f:
            sum_.update(hashlib.sha256(f.read()).digest())
    return sum_.hexdigest()[:16]


def kept(path, make, again=False):
    """What the JSON file says, or else what make() returns, which is written there."""
    if not again and os.path.exists(path):
        with open(path) as f:
            return json.load(f)
    value = make()
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open('%s.%d' % (path, os.getpid()), 'w') as f:
        json.dump(value, f)
    os.rename(f.name, path)
    return value


class Program:
    """One of a set: its command, and a name for it with these inputs and this binary."""

    def __init__(self, name, options):
        self.name = name
        self.folder = os.path.join(options.keep, 'inputs')
        self.command = programs.command_of(name, options.workloads)
        if self.command is None:
            return
        inputs = [f for f in self.command[1:] if f in programs.FILES]
        said = ' '.join([os.path.basename(self.command[0])] + self.command[1:])
        files = [self.command[0]] + [os.path.join(self.folder, f) for f in inputs]
        self.key = '%s-%s-%s' % (name, digest(*files),
                                 hashlib.sha256(said.encode()).hexdigest()[:8])


def run_dwell(arguments, folder, out=None):
    done = subprocess.run(arguments, cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=out or subprocess.DEVNULL,
                          stderr=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit('%s: exit status %d\n%s' % (' '.join(arguments), done.returncode,
                                             done.stderr.decode()))
    return done.stdout


def read_curves(dwell, profile, options=()):
    """'policy line' -> [[size, value, low, high], ...], in per cent."""
    curves = {}
    for policy in POLICIES.split(','):
        for line in LINES.split(','):
            answer = json.loads(run_dwell([dwell, 'curve', '-i', profile, '--policy', policy,
                                           '--line', line,
                                           '--format=json', *options], '.', subprocess.PIPE))
            curves[policy + ' ' + line] = [[p['size_bytes']] + [100 * p[k] for k in ('miss_ratio',
                                                                                     'low', 'high')]
                                           for p in answer['points']]
    return curves


def simulate(program, dwell):
    with tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(folder, 'exact.db')
        run_dwell([dwell, 'simulate', '-q', '--curve', '-o', profile, '--sizes', SIZES,
                   '--policy', 'both',
                   '--lines', LINES, '--'] + program.command, program.folder)
        return read_curves(dwell, profile)


def cpu(command, folder):
    old = os.getcwd()
    os.chdir(folder)
    with open(os.devnull, 'wb') as out:
        seconds, _ = bench.cpu_seconds(command, out)
    os.chdir(old)
    return seconds


def record(program, dwell, seed, profiles, again):
    """Curves of one recording, and what it cost."""
    with tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(profiles or folder, '%s-%d.db' % (program.name, seed))
        result = {}
        if again or not os.path.exists(profile):
            native = cpu(program.command, program.folder)
            recorded = cpu([dwell, 'record', '-q', '-o', profile, '--seed', str(seed),
                            '--'] + program.command,
                           program.folder)
            result = {'native_seconds': native, 'added_seconds': recorded - native}
        result['profile_bytes'] = os.path.getsize(profile)
        result['curves'] = read_curves(dwell, profile, ['--sizes', SIZES])
        return result


def compare(exact, sampled):
    """[size, exact, sampled, low, high] for each size, in per cent."""
    values = {row[0]: row[1] for row in exact}
    return [[row[0], values[row[0]]] + row[1:] for row in sampled if row[0] in values]


def score(points):
    errors = [abs(p[2] - p[1]) for p in points]
    medium = [p[2] - p[1] for p in points if MEDIUM[0] <= p[0] <= MEDIUM[1]]
    widths = [(p[4] - p[3]) / p[1] for p in points if p[1] >= 0.1]
    return {'mean': statistics.mean(errors), 'largest': max(errors),
            'at': points[errors.index(max(errors))][0],
            'near': statistics.mean(e <= max(0.1, 0.1 * p[1]) for e, p in zip(errors, points)),
            'bias': statistics.mean(medium),
            'hold': statistics.mean(p[3] - NOISE <= p[1] <= p[4] + NOISE for p in points),
            'width': statistics.median(widths) if widths else None}


def total(scores):
    """Of several programs: means, the largest error, the mean absolute bias, the median of the
    widths.
    """
    result = {k: statistics.mean(s[k] for s in scores) for k in ('mean', 'near', 'hold')}
    worst = max(scores, key=lambda s: s['largest'])
    widths = [s['width'] for s in scores if s['width'] is not None]
    result.update(largest=worst['largest'], at=worst['at'],
                  bias=statistics.mean(abs(s['bias']) for s in scores),
                  width=statistics.median(widths) if widths else None)
    return result


def size_text(size):
    return '%dM' % (size >> 20) if size >= 1 << 20 else '%dK' % (size >> 10)


def show_row(name, s):
    width = '' if s['width'] is None else '%.0f' % (100 * s['width'])
    print(ROW % (name, s['mean'], s['largest'], size_text(s['at']), 100 * s['near'], s['bias'],
                 100 * s['hold'], width))


def show_points(results, name, kind):
    for run in results[name]['runs']:
        print('    ' +
              ' '.join('%s %.2f%+.2f%s' % (size_text(p[0]), p[1], p[2] - p[1],
                                           '' if p[3] - NOISE <= p[1] <= p[4] + NOISE else '!')
                       for p in run['points'][kind]))


def show(results, kinds, with_points):
    header = '%-14s %7s %8s %6s %7s %7s %7s %7s' % ('', 'mean', 'largest', 'at', 'near %', 'bias',
                                                    'hold %', 'width %')
    totals = {}
    for kind in kinds:
        print('%s, lines of %s bytes\n%s' % (*kind.split(), header))
        scores = {n: score([p for run in r['runs'] for p in run['points'][kind]]) for n,
                  r in results.items()}
        for name, s in scores.items():
            show_row(name, s)
            if with_points:
                show_points(results, name, kind)
        totals[kind] = total(list(scores.values()))
        show_row('all', totals[kind])
        print()
    print('%-14s %9s %9s %9s' % ('CPU seconds', 'native', 'added', 'MB'))
    for name, r in results.items():
        print('%-14s %9s %9s %9.1f' %
              (name, *(middle(r['runs'], k) for k in ('native_seconds', 'added_seconds')),
               statistics.median(run['profile_bytes'] for run in r['runs']) / 1e6))
    print('%-14s %9s %9s\n' % ('median',
                               *(middle([run for r in results.values() for run in r['runs']], k)
                                 for k in ('native_seconds', 'added_seconds'))))
    print(header)
    for kind in kinds:
        show_row(kind, totals[kind])
    if len(kinds) > 1:
        show_row('all', total(list(totals.values())))


def middle(runs, key):
    """The median, as text; nothing where no run has it."""
    values = [run[key] for run in runs if key in run]
    return '%.3f' % statistics.median(values) if values else '-'


def parse():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    p.add_argument('--set', required=True, choices=list(programs.SETS))
    p.add_argument('--dwell', default='build/dwell')
    p.add_argument('--exact-dwell', help='the build that simulates (default: that of --dwell)')
    p.add_argument('--workloads',
                   help="folder of the own programs (default: tests/accuracy beside --dwell)")
    p.add_argument(
        '--keep',
        help="folder of what is kept (default: dwell-curves in the user's cache directory)",
        default=os.path.join(os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'),
                             'dwell-curves'))
    p.add_argument('--seeds', type=int, default=1, help='recordings of each program (1)')
    p.add_argument('--only', default='', help='programs whose name matches')
    p.add_argument('--policy', default=POLICIES)
    p.add_argument('--line', default=LINES)
    p.add_argument('--again', action='store_true',
                   help='record again what this build recorded before')
    p.add_argument('--profiles',
                   help='keep the profiles in this folder, and take those that are there already,'
                   ' of whatever build: the same recordings for several models')
    p.add_argument('--exact-only', action='store_true',
                   help='only compute the exact curves that are missing')
    p.add_argument('--jobs', type=int, choices=[1, 2], default=1,
                   help='exact simulations at a time (1)')
    p.add_argument('--points', action='store_true',
                   help='print exact values and errors of each size, too')
    p.add_argument('--json', action='store_true')
    a = p.parse_args()
    a.dwell, a.keep = os.path.abspath(a.dwell), os.path.abspath(a.keep)
    a.exact_dwell = os.path.abspath(a.exact_dwell or a.dwell)
    a.workloads = os.path.abspath(a.workloads or os.path.join(os.path.dirname(a.dwell), 'tests',
                                                              'accuracy'))
    if a.profiles:
        a.profiles = os.path.abspath(a.profiles)
        os.makedirs(a.profiles, exist_ok=True)
    return a


def those_there(options):
    every = [Program(n, options) for n in programs.SETS[options.set] if re.search(options.only, n)]
    for p in every:
        if p.command is None:
            print('%s is left out: the program is not installed' % p.name, file=sys.stderr)
    there = [p for p in every if p.command]
    if not there:
        sys.exit('curve_set.py: no program to measure')
    return there


def measure(program, exact, options, kinds):
    build = digest(options.dwell, options.dwell + '-engine')
    runs = []
    for seed in range(1, options.seeds + 1):
        def make(seed=seed):
            return record(program, options.dwell, seed, options.profiles, options.again)
        if options.profiles:
            run = make()
        else:
            run = kept(os.path.join(options.keep, build, '%s-%d.json' % (program.key, seed)), make,
                       options.again)
        curves = run.pop('curves')
        run['points'] = {kind: compare(exact[kind], curves[kind]) for kind in kinds}
        runs.append(run)
    return {'command': ' '.join(program.command), 'runs': runs}


def main():
    options = parse()
    os.environ.update(programs.ENVIRONMENT)
    programs.make_files(os.path.join(options.keep, 'inputs'))
    there = those_there(options)
    kinds = ['%s %s' % (p, line) for p in options.policy.split(',')
             for line in options.line.split(',')]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        exact = dict(zip((p.name for p in there), pool.map(
            lambda p: kept(os.path.join(options.keep, 'exact', p.key + '.json'),
                           lambda: simulate(p, options.exact_dwell)), there)))
    if options.exact_only:
        return 0
    results = {}
    for program in there:
        print(program.name + ' ...', file=sys.stderr)
        results[program.name] = measure(program, exact[program.name], options, kinds)
    if options.json:
        scores = {k: {n: score([p for run in r['runs'] for p in run['points'][k]]) for n,
                      r in results.items()}
                  for k in kinds}
        json.dump({'set': options.set, 'programs': results, 'scores': scores,
                   'totals': {k: total(list(s.values())) for k, s in scores.items()}}, sys.stdout,
                  indent=1)
        print()
    else:
        show(results, kinds, options.points)
    return 0


if __name__ == '__main__':
    sys.exit(main())
