#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How many nodes and arcs a call graph has when contexts are the last N callers.

    count_contexts.py [--dwell PATH] [--only EXPRESSION] [--depths 0,1,2,5,10,20]

Prints the table of docs/results/simulation.md: a compressor, a compiler, and a large interactive
program driven by a script, as in table 1 of Weidendorfer, Kowarschik, Trinitis 2004.
"""
import argparse
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import compare_valgrind as cv

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'transparency'))
import inputs  # noqa: E402

PROGRAMS = {'bzip2': cv.PROGRAMS['bzip2'],
            'cc1': cv.PROGRAMS['cc1'],
            'vim': 'vim -N -u NONE -i NONE -n -es -c "syntax on" -c "set ft=c" -c '
            '"g/static/s//STATIC/" -c "normal gg=G" '
            '-c "vimgrep /int/ %" -c "sort" -c "q!" $IN/steps.c',}


def count(argv, depth, base, options):
    profile = base + '/contexts.db'
    subprocess.run([options.dwell, 'simulate', '-q', '-o', profile, '--context', str(depth),
                    '--'] + argv, cwd=base,
                   stdout=subprocess.DEVNULL, env=cv.environment(base), check=True,
                   timeout=options.patience)
    with sqlite3.connect(profile) as db:
        process, = db.execute(
            'SELECT process_id FROM node GROUP BY 1 ORDER BY count(*) DESC LIMIT 1').fetchone()
        return db.execute('SELECT count(DISTINCT callee_id), count(DISTINCT arc.caller_id || " " '
                          '|| location_id || " " || callee_id)'
                          ' FROM arc JOIN node ON node.id = callee_id WHERE process_id = ?',
                          (process,)).fetchone()


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    p.add_argument('--dwell', default='build/dwell')
    p.add_argument('--scale', type=int, default=1)
    p.add_argument('--functions', type=int, default=12, help='how many functions cc1 compiles')
    p.add_argument('--only', default='')
    p.add_argument('--depths', default='0,1,2,5,10,20')
    p.add_argument('--patience', type=float, default=600, help='seconds that one run may take')
    options = p.parse_args()
    options.dwell = os.path.abspath(options.dwell)
    depths = [int(d) for d in options.depths.split(',')]
    base = tempfile.mkdtemp(prefix='dwell-contexts-')
    inputs.make(os.path.join(base, 'inputs'), options.scale)
    cv.PROGRAMS, cv.inputs = PROGRAMS, inputs
    print('| program | | %s |' % ' | '.join(map(str, depths)))
    print('|---|---|%s' % ('---:|' * len(depths)))
    try:
        for name in [n for n in PROGRAMS if re.search(options.only, n)]:
            argv = cv.prepare(name, base, options)
            sizes = [count(argv, depth, base, options) for depth in depths]
            for what, column in ('nodes', 0), ('arcs', 1):
                print('| %s | %s | %s |' %
                      (name, what, ' | '.join(format(s[column], ',') for s in sizes)), flush=True)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
