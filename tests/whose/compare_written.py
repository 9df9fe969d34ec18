#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""dwell simulate --data counts what a naive reference counts, on written programs with a C library.

compare_written.py [--dwell PATH] [--naive PATH] [--steps PATH] [--only EXPRESSION] [--shape CACHES]

Each program of written/ is static, lies at fixed addresses, and does its work in main. steps.c
writes down what it executes natively, and naive_whose counts misses of each bin and pairs of
evictions. Dwell's numbers must be equal.
"""
import argparse
import collections
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import compare_whose  # noqa: E402
import random_program  # noqa: E402

FLAGS = ['-O1', '-g', '-static', '-no-pie', '-fno-stack-protector', '-fcf-protection=none']
COMPILERS = {'.c': 'gcc', '.cpp': 'g++', '.f90': 'gfortran'}
# Sets are chosen by no more than the address within a page: where pages lie differs between the
# runs.
SHAPES = ['L1d=4K,1,64 LL=64K,16,64', 'L1d=2K,2,64 L1i=4K,4,64 LL=16K,4,64']
ENVIRONMENT = {'PATH': '/usr/bin:/bin', 'LC_ALL': 'C', 'XDG_RUNTIME_DIR': '/tmp'}


def build(path, folder):
    name, kind = os.path.splitext(os.path.basename(path))
    if shutil.which(COMPILERS[kind]) is None:
        return None
    program = os.path.join(folder, name)
    subprocess.run([COMPILERS[kind], *FLAGS, '-o', program, path,
                    *(['-pthread'] if kind != '.f90' else [])], check=True)
    random_program.write_map(program)
    return program


# Misses of functions that run before main, too, may differ by so many in a cache: these runs have
# other files open.
OTHERS = 60
# So may the evictors of the stack's first lines, by so many; and what threads do as they begin and
# end.
FIRST = 2
AMONG_THREADS = 6


def own_functions(program, source):
    """The addresses of the functions that the compiler made of the source."""
    made = program + '.o'
    subprocess.run([COMPILERS[os.path.splitext(source)[1]], *FLAGS, '-c', '-o', made, source],
                   check=True)
    names = {line.split()[-1] for line in subprocess.run(
                 ['nm', '--defined-only', made], check=True, capture_output=True,
                 text=True).stdout.splitlines() if line.split()[1] in 'tTwWV'}
    found, file = [], None
    for line in subprocess.run(['readelf', '-sW', program], check=True, capture_output=True,
                               text=True).stdout.splitlines():
        words = line.split()
        if len(words) == 8 and words[3] == 'FILE':
            file = words[7]
        if len(words) == 8 and words[3] == 'FUNC' and words[7] in names and (
                words[4] != 'LOCAL' or file == os.path.basename(source)):
            found.append((int(words[1], 16), int(words[1], 16) + int(words[2], 0)))
    return found


def comparable(counts, program):
    """Stubs of the linker have no symbol, and are one function here; the variables of a thread are
    one structure, which does not tell what evicts itself.
    """
    with open(program + '.map') as f:
        lines = [line.split() for line in f]
    starts, variables = ({words[1] for words in lines if words[0] == kind} for kind in ('function',
                                                                                        'variable'))
    summed = {}

    def structure(name):
        kind, _, start = name.partition(':')
        return 'thread-local' if kind == 'variable' and start not in variables else name
    for key, numbers in counts.items():
        if key[0] == 'eviction':
            key = (*key[:3], structure(key[3]), key[4] if key[4] in starts else '0',
                   structure(key[5]))
        elif key[0] == 'bin':
            key = (*key[:3], structure(key[3]))
            if key[3] == 'thread-local':
                numbers = (*numbers[:2], 0, *numbers[3:])
        summed[key] = tuple(None if n is None else n + m for n,
                            m in zip(numbers, summed.get(key, (0,) * len(numbers))))
    return summed


def differences(wanted, found, own, has_threads):
    """Keys that differ: of own functions by more than FIRST, and sums of the others by more than
    OTHERS.
    """
    def is_own(word):
        return any(start <= int(word, 16) < end for start, end in own)
    wrong, others = [], collections.Counter()
    for key in compare_whose.compare(wanted, found, ['--data']):
        if is_own(key[2]):
            if (abs(found.get(key, (0,))[0] - wanted.get(key, (0,))[0]) >
                (AMONG_THREADS if has_threads else FIRST * ('stack' in key))):
                wrong.append(key)
        elif key[0] == 'bin':
            others[key[1]] += found.get(key, (0,))[0] - wanted.get(key, (0,))[0]
    return wrong + [('others', cache, str(n)) for cache, n in others.items() if abs(n) > OTHERS]


PLACE = """#include <stdio.h>
int main(void) { printf("%p\\n", __builtin_frame_address(0)); return 0; }
"""


def deeper(options, program):
    """By how many bytes the stack begins deeper under Dwell than natively: its top has the name of
    the file executed.
    """
    with tempfile.TemporaryDirectory() as folder:  # of a name as long as the program's
        place = os.path.join(folder, os.path.basename(program))
        subprocess.run([COMPILERS['.c'], *FLAGS, '-x', 'c', '-o', place, '-'], input=PLACE,
                       text=True, check=True)
        commands = ['setarch', '-R', place], ['setarch', '-R', options.dwell, 'simulate',
                                              '-q', '-o', place + '.db', '--', place]
        native, own = (int(subprocess.run(c, check=True, capture_output=True, text=True,
                                          env=ENVIRONMENT).stdout, 16) for c in commands)
    return native - own


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--dwell', default='build/dwell')
    p.add_argument('--naive', default='build/tests/whose/naive_whose')
    p.add_argument('--steps', default='build/tests/whose/steps')
    p.add_argument('--only', default='.')
    p.add_argument('--shape', action='append',
                   help='a hierarchy, its caches with blanks between them')
    p.add_argument('-n', type=int, default=5, help='differences that are shown')
    options = p.parse_args()
    options.dwell, options.naive, options.steps = map(os.path.abspath,
                                                      (options.dwell, options.naive, options.steps))
    failed = 0
    for path in sorted(glob.glob(os.path.join(HERE, 'written', '*'))):
        if not re.search(options.only, path):
            continue
        with tempfile.TemporaryDirectory() as folder:
            program = build(path, folder)
            if program is None:
                continue
            traced = program + '.trace'
            longer = os.path.join(folder, ('x' * deeper(options, program))[1:],
                                  os.path.basename(program))
            os.mkdir(os.path.dirname(longer))
            os.symlink(program, longer)
            subprocess.run([options.steps, traced, longer, program], check=True, env=ENVIRONMENT,
                           capture_output=True)
            own = own_functions(program, path)
            for shape in options.shape or SHAPES:
                caches = shape.split()
                wanted = compare_whose.naive(options, program, traced, caches)
                found = compare_whose.simulate(options, program, caches, folder, ['--data'],
                                               ENVIRONMENT)
                wrong = differences(*(comparable(counts, program) for counts in (wanted, found)),
                                    own, 'threads' in path)
                misses = [sum(n[0] for k, n in counts.items() if k[0] == 'bin')
                          for counts in (wanted, found)]
                print('%s, %s: %d of %d counts differ (%d misses, found %d)' % (
                    os.path.basename(program), shape, len(wrong), len(wanted), *misses), flush=True)
                failed += bool(wrong)
                for key in wrong[:options.n]:
                    print('   ', *key, 'expected', wanted.get(key), 'found', found.get(key))
    sys.exit(failed > 0)


if __name__ == '__main__':
    main()
