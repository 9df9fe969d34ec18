#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Views on a terminal go through a pager.

    pager.py [--dwell PATH] [--only EXPRESSION]

Each case prints one line; the exit status is 0 when none failed.
"""
import os
import pty
import re
import select
import subprocess
import time

from cases import case, check, main

VIEWS = [['report'], ['curve'], ['annotate'], ['spatial'], ['objects'], ['paths'], ['reuse'],
         ['info'], ['processes']]


def on_terminal(*arguments, keys=b'', **variables):
    """(exit status, what the terminal got) of dwell; a variable that is None is not set.

    The keys are pressed when the pager has said READY."""
    environment = {k: v for k, v in os.environ.items() if k not in ('PAGER', 'DWELL_PAGER', 'LESS',
                                                                    'LV', 'DWELL_OPTIONS')}
    environment.update(TERM='xterm', PATH='bin:' + os.environ['PATH'])
    environment.update({k: v for k, v in variables.items() if v is not None})
    environment = {k: v for k, v in environment.items() if variables.get(k, '') is not None}
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe(DWELL, [DWELL, *arguments], environment)
    got, end = b'', time.monotonic() + 60
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 1)[0]:
            if keys and b'READY' in got:
                os.write(terminal, keys)
                keys = b''
            continue
        try:
            some = os.read(terminal, 65536)
        except OSError: # the other end is closed
            break
        if not some:
            break
        got += some
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), got.decode(errors='replace').replace('\r\n', '\n')


def pager(name, script):
    with open(os.path.join('bin', name), 'w') as f:
        f.write('#!/bin/sh\n' + script)
    os.chmod(os.path.join('bin', name), 0o755)


def set_up(folder, dwell):
    global DWELL
    DWELL = dwell
    os.mkdir('bin')
    for name in 'less', 'mine', 'other':
        pager(name, 'echo "PAGED by %s LESS=$LESS LV=$LV"; cat\n' % name)
    subprocess.run([dwell, 'record', '-q', '--seed', '1', '-o', 'dwell.db', '--', 'sh',
                    '-c', 'seq 1 3000 | sort'], check=True,
                   stdout=subprocess.DEVNULL, timeout=60)


def paged_by(*arguments, **variables):
    status, text = on_terminal(*arguments, **variables)
    check(status == 0 and len(text) > 20, arguments, variables, 'ended with', status, text[:200])
    found = re.search('PAGED by (.*)\n', text)
    return found and found.group(1)


@case
def views_are_paged_by_less():
    for view in VIEWS:
        check(paged_by(*view) == 'less LESS=FRX LV=-c', view)
    check(paged_by('diff', 'dwell.db', 'dwell.db') == 'less LESS=FRX LV=-c', 'diff')
    check(paged_by('report', LESS='S', LV='x') == 'less LESS=S LV=x', 'the own settings')


@case
def the_user_names_another_pager():
    check(paged_by('report', PAGER='mine').startswith('mine '), 'PAGER')
    check(paged_by('report', PAGER='mine', DWELL_PAGER='other').startswith('other '), 'DWELL_PAGER')
    check(paged_by('report', PAGER='mine | cat -n').startswith('mine '), 'a command')


@case
def there_is_none_where_none_is_wanted():
    for variables in ({'PAGER': ''}, {'PAGER': 'cat'}, {'DWELL_PAGER': ''},
                      {'DWELL_PAGER': 'cat', 'PAGER': 'mine'},
                      {'TERM': 'dumb'}, {'TERM': None}, {'DWELL_OPTIONS': '--no-pager'}):
        check(paged_by('report', **variables) is None, variables)
    for view in VIEWS:
        check(paged_by(*view, '--no-pager', PAGER='mine') is None, view)
    done = subprocess.run([DWELL, 'report'], capture_output=True, text=True, timeout=60,
                          env={**os.environ, 'PAGER': 'bin/mine'})
    check(done.returncode == 0 and 'PAGED' not in done.stdout, 'a pipe')


@case
def a_pager_that_cannot_be_run_takes_nothing_away():
    status, text = on_terminal('report', PAGER='no-such-pager')
    check(status == 0 and 'accesses' in text, status, text[:300])
    os.rename('bin/less', 'bin/more-or-less')
    try:
        status, text = on_terminal('report', PATH='bin')
        check(status == 0 and 'PAGED' not in text and 'not found' not in text and
              'accesses' in text, status, text[:300])
    finally:
        os.rename('bin/more-or-less', 'bin/less')


@case
def a_reader_may_leave_early_and_interrupt():
    pager('short', 'head -n 1\n')
    status, text = on_terminal('report', PAGER='short')
    check(status == 0, status, text)
    pager('patient',
          'trap "echo INTERRUPTED" INT; cat >/dev/null; echo READY; sleep 5; echo THE END\n')
    status, text = on_terminal('report', PAGER='patient', keys=b'\x03')
    check(status == 0 and re.search('READY(?s:.*)INTERRUPTED(?s:.*)THE END', text), status, text)


main('pager', __doc__, set_up)
