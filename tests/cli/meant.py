#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""An ambiguous function name: the function with most misses is shown, and a line says so.

    meant.py --dwell PATH
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

# strcmp of the C library is a variant for the processor; that of the dynamic linker has the plain
# name. work is in two libraries: one walks a table far larger than its caches, the other hardly
# anything.
MAIN = r'''
#include <stdlib.h>
#include <string.h>
int one_work(void), two_work(void);
int main(void)
{
	enum { COUNT = 20000 };
	static char *v[COUNT];
	volatile long sum = 0;
	for (int i = 0; i < COUNT; i++) {
		v[i] = malloc(200);
		memset(v[i], 'a', 199);
		v[i][199] = 0;
	}
	for (int turn = 0; turn < 4; turn++)
		for (int i = 0; i < COUNT; i++)
			sum += strcmp(v[i], v[i * 7919L % COUNT]);
	return (one_work() + two_work() + sum) == 42;
}
'''
LIBRARY = r'''
static long table[%(size)d];
static __attribute__((noinline)) int work(void)
{
	int sum = 0;
	for (long i = 0; i < 400000; i++)
		sum += table[i * 7919 %% %(size)d]++;
	return sum;
}
int %(name)s_work(void) { return work(); }
'''


def check(condition, *what):
    if not condition:
        raise AssertionError(' '.join(str(w) for w in what))


def build(folder):
    libraries = []
    for name, size in [('one', 400000), ('two', 100)]:
        source = os.path.join(folder, name + '.c')
        with open(source, 'w') as f:
            f.write(LIBRARY % {'name': name, 'size': size})
        libraries.append(os.path.join(folder, 'lib%s.so' % name))
        subprocess.run(['cc', '-O1', '-g', '-shared', '-fPIC', source, '-o', libraries[-1]],
                       check=True)
    source, program = os.path.join(folder, 'meant.c'), os.path.join(folder, 'meant')
    with open(source, 'w') as f:
        f.write(MAIN)
    subprocess.run(['cc', '-O1', '-g', '-fno-builtin', source,
                    *libraries, '-Wl,-rpath,' + folder, '-o', program],
                   check=True)
    return program


class Profile:
    def __init__(self, dwell, path):
        self.dwell, self.path = dwell, path

    def ask(self, *argv):
        done = subprocess.run([self.dwell, *argv, '-i', self.path], capture_output=True, text=True,
                              timeout=100)
        check(done.returncode == 0, argv, 'ended with', done.returncode, done.stderr)
        return done.stdout, done.stderr


def same_name_in_two_libraries(sampled, simulated):
    """one's work misses, two's does not: the lines are those of one.c alone."""
    for profile, options in [(sampled, ['--size', '64K']), (simulated, ['--sort', 'D1mr'])]:
        out, said = profile.ask('annotate', 'work', *options)
        check("'work' is 2 functions, the first is shown: work of libone.so" in said, said)
        check('work of libtwo.so' in said, said)
        check('one.c' in out and 'two.c' not in out, out)
    out, said = sampled.ask('paths', 'work', '--size', '64K')
    check('libone.so' in said, said)
    out, said = sampled.ask('reuse', 'work', '--size', '64K')
    check('libone.so' in said and 'two.c' not in out, said, out)


def none_dominates(sampled, simulated):
    """Both walk the same number of elements: by loads they are alike, and both are shown."""
    out, said = simulated.ask('annotate', 'work', '--sort', 'Dr')
    check("'work' is 2 functions, all are shown: work of lib" in said and '% of their Dr)' in said,
          said)
    check('one.c' in out and 'two.c' in out, out)


def variants_for_a_processor(sampled, simulated):
    """The C library's strcmp has a name of its own; the dynamic linker's is nearly free of misses.
    """
    out, said = sampled.ask('annotate', 'strcmp', '--size', '64K')
    names = [f['function']
             for f in json.loads(sampled.ask('report', '--format', 'json')[0])['functions']]
    variants = [n for n in names if n.startswith('__strcmp_')]
    if not variants:
        return 'the C library has no variant of strcmp for this processor'
    check(variants[0] + ' of libc.so.6' in said, said, variants)
    check(variants[0] in sampled.ask('paths', 'strcmp')[0], 'paths do not show', variants)


def one_function_by_another_name(sampled, simulated):
    out, said = simulated.ask('annotate', 'malloc')
    check("'malloc' is " in said and 'libc_malloc' in said, said)
    out, said = simulated.ask('annotate', 'main')
    check(' is ' not in said, 'something was said of main:', said)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('--dwell', required=True)
    dwell, failed = os.path.abspath(parser.parse_args().dwell), 0
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder)
        profiles = [Profile(dwell, os.path.join(folder, name)) for name in ['sampled.db',
                                                                            'simulated.db']]
        subprocess.run([dwell, 'record', '-q', '--seed', '1', '--duty', '80',
                        '-o', profiles[0].path, '--', program],
                       check=True, timeout=100)
        subprocess.run([dwell, 'simulate', '-q', '-o', profiles[1].path, '--', program], check=True,
                       timeout=100)
        for case in [same_name_in_two_libraries, none_dominates, variants_for_a_processor,
                     one_function_by_another_name]:
            try:
                why = case(*profiles)
                print('skipped  %s: %s' % (case.__name__, why) if why
                      else 'ok       ' + case.__name__)
            except AssertionError as error:
                failed += 1
                print('FAILED   %s: %s' % (case.__name__, error))
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
