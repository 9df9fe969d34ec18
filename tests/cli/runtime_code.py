#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Code made at run time has the names that its process wrote to /tmp/perf-PID.map, and no others.

    runtime_code.py --dwell PATH

The program is this file itself, called with --make: it writes a small loop into memory and runs it.
Each case prints one line; the exit status is 0 when none failed.
"""
import argparse
import ctypes
import json
import mmap
import os
import shutil
import struct
import subprocess
import sys
import tempfile

# mov rcx,rsi; loop: mov rax,[rdi]; add rdi,64; dec rcx; jnz loop; ret
LOOP = bytes.fromhex('4889f1 488b07 4883c740 48ffc9 75f4 c3')
LINES = 1 << 15
ROUNDS = 100


def make(how):
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(LOOP)
    at = ctypes.addressof(ctypes.c_char.from_buffer(code))
    table = ctypes.create_string_buffer(LINES * 64)
    loop = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_void_p, ctypes.c_long)(at)
    for _ in range(ROUNDS):
        loop(ctypes.addressof(table), LINES)
    if how == 'jitdump':
        sign = jitdump(at)
        loop(ctypes.addressof(table), LINES)
        print(os.getpid())
        sign.close()
        return
    path = '/tmp/perf-%d.map' % os.getpid()
    # What is no entry is passed over; of two for one address the later one counts.
    text = '\nzz zz zz\n-1 5 minus\n%x\n%x 0 empty\nffffffffffffffff ff beyond\n' % (at, at)
    text += '%x %x before\n%x %x walk \x1b[31m lines\n' % (at, len(LOOP), at - 16, len(LOOP) + 16)
    target = path + '.elsewhere' if how == 'link' else path
    with open(target, 'w') as out:
        out.write(text)
    if how == 'link':
        os.symlink(target, path)
    if how == 'old':
        os.utime(path, (1, 1))
    if how == 'stranger':
        os.chown(path, 12345, 12345)
    if how == 'large': # the rest is zeros
        os.truncate(path, 80 << 20)
    if how == 'pipe':
        os.unlink(path)
        os.mkfifo(path)
    print(os.getpid())


def jitdump(at):
    """The same loop told in a jitdump file, which is mapped as a sign: it began elsewhere, with its lines, and moved."""
    path = os.path.abspath('jit-%d.dump' % os.getpid())
    elsewhere = 0x7000

    def record(kind, body):
        return struct.pack('<IIQ', kind, 16 + len(body), 1) + body

    lines = b''.join(struct.pack('<QII', elsewhere + offset, line, 0) + name + b'\0'
                     for offset, line, name in ((0, 10, b'/src/walk.js'), (3, 12, b'\xff'), (15, 13, b'\xff')))
    text = struct.pack('<IIIIIIQQ', 0x4a695444, 1, 40, 62, 0, os.getpid(), 1, 0)
    text += record(0, struct.pack('<IIQQQQ', 1, 1, at, at, len(LOOP), 0) + b'before\0' + LOOP)
    text += record(2, struct.pack('<QQ', elsewhere, 3) + lines)
    text += record(0, struct.pack('<IIQQQQ', 1, 1, elsewhere, elsewhere, len(LOOP), 1) + b'js:walk\0' + LOOP)
    text += record(1, struct.pack('<IIQQQQQ', 1, 1, at, elsewhere, at, len(LOOP), 1))
    text += record(4, b'x' * 40) + record(3, b'') + b'\1\0'
    with open(path, 'w+b') as out:
        out.write(text[:40])
        out.flush()
        sign = mmap.mmap(out.fileno(), 40, prot=mmap.PROT_READ | mmap.PROT_EXEC, flags=mmap.MAP_PRIVATE)
        out.write(text[40:])
    return sign


def check(condition, *what):
    if not condition:
        raise AssertionError(' '.join(str(w) for w in what))


def run(*argv):
    done = subprocess.run([DWELL, *argv], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=100)
    check(done.returncode == 0, ' '.join(argv), 'ended with', done.returncode, done.stderr)
    return done.stdout


def functions(folder, command, how, *options):
    """The profile, and function -> its row, of a run that leaves such a map behind."""
    path = os.path.join(folder, 'profile.db')
    pid = run(command, '-q', '-o', path, *options, '--', sys.executable, os.path.abspath(__file__), '--make', how)
    for end in ('.map', '.map.elsewhere'):
        if os.path.lexists('/tmp/perf-%d%s' % (int(pid), end)):
            os.unlink('/tmp/perf-%d%s' % (int(pid), end))
    report = json.loads(run('report', '-i', path, '--format', 'json', '--rows', '100000'))
    if command == 'simulate':
        return path, {row['name']: row['self'] for row in report['rows']}
    return path, {row['function']: row for row in report['functions']}


def functions_have_their_names(folder):
    path, rows = functions(folder, 'record', 'plain')
    check('walk \\x1b[31m lines' in rows, 'the loop is not among', list(rows)[:5])
    check(rows['walk \\x1b[31m lines']['samples'] > 100, 'the loop has', rows['walk \\x1b[31m lines'])
    check(not {'before', 'empty', 'minus', 'beyond'} & set(rows), 'what is no entry is a name')
    check('made at run time' not in run('report', '-i', path), 'a hint that nobody needs')


def a_jitdump_file_gives_functions_and_lines(folder):
    os.chdir(folder)
    path, rows = functions(folder, 'record', 'jitdump')
    check(rows.get('js:walk', {}).get('samples', 0) > 100, 'the loop is not among', list(rows)[:5])
    check(rows['js:walk'].get('file') == '/src/walk.js', 'its file is', rows['js:walk'].get('file'))
    check('before' not in rows, 'what was there before has the code')
    lines = json.loads(run('report', '-i', path, '--format', 'json', '--rows', '100000'))['lines']
    check({row['line'] for row in lines if row['function'] == 'js:walk'} <= {10, 12, 13}, 'its lines are others')
    check(any(row['function'] == 'js:walk' and row['line'] == 12 for row in lines), 'the line of the load is not there')


def maps_of_others_are_not_read(folder):
    for how in ('link', 'old', 'pipe') + (('stranger',) if os.geteuid() == 0 else ()):
        path, rows = functions(folder, 'record', how)
        check('walk \\x1b[31m lines' not in rows and '[anon]' in rows, how, 'has', list(rows)[:5])
        text = run('report', '-i', path)
        check('code made at run time that /tmp/perf-' in text, 'no hint in', text)


def a_map_without_end_is_cut_and_that_is_said(folder):
    path = os.path.join(folder, 'profile.db')
    done = subprocess.run([DWELL, 'record', '-q', '-o', path, '--', sys.executable, os.path.abspath(__file__), '--make',
                           'large'], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
    os.unlink('/tmp/perf-%d.map' % int(done.stdout))
    check('.map is larger than 64 MB' in done.stderr, 'it said', done.stderr)
    check('walk' in run('report', '-i', path), 'what stands in front is not read')


def a_container_has_a_folder_and_numbers_of_its_own(folder):
    apart = ['unshare', '-Urmp', '--fork', '--mount-proc']
    own = 'mount -t tmpfs own /tmp && exec "$0" "$@"'
    if shutil.which('unshare') is None or subprocess.run([*apart, 'sh', '-c', own, 'true'],
                                                         capture_output=True).returncode != 0:
        print('skipped  no namespace of one\'s own')
        return
    path = os.path.join(folder, 'profile.db')
    with open(os.path.abspath(__file__)) as f:
        program = f.read() # which its own /tmp may hide
    done = subprocess.run([DWELL, 'record', '-q', '-o', path, '--', *apart, 'sh', '-c', own, sys.executable,
                           '-c', program, '--make', 'plain'], cwd='/', stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
    check(done.stdout == '1\n', 'its number is', done.stdout, done.stderr)
    names = {row['function'] for row in json.loads(run('report', '-i', path, '--format', 'json', '--rows', '100000'))['functions']}
    check('walk \\x1b[31m lines' in names, 'its names are not those of its own /tmp')


def simulated_code_has_its_names(folder):
    """With and without a call graph; and none that its process has not told. python3 has made no other code."""
    for name, how, *options in (('walk \\x1b[31m lines', 'plain'), ('walk \\x1b[31m lines', 'plain', '--no-call-graph'),
                                ('[anon]', 'old')):
        _, rows = functions(folder, 'simulate', how, *options)
        reads = rows.get(name, {}).get('Dr', 0)
        check(LINES * ROUNDS <= reads < 1.01 * LINES * ROUNDS, name, 'reads', reads)


def main():
    global DWELL
    parser = argparse.ArgumentParser()
    parser.add_argument('--dwell')
    parser.add_argument('--make')
    arguments = parser.parse_args()
    if arguments.make:
        make(arguments.make)
        return 0
    DWELL = os.path.abspath(arguments.dwell)
    failed = 0
    for case in [functions_have_their_names, a_jitdump_file_gives_functions_and_lines, maps_of_others_are_not_read, a_map_without_end_is_cut_and_that_is_said,
                 a_container_has_a_folder_and_numbers_of_its_own, simulated_code_has_its_names]:
        with tempfile.TemporaryDirectory() as folder:
            try:
                case(folder)
                print('ok       ' + case.__name__)
            except AssertionError as error:
                failed += 1
                print('FAILED   %s: %s' % (case.__name__, error))
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
