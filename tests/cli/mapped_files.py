#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Names come from the mapped file, wherever it is now, and never from another one.

    mapped_files.py --dwell PATH
"""
import json
import os
import re
import shutil
import subprocess

from cases import Skip, case, check, main

DWELL = None
LINES = [] # functions with lines, of the last run
RIGHT = """\
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int t[50000];

__attribute__((noinline)) long right(void)
{
	long s = 0;

	for (int k = 0; k < 8; k++)
		for (int i = 0; i < 50000; i++)
			s += t[i]++;
	return s;
}

/* Put `to` in the place of `at`, as builds and package managers do, or write into it as cp does. */
static int replace(const char *how, const char *at, const char *to)
{
	char bytes[65536];
	int in = open(to, O_RDONLY), out;
	ssize_t n;

	if (strcmp(how, "rename") == 0)
		return rename(to, at);
	out = strcmp(how, "memfd") == 0 ? memfd_create("prog", MFD_CLOEXEC) : open(at, O_WRONLY | O_TRUNC);
	while ((n = read(in, bytes, sizeof bytes)) > 0)
		if (write(out, bytes, (size_t)n) != n)
			return -1;
	return out;
}

int main(int argc, char **argv)
{
	char *none[] = {NULL}, *again[] = {argv[0], NULL};

	if (argc > 1 && strcmp(argv[1], "unlink") == 0)
		unlink(argv[0]);
	if (argc > 1 && strcmp(argv[1], "rename") == 0 && replace("rename", argv[0], "other") != 0)
		return 2;
	if (argc > 1 && strcmp(argv[1], "memfd") == 0)
		return fexecve(replace("memfd", NULL, argv[0]), again, none);
	return right() == 42;
}
"""
WRONG = RIGHT.replace('right', 'wrong')
PLUGIN = """\
static int t[50000];
long plugged(void)
{
	long s = 0;

	for (int k = 0; k < 8; k++)
		for (int i = 0; i < 50000; i++)
			s += t[i]++;
	return s;
}
"""
HOST = """\
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Dwell does not run until this process has ended, or for 200 ms. */
static void stop_reader(void)
{
	pid_t own = getpid(), dwell = getppid();

	if (fork() != 0) {
		kill(dwell, SIGSTOP);
		return;
	}
	for (int i = 0; i < 200 && getppid() == own; i++)
		usleep(1000);
	kill(dwell, SIGCONT);
	_exit(0);
}

int main(int argc, char **argv)
{
	void *plugin;
	long (*run)(void);
	int fd = -1;

	if (argc > 2)
		stop_reader();
	plugin = dlopen("./plugin.so", RTLD_NOW);
	run = plugin != NULL ? dlsym(plugin, "plugged") : NULL;

	if (run == NULL)
		return 2;
	if (strcmp(argv[1], "unlink") == 0)
		unlink("plugin.so");
	else /* the same bytes, at another time: nobody can tell that they are */
		fd = open("plugin.so", O_WRONLY);
	if (fd >= 0 && (pwrite(fd, "\\177", 1, 0) != 1 || close(fd) != 0))
		return 3;
	return run() == 42;
}
"""


def set_up(folder, dwell):
    global DWELL
    DWELL = dwell
    # Meson would have malloc fill the memory: bwrap would do more than the program that it starts.
    os.environ.pop('MALLOC_PERTURB_', None)
    if shutil.which('gcc') is None:
        return
    for name, source, options in (('right', RIGHT, []),
                                  ('wrong', WRONG, []), ('plugin.so', PLUGIN, ['-shared', '-fPIC']),
                                  ('host', HOST, [])):
        subprocess.run(['gcc', '-O1', '-g', *options, '-x', 'c', '-', '-o', name], input=source,
                       text=True, check=True)


def fresh(name, copy):
    if shutil.which('gcc') is None:
        raise Skip('no gcc')
    shutil.copy(name, copy)
    return './' + copy


def remarks(said):
    """What was said, but for the lines that each run ends with."""
    return re.sub(r'^dwell: (\S+ accesses, written to |few samples).*\n', '', said, flags=re.M)


def functions(*command, prefix=()):
    """Of the run: function -> samples, and what was said."""
    done = subprocess.run([*prefix, DWELL, 'record', '--duty', '100', '-o', 'profile.db', '--',
                           *command],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    check(done.returncode == 0, command, 'ended with', done.returncode, done.stderr)
    report = subprocess.run([DWELL, 'report', '-i', 'profile.db', '--format', 'json',
                             '--rows', '100000'],
                            capture_output=True, text=True, timeout=60, check=True)
    os.unlink('profile.db')
    rows = json.loads(report.stdout)
    LINES[:] = [row['function'] for row in rows['lines'] if row.get('line', 0) > 0]
    return {row['function']: row['samples'] for row in rows['functions']}, remarks(done.stderr)


def check_right(found, name='right'):
    rows, said = found
    check(rows.get(name, 0) > 100, name, 'is not among', list(rows)[:5])
    check('wrong' not in rows, 'a name of another file')
    check(name in LINES, name, 'has no lines')
    check('was mapped' not in said, said)


@case
def a_program_that_deletes_itself_has_its_functions():
    check_right(functions(fresh('right', 'prog'), 'unlink'))


@case
def a_program_that_is_replaced_has_its_functions():
    fresh('wrong', 'other')
    check_right(functions(fresh('right', 'prog'), 'rename'))


@case
def a_program_in_no_folder_has_its_functions():
    check_right(functions(fresh('right', 'prog'), 'memfd'))


@case
def a_plugin_that_was_deleted_has_its_functions():
    if os.geteuid() != 0:
        raise Skip('only root may open what others have mapped')
    shutil.copy('plugin.so', 'kept.so')
    found = functions('./host', 'unlink')
    os.rename('kept.so', 'plugin.so')
    check_right(found, 'plugged')


@case
def a_short_run_has_the_functions_of_what_it_deleted():
    if shutil.which('gcc') is None:
        raise Skip('no gcc')
    for _ in range(3):
        shutil.copy('plugin.so', 'kept.so')
        found = functions('./host', 'unlink', 'late')
        os.rename('kept.so', 'plugin.so')
        check_right(found, 'plugged')
        fresh('right', 'prog')
        check_right(functions('sh', '-c', 'sleep 0.4; ./prog; rm prog'))


@case
def a_plugin_that_was_written_to_has_no_names_and_that_is_said():
    shutil.copy('plugin.so', 'kept.so')
    rows, said = functions('./host', 'write')
    os.rename('kept.so', 'plugin.so')
    check('plugged' not in rows, 'a name that cannot be known')
    check(any(row.startswith('[plugin.so+') for row in rows), 'rows are', list(rows)[:5])
    check('plugin.so: the file that was mapped' in said, 'said', said)


@case
def a_program_in_another_mount_namespace_has_its_own_functions():
    if shutil.which('bwrap') is None:
        raise Skip('no bwrap')
    os.makedirs('place', exist_ok=True)
    fresh('wrong', 'place/prog')
    place = os.path.abspath('place')
    bwrap = ['bwrap', '--ro-bind', '/', '/', '--tmpfs', place,
             '--ro-bind', os.path.abspath('right'), place + '/prog',
             '--dev', '/dev', '--proc', '/proc', '--unshare-pid', place + '/prog']
    if subprocess.run(bwrap, capture_output=True, timeout=20).returncode != 0:
        raise Skip('bwrap may not do that here')
    check_right(functions(*bwrap))


def strip_apart(name, source, folder, *options):
    """A program without symbols, folder/name, and folder/name.debug; returns the build-id."""
    path = folder + '/' + name
    subprocess.run(['gcc', '-O1', '-g', *options, '-x', 'c', '-', '-o', path], input=source,
                   text=True, check=True)
    subprocess.run(['objcopy', '--only-keep-debug', path, path + '.debug'], check=True)
    subprocess.run(['objcopy', '--strip-all', '--add-gnu-debuglink=' + path + '.debug', path],
                   check=True)
    notes = subprocess.run(['readelf', '-n', path], capture_output=True, text=True,
                           check=True).stdout
    return notes.split('Build ID: ')[1].split()[0] if 'Build ID: ' in notes else None


def in_space(prepare, program):
    """Run it in a mount namespace of its own, after the commands."""
    if os.geteuid() != 0 or shutil.which('unshare') is None or shutil.which('objcopy') is None:
        raise Skip('only root can, with unshare and objcopy')
    if subprocess.run(['unshare', '-m', 'true'], capture_output=True, timeout=20).returncode != 0:
        raise Skip('unshare may not do that here')
    script = 'set -e; mount --make-rprivate /; ' + prepare + '; exec ' + program
    return functions('unshare', '-m', 'sh', '-c', script)


def apart_in_space(options, place, wrong=False, link=False):
    """The debug file, that of another program if `wrong`, is at the place, in the namespace alone.
    """
    for folder in 'inner', 'hidden':
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
    if shutil.which('gcc') is None or shutil.which('objcopy') is None:
        raise Skip('no gcc or objcopy')
    build = strip_apart('right', RIGHT, 'hidden', *options)
    os.rename('hidden/right', 'inner/right')
    if wrong:
        strip_apart('wrong', WRONG, 'hidden', *options)
    inner, debug = os.path.abspath('inner'), os.path.abspath('hidden/%s.debug' % ('wrong' if wrong
                                                                                  else 'right'))
    prepare = ('cp inner/right kept; cp %s kept.debug; mount -t tmpfs none %s; cp kept %s/right' %
               (debug, inner, inner))
    place = place.replace('INNER', inner)
    if place.startswith('/usr/lib/debug'):
        prepare += '; mount -t tmpfs none /usr/lib/debug'
        place = place.replace('ID', '%s/%s' % (build[:2], build[2:]))
    prepare += '; mkdir -p %s; cp kept.debug %s' % (os.path.dirname(place), place)
    # What may not be opened is not waited for.
    prepare += ('; mkfifo {0}/fifo; mkdir -p {0}/.debug; '
                '[ -e {0}/right.debug ] || ln -s fifo {0}/right.debug').format(inner)
    if link: # absolute, and it leads to nothing outside
        prepare += '; mv {0}/right.debug {0}/real; ln -s {0}/real {0}/right.debug'.format(inner)
    return in_space(prepare, inner + '/right')


@case
def a_debug_file_in_another_mount_namespace_is_found():
    check_right(apart_in_space(['-Wl,--build-id'], 'INNER/right.debug'))
    check_right(apart_in_space(['-Wl,--build-id=none'], 'INNER/.debug/right.debug'))
    if os.path.isdir('/usr/lib/debug'):
        check_right(apart_in_space(['-Wl,--build-id'], '/usr/lib/debug/.build-id/ID.debug'))


@case
def links_to_a_debug_file_lead_where_they_lead_in_its_namespace():
    check_right(apart_in_space(['-Wl,--build-id'], 'INNER/right.debug', link=True))


@case
def a_debug_file_of_another_build_is_not_used():
    places = (['INNER/right.debug'] + ['/usr/lib/debug/.build-id/ID.debug'] *
              os.path.isdir('/usr/lib/debug'))
    for options, place in [(['-Wl,--build-id'], p) for p in places] + [(['-Wl,--build-id=none'],
                                                                        places[0])]:
        rows, _ = apart_in_space(options, place, wrong=True)
        check('wrong' not in rows and 'right' not in rows, 'a name of another file', list(rows)[:5])
        check(any(row.startswith('[right+') for row in rows), 'rows are', list(rows)[:5])


@case
def a_debug_file_is_not_waited_for_and_not_of_another_build_outside():
    if shutil.which('objcopy') is None:
        raise Skip('no objcopy')
    for options in ['-Wl,--build-id'], ['-Wl,--build-id=none']:
        shutil.rmtree('plain', ignore_errors=True)
        os.mkdir('plain')
        strip_apart('right', RIGHT, 'plain', *options)
        os.makedirs('plain/.debug')
        os.rename('plain/right.debug', 'plain/.debug/right.debug')
        os.mkfifo('plain/right.debug')
        check_right(functions('plain/right'))
        os.unlink('plain/.debug/right.debug')
        # A server that is not there, too.
        functions('plain/right', prefix=['env', 'DEBUGINFOD_URLS=http://127.0.0.1:1/'])
        strip_apart('wrong', WRONG, 'plain', *options)
        os.rename('plain/wrong.debug', 'plain/.debug/right.debug')
        rows, _ = functions('plain/right')
        check('wrong' not in rows and 'right' not in rows, 'a name of another file', list(rows)[:5])


@case
def a_program_below_another_root_has_its_own_functions():
    if os.geteuid() != 0 or shutil.which('chroot') is None or shutil.which('gcc') is None:
        raise Skip('only root can')
    os.makedirs('root/bin', exist_ok=True)
    source = RIGHT.replace('memfd_create("prog", MFD_CLOEXEC)', '-1')
    subprocess.run(['gcc', '-O1', '-g', '-static', '-x', 'c', '-', '-o', 'root/prog'], input=source,
                   text=True, check=True)
    rows, _ = functions('chroot', 'root', '/prog')
    # Without the engine's own loader inside it runs unprofiled; where it runs profiled, by its own
    # names.
    check(not rows or 'wrong' not in rows, 'a name of another file')


@case
def a_user_who_is_not_root_has_them_as_well():
    if os.geteuid() != 0 or shutil.which('setpriv') is None:
        raise Skip('setpriv is not to be had')
    for name in '.', 'right':
        os.chmod(name, 0o777)
    user = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']
    tried = subprocess.run([*user, DWELL, 'record', '-q', '--mode', 'count', '-o', 'user.db', '--',
                            'true'],
                           capture_output=True, timeout=20)
    if b'cannot find the engine' in tried.stderr or b'ermission denied' in tried.stderr:
        raise Skip('others may not run dwell from here')
    fresh('right', 'prog')
    os.chmod('prog', 0o777)
    check_right(functions('./prog', 'memfd', prefix=user))
    check_right(functions('./prog', 'unlink', prefix=user))


main('mapped-files', __doc__, set_up)
