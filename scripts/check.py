#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Build and run every test, plain and with sanitizers; count what passed.

    scripts/check.py [--build DIR] [--all | --quick]

--all runs the long cases of the transparency suite as well. --quick runs the suites unit and house
in the plain build only, and names tests that are too slow for that. The last line is
'<n> passed, <n> failed', with ', <n> skipped' when there are any; the exit status is 0 when
nothing failed.
"""
import argparse
import json
import os
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
# Meson tests that count their own cases, and the files with their results.
COUNTED = {'programs-native': 'tests/transparency/native.json',
           'transparency': 'tests/transparency/transparency.json',
           'transparency-full': 'tests/transparency/full.json'}
# Takes half the time of -O2 to build. gcc gives false warnings there; in the plain build they are
# errors.
SANITIZED = ['-Db_sanitize=address,undefined', '-Db_lundef=false', '-Doptimization=1']
# Tests at a time, on two processors: many wait most of the time.
PROCESSES = '3'
# With --quick, a test may take this many seconds: a slower one belongs into another suite.
QUICK_SECONDS = 12
RESULTS = {'OK': 'passed', 'EXPECTEDFAIL': 'passed', 'SKIP': 'skipped', 'ok': 'passed',
           'skipped': 'skipped'}


class Tally:
    """Results by name."""

    def __init__(self):
        self.names = {'passed': [], 'failed': [], 'skipped': []}

    def add(self, name, result):
        self.names[result].append(name)

    def line(self):
        count = {k: len(v) for k, v in self.names.items()}
        skipped = ', %d skipped' % count['skipped'] if count['skipped'] else ''
        return '%d passed, %d failed%s' % (count['passed'], count['failed'], skipped)


def step(tally, name, argv):
    """Run one command; only a failure is counted, as a step is not a test."""
    print('check: ' + name, flush=True)
    ok = subprocess.run(argv).returncode == 0
    if not ok:
        tally.add(name, 'failed')
    return ok


def cases_of(path):
    """[(name, result)] as the transparency runner wrote them."""
    with open(path) as f:
        return [('%s in mode %s' % (r['name'], r['mode']), r['result']) for r in json.load(f)]


def run_tests(tally, build, label, arguments):
    """meson test; each test, and each case of a test that counts its own, goes into the tally.

    Returns the seconds of each test, by name.
    """
    log = os.path.join(build, 'meson-logs', 'testlog.json')
    for old in [log] + [os.path.join(build, p) for p in COUNTED.values()]:
        if os.path.exists(old):
            os.unlink(old)
    print('check: tests' + label, flush=True)
    status = subprocess.run(['meson', 'test', '-C', build, '--no-rebuild',
                             '--num-processes', PROCESSES,
                             '--print-errorlogs'] + arguments).returncode
    try:
        with open(log) as f:
            tests = [json.loads(line) for line in f]
    except OSError:
        tests = []
    if not tests and status != 0:
        tally.add('meson test' + label, 'failed')
    for test in tests:
        name = test['name'].split(' / ')[-1].split(':')[-1]
        own = os.path.join(build, COUNTED.get(name, ''))
        cases = cases_of(own) if name in COUNTED and os.path.exists(own) else []
        for case, result in cases:
            tally.add(case, RESULTS.get(result, 'failed'))
        if not cases or test['result'] == 'TIMEOUT':
            tally.add(name + label, RESULTS.get(test['result'], 'failed'))
    return [(t['name'], t['duration']) for t in tests]


def run_quick(tally, build):
    times = run_tests(tally, build, '', ['--suite', 'unit', '--suite', 'house'])
    for name, seconds in times:
        if seconds > QUICK_SECONDS:
            print('check: %s took %.0f s: too slow for these suites?' % (name, seconds))


def run_sanitized(tally, build):
    if step(tally, 'configure with sanitizers', set_up(build, SANITIZED)) and \
            step(tally, 'build with sanitizers', ['ninja', '-C', build]):
        os.environ.setdefault('UBSAN_OPTIONS', 'halt_on_error=1:print_stacktrace=1')
        run_tests(tally, build, ' with sanitizers', ['--no-suite', 'house'])


def set_up(build, options):
    if os.path.exists(os.path.join(build, 'build.ninja')):
        changed = [o for o in options if o.startswith('-Dwerror')]
        return ['meson', 'configure', build] + changed if changed else ['true']
    return ['meson', 'setup', build] + options


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    p.add_argument('--build', default='build')
    p.add_argument('--all', action='store_true')
    p.add_argument('--quick', action='store_true')
    p.add_argument('--strict', action='store_true', help='warnings are errors')
    options = p.parse_args()
    os.chdir(ROOT)
    tally = Tally()
    strict = ['-Dwerror=true'] if options.strict else []

    if step(tally, 'configure', set_up(options.build, strict)) and \
            step(tally, 'build', ['ninja', '-C', options.build]):
        if options.quick:
            run_quick(tally, options.build)
        else:
            run_tests(tally, options.build, '', ['--no-suite', 'full'])
        if options.all:
            run_tests(tally, options.build, ' (full)', ['--suite', 'full'])
    if not options.quick:
        run_sanitized(tally, options.build.rstrip('/') + '-asan')
    for name in tally.names['failed']:
        print('failed: ' + name)
    print(tally.line())
    return 1 if tally.names['failed'] else 0


if __name__ == '__main__':
    sys.exit(main())
