#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The manual pages say what the commands say of themselves.

    man_pages.py [--dwell PATH] PAGE...

Each command has a page, and each page a command. The options of a page are those of --help, with
the same short names, arguments and order. All sections are there, and groff reads the page without
a warning. Each case prints one line; the exit status is 0 when none failed.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys

SECTIONS = ['NAME', 'SYNOPSIS', 'DESCRIPTION', 'OPTIONS', 'EXIT STATUS', 'EXAMPLES', 'SEE ALSO']
# "  -o, --output=FILE   Write ..." or "      --no-pager   Write ..."; what goes on below stands far
# right.
HELP_OPTION = re.compile(r'^ {2,6}((?:-\S, )?--[a-z][a-z-]*(?:=\S+|\[=\S+\])?)(?: |$)', re.M)


def run(*argv):
    kept = {k: v for k, v in os.environ.items() if k != 'DWELL_OPTIONS'}
    return subprocess.run(argv, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60,
                          env=dict(kept, LC_ALL='C'))


def help_of(*arguments):
    done = run(DWELL, *arguments)
    if done.returncode != 0 or not done.stdout:
        raise AssertionError('%s ended with %d' % (' '.join(done.args), done.returncode))
    return done.stdout


def sections(path):
    """name of a section -> its lines."""
    found, name = {}, None
    with open(path) as f:
        for line in f.read().splitlines():
            heading = re.match(r'\.SH "?([^"]*)"?$', line)
            if heading:
                name = heading.group(1)
                found[name] = []
            elif name is not None:
                found[name].append(line)
    return found


def plain(line):
    """A line as a reader sees it: .BR \\-i ", " \\-\\-input=\\fIFILE\\fR is -i, --input=FILE."""
    line = re.sub(r'\\f[BIRP]', '', line).replace('\\-', '-')
    macro = re.match(r'\.(B|I|BI|BR|IB|IR|RB|RI) (.*)', line)
    if not macro:
        return line
    words = [quoted or bare for quoted, bare in re.findall(r'"([^"]*)"|([^ "]+)', macro.group(2))]
    return (' ' if len(macro.group(1)) == 1 else '').join(words)


def tags(lines):
    """The heads of the paragraphs, each of which follows a .TP."""
    return [plain(line) for before, line in zip(lines, lines[1:]) if before.split()[:1] == ['.TP']]


def differences(page, told, teller='--help'):
    wrong = ['%s has %s' % (teller, t) for t in told if t not in page]
    wrong += ['the page has %s' % p for p in page if p not in told]
    if not wrong and page != told:
        wrong = ['the order of %s is %s' % (teller, ', '.join(told))]
    return wrong


def check_options(command, page):
    told = HELP_OPTION.findall(help_of(command, '--help'))
    if not {'-h, --help', '-V, --version'} <= set(told):
        return ['the options in --help cannot be read']
    return differences(tags(page.get('OPTIONS', [])), told)


def check_top(page, commands):
    """dwell.1: all commands in their order, and options that there really are."""
    wrong = differences([t.split(',')[0] for t in tags(page.get('COMMANDS', []))],
                        commands + ['help'])
    for tag in tags(page.get('OPTIONS', [])):
        for option in tag.split(', '):
            if run(DWELL, option).returncode != 0:
                wrong.append('the page has %s' % option)
    return wrong


def check_text(path, page):
    """Sections in their order, and what groff says."""
    wrong = differences([s for s in page if s in SECTIONS], SECTIONS, 'each page')
    if shutil.which('groff'):
        done = run('groff', '-man', '-Tutf8', '-ww', '-z', path)
        wrong += done.stderr.splitlines() or (['groff ended with %d' % done.returncode]
                                              if done.returncode else [])
    return wrong


def main():
    global DWELL
    p = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    p.add_argument('--dwell', default='build/dwell')
    p.add_argument('pages', nargs='+', metavar='PAGE')
    options = p.parse_args()
    DWELL = os.path.abspath(options.dwell)
    paths = {os.path.basename(path): path for path in options.pages}
    commands = re.findall(r'^  ([a-z]+) +\S',
                          help_of('--help').split('Commands:\n')[1].split('\n\n')[0], re.M)
    names = {'dwell.1': None, **{'dwell-%s.1' % c: c for c in commands}}
    failed = 0
    for name in sorted({*names, *paths}):
        if name not in names or name not in paths:
            wrong = ['no such command' if name not in names else 'no such page']
        else:
            page = sections(paths[name])
            wrong = check_options(names[name], page) if names[name] else check_top(page, commands)
            wrong += check_text(paths[name], page)
        failed += wrong != []
        print('%-8s %-20s %s' % ('FAILED' if wrong else 'ok', name, '; '.join(wrong)))
    if not shutil.which('groff'):
        print('skipped  groff is not installed: nothing has read the pages')
    print('manual pages: %d ok, %d failed' % (len({*names, *paths}) - failed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
