#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Names come from debug information of every kind, and damage to it ends no run.

    names.py --dwell PATH
"""
import json
import os
import random
import resource
import shutil
import subprocess

from cases import Skip, case, check, main

# The lines are counted below.
TABLE = """\
static int t[65536];
int main(void)
{
	long s = 0;

	for (long i = 0; i < 300000; i++)
		s += t[(i * 7919) & 65535]++;
	return s == 42 ? 1 : 7;
}
"""
DWELL = None


def set_up(folder, dwell):
    global DWELL
    DWELL = dwell


def need(*tools):
    for tool in tools:
        if shutil.which(tool) is None:
            raise Skip('no ' + tool)


def run(*argv, status=0, **more):
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, **more)
    check(done.returncode == status, ' '.join(argv), 'ended with', done.returncode, done.stderr)
    return done


def build(*command, source=TABLE, name='table.c'):
    with open(name, 'w') as out:
        out.write(source)
    run(*command)


def record(*command, options=(), status=7, **more):
    """Functions, lines and objects by name, and what was said on stderr."""
    done = run(DWELL, 'record', '-q', '--duty', '100', '-o', 'profile.db', *options, '--', *command, status=status, **more)
    report = json.loads(run(DWELL, 'report', '-i', 'profile.db', '--format', 'json', '--rows', '100000').stdout)
    os.unlink('profile.db')
    return ({row['function']: row for row in report['functions']},
            {(os.path.basename(row.get('file') or ''), row.get('line')) for row in report['lines']},
            {row['name']: row for row in report['objects']}, done.stderr)


def check_all_is_known(program='./table'):
    functions, lines, objects, said = record(program)
    check('main' in functions and functions['main']['samples'] > 100, 'main is not among', list(functions)[:5])
    check(('table.c', 7) in lines, 'line 7 is not among', sorted(lines)[:5])
    check('t' in objects and objects['t']['type'] == 'int[65536]', 'no table among', list(objects)[:5])
    check(said == '', 'said', said)


@case
def split_debug_information_of_both_compilers_has_lines_and_types():
    for compiler in ('gcc', 'clang'):
        if shutil.which(compiler) is None:
            continue
        for version in ('4', '5'):
            build(compiler, '-O1', '-g', '-gdwarf-' + version, '-gsplit-dwarf', '-c', 'table.c')
            run(compiler, '-o', 'table', 'table.o')
            check_all_is_known()


@case
def a_missing_split_file_leaves_functions_and_lines():
    need('gcc')
    build('gcc', '-O1', '-g', '-gsplit-dwarf', '-c', 'table.c')
    run('gcc', '-o', 'table', 'table.o')
    os.unlink('table.dwo')
    functions, lines, objects, said = record('./table')
    check('main' in functions, 'main is not among', list(functions)[:5])
    check(('table.c', 7) in lines, 'line 7 is not among', sorted(lines)[:5])
    check('t' in objects, 'no table among', list(objects)[:5])


def can_pack(tool):
    """Not every tool knows what every compiler writes."""
    try:
        return subprocess.run([tool, '-e', 'table', '-o', 'table.dwp'], capture_output=True, timeout=5).returncode == 0
    except subprocess.TimeoutExpired:
        return False


@case
def a_file_of_split_files_does_no_harm():
    need('gcc')
    for version, tool in (('4', 'dwp'), ('5', 'dwp'), ('4', 'llvm-dwp'), ('5', 'llvm-dwp')):
        if shutil.which(tool) is None:
            continue
        build('gcc', '-O1', '-g', '-gdwarf-' + version, '-gsplit-dwarf', '-c', 'table.c')
        run('gcc', '-o', 'table', 'table.o')
        if not can_pack(tool):
            continue
        check_all_is_known()
        os.unlink('table.dwo')
        functions, _, _, _ = record('./table')
        check('main' in functions, 'main is not among', list(functions)[:5])
        os.unlink('table.dwp')


@case
def compressed_and_link_time_optimised_debug_information_is_read():
    need('gcc')
    for options in (['-gz'], ['-gsplit-dwarf', '-gz'], ['-flto'], ['-flto', '-gsplit-dwarf']):
        build('gcc', '-O1', '-g', *options, '-c', 'table.c')
        run('gcc', '-g', '-O1', *options, '-o', 'table', 'table.o')
        functions, lines, _, _ = record('./table')
        check('main' in functions, options, 'main is not among', list(functions)[:5])
        check(('table.c', 7) in lines, options, 'line 7 is not among', sorted(lines)[:5])


def sections(path):
    """Name -> (offset, size), as readelf has them."""
    found = {}
    for line in run('readelf', '-SW', path).stdout.splitlines():
        words = line.replace('[', ' ').replace(']', ' ').split()
        if len(words) > 5 and words[0].isdigit() and words[1].startswith('.'):
            found[words[1]] = (int(words[4], 16), int(words[5], 16))
    return found


@case
def damaged_debug_information_ends_no_run():
    need('gcc', 'readelf')
    dice = random.Random(20221105)
    build('gcc', '-O1', '-g', '-o', 'table', 'table.c')
    with open('table', 'rb') as f:
        good = f.read()
    places = sections('table')
    for i in range(12):
        name = ('.debug_info', '.debug_abbrev', '.debug_line')[i % 3]
        bytes = bytearray(good)
        for _ in range(dice.randrange(1, 20)):
            at = places[name][0] + dice.randrange(places[name][1])
            bytes[at] ^= 1 << dice.randrange(8)
        with open('damaged', 'wb') as f:
            f.write(bytes)
        os.chmod('damaged', 0o755)
        functions, _, _, _ = record('./damaged')
        check(any(function != '[anon]' for function in functions), 'no names at all', i)


@case
def a_small_stack_is_enough():
    need('gcc')
    build('gcc', '-O1', '-g', '-o', 'table', 'table.c')

    def small():
        resource.setrlimit(resource.RLIMIT_STACK, (64 << 10, 64 << 10))

    functions, lines, _, _ = record('./table', preexec_fn=small)
    check('main' in functions and ('table.c', 7) in lines, 'main is not among', list(functions)[:5])


main('names', __doc__, set_up)
