#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The candidates of the Tab key in real zsh and fish after dwell. Missing shells are skipped.

    shells.py --dwell PATH --completions FOLDER
"""
import argparse
import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time

LIMIT = 20  # seconds for an answer


class Zsh:
    """An interactive zsh with its completion system."""

    def __init__(self, folder, env):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.execvpe('zsh', ['zsh', '-f'], dict(env, TERM='dumb', COLUMNS='120', LINES='60'))
        self.type("PROMPT='> '; fpath=(%s $fpath); autoload -U compinit; compinit -u -D; echo "
                  "re''ady\n" % folder, 'ready')

    def type(self, keys, wanted):
        """Type, and read until `wanted` is on the screen."""
        os.write(self.terminal, keys.encode())
        seen, end = b'', time.monotonic() + LIMIT
        while wanted.encode() not in seen and time.monotonic() < end:
            if select.select([self.terminal], [], [], 0.1)[0]:
                seen += os.read(self.terminal, 65536)
        text = seen.decode('utf8', 'replace')
        if wanted not in text:
            raise AssertionError('%r did not show %r but %r' % (keys, wanted, text))

    def close(self):
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


def zsh(completions, env):
    shell = Zsh(completions, env)
    try:
        shell.type('dwell repo\t', 'report ')
        shell.type('\x15dwell re\t\t', 'show which code touched the data')  # with descriptions
        shell.type('\x15dwell export --to spee\t', 'speedscope')
        shell.type('\x15dwell report --so\t', '--sort')
    finally:
        shell.close()


def fish(completions, env):
    for line, wanted in [('dwell re', ['record', 'report', 'reuse']),
                         ('dwell report --s', ['--size', '--sort']),
                         ('dwell export --to c', ['callgrind', 'csv'])]:
        done = subprocess.run(
            ['fish', '-c', 'source %s/dwell.fish; complete -C "%s"' % (completions, line)], env=env,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT)
        found = [answer.split('\t')[0] for answer in done.stdout.splitlines()]
        if done.stderr or not set(wanted) <= set(found):
            raise AssertionError('%s: %s %s' % (line, found, done.stderr))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('--dwell', required=True)
    parser.add_argument('--completions', required=True)
    arguments = parser.parse_args()
    failed = tried = 0
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.abspath(arguments.dwell), os.path.join(folder, 'dwell'))
        env = dict(os.environ, PATH=folder + ':' + os.environ['PATH'], HOME=folder)
        for case in [zsh, fish]:
            if shutil.which(case.__name__) is None:
                print('skipped  %s: not installed' % case.__name__)
                continue
            tried += 1
            try:
                case(os.path.abspath(arguments.completions), env)
                print('ok       ' + case.__name__)
            except (AssertionError, OSError, subprocess.SubprocessError) as error:
                failed += 1
                print('FAILED   %s: %s' % (case.__name__, error))
    return 77 if tried == 0 else failed != 0


if __name__ == '__main__':
    sys.exit(main())
