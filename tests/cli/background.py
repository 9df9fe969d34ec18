# SPDX-License-Identifier: GPL-2.0-or-later
"""Commands in the background, and the program that they run until they are told to end it."""
import os
import subprocess

SECONDS = 60
END = 'end-of-run'


def endless(program):
    """A program that runs until let_end(), on a fast machine and on a slow one."""
    if os.path.exists(END):
        os.unlink(END)
    return program, 'until', END


def let_end():
    open(END, 'w').close()


class Recording:
    """dwell record, or another command that runs a program, in the background."""

    dwell = None  # its path

    def __init__(self, *arguments, path='live.db', command='record'):
        for name in path, path + '-wal', path + '-shm':
            if os.path.exists(name):
                os.unlink(name)
        self.process = subprocess.Popen([self.dwell, command, '-o', path, *arguments],
                                        stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        let_end()
        if self.process.poll() is None:
            self.process.terminate()
        self.process.communicate()

    def end(self):
        let_end()
        out, err = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, out.decode(), err.decode('utf-8', 'replace')
