#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The memory cost of profiling: the peak resident size of a program, and of the collector.

Each program runs natively, under `record --mode count`, under `record` and under `simulate`. Sizes
are the peaks in /proc, read repeatedly while they run. (The result of wait4 would include this
script's own size, which exec does not reset, and would not separate collector and target.) The bar
is 1.5 times the program's own size plus 150 MB, for target and collector together; for `simulate`
twice the size plus 200 MB.

    memory.py [--dwell PATH] [--only EXPRESSION]

Exit status 1 when a program is above the bar.
"""
import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'transparency'))
import inputs  # noqa: E402

PROGRAMS = {
    'gzip': 'gzip -9 -c $IN/text',
    'sqlite3': 'sqlite3 :memory: ".read $IN/job.sql"',
    'python3': '/usr/bin/python3 $IN/job.py 10',
    'cc1': '$CC1 -quiet -O1 $IN/steps.i -o /dev/null',
    'node': 'node $IN/job.js',
}
# name, command, and the bar: times the program's own size, and MB
VARIANTS = [('count', ['record', '--mode', 'count'], 1.5, 150), ('record', ['record'], 1.5, 150),
            ('simulate', ['simulate'], 2, 200)]
SCALE = 2
LOOK_SECONDS = 0.01


def children_of(pid):
    try:
        with open('/proc/%d/task/%d/children' % (pid, pid)) as f:
            return [int(word) for word in f.read().split()]
    except OSError:
        return []


def below(pid):
    for child in children_of(pid):
        yield child
        yield from below(child)


def peak_of(pid):
    """VmHWM of a process in KB, 0 when it is gone."""
    try:
        with open('/proc/%d/status' % pid) as f:
            found = re.search(r'^VmHWM:\s*(\d+)', f.read(), re.M)
            return int(found.group(1)) if found else 0
    except OSError:
        return 0


def run(argv):
    """Peaks in KB: of the process started, and the largest of those below it (0 if none)."""
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    own, others = 0, 0
    while process.poll() is None:
        own = max(own, peak_of(process.pid))
        others = max([others] + [peak_of(pid) for pid in below(process.pid)])
        time.sleep(LOOK_SECONDS)
    if process.returncode != 0:
        sys.exit('memory: %s ended with %d' % (' '.join(argv), process.returncode))
    return own, others


def command_for(name, folder):
    words = PROGRAMS[name]
    if name == 'cc1':
        subprocess.run(['gcc', '-E', folder + '/steps.c', '-o', folder + '/steps.i'], check=True)
        cc1 = subprocess.run(['gcc', '-print-prog-name=cc1'], check=True, capture_output=True)
        words = words.replace('$CC1', cc1.stdout.decode().strip())
    return shlex.split(words.replace('$IN', folder))


def mb(kb):
    return kb / 1024


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    p.add_argument('--dwell', default='build/dwell')
    p.add_argument('--only', default='')
    options = p.parse_args()
    base = tempfile.mkdtemp(prefix='dwell-memory-')
    above = 0
    os.environ.update(LC_ALL='C', PYTHONHASHSEED='0')
    try:
        inputs.make(base + '/in', SCALE)
        print('MB         native' + ''.join('%10s %9s %6s' % (v[0], 'collector', 'bar')
                                            for v in VARIANTS))
        for name in PROGRAMS:
            argv = command_for(name, base + '/in')
            if not re.search(options.only, name) or not shutil.which(argv[0]):
                continue
            native, _ = run(argv)
            line = '%-9s %7.1f' % (name, mb(native))
            for _, command, factor, extra in VARIANTS:
                dwell = [os.path.abspath(options.dwell)] + command + ['-q', '-o', base + '/m.db']
                collector, target = run(dwell + ['--'] + argv)
                bar = native * factor + extra * 1024
                above += target + collector > bar
                line += '%10.1f %9.1f %6.0f' % (mb(target), mb(collector), mb(bar))
            print(line, flush=True)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    return 1 if above else 0


if __name__ == '__main__':
    sys.exit(main())
