#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What dwell does under resource limits: the command runs as it does without dwell, or one sentence says why not.

    limits.py [--dwell PATH] [--only EXPRESSION]

No hang, no silence, nothing left of a profile that could not be written. Each case prints one line; the exit
status is 0 when none failed.
"""
import os
import resource
import subprocess

from cases import case, check, main

SECONDS = 20
MB = 1 << 20
SUMS = ['sh', '-c', 'echo $((1234 * 1000 + 567))']
SAID = '1234567\n'
WAYS = [['record', '-q'], ['record', '-q', '--gear', 'count'], ['simulate'], ['simulate', '--no-filter']]


def run(arguments, command, **limits):
    """(exit status, stdout, stderr) of dwell with limits in bytes, by the names of the resource module."""
    def limit():
        for name, value in limits.items():
            resource.setrlimit(getattr(resource, 'RLIMIT_' + name), (value, value))

    process = subprocess.run([DWELL, *arguments, *(['--', *command] if command else [])], preexec_fn=limit,
                             stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS)
    return process.returncode, process.stdout, process.stderr


def said_why(err):
    return [line for line in err.splitlines() if line.startswith('dwell: ') and 'ulimit' in line]


@case
def address_space_limits_end_in_the_result_or_a_sentence():
    for megabytes in (60, 150, 1000, 9000):
        for way in WAYS[:2] if megabytes != 1000 else WAYS:
            status, out, err = run([*way, '-o', 'limited'], SUMS, AS=megabytes * MB)
            check((status == 0 and SAID in out) or (status != 0 and said_why(err)), megabytes, way, status, err)


@case
def a_gigabyte_is_enough():
    for way in WAYS[:2]:
        status, out, err = run([*way, '-o', 'limited'], SUMS, AS=1000 * MB)
        check(status == 0 and out == SAID, way, status, out, err)


@case
def data_limits_end_in_the_result_or_a_sentence():
    for megabytes in (60, 1000):
        for way in WAYS[:2]:
            status, out, err = run([*way, '-o', 'limited'], SUMS, DATA=megabytes * MB)
            check((status == 0 and SAID in out) or (status != 0 and said_why(err)), megabytes, way, status, err)


def set_up(dwell, folder):
    global DWELL
    DWELL = dwell
    os.chdir(folder)


main('limits', __doc__, set_up)
