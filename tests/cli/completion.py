#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The candidates of the Tab key in bash after dwell.

    completion.py [--dwell PATH] [--script PATH] [--only EXPRESSION]

Each case prints one line; the exit status is 0 when none failed.
"""
import os
import re
import shutil
import subprocess

from cases import case, check, main, Skip

# Bash parts a line into words at blanks, and at = and : as well, which are words of their own.
WORDS = re.compile(r'[=:]+|[^\s=:]+')
ASK = """
source "$1"; line=$2; shift 2
COMP_LINE=$line COMP_POINT=${#line} COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_dwell; printf '%s\\n' "${COMPREPLY[@]}"
"""


def offered(line):
    """What may stand for the last word of the line, or for the part of it behind the last = or :.
    """
    words = WORDS.findall(line) + ([''] if line.endswith(' ') else [])
    done = subprocess.run(['bash', '--norc', '-c', ASK, 'bash', SCRIPT, line, *words],
                          capture_output=True, text=True,
                          timeout=30)
    check(done.returncode == 0 and done.stderr == '', line, done.returncode, done.stderr)
    return done.stdout.split('\n')[:-1]


def set_up(folder, dwell, script, walk):
    global SCRIPT
    SCRIPT = script
    bin = os.path.join(folder, 'bin')
    os.mkdir(bin)
    os.symlink(dwell, os.path.join(bin, 'dwell'))
    os.environ['PATH'] = bin + ':' + os.environ['PATH']
    os.mkdir(os.path.join(folder, 'here'))
    os.chdir(os.path.join(folder, 'here'))
    for command, output in ['record', 'run.db'], ['simulate', 'events.db']:
        subprocess.run([dwell, command, '-q', '-o', output, '--', walk, '300'], check=True,
                       timeout=100,
                       stdout=subprocess.DEVNULL)
    if shutil.which('bash') is None:
        raise SystemExit(77)


@case
def commands_are_offered():
    check(offered('dwell re') == ['record', 'report', 'reuse'], offered('dwell re'))
    check(len(offered('dwell ')) >= 20, offered('dwell '))
    check(offered('dwell help cur') == ['curve'], offered('dwell help cur'))
    check('complete' not in offered('dwell '), 'what is hidden')


@case
def options_are_those_of_the_command():
    check(offered('dwell report --s') == ['--size', '--sort'], offered('dwell report --s'))
    check(offered('dwell curve --s') == ['--sizes'], offered('dwell curve --s'))
    check(offered('dwell info --s') == [''], offered('dwell info --s'))
    told = re.findall(r'^ {2,6}(?:-\S, )?(--[a-z-]+)',
                      subprocess.run(['dwell', 'simulate', '--help'], capture_output=True,
                                     text=True).stdout, re.M)
    check(offered('dwell simulate -') == told, offered('dwell simulate -'))


@case
def values_are_those_of_the_option():
    check(offered('dwell report --format ') == ['text', 'csv', 'json'],
          offered('dwell report --format '))
    check(offered('dwell report --format=') == ['text', 'csv', 'json'],
          offered('dwell report --format='))
    check(offered('dwell report --format=j') == ['json'], offered('dwell report --format=j'))
    check(offered('dwell curve --policy l') == ['lru'], offered('dwell curve --policy l'))
    check(offered('dwell simulate --policy ') == ['random', 'lru', 'both'], 'of simulate')
    check(offered('dwell export -t c') == ['callgrind', 'csv'], offered('dwell export -t c'))
    check('zen4' in offered('dwell report --caches z'), offered('dwell report --caches z'))


@case
def names_come_from_the_profile():
    check(offered('dwell annotate run.db matrix') == ['matrix_new'],
          offered('dwell annotate run.db matrix'))
    check(offered('dwell annotate -i run.db matrix') == ['matrix_new'], '-i')
    check(offered('dwell curve --input=run.db --function matrix') == ['matrix_new'], '--input=')
    check('matrix_new' in offered('dwell objects run.db m'), offered('dwell objects run.db m'))
    check('matrix_new' in offered('dwell spatial run.db --object m'), 'objects')
    lines = offered('dwell reuse run.db column-walk.c:')
    check(lines and all(re.fullmatch('[0-9]+', line) for line in lines), lines)
    check(offered('dwell report events.db --sort D1') == ['D1mr', 'D1mw'],
          offered('dwell report events.db --sort D1'))
    check(offered('dwell calls events.db matrix') == ['matrix_new'],
          offered('dwell calls events.db matrix'))
    # Without a profile there are no names, and nothing is said.
    check(offered('dwell annotate matrix') == [''], offered('dwell annotate matrix'))


@case
def files_and_commands_are_offered():
    check(sorted(offered('dwell report ')) == ['events.db', 'run.db'], offered('dwell report '))
    check(offered('dwell report -i ru') == ['run.db'], offered('dwell report -i ru'))
    check(offered('dwell record --output=ru') == ['run.db'], offered('dwell record --output=ru'))
    check('true' in offered('dwell record -q tru'), offered('dwell record -q tru'))
    check('true' in offered('dwell record -- tru'), offered('dwell record -- tru'))
    check(offered('dwell record cat ru') == ['run.db'], offered('dwell record cat ru'))
    check(offered('dwell stop -p ') == [''], offered('dwell stop -p '))


main('completion', __doc__, set_up, script='completions/dwell.bash',
     walk='build/examples/column-walk')
