#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Debug information that cannot be read: one sentence says so, and symbols give names.

    unread.py [--dwell PATH] [--only EXPRESSION]

Each case prints one line; the exit status is 0 when none failed.
"""
import re
import shutil
import subprocess

import simulate_common
from cases import Skip, case, check, main
from simulate_common import run

PROGRAM = '''
int table[5000];
__attribute__((noinline)) int work(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += table[(unsigned)i * 7919u % 5000]++;
	return sum;
}
int main(void) { return work(90000) == 7; }
'''


def tool(*command):
    if not shutil.which(command[0]):
        raise Skip('no ' + command[0])
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise Skip('%s: %s' % (command[0], done.stderr[:100]))


def build(path='program', *options):
    with open('program.c', 'w') as f:
        f.write(PROGRAM)
    tool('gcc', '-O1', '-g', '-gdwarf-5', *options, '-o', path, 'program.c')


def tells(reason, path='./program', *, sentences=1):
    """The reason is told once, in the profile too; the names are those of symbols."""
    status, _, err = run('simulate', '--data', '--cache=L1d=4K,4,64', '--cache=LL=16K,4,64',
                         '-o', 'run.db', '--', path)
    check(status == 0, status, err)
    check(err.count(reason) == sentences, err)
    if sentences:
        check(re.search(r'%s: its debug information' % re.escape(path.lstrip('./')), err), err)
        status, out, err = run('info', 'run.db')
        check(status == 0 and reason.split()[0] in out, out, err)
    status, out, err = run('report', '--format', 'csv', 'run.db')
    check(status == 0 and re.search(r'^function,work,', out, re.M), out, err)
    status, out, err = run('objects', '--format', 'csv', 'run.db')
    check(status == 0 and 'table' in out and '(unnamed)' not in out, out, err)


def set_version(section, number):
    """Of the first unit of the section."""
    sections = subprocess.run(['readelf', '-SW', 'program'], capture_output=True, text=True).stdout
    offset = int(re.search(r'\] %s\s+\S+\s+\S+\s+(\S+)' % re.escape(section), sections).group(1),
                 16)
    with open('program', 'r+b') as f:
        f.seek(offset + 4)
        f.write(number.to_bytes(2, 'little'))


@case
def what_can_be_read_is_not_told():
    build()
    tells('debug information', sentences=0)


@case
def sections_compressed_by_zstd():
    """A newer libelf reads them."""
    build()
    tool('objcopy', '--compress-debug-sections=zstd', 'program')
    version = subprocess.run(['pkg-config', '--modversion', 'libelf'], capture_output=True,
                             text=True).stdout.strip()
    if version and tuple(int(n) for n in version.split('.')[:2]) >= (0, 189):
        raise Skip('libelf %s may read it' % version)
    tells('zstd')


@case
def sections_compressed_by_zlib_are_read():
    build()
    tool('objcopy', '--compress-debug-sections=zlib', 'program')
    tells('debug information', sentences=0)


@case
def units_of_an_unknown_version():
    build()
    set_version('.debug_info', 9)
    tells('version of DWARF')


@case
def line_tables_of_an_unknown_version():
    build()
    set_version('.debug_line', 77)
    tells('version of DWARF')


@case
def a_shared_debug_file_that_is_missing():
    build('program')
    build('other', '-DOTHER')
    tool('dwz', '-m', 'shared.debug', 'program', 'other')
    subprocess.run(['rm', '-f', 'shared.debug'], check=True)
    if '.gnu_debugaltlink' not in subprocess.run(['readelf', '-SW', 'program'], capture_output=True,
                                                 text=True).stdout:
        raise Skip('dwz found nothing to share')
    tells('dwz')


def set_up(dwell, folder):
    simulate_common.set_up(dwell, None, folder)


if __name__ == '__main__':
    main('unread', __doc__, set_up)
