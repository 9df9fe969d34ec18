#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Run every command of this system with --version, natively twice and then under Dwell, and
compare.

Output, diagnostics and exit status must be the same where both native runs agree. Lines on stderr
that begin with 'dwell:' are Dwell's own. Commands that stop the system, take over the terminal or
are set-user-ID are left out. Each difference is a line; exit status 1 if there was one. A thousand
commands take some minutes. Some may ignore --version: use a machine that nobody needs.
"""
import argparse
import os
import stat
import subprocess
import sys
import tempfile

LEFT_OUT = set('''agetty clear fsck halt init killall killall5 login nologin pkill poweroff reboot reset
script scriptlive shutdown su sudo sulogin swapoff switch_root telinit tset unshare wall yes'''.split())
SETS_ID = stat.S_ISUID | stat.S_ISGID


def commands(folders):
    """Name and path of each, the first folder that has it."""
    found = {}
    for folder in folders:
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if (name not in LEFT_OUT and name not in found and os.path.isfile(path)
                    and os.access(path, os.X_OK) and not os.stat(path).st_mode & SETS_ID):
                found[name] = path
    return sorted(found.items())


def run(argv, folder):
    """What others see of a run: exit status, stdout, stderr; None when it does not end."""
    try:
        done = subprocess.run(argv, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=60)
    except subprocess.TimeoutExpired:
        return None
    # no program: the format is another machine's, or the interpreter is missing
    except OSError as error:
        return error.errno
    diagnostics = [line for line in done.stderr.splitlines() if not line.startswith(b'dwell:')]
    return done.returncode, done.stdout, diagnostics


def difference(native, profiled):
    if not isinstance(profiled, tuple):
        return f'ended as {native[0]} natively, not at all under dwell'
    for what, a, b in zip(('status', 'stdout', 'stderr'), native, profiled):
        if a != b:
            return f'{what}: {a!r:.150} natively, {b!r:.150} under dwell'
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', default='build', help='the build directory (default: build)')
    parser.add_argument('--command', default='record', choices=('record', 'simulate'))
    parser.add_argument('--every', type=int, default=1, metavar='N', help='only each N-th command')
    parser.add_argument('folders', nargs='*', default=['/usr/bin', '/usr/sbin'])
    options = parser.parse_args()
    dwell = os.path.join(os.path.abspath(options.build), 'dwell')
    compared = unstable = differ = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, path in commands(options.folders)[::options.every]:
            argv = [path, '--version']
            native, again = run(argv, folder), run(argv, folder)
            if native != again or not isinstance(native, tuple):
                unstable += 1
                continue
            profile = os.path.join(folder, 'every-command.db')
            found = difference(native, run([dwell, options.command, '-q', '-o', profile,
                                            '--'] + argv, folder))
            compared += 1
            if found:
                differ += 1
                print(f'{name}: {found}', flush=True)
    print(f'{compared} commands compared, {differ} differ; '
          f'{unstable} are different each time or do not end')
    return 1 if differ else 0


if __name__ == '__main__':
    sys.exit(main())
