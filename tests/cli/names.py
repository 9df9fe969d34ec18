#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Names from every kind of debug information; damaged information does not end a run.

    names.py --dwell PATH
"""
import contextlib
import json
import os
import re
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time

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
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=60, **more)
    check(done.returncode == status, ' '.join(argv), 'ended with', done.returncode, done.stderr)
    return done


def build(*command, source=TABLE, name='table.c'):
    with open(name, 'w') as out:
        out.write(source)
    run(*command)


def remarks(said):
    """What was said, but for the lines that each run ends with."""
    return re.sub(r'^dwell: (\S+ accesses, written to |few samples).*\n', '', said, flags=re.M)


def record(*command, options=(), status=7, **more):
    """Functions, lines and objects by name, and what was said on stderr."""
    done = run(DWELL, 'record', '--duty', '100', '-o', 'profile.db', *options, '--', *command,
               status=status, **more)
    report = json.loads(run(DWELL, 'report', '-i', 'profile.db', '--format', 'json',
                            '--rows', '100000').stdout)
    os.unlink('profile.db')
    return ({row['function']: row for row in report['functions']},
            {(os.path.basename(row.get('file') or ''), row.get('line')) for row in report['lines']},
            {row['name']: row for row in report['objects']}, remarks(done.stderr))


def check_all_is_known(program='./table'):
    functions, lines, objects, said = record(program)
    check('main' in functions and functions['main']['samples'] > 100, 'main is not among',
          list(functions)[:5])
    check(('table.c', 7) in lines, 'line 7 is not among', sorted(lines)[:5])
    check('t' in objects and objects['t']['type'] == 'int[65536]', 'no table among',
          list(objects)[:5])
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
    check('.dwo' in said and said.count('\n') == 1, 'said', said)


def can_pack(tool):
    """Not every tool knows what every compiler writes."""
    try:
        return subprocess.run([tool, '-e', 'table', '-o', 'table.dwp'], capture_output=True,
                              timeout=5).returncode == 0
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


WORK = """\
#define N 100000
static int a[N], b[N];
__attribute__((noinline)) static void fill(void) { for (long i = 0; i < N; i++) a[i] = (int)(i * 7919 % N); }
__attribute__((noinline)) static long gather(void) { long s = 0; for (int i = 0; i < N; i++) s += b[a[i]]++; return s; }
__attribute__((noinline)) static long scan(void) { long s = 0; for (int i = 0; i < N; i++) s += a[i]; return s; }
int main(void) { fill(); return gather() + scan() == 42; }
"""
SMALL = """
static volatile int first, second;
static volatile char one, two, three, four;

int main(void)
{
	for (int i = 0; i < 300000; i++) {
		first += i;
		second -= i;
		one++;
		two++;
		three++;
		four++;
	}
	return 7;
}
"""


@case
def variables_that_share_eight_bytes_have_names_of_their_own():
    need('gcc')
    build('gcc', '-O1', '-g', '-o', 'small', 'small.c', source=SMALL, name='small.c')
    names = {'first', 'second', 'one', 'two', 'three', 'four'}
    _, _, objects, said = record('./small')
    check(names <= set(objects) and said == '', names - set(objects), said)
    check(objects.get('[unknown]', {'samples': 0})['samples'] < objects['one']['samples'],
          objects.get('[unknown]'))
    run(DWELL, 'simulate', '-q', '--data', '-o', 'small.db', '--', './small', status=7)
    bins = json.loads(run(DWELL, 'bins', '-i', 'small.db', '--focus', 'main',
                          '--format', 'json').stdout)['bins']
    check(names <= {row['data'] for row in bins}, [row['data'] for row in bins])


NO_TABLES = ['-fno-asynchronous-unwind-tables', '-fno-unwind-tables']


def simulate(program, status=0):
    """Function -> instructions of its own, and how often it was called."""
    run(DWELL, 'simulate', '-q', '-o', 'graph.db', '--', program, status=status)
    report = json.loads(run(DWELL, 'report', '-i', 'graph.db', '--format', 'json',
                            '--rows', '100000').stdout)
    os.unlink('graph.db')
    return {row['name']: (row['self']['Ir'], row['calls'], os.path.basename(row['file'] or ''))
            for row in report['rows']}


@case
def the_call_graph_has_functions_without_frame_information():
    need('gcc')
    build('gcc', '-O1', '-g', '-o', 'tables', 'work.c', source=WORK, name='work.c')
    build('gcc', '-O1', '-g', *NO_TABLES, '-o', 'none', 'work.c', source=WORK, name='work.c')
    good, bare = simulate('./tables'), simulate('./none')
    for name in 'fill', 'gather', 'scan', 'main':
        check(name in bare and bare[name] == good[name], name, 'has', bare.get(name), 'and not',
              good[name])
    if shutil.which('musl-gcc'):
        run('musl-gcc', '-O1', '-g', *NO_TABLES, '-static', '-o', 'musl', 'work.c')
        musl = simulate('./musl')
        for name in 'fill', 'gather', 'scan':
            check(name in musl and musl[name] == good[name], name, 'of musl has', musl.get(name))


@case
def the_call_graph_has_functions_of_the_dynamic_table_alone():
    need('gcc', 'strip')
    build('gcc', '-O1', *NO_TABLES, '-rdynamic', '-o', 'stripped', 'work.c',
          source=WORK.replace('static long', 'long'), name='work.c')
    run('strip', 'stripped')
    found = simulate('./stripped')
    check('gather' in found and 'scan' in found and found['gather'][1] == 1, 'only',
          list(found)[:4])


@case
def the_call_graph_has_functions_of_assembly():
    need('gcc')
    build('gcc', '-nostdlib', '-static', '-o', 'plain', 'plain.s', name='plain.s', source='''\
	.globl _start, work, other
_start:	call work
	call other
	call work
	mov $60, %eax
	xor %edi, %edi
	syscall
work:	mov $1000, %ecx
within:	dec %ecx
	jnz within
	ret
other:	mov $500, %ecx
again:	dec %ecx
	jnz again
	ret
''')
    found = simulate('./plain')
    check(found == {'_start': (6, 1, ''), 'work': (4004, 2, ''), 'other': (1002, 1, '')}, found)


GO = """\
package main

const n = 100000

var a, b [n]int32

//go:noinline
func fill() {
	for i := range a {
		a[i] = int32(i * 7919 % n)
	}
}

//go:noinline
func gather() (s int64) {
	for _, x := range a {
		s += int64(b[x])
		b[x]++
	}
	return
}

func main() {
	fill()
	if gather() == 42 {
		panic("no")
	}
}
"""
CGO = """\
package main

/*
static int t[10000];
long crunch(int n) { long s = 0; for (int i = 0; i < n; i++) s += t[(i * 7919l) % 10000]++; return s; }
*/
import "C"

//go:noinline
func call(i int) int64 { return int64(C.crunch(C.int(i))) }

func main() {
	for i := 0; i < 20; i++ {
		if call(5000) == 42 {
			panic("no")
		}
	}
}
"""


def build_go(name, *options, source=GO):
    need('go')
    with open('main.go', 'w') as out:
        out.write(source)
    folder = os.getcwd()
    env = dict(os.environ, HOME=folder,
               GOCACHE=os.path.join(tempfile.gettempdir(), 'dwell-go-cache-%d' % os.getuid()),
               GO111MODULE='off', GOTOOLCHAIN='local', GOFLAGS='')
    run('go', 'build', *options, '-o', name, 'main.go', env=env)


def strip_sections(path):
    """No table of sections is left."""
    with open(path, 'r+b') as f:
        f.seek(0x28)
        f.write(bytes(8))
        f.seek(0x3c)
        f.write(bytes(4))


def check_go(program):
    functions, lines, _, said = record(program, status=0)
    check(functions.get('main.fill', {}).get('samples', 0) > 10, program, 'main.fill is not among',
          list(functions)[:5])
    check(('main.go', 10) in lines and ('main.go', 17) in lines, program, 'lines are',
          sorted(lines)[:9])
    check(said == '', said)
    found = simulate(program)
    for name in 'main.fill', 'main.gather':
        check(name in found and found[name][2] == 'main.go', program, name, 'has', found.get(name))
        check(300000 < found[name][0] < 3000000, program, name, 'has', found[name])


@case
def go_has_functions_and_lines_whatever_is_stripped():
    for options in ([], ['-ldflags=-s'], ['-ldflags=-s', '-buildmode=pie']):
        build_go('whole', *options)
        check_go('./whole')
    strip_sections('whole')
    check_go('./whole')


@case
def stripped_go_has_the_calls_that_were_inlined():
    source = """\
package main

const n = 100000

var a [n]int32

func add(s int64, i int) int64 {
	return s + int64(a[i])
}

func twice(s int64, i int) int64 {
	return add(add(s, i), n-1-i)
}

//go:noinline
func scan() (s int64) {
	for i := 0; i < n; i++ {
		s = twice(s, i)
	}
	return
}

func main() {
	if scan() == 42 {
		panic("no")
	}
}
"""
    for options in (['-ldflags=-s'], ['-ldflags=-s', '-buildmode=pie']):
        build_go('inlined', *options, source=source)
        run(DWELL, 'record', '-q', '--duty', '100', '-o', 'inlined.db', '--', './inlined')
        with contextlib.closing(sqlite3.connect('inlined.db')) as db:
            chains = {row[0] for row in db.execute(
                          "SELECT group_concat(function || ':' || line) FROM (SELECT * FROM frame "
                          "ORDER BY location_id, depth) "
                          "GROUP BY location_id")}
        os.unlink('inlined.db')
        check('main.add:8,main.twice:12,main.scan:18' in chains, options, 'no such chain among',
              [c for c in chains if c and 'main.' in c])


@case
def stripped_go_with_c_has_both():
    need('gcc')
    for options in (['-ldflags=-s'], ['-ldflags=-s', '-buildmode=pie']):
        build_go('both', *options, source=CGO)
        found = simulate('./both')
        check(found.get('crunch', (0, 0))[1] == 20, options, 'crunch has', found.get('crunch'))
        check(found.get('main.call', (0, 0, ''))[2] == 'main.go', options, 'main.call has',
              found.get('main.call'))


@case
def a_damaged_go_table_is_said():
    build_go('damaged', '-ldflags=-s')
    with open('damaged', 'r+b') as f:
        bytes = f.read()
        at = [bytes.find(magic + b'\xff\xff\xff\0\0\1\x08') for magic in (b'\xf0', b'\xf1', b'\xfa',
                                                                          b'\xfb')]
        f.seek(max(at) + 8 + 3 * 8) # where the names are
        f.write(b'\xff' * 8)
    with open('wrapper', 'w') as f: # the runtime itself does not survive that
        f.write('#!/bin/sh\n./damaged 2>/dev/null; exit 0\n')
    os.chmod('wrapper', 0o755)
    said = record('./wrapper', status=0)[3]
    check('.gopclntab' in said and 'damaged' in said, 'said', said)


@case
def a_small_stack_is_enough():
    need('gcc')
    build('gcc', '-O1', '-g', '-o', 'table', 'table.c')

    def small():
        resource.setrlimit(resource.RLIMIT_STACK, (64 << 10, 64 << 10))

    functions, lines, _, _ = record('./table', preexec_fn=small)
    check('main' in functions and ('table.c', 7) in lines, 'main is not among', list(functions)[:5])


def name_of(pid):
    with open('/proc/%d/comm' % pid) as f:
        return f.read().strip()


def readers(pid):
    """The children of Dwell that read symbols."""
    try:
        with open('/proc/%d/task/%d/children' % (pid, pid)) as f:
            return [int(child) for child in f.read().split()
                    if name_of(int(child)) == 'dwell-symbols']
    except OSError: # one has just ended
        return []


def with_killed_readers(times):
    """What is said, and the lines, of a run whose readers of symbols are killed this often."""
    build('gcc', '-O1', '-g', '-o', 'table', 'table.c',
          source=TABLE.replace('i < 300000', 'i < 80000000'))
    dwell = subprocess.Popen([DWELL, 'record', '-q', '-o', 'profile.db', './table'],
                             stderr=subprocess.PIPE, text=True)
    seen, end = set(), time.monotonic() + 60
    while dwell.poll() is None and len(seen) < times and time.monotonic() < end:
        for reader in readers(dwell.pid):
            if reader not in seen:
                time.sleep(0.2)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(reader, signal.SIGKILL)
                seen.add(reader)
        time.sleep(0.01)
    said = dwell.communicate(timeout=60)[1]
    report = json.loads(run(DWELL, 'report', '-i', 'profile.db', '--format', 'json').stdout)
    return said, [row for row in report['lines'] if row.get('line', 0) > 0], len(seen)


@case
def a_reader_that_somebody_kills_is_replaced():
    need('gcc')
    said, lines, killed = with_killed_readers(1)
    check(killed == 1, 'no reader')
    check(said == '' and lines, said, lines)


@case
def readers_that_are_killed_are_not_crashes_of_a_library():
    need('gcc')
    said, _, _ = with_killed_readers(1000)
    check('libdw failed' not in said, said)


@case
def a_simulation_that_was_cut_off_early_has_no_counts():
    for mode in ['simulate'], ['simulate', '--data'], ['simulate', '--curve']:
        dwell = subprocess.Popen([DWELL, *mode, '-q', '-o', 'cut.db', 'sleep', '30'],
                                 start_new_session=True)
        end = time.monotonic() + 20
        while not os.path.exists('cut.db') and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(0.3)
        os.killpg(dwell.pid, signal.SIGKILL)
        dwell.wait()
        for view in 'report', 'objects':
            done = subprocess.run([DWELL, view, '-i', 'cut.db'], capture_output=True, text=True,
                                  timeout=60)
            check('damaged' not in done.stderr, mode, view, done.stderr)
            check(done.returncode in (0, 3), mode, view, done.returncode)
        os.unlink('cut.db')


main('names', __doc__, set_up)
