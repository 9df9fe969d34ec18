#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Resource limits, and broken programs: the command runs as usual, or one message says why not.

    limits.py [--dwell PATH] [--only EXPRESSION]

There must be no hang, no silence, and no rest of a profile that could not be written. Each case
prints one line; the exit status is 0 if none failed.
"""
import os
import resource
import shutil
import subprocess

from cases import case, check, main

SECONDS = 20
MB = 1 << 20
SUMS = ['sh', '-c', 'echo $((1234 * 1000 + 567))']
SAID = '1234567\n'
WAYS = [['record', '-q'], ['record', '-q', '--mode', 'count'], ['simulate'],
        ['simulate', '--no-filter']]


def run(arguments, command, **limits):
    """(exit status, stdout, stderr) of dwell with limits in bytes, by the names of the resource
    module.
    """
    def limit():
        for name, value in limits.items():
            resource.setrlimit(getattr(resource, 'RLIMIT_' + name), (value, value))

    process = subprocess.run(
        [DWELL, *arguments, *(['--', *command] if command else [])], preexec_fn=limit,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS)
    return process.returncode, process.stdout, process.stderr


def said_why(err):
    return [line for line in err.splitlines() if line.startswith('dwell: ') and 'ulimit' in line]


@case
def address_space_limits_end_in_the_result_or_a_sentence():
    for megabytes in (60, 150, 1000, 9000):
        for way in WAYS[:2] if megabytes != 1000 else WAYS:
            status, out, err = run([*way, '-o', 'limited'], SUMS, AS=megabytes * MB)
            check((status == 0 and SAID in out) or (status != 0 and said_why(err)), megabytes, way,
                  status, err)


@case
def no_room_for_the_engine_is_the_only_reason_given():
    for megabytes in range(34, 60, 4):
        status, out, err = run(['record', '-q', '-o', 'limited'], SUMS, AS=megabytes * MB)
        if 'no room for the engine' in err:
            check(status == 4 and 'nothing was sampled' not in err, megabytes, status, err)


@case
def a_gigabyte_is_enough():
    for way in WAYS[:2]:
        status, out, err = run([*way, '-o', 'limited'], SUMS, AS=1000 * MB)
        check(status == 0 and out == SAID, way, status, out, err)


@case
def data_limits_end_in_the_result_or_a_sentence():
    for megabytes in (60, 1000):
        for way in WAYS[:2]:
            status, out, err = run([*way, '-o', 'limited'], SUMS, DATA=megabytes * MB)
            check((status == 0 and SAID in out) or (status != 0 and said_why(err)), megabytes, way,
                  status, err)


@case
def a_limit_that_a_shell_sets_is_for_the_programs_memory():
    shutil.copy(shutil.which('cat'), 'unprofiled')
    os.chmod('unprofiled', 0o4755)
    with open('text', 'w') as f:
        f.write('ulimit -v; echo text | cat\n')
    os.chmod('text', 0o755)
    script = 'ulimit -v 600000; ulimit -d 90000; ulimit -Hd; echo piped | cat; ./text; '
    script += './unprofiled /proc/self/limits | grep -o "address space *[0-9]* *[0-9]*"; '
    script += 'exec sh -c "ulimit -v; ulimit -d"'
    command = ['sh', '-c', script]
    natively = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS).stdout
    check('90000\npiped\n600000\ntext\naddress' in natively, natively)
    for way in WAYS[:3]:
        status, out, err = run([*way, '-o', 'own.db'], command)
        check(status == 0 and out == natively, way, status, out, err)
        check('ulimit' not in err and 'memory' not in err, way, err)


@case
def a_limit_below_what_the_shell_has_lets_it_fork():
    for way in WAYS[:3]:
        status, out, err = run([*way, '-o', 'own.db'],
                               ['sh', '-c', 'ulimit -v 100; (echo $((4 * 4)))'])
        check(status == 0 and out == '16\n', way, status, out, err)


@case
def a_limit_of_the_shell_below_one_from_outside():
    for megabytes in 1000, 4000:
        status, out, err = run(['record', '-q', '-o', 'own.db'],
                               ['sh', '-c', 'ulimit -v 600000; echo in | cat; ulimit -v'],
                               AS=megabytes * MB)
        check(status == 0 and out == 'in\n600000\n', megabytes, status, out, err)


@case
def data_are_counted_or_the_limit_is_named():
    for kilobytes, counts in (6000000, True), (4500000, None), (4000000, False), (2000000, False):
        status, _, err = run(['simulate', '-q', '--data', '-o', 'own.db'],
                             ['sh', '-c', 'echo in | cat'], AS=kilobytes << 10)
        is_said = 'misses are not counted by data structure, as a limit of address space' in err
        check(status == 0 and 'with these caches' not in err and counts in (None, not is_said),
              kilobytes, status, err)
        status, out, err = run(['bins', '--format', 'csv', '-i', 'own.db'], [])
        check((status == 0 and len(out.splitlines()) > 2) != is_said, kilobytes, status, out, err)


def files():
    return {name: os.stat(name).st_size for name in os.listdir('.')}


@case
def a_file_size_limit_leaves_what_was_there():
    check(run(['record', '-q', '-o', 'one.db'], SUMS)[0] == 0, 'no profile')
    check(run(['simulate', '-o', 'two.db'], SUMS)[0] == 0, 'no simulated profile')
    check(run(['export', '-t', 'callgrind', '-i', 'two.db', '-o', 'two.out'], [])[0] == 0,
          'no export')
    for name in 'old.db', 'old.out':
        run(['import', '-o', name, 'two.out'], []) if name.endswith('db') else os.link('two.out',
                                                                                       name)
    before = files()
    for kilobytes in 4, 300:
        for arguments, command in (
                (['record', '-q', '-o', 'old.db'], SUMS), (['simulate', '-o', 'new.db'], SUMS),
                (['merge', '-o', 'old.db', 'one.db', 'one.db'], []),
                (['import', '-o', 'new.db', 'two.out'], []),
                (['export', '-t', 'callgrind', '-i', 'two.db', '-o', 'old.out'], [])):
            status, out, err = run(arguments, command, FSIZE=kilobytes << 10)
            if status == 0 and kilobytes == 300:
                continue # small enough
            check(status in (4, 5) and said_why(err) and out == '', kilobytes, arguments, status,
                  err)
            check(files() == before, kilobytes, arguments, 'left', files())


@case
def the_program_gets_its_own_file_size_signal():
    write = ('import os; os.write(os.open("grown", os.O_WRONLY | os.O_CREAT), bytes(7 << 20)); '
             'os.write(1, b"short")\n')
    write += 'os.lseek(3, 0, 2); os.write(3, bytes(1))'
    status, out, err = run(['record', '-q', '-o', 'one.db', '--mode', 'count'],
                           ['python3', '-S', '-c',
                            'import signal; signal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n' +
                            write], FSIZE=6 << 20)
    check(status == -25 and out == 'short', status, out, err)


@case
def few_descriptors_are_told_as_the_reason():
    for count in range(4, 30):
        status, out, err = run(['record', '-q', '-o', 'few.db'], SUMS, NOFILE=count)
        if status == 0:
            check(out == SAID and count > 8, count, out)
            break
        check(status in (4, 5) and out == '' and 'oo many open files' in err, count, status, err)
    check(count < 20, count, 'descriptors are not enough')


@case
def a_small_stack_is_enough_for_dwell():
    for way in WAYS:
        status, out, err = run([*way, '-o', 'small.db'], SUMS, STACK=64 << 10)
        check(status == 0 and out == SAID, way, status, out, err)
    for view in ['report'], ['info'], ['export', '-t', 'json']:
        status, out, err = run([*view, '-i', 'small.db'], [], STACK=64 << 10)
        check(status == 0 and out, view, status, err)


@case
def as_many_arguments_as_the_kernel_allows():
    for count in 70000, 200000:
        status, out, err = run(['record', '-q', '--mode', 'count', '-o', 'many.db'],
                               ['echo', *['x'] * count])
        check(status == 0 and len(out) == 2 * count, count, status, len(out), err)


@case
def truncated_programs_end_as_natively():
    with open(shutil.which('true'), 'rb') as f:
        whole = f.read()
    for count in [*range(512, 8192, 1536), *range(8192, len(whole), 4864)]:
        with open('cut', 'wb') as f:
            f.write(whole[:count])
        os.chmod('cut', 0o755)
        try:
            natively = subprocess.run(['./cut'], capture_output=True, timeout=SECONDS).returncode
        except OSError:
            natively = 126
        status, out, err = run(['record', '-q', '--mode', 'count', '-o', 'cut.db'], ['./cut'])
        check(status == natively and 'fault' not in err, count, 'bytes: natively', natively, 'here',
              status, err)


def set_up(dwell, folder):
    global DWELL
    DWELL = dwell
    os.chdir(folder)


main('limits', __doc__, set_up)
