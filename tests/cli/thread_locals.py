#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Thread-local variables have the same names in `record` and in `simulate --data`, wherever their
copies lie.

    thread_locals.py --dwell PATH
"""
import json
import shutil
import subprocess

from cases import Skip, case, check, main

DWELL = None
THREADS = 3  # and the first one
LIBRARY = """\
static __thread long NAME_big[8192] MODEL;
__thread int NAME_tail[3] MODEL;
long NAME_work(long n)
{
	long s = 0;

	for (long i = 0; i < n; i++) {
		s += NAME_big[(i * 7919) & 8191]++;
		NAME_tail[i % 3]++;
	}
	return s;
}
"""
MAIN = """\
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
typedef long work(long);
static __thread long own_big[4096];
static __thread long own_sums[2];
static work *works[4];
long linked_work(long);
static work *load(const char *file, const char *name)
{
	return (work *)dlsym(dlopen(file, RTLD_NOW), name);
}
static void *run(void *unused)
{
	(void)unused;
	for (int k = 0; k < 4; k++)
		own_sums[0] += works[k](40000);
	for (long i = 0; i < 40000; i++)
		own_sums[1] += own_big[(i * 31) & 4095]++;
	return (void *)(own_sums[0] + own_sums[1]);
}
int main(void)
{
	pthread_t threads[3];

	works[0] = linked_work;
	works[1] = load("./libplug.so", "plug_work");
	works[2] = load("./libother.so", "other_work");
	works[3] = load("./libfixed.so", "fixed_work");
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return run(NULL) == NULL;
}
"""


def build(name, source, *options):
    subprocess.run(['gcc', '-O1', '-g', '-pthread', *options, '-o', name, '-x', 'c', '-'],
                   input=source, text=True,
                   check=True)


def library(name):
    build('lib%s.so' % name, LIBRARY.replace('NAME', name).replace('MODEL', ''), '-shared', '-fPIC')


def set_up(folder, dwell):
    global DWELL
    DWELL = dwell
    if shutil.which('gcc') is None:
        return
    library('linked')
    library('plug')
    library('other')  # of the same size: the file that asks for the block tells them apart
    # Of the room that the linker keeps below each thread's pointer for such files.
    source = LIBRARY.replace('8191', '63').replace('8192', '64').replace('NAME', 'fixed')
    build('libfixed.so', source.replace('MODEL', '__attribute__((tls_model("initial-exec")))'),
          '-shared', '-fPIC')
    with open('main.c', 'w', encoding='utf-8') as out:
        out.write(MAIN)
    subprocess.run(['gcc', '-O1', '-g', '-pthread', 'main.c',
                    './liblinked.so', '-o', 'locals', '-Wl,-rpath,.'],
                   check=True)


def need(*tools):
    for tool in tools:
        if shutil.which(tool) is None:
            raise Skip('no ' + tool)


def objects(program, *command):
    subprocess.run([DWELL, *command, '-q', '-o', 'run.db', '--', program], check=True, timeout=100,
                   stdout=subprocess.DEVNULL)
    done = subprocess.run([DWELL, 'objects', '-i', 'run.db', '--format', 'json',
                           '--rows', '100000'], check=True,
                          timeout=60, capture_output=True, text=True)
    rows = json.loads(done.stdout)
    return {row['name']: row for row in (rows if isinstance(rows, list) else rows['objects'])}


SIMULATE = ('simulate', '--data', '--references', '--cache', 'L1d=16K,8,64')
RECORD = ('record', '--duty', '100')
COPIES = THREADS + 1


def check_tables(rows, is_exact, names):
    for name in names:
        row = rows.get(name + '_big')
        check(row is not None, 'no %s_big among' % name, list(rows)[:12])
        check(row['type'] == 'long int[%d]' % (64 if name == 'fixed' else 4096 if name == 'own'
                                               else 8192), row)
        check(row['blocks'] == COPIES, name, 'has', row['blocks'], 'copies')
        # 40,000 reads and as many writes in each thread, and what the linker writes at first.
        if is_exact:
            check(abs(row['references'] - COPIES * 80000) < COPIES * 8192, name, 'has',
                  row['references'])


@case
def files_loaded_with_the_program_and_later():
    need('gcc')
    names = 'own', 'linked', 'plug', 'other', 'fixed'
    rows = objects('./locals', *SIMULATE)
    check_tables(rows, True, names)
    check(rows['plug_tail']['type'] == 'int[3]' and rows['plug_tail']['blocks'] == COPIES,
          rows['plug_tail'])
    rows = objects('./locals', *RECORD)
    check_tables(rows, False, names)


@case
def a_file_without_local_names_has_its_section():
    need('gcc', 'strip')
    subprocess.run(['strip', 'libplug.so'], check=True)
    for command in SIMULATE, RECORD:
        rows = objects('./locals', *command)
        check('.tbss of libplug.so' in rows and 'other_big' in rows, command[0], list(rows)[:12])
        check('plug_tail' in rows, 'an exported name is kept', list(rows)[:12])
    library('plug')


@case
def a_static_program():
    need('gcc')
    source = LIBRARY.replace('NAME', 'only').replace('MODEL', '')
    build('static', source + 'int main(void)\n{\n\treturn only_work(40000) == 0;\n}\n', '-static')
    for command in SIMULATE, RECORD:
        rows = objects('./static', *command)
        check(rows['only_big']['type'] == 'long int[8192]', command[0], list(rows)[:12])


@case
def fortran_and_rust():
    if shutil.which('gfortran'):
        with open('team.f90', 'w', encoding='utf-8') as out:
            out.write(
                'module team\n  real(8) :: work(8192)\n  !$omp threadprivate(work)\nend module\n'
                'program p\n  use team\n  integer :: i\n  !$omp parallel num_threads(3)\n  do i = '
                '1, 40000\n'
                '    work(mod(i*31, 8192)+1) = work(mod(i*17, 8192)+1) + 1d0\n  end do\n'
                '  !$omp end parallel\nend program\n')
        subprocess.run(['gfortran', '-O1', '-g', '-fopenmp', 'team.f90', '-o', 'team'], check=True)
        for command in SIMULATE, RECORD:
            rows = objects('./team', *command)
            check(rows['team::work']['blocks'] == 3, command[0], list(rows)[:12])
    if shutil.which('rustc'):
        with open('cells.rs', 'w', encoding='utf-8') as out:
            out.write('use std::cell::Cell;\nthread_local! { static TABLE: [Cell<u64>; 4096] = '
                      'const { [const { Cell::new(0) }; 4096] } }\nfn main() {\n'
                      '    std::thread::spawn(|| { for i in 0..40000 { TABLE.with(|t| {\n'
                      '        let c = &t[(i * 31) & 4095]; c.set(c.get() + 1); }) } '
                      '}).join().unwrap();\n}\n')
        if subprocess.run(['rustc', '-O', '-g', 'cells.rs'], capture_output=True,
                          check=False).returncode != 0:
            raise Skip('this rustc has no such initial values')
        for command in SIMULATE, RECORD:
            rows = objects('./cells', *command)
            check('cells::TABLE' in rows, command[0], list(rows)[:12])


main('thread-locals', __doc__, set_up)
