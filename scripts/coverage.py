#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Which lines of src/ the unit tests and those of the command line run.

    scripts/coverage.py [--build DIR] [--suite NAME ...]

Builds in DIR with -Dcoverage=true, runs the tests there, and prints first the files that no test
runs, then each file with its share. Code of the engine cannot count itself inside a target: only
those of its files are measured that unit tests compile, and the others are listed. The exit status
says whether the tests passed; the report comes in any case.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))

# The reader of symbols is a process of its own, which ends by a signal and writes no counts.
KILLED = os.path.join('src', 'symbols', '')


def build(folder):
    if not os.path.exists(os.path.join(folder, 'build.ninja')):
        subprocess.run(['meson', 'setup', folder, '-Dcoverage=true'], check=True)
    subprocess.run(['ninja', '-C', folder], check=True)


def files_of(folder, end):
    return [os.path.join(at, name) for at, _, names in os.walk(folder)
            for name in names if name.endswith(end)]


def forget_counts(folder):
    for path in files_of(folder, '.gcda'):
        os.unlink(path)


def run_tests(folder, suites):
    command = ['meson', 'test', '-C', folder, '--no-rebuild', '--num-processes', '3']
    return subprocess.run(command + ['--suite=' + name for name in suites]).returncode


def count_lines(folder, notes):
    """What gcov says of one object file; nothing of a source that has moved since."""
    done = subprocess.run(['gcov', '--json-format', '--stdout', notes], cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return [file for text in done.stdout.decode().splitlines()
            for file in json.loads(text)['files']]


def measured(folder):
    """path -> (lines that ran, lines), of all programs that compile it."""
    notes = [os.path.relpath(path, folder) for path in files_of(folder, '.gcno')]
    ran = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for files in pool.map(lambda path: count_lines(folder, path), notes):
            for file in files:
                path = os.path.relpath(os.path.join(folder, file['file']), ROOT)
                if not path.startswith('src' + os.sep) or not os.path.exists(path):
                    continue
                lines = ran.setdefault(path, {})
                for line in file['lines']:
                    number = line['line_number']
                    lines[number] = lines.get(number, False) or line['count'] > 0
    return {path: (sum(lines.values()), len(lines)) for path, lines in ran.items()}


def share(counts):
    ran, lines = counts
    return '%5.1f %% %6d of %6d' % (100 * ran / lines if lines else 100, ran, lines)


def summed(counts):
    counts = list(counts)
    return sum(ran for ran, _ in counts), sum(lines for _, lines in counts)


def report(files):
    idle = sorted(path for path, (ran, lines) in files.items() if lines and not ran)
    for title, here in (('Files that no test runs', lambda path: not path.startswith(KILLED)),
                        ('Files that may have run in a process that is killed',
                         lambda path: path.startswith(KILLED))):
        found = [path for path in idle if here(path)]
        print('\n%s: %d' % (title, len(found)))
        for path in found:
            print('  %s, %d lines' % (path, files[path][1]))
    sources = glob.glob('src/**/*.[cS]', root_dir=ROOT, recursive=True)
    dark = sorted(path for path in sources if path not in files)
    print('\nFiles that cannot be measured, as they run inside targets only: %d' % len(dark))
    for folder in sorted({os.path.dirname(path) for path in dark}):
        names = [os.path.basename(p) for p in dark if os.path.dirname(p) == folder]
        print('  %s: %s' % (folder, ' '.join(names)))
    print('\nLines that ran, by folder and file')
    for folder in sorted({os.path.dirname(path) for path in files}):
        inside = {p: c for p, c in files.items() if os.path.dirname(p) == folder}
        print('%s  %s' % (share(summed(inside.values())), folder))
        for path, counts in sorted(inside.items(), key=lambda f: f[1][0] / (f[1][1] or 1)):
            print('%s    %s' % (share(counts), os.path.basename(path)))
    print('%s  of all %d measured files' % (share(summed(files.values())), len(files)))


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    p.add_argument('--build', default='build-coverage')
    p.add_argument('--suite', action='append')
    options = p.parse_args()
    os.chdir(ROOT)
    build(options.build)
    forget_counts(options.build)
    status = run_tests(options.build, options.suite or ['unit', 'cli'])
    report(measured(options.build))
    sys.exit(status)


if __name__ == '__main__':
    main()
