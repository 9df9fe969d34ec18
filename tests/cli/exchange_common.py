# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of dwell export, merge and diff share: a profile whose counts are known, and ways
to ask.
"""
import argparse
import csv
import io
import os
import sqlite3
import subprocess
import tempfile

# main calls one and two; both call leaf, which has 30 of its own for one and 90 for two; leaf has
# an inlined part from util.h. again calls itself: 5 calls, 50 instructions.
GRAPH = """# callgrind format
version: 1
creator: by-hand
pid: 77
cmd: ./graph 1 2
positions: instr line
event: Ir : Instructions
events: Ir Dr

ob=(1) /bin/graph
fl=(1) /src/graph.c
fn=(1) main
0x1000 10 5 1
+4 +1 5 1
cfn=(2) one
calls=1 0x1100 20
* * 40 5
+4 +1 5 0
cfn=(3) two
calls=1 0x1200 30
* * 100 12
+4 +1 5
cfn=(4) again
calls=1 0x1300 40
* * 50 5

fn=(2)
0x1100 20 10 1
cfn=(5) leaf
calls=1 0x1400 50
* * 30 4

fn=(3)
0x1200 30 10 2
cfn=(5)
calls=3 0x1400 50
* * 90 10

fn=(4)
0x1300 40 50 5
jcnd=4/5 0x1308 41
0x1300 40
cfn=(4)
calls=4 0x1300 40
+4 * 0

fn=(5)
0x1400 50 20 2
fi=(2) /src/util.h
+4 7 100 12
fe=(1)
+4 52 0 0
jump=4 0x1400 50
* *

totals: 210 24
"""
IR, DR = 210, 24
FOLDED = {'main': 20, 'main;one': 10, 'main;one;leaf': 30, 'main;two': 10, 'main;two;leaf': 90,
          'main;again': 50}


class Tools:
    """Paths that the command line names."""
    dwell = programs = None


tools = Tools()


def check(condition, *what):
    if not condition:
        raise AssertionError(' '.join(str(w) for w in what))


def run(*argv, status=0, binary=False):
    done = subprocess.run([tools.dwell, *argv], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=100)
    errors = done.stderr.decode()
    check(done.returncode == status, ' '.join(argv), 'ended with', done.returncode, errors)
    return done.stdout if binary else done.stdout.decode()


def refused(*argv, status, says):
    """The command fails with one sentence in which there is `says`."""
    done = subprocess.run([tools.dwell, *argv], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=100)
    check(done.returncode == status, ' '.join(argv), 'ended with', done.returncode, done.stderr)
    check(says in done.stderr, ' '.join(argv), 'said', done.stderr)
    check(done.stdout == '', ' '.join(argv), 'printed', done.stdout)


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, 'w') as f:
        f.write(text)
    return path


def imported(folder, text=GRAPH, name='graph'):
    profile = os.path.join(folder, name + '.db')
    run('import', write(folder, name + '.out', text), '-o', profile)
    return profile


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def recorded(folder, name='samples'):
    profile = os.path.join(folder, name + '.db')
    run('record', '-q', '-o', profile, '--seed', '1',
        '--paths', '--duty', '100', '--period', '50', '--',
        tools.programs + '/call-paths')
    return profile


def main(doc, cases):
    """Run the cases, or the one that is named; the exit status of the test."""
    parser = argparse.ArgumentParser(description=doc.split('\n')[0])
    parser.add_argument('--dwell', required=True)
    parser.add_argument('--programs', required=True)
    parser.add_argument('--only', help='run the case of this name')
    arguments = parser.parse_args()
    tools.dwell, tools.programs = (os.path.abspath(arguments.dwell),
                                   os.path.abspath(arguments.programs))
    failed = 0
    for case in cases:
        if arguments.only not in (None, case.__name__):
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                skipped = case(folder)
                print('ok       ' + case.__name__ if not skipped
                      else 'skipped  %s: %s' % (case.__name__, skipped))
            except (AssertionError, sqlite3.Error, KeyError, IndexError, ValueError) as error:
                failed += 1
                print('FAILED   %s: %s %s' % (case.__name__, type(error).__name__, error))
    return failed != 0
