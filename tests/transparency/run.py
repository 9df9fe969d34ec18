#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Run programs natively and under Dwell, and compare everything that is visible outside.

Output, diagnostics, exit status or signal, and the files left behind must be the same. Lines
on stderr that begin with 'dwell:' are Dwell's own: they are shown, not compared.

Each case prints one line: ok, DIFFERS and what, or skipped; then a summary. Exit status 0 when
nothing differs. The target programs of tests/programs check themselves too, so with --native
(native against native) this is their own test.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import select
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'cli')]
import built  # noqa: E402
import dispositions  # noqa: E402
import inputs  # noqa: E402


class Case:
    """One command; `expected` is its exit status (negative: a signal), or None: as natively."""

    def __init__(self, name, argv, seconds, quick, needs=(), expected=None):
        self.name, self.argv, self.seconds = name, argv, seconds
        self.quick, self.needs, self.expected = quick, needs, expected


def table(path, columns):
    """The rows of a list file: '#' lines are comments, columns are divided by '|'."""
    with open(path) as f:
        for line in f:
            if line.strip() and not line.startswith('#'):
                yield [field.strip() for field in line.rstrip('\n').split('|', columns - 1)]


def target_programs(build):
    """The cases of tests/programs, as programs.list there describes them."""
    folder = os.path.join(build, 'tests', 'programs')
    for name, _, _, runs in table(os.path.join(HERE, '..', 'programs', 'programs.list'), 4):
        for run in runs.split(';'):
            run, expected = run.strip(), 0
            if run.startswith('!'):
                status, _, run = run[1:].partition(' ')
                expected = int(status)
            argv = [os.path.join(folder, name)] + shlex.split(run)
            label = name + (':' + run.replace(' ', '-') if run else '')
            yield Case('programs/' + label, argv, 60, True, (), expected)


def real_programs():
    """The cases of programs.list beside this file."""
    for name, which, needs, seconds, command in table(os.path.join(HERE, 'programs.list'), 5):
        argv = ['bash', '-c', command]
        if command.startswith('exec ') and ';' not in command and '|' not in command:
            # Without bash before it; the shell only expands the words.
            argv = expand(command[5:]) or argv
        yield Case('real/' + name, argv, int(seconds), which == 'quick', needs.split())


def expand(command):
    """The words of a simple command, or None when it takes a shell to make them."""
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    for name, value in (('$IN', os.environ['IN']), ('$B', os.environ['B']), ('$HERE', HERE)):
        words = [word.replace(name, value) for word in words]
    return words


def environment(home):
    """What every run gets: nothing of the caller's that could change a result."""
    keep = {k: os.environ[k] for k in ('DWELL_ENGINE_OPTIONS', 'DWELL_OPTIONS') if k in os.environ}
    return dict(
        keep, PATH='/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL='C',
        HOME=home, TZ='UTC', PYTHONHASHSEED='0', IN=os.environ['IN'], B=os.environ['B'], HERE=HERE,
        PYTHONDONTWRITEBYTECODE='1')


def left_behind(folder):
    """name -> digest of each file under folder; directories and links by what they are."""
    found = {}
    for base, dirs, files in os.walk(folder):
        for name in dirs + files:
            path = os.path.join(base, name)
            key = os.path.relpath(path, folder)
            if os.path.islink(path):
                found[key] = 'link to ' + os.readlink(path)
            elif os.path.isfile(path):
                with open(path, 'rb') as f:
                    found[key] = hashlib.sha256(f.read()).hexdigest()
            else:
                found[key] = 'other'
    return found


class Outcome:
    """What one run showed."""

    def __init__(self, status, out, err, files, seconds):
        self.status, self.out, self.files, self.seconds = status, out, files, seconds
        lines = err.splitlines(keepends=True)
        self.said = b''.join(line for line in lines if line.startswith(b'dwell:'))
        self.err = b''.join(line for line in lines if not line.startswith(b'dwell:'))


def ends_within(process, seconds):
    """Told at once: wait() with a limit looks twenty times a second."""
    descriptor = os.pidfd_open(process.pid)
    try:
        return bool(select.select([descriptor], [], [], seconds)[0])
    finally:
        os.close(descriptor)


def execute(argv, folder, seconds):
    """Run argv in an emptied folder; status None means that it had to be ended."""
    shutil.rmtree(folder, ignore_errors=True)
    work = os.path.join(folder, 'work')
    os.makedirs(work)
    start = time.monotonic()
    with open(os.path.join(folder, 'out'), 'w+b') as out, \
            open(os.path.join(folder, 'err'), 'w+b') as err:
        process = subprocess.Popen(argv, cwd=work, env=environment(work), stdin=subprocess.DEVNULL,
                                   stdout=out, stderr=err, start_new_session=True)
        if ends_within(process, seconds):
            status = process.wait()
        else:
            status = None
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        took = time.monotonic() - start
        out.seek(0), err.seek(0)
        return Outcome(status, out.read(), err.read(), left_behind(work), took)


def first_difference(native, other):
    a, b = native.split(b'\n'), other.split(b'\n')
    for i in range(max(len(a), len(b))):
        x, y = a[i:i + 1], b[i:i + 1]
        if x != y:
            shown = [repr(v[0][:90].decode('utf-8', 'replace')) if v else 'nothing' for v in (x, y)]
            return 'line %d: %s natively, %s' % (i + 1, shown[0], shown[1])
    return 'nothing'


def same_status(a, b):
    """A shell and a profiler report death by signal n as 128 + n."""
    def plain(s):
        return 128 - s if s is not None and s < 0 else s
    return plain(a) == plain(b)


def compare(native, other):
    """The differences, in words; an empty list when there are none."""
    found = []
    if other.status is None:
        found.append('still ran after %.0f s' % other.seconds)
    elif not same_status(native.status, other.status):
        found.append('exit status %s natively, %s' % (native.status, other.status))
    for what in ('out', 'err'):
        a, b = getattr(native, what), getattr(other, what)
        if a != b:
            found.append('std%s %s' % (what, first_difference(a, b)))
    for name in sorted(set(native.files) | set(other.files)):
        if native.files.get(name) != other.files.get(name):
            found.append('file %s' % name)
            break
    return found


def accesses_in(profile):
    """How many accesses the profile counted, or a sentence that says what is wrong with it."""
    if not os.path.exists(profile):
        return 'no profile was written'
    try:
        with sqlite3.connect('file:%s?mode=ro' % profile, uri=True) as db:
            total = db.execute('SELECT sum(accesses) FROM process').fetchone()[0]
    except sqlite3.Error as e:
        return 'the profile cannot be read: %s' % e
    return total or 'the profile counts no accesses'


# The engine filters, with the call graph or without; for jumps by context it streams. Misses are
# dealt with by code of their own only where both levels have as many sets as a power of two: not
# those of all machines.
CACHES = ['--cache=L1i=32K,8,64', '--cache=L1d=32K,8,64', '--cache=LL=1M,16,64']
SIMULATIONS = {'simulate': ['simulate'], 'data': ['simulate', '--data'] + CACHES,
               'filter': ['simulate', '--no-call-graph'] + CACHES,
               'nodes': ['simulate', '--context=1'] + CACHES,
               'replay': ['simulate', '--context=1', '--jumps'],
               'stretches': ['simulate', '--data', '--sample=20%,20K'] + CACHES,
               'several': ['simulate', '--also=L1i=16K,4,64 L1d=16K,4,64 LL=1M,16,64']}


def run_case(case, modes, options, base):
    """A result for each mode: all are held against one native run, in the same folder, as paths
    must not differ.
    """
    folder = os.path.join(base, 'runs', case.name.replace('/', '-').replace(':', '-'))
    native = execute(case.argv, folder, case.seconds)
    results = [run_mode(case, mode, native, options, folder) for mode in modes]
    if not options.keep and all(r['result'] == 'ok' for r in results):
        shutil.rmtree(folder, ignore_errors=True)
    return results


def run_mode(case, mode, native, options, folder):
    result = {'name': case.name, 'mode': mode, 'native_seconds': round(native.seconds, 3)}
    if native.status is None or case.expected is not None and native.status != case.expected:
        shown = (native.out + native.err)[-300:].decode('utf-8', 'replace')
        return dict(result, result='failed',
                    what='natively ends with %s: %s' % (native.status, shown))
    argv, profile = case.argv, folder + '.' + mode + '.db'
    if mode != 'native':
        argv = [options.dwell] + (SIMULATIONS.get(mode) or
                                  ['record', '--mode', mode]) + ['-q', '-o', profile]
        argv += shlex.split(options.record) + ['--'] + case.argv
    for attempt in range(options.repeat):
        other = execute(argv, folder, case.seconds * options.patience)
        what = compare(native, other)
        accesses = None if mode == 'native' else accesses_in(profile)
        if isinstance(accesses, str) and not other.said:
            what.append(accesses)
        if what:
            break
    result.update(seconds=round(other.seconds, 3), accesses=accesses,
                  said=other.said.decode('utf-8', 'replace').strip())
    if what:
        if other.said:
            what.append('it said: ' + result['said'][:300])
        if options.repeat > 1:
            what.append('in run %d' % (attempt + 1))
        return dict(result, result='differs', what='; '.join(what))
    if not options.keep:
        for suffix in ('', '.old', '-wal', '-shm'):
            if os.path.exists(profile + suffix):
                os.unlink(profile + suffix)
    return dict(result, result='ok', what='')


def missing_for(case):
    """What the case needs and is not there, in words; '' when it can run."""
    for need in case.needs:
        kind, _, name = need.rpartition(':')
        if kind == 'built':
            reason = built.make(name, os.environ['B'])
            if reason:
                return reason
        elif not shutil.which(need) and not os.path.exists(need):
            return 'needs ' + need
    return ''


def line_for(r):
    head = '%-8s %-7s %-36s' % ({'differs': 'DIFFERS'}.get(r['result'], r['result']), r['mode'],
                                r['name'])
    if r['result'] == 'ok':
        return '%s %6.2f s, natively %.2f s%s' % (head, r['seconds'], r['native_seconds'],
                                                  '  (%s)' % r['said'] if r['said'] else '')
    return '%s %s' % (head, r['what'].replace('\n', ' '))


def parse_options():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    p.add_argument('--build', default='build', help='build directory')
    p.add_argument('--dwell', help='the dwell to test; default: that of the build directory')
    p.add_argument('--mode', '--gear', default='count,sample', help='modes, divided by commas: '
                   'count, sample, simulate, data, filter, stretches, replay or several')
    p.add_argument('--native', action='store_true', help='native against native: tests this test')
    p.add_argument('--quick', action='store_true', help='without the cases marked full')
    p.add_argument('--set', choices=['programs', 'real', 'all'], default='all')
    p.add_argument('--only', default='', help='only cases whose name matches this expression')
    p.add_argument('--engine', metavar='OPTIONS',
                   help='of the engine, as in docs/testing.md: vector=0,...')
    p.add_argument('--record', metavar='OPTIONS', default='',
                   help='more for dwell record: --record="--duty 100"')
    p.add_argument('--repeat', type=int, default=1, help='runs under Dwell for each native one')
    p.add_argument('--patience', type=float, default=4,
                   help='a run may take this many times longer')
    p.add_argument('--jobs', type=int, default=2)
    p.add_argument('--keep', action='store_true', help='keep the working directory')
    p.add_argument('--list', action='store_true', help='print the names of the cases')
    p.add_argument('--results', help='write the results there, as JSON')
    return p.parse_args()


def choose(options, build):
    cases = []
    if options.set != 'programs':
        cases += real_programs() # the long ones first
    if options.set != 'real':
        cases += target_programs(build)
    return [c for c in cases if (c.quick or not options.quick) and re.search(options.only, c.name)]


def take_signals():
    """Programs get the usual actions, even if this one runs in the background of a script."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGQUIT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def main():
    options = parse_options()
    dispositions.set_to_default()
    take_signals()
    build = os.path.abspath(options.build)
    if options.engine:
        os.environ['DWELL_ENGINE_OPTIONS'] = options.engine
    options.dwell = os.path.abspath(options.dwell or os.path.join(build, 'dwell'))
    base = tempfile.mkdtemp(prefix='dwell-transparency-', dir=os.environ.get('TMPDIR', '/tmp'))
    # A user without rights runs programs below it, too.
    os.chmod(base, 0o755)
    os.environ['IN'] = os.path.join(base, 'inputs')
    os.environ['B'] = os.path.join(base, 'built')
    os.makedirs(os.environ['B'])
    inputs.make(os.environ['IN'])
    cases = choose(options, build)
    if options.list:
        print('\n'.join(c.name for c in cases))
        shutil.rmtree(base)
        return 0
    modes = ['native'] if options.native else options.mode.split(',')
    results, work = [], []
    for case in cases:
        missing = missing_for(case)
        if not missing:
            work.append(case)
            continue
        for mode in modes:
            results.append({'name': case.name, 'mode': mode, 'result': 'skipped',
                            'what': missing})
            print(line_for(results[-1]), flush=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = [pool.submit(run_case, case, modes, options, base) for case in work]
        for job in concurrent.futures.as_completed(jobs):
            results += job.result()
            print('\n'.join(map(line_for, job.result())), flush=True)
    if options.results:
        with open(options.results, 'w') as f:
            json.dump(sorted(results, key=lambda r: (r['name'], r['mode'])), f, indent=1)
    bad = [r for r in results if r['result'] in ('differs', 'failed')]
    if options.keep:
        print('kept: ' + base)
    else:
        shutil.rmtree(base, ignore_errors=True)
    print('transparency: %d ok, %d differ, %d skipped' % (
        sum(r['result'] == 'ok' for r in results), len(bad),
        sum(r['result'] == 'skipped' for r in results)))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
