#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The engine's counting by data structure against the naive reference, on traces of real programs.

    compare_traces.py [--offline PATH] [--lines N] [--only EXPRESSION]

Valgrind's lackey writes down the accesses of each program, up to N lines, and whose_offline counts
them in some hierarchies.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

VALGRIND = shutil.which('valgrind.bin') or shutil.which('valgrind')
# Short runs: a trace has some ten million lines. The first part of it, the dynamic linker's, is
# common to all.
PROGRAMS = {
    'gzip': 'gzip -9 -c text',
    'bzip2': 'bzip2 -9 -c text',
    'sqlite3': 'sqlite3 :memory: ".read job.sql"',
    'perl': 'perl -ne \'$n{$_}++ for split /[ 7]/; END { print join(" ", sort keys %n) }\' text',
    'cc1': '%s -quiet -O1 some.c -o /dev/null',
}
HIERARCHIES = [
    'L1i=32K,8,64 L1d=32K,8,64 LL=1M,16,64',
    'L1i=4K,1,64 L1d=4K,1,64 LL=64K,2,128',
    'L1i=8K,4,32,fifo L1d=8K,16,32,random:3 L2=32K,4,64,fifo LL=192K,12,64,random:5',
]


def write_inputs():
    with open('text', 'w') as f:
        f.write('\n'.join('%d %d' % (i * i % 10007, i * 7919 % 1013) for i in range(6000)))
    with open('job.sql', 'w') as f:
        f.write('CREATE TABLE t(a, b);\nWITH RECURSIVE n(i) AS (SELECT 1 UNION ALL '
                'SELECT i + 1 FROM n WHERE i < 3000)\n'
                'INSERT INTO t SELECT i * 7919 % 1013, i FROM n;\nCREATE INDEX x ON t(a);\n'
                'SELECT sum(b) FROM t GROUP BY a ORDER BY 1;\n')
    with open('some.c', 'w') as f:
        f.write(''.join('int f%d(int *a, int n) { int s = %d; for (int i = 0; i < n; i++) s += '
                        'a[i] * %d + (s >> 3); return s; }\n' % (i, i, i) for i in range(30)))
    cc1 = subprocess.run(['gcc', '-print-prog-name=cc1'], check=True, capture_output=True,
                         text=True).stdout.strip()
    PROGRAMS['cc1'] %= cc1


def trace(command, lines, path):
    """Returns the number of lines."""
    command = ('exec %s -q --tool=lackey --trace-mem=yes --log-fd=9 %s 9>&1 >/dev/null 2>&1 | head '
               '-n %d >%s' % (VALGRIND, command, lines, path))
    subprocess.run(['sh', '-c', command], check=True)
    return int(subprocess.run(['wc', '-l', path], check=True, capture_output=True,
                              text=True).stdout.split()[0])


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--offline', default='build/tests/whose/whose_offline')
    p.add_argument('--lines', type=int, default=20000000)
    p.add_argument('--only', default='.', help='programs whose names match')
    options = p.parse_args()
    offline = os.path.abspath(options.offline)
    if VALGRIND is None:
        print('valgrind is not installed')
        sys.exit(77)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_inputs()
        for name in filter(lambda n: re.search(options.only, n), PROGRAMS):
            if trace(PROGRAMS[name], options.lines, 'trace') < 100000:
                sys.exit('%s: no trace' % name)
            for hierarchy in HIERARCHIES:
                with open('trace') as f:
                    done = subprocess.run([offline, *hierarchy.split()], stdin=f,
                                          capture_output=True, text=True)
                print('%-8s %-80s %s' % (name, hierarchy,
                                         done.stdout.strip() + done.stderr.strip()), flush=True)
                failed += done.returncode != 0
    sys.exit(failed > 0)


if __name__ == '__main__':
    main()
