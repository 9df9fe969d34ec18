#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""KCachegrind opens what dwell export writes: totals, functions, source, machine code, parts.

    kcachegrind.py --dwell PATH --walk PATH [--keep FOLDER]

It runs on a display of its own (Xvfb); screenshots are read by tesseract. Where one of the programs
is missing the test is skipped: exit status 77. --keep: the screenshots stay in FOLDER.
"""
import argparse
import csv
import io
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

NEEDED = ['kcachegrind', 'Xvfb', 'xdotool', 'import', 'convert', 'tesseract', 'dbus-run-session',
          'objdump']
WIDTH, HEIGHT = 2200, 1500
STATUS_HEIGHT = 60
# No tips, and no questions at the end.
SETTINGS = '[TipOfDay]\nRunOnStart=false\n'


def check(condition, *what):
    if not condition:
        raise AssertionError(' '.join(str(w) for w in what))


def run(*argv, **options):
    return subprocess.run(argv, check=True, timeout=100, capture_output=True, text=True,
                          **options).stdout


class Screen:
    """An X server, and KCachegrind with a file on it."""

    def __init__(self, folder, path):
        self.folder, self.shots = folder, 0
        home = os.path.join(folder, 'home')
        os.makedirs(os.path.join(home, '.config'), mode=0o700, exist_ok=True)
        with open(os.path.join(home, '.config', 'kcachegrindrc'), 'w') as f:
            f.write(SETTINGS)
        read, write = os.pipe()
        self.server = subprocess.Popen(
            ['Xvfb', '-displayfd', str(write), '-screen', '0', '%dx%dx24' % (WIDTH, HEIGHT)],
            pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as f:
            display = f.readline().strip()
        check(display, 'Xvfb does not start')
        self.env = dict(os.environ, DISPLAY=':' + display, HOME=home, XDG_RUNTIME_DIR=home,
                        QT_QPA_PLATFORM='xcb',
                        QT_SCALE_FACTOR='2', LC_ALL='C.UTF-8',
                        XDG_CONFIG_HOME=os.path.join(home, '.config'))
        self.program = subprocess.Popen(['dbus-run-session', '--', 'kcachegrind', path],
                                        env=self.env,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        start_new_session=True)
        self.window = self.find_window(os.path.basename(path))
        self.do('windowmove', self.window, '0', '0', 'windowsize', self.window, str(WIDTH),
                str(HEIGHT))

    def do(self, *argv):
        return run('xdotool', *argv, env=self.env)

    def find_window(self, name):
        for _ in range(120):
            found = subprocess.run(['xdotool', 'search',
                                    '--onlyvisible', '--name', re.escape(name)], env=self.env,
                                   capture_output=True, text=True).stdout.split()
            if found:
                return found[-1]
            check(self.program.poll() is None, 'KCachegrind has ended')
            time.sleep(0.25)
        raise AssertionError('KCachegrind shows no window')

    def shot(self):
        self.shots += 1
        path = os.path.join(self.folder, 'shot%d.png' % self.shots)
        run('import', '-window', 'root', path, env=self.env)
        return path

    def words(self, path):
        """(text, x, y) of the words on a screenshot."""
        table = run('tesseract', path, '-', '--psm', '11', 'tsv',
                    env=dict(os.environ, OMP_THREAD_LIMIT='1'))
        return [(r['text'].strip(), int(r['left']) + int(r['width']) // 2,
                 int(r['top']) + int(r['height']) // 2)
                for r in csv.DictReader(io.StringIO(table), delimiter='\t', quoting=csv.QUOTE_NONE)
                if (r['text'] or '').strip()]

    def status(self, path):
        strip = os.path.join(self.folder, 'status.png')
        run('convert', path, '-crop', '%dx%d+0+%d' % (WIDTH, STATUS_HEIGHT, HEIGHT - STATUS_HEIGHT),
            '+repage',
            '-bordercolor', 'white', '-border', '20', strip)
        return run('tesseract', strip, '-', '--psm', '6').strip()

    def wait_for(self, read, holds):
        """What `read` makes of a screenshot, once it is so, or after a while as it is."""
        found = None
        for _ in range(8):
            time.sleep(1)
            found = read(self.shot())
            if holds(found):
                break
        return found

    def click(self, word):
        for text, x, y in self.words(self.shot()):
            if text == word:
                self.do('mousemove', str(x), str(y), 'click', '1')
                return
        raise AssertionError('there is no ' + word)

    def close(self):
        # First KCachegrind, whose bus then ends by itself.
        try:
            os.kill(int(self.do('getwindowpid', self.window)), signal.SIGTERM)
            self.program.wait(20)
        except (subprocess.SubprocessError, ProcessLookupError, ValueError):
            os.killpg(self.program.pid, signal.SIGKILL)
            self.program.wait()
        self.server.terminate()
        self.server.wait()


def total_of(status):
    m = re.search(r'Cost: *([\d .,]+)', status)
    return int(re.sub(r'\D', '', m.group(1))) if m else None


def shows_program(folder, profile, total):
    path = os.path.join(folder, 'callgrind.out.1')
    run(DWELL, 'export', '--to', 'callgrind', '-i', profile, '-o', path)
    screen = Screen(folder, path)
    try:
        status = screen.wait_for(screen.status, lambda s: total_of(s) == total)
        check(total_of(status) == total, 'the total is', total, 'and it shows', status)
        words = [w for w, _, _ in screen.words(screen.shot())]
        for name in ['main', 'Callees', 'Source']:
            check(name in words, 'no', name, 'among', words)
        screen.click('Machine')
        screen.click('Source')
        words = screen.wait_for(lambda p: [w for w, _, _ in screen.words(p)],
                                lambda w: 'Hex' in w and any('column-walk.c' in x for x in w))
        check('Hex' in words and 'Assembly' in words, 'no machine code:', words)
        check(sum(words.count(w) for w in ['mov', 'push', 'call', 'sub', 'add', 'lea', 'cmp',
                                           'xor']) >= 3,
              'no instructions:', words)
        check(any('column-walk.c' in w for w in words), 'no source:', words)
        check(any(w in ('int', 'argc,', 'argv)', 'double', 'return') for w in words),
              'no line of the source:', words)
    finally:
        screen.close()


def shows_parts(folder, profile, total):
    both, path = os.path.join(folder, 'both.db'), os.path.join(folder, 'callgrind.out.2')
    run(DWELL, 'merge', profile, profile, '-o', both)
    run(DWELL, 'export', '--to', 'callgrind', '--parts', '-i', both, '-o', path)
    screen = Screen(folder, path)
    try:
        status = screen.wait_for(screen.status, lambda s: total_of(s) == 2 * total)
        check(total_of(status) == 2 * total, 'the total is', 2 * total, 'and it shows', status)
        check('[1-2]' in status, 'the parts are not apart:', status)
    finally:
        screen.close()


def main():
    global DWELL
    parser = argparse.ArgumentParser()
    parser.add_argument('--dwell', required=True)
    parser.add_argument('--walk', required=True)
    parser.add_argument('--keep')
    arguments = parser.parse_args()
    DWELL = os.path.abspath(arguments.dwell)
    missing = [p for p in NEEDED if not shutil.which(p)]
    if missing:
        print('skipped  not installed: ' + ' '.join(missing))
        return 77
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(folder, 'walk.db')
        run(DWELL, 'simulate', '-q', '-o', profile, '--', os.path.abspath(arguments.walk), '60')
        rows = csv.DictReader(io.StringIO(run(DWELL, 'export', '--to', 'csv', '-i', profile)))
        total = sum(int(r['Ir']) for r in rows)
        for case in [shows_program, shows_parts]:
            place = os.path.join(folder, case.__name__)
            os.mkdir(place)
            try:
                case(place, profile, total)
                print('ok       ' + case.__name__)
            except (AssertionError, subprocess.SubprocessError) as error:
                failed += 1
                print('FAILED   %s: %s' % (case.__name__, error))
            if arguments.keep:
                shutil.copytree(place, os.path.join(arguments.keep, case.__name__),
                                dirs_exist_ok=True)
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
