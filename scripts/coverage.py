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
import glob
import json
import os
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))


def build(folder):
    if not os.path.exists(os.path.join(folder, 'build.ninja')):
        subprocess.run(['meson', 'setup', folder, '-Dcoverage=true'], check=True)
    subprocess.run(['ninja', '-C', folder], check=True)


def forget_counts(folder):
    for path in glob.glob(os.path.join(folder, '**', '*.gcda'), recursive=True):
        os.unlink(path)


def run_tests(folder, suites):
    command = ['meson', 'test', '-C', folder, '--no-rebuild', '--num-processes', '3']
    return subprocess.run(command + ['--suite=' + name for name in suites]).returncode


def measured(folder):
    """path -> (lines that ran, lines)."""
    command = ['gcovr', '--root', ROOT, '--filter', 'src/', '--json-summary', '-', '-j', '2',
               '--gcov-ignore-parse-errors', folder]
    summary = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return {f['filename']: (f['line_covered'], f['line_total']) for f in summary['files']}


def share(counts):
    ran, lines = counts
    return '%5.1f %% %6d of %6d' % (100 * ran / lines if lines else 100, ran, lines)


def summed(counts):
    counts = list(counts)
    return sum(ran for ran, _ in counts), sum(lines for _, lines in counts)


def report(files):
    idle = sorted(path for path, (ran, lines) in files.items() if lines and not ran)
    print('\nFiles that no test runs: %d' % len(idle))
    for path in idle:
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
