#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks that what a file of src/ shows to others is used by one of them.

    check-externs.py BUILD

A function or variable that only its own file uses must be static; one that only tests use must go,
or have a row in ALLOWED. Both are read from the object files of dwell and its engine. Prints each
breach, and each row of ALLOWED that is not needed; the exit status is 1 if there is one, 77 if the
engine is not built.
"""
import glob
import os
import subprocess
import sys
from collections import defaultdict

PROGRAMS = ['dwell.p', 'libdwell-core.a.p', 'dwell-engine.p', 'libdwell-engine-scan.a.p']
# Why some names are shown all the same.
ALLOWED = {
    'the C library calls it': ['main'],
    'a part of its file whose test would need much more without it': [
        'code_map_add_module', 'elf_name_means_fortran', 'order_correlation', 'sandbox_verdict',
        'trace_read_line', 'trace_sample_least', 'trace_sample_most', 'trace_sample_range'],
    'tests ask one question at a time': ['symbols_file', 'symbols_resolve', 'symbols_variable'],
    'tests compare it with their own count': ['blocks_count', 'sim_call_graph_size'],
    'a target never gives it back, but tests look for leaks': [
        'sim_call_graph_release', 'sim_multi_release'],
    'for chains of instructions that wait for each other; tests prove it': ['decode_registers'],
    'tests have less patience': ['symbols_remote_stuck_s'],
    'profiles may hold sources, and only tests write such ones': ['store_put_source'],
}


def symbols(files):
    """(object file, kind, name) of each global name; kind is U if the file only uses it."""
    listed = subprocess.run(['nm', '-gA', '--plugin='] + files, capture_output=True, text=True)
    for line in listed.stdout.splitlines():
        file, _, rest = line.partition(':')
        kind, name = rest.split()[-2:]
        if '.' not in name:  # else of the compiler
            yield os.path.basename(file), kind, name


def main():
    build = sys.argv[1]
    files = sorted(f for p in PROGRAMS for f in glob.glob(os.path.join(build, p, '*.o')))
    if not any('dwell-engine.p' in f for f in files):
        sys.exit(77)
    owners, users = defaultdict(set), defaultdict(set)
    for file, kind, name in symbols(files):
        (users if kind == 'U' else owners)[name].add(file)
    unused = sorted((min(owners[name]), name) for name in owners
                    if not users[name] - owners[name])
    allowed = {name for names in ALLOWED.values() for name in names}
    breaches = ['%s: no other file of src uses %s' % (file, name)
                for file, name in unused if name not in allowed]
    breaches += ['%s: need not be in ALLOWED' % name
                 for name in sorted(allowed - {name for _, name in unused})]
    print('\n'.join(breaches))
    sys.exit(len(breaches) > 0)


if __name__ == '__main__':
    main()
