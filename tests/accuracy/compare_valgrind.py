#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Dwell's counts against Cachegrind's and Callgrind's: the same program, input and code.

    compare_valgrind.py [--dwell PATH] [--scale N] [--only EXPRESSION] [--markdown] [--json FILE]

Each program runs once under `dwell record --mode count`, cachegrind and callgrind, all with
--cache-sim=yes, without address randomisation, in the same environment. Valgrind hides AVX-512
from the program, so glibc must not use it either (GLIBC_TUNABLES): then all run the same string
functions. Cachegrind must not execute code ahead of branches (--vex-guest-chase=no, which is
Callgrind's default). Bit tests between registers, which Valgrind does in memory, are removed from
its counts: Callgrind reports where and how often they ran. docs/counting.md has the rules by which
events of one correspond to those of the other.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'transparency'))
import inputs  # noqa: E402

# name -> command; $IN is the inputs' directory. Valgrind takes seconds for each.
PROGRAMS = {
    'gzip': 'gzip -9 -c $IN/text',
    'bzip2': 'bzip2 -9 -c $IN/text',
    'xz': 'xz -6 -T1 -c $IN/text',
    'sqlite3': 'sqlite3 :memory: ".read $IN/job.sql"',
    'cc1': '$CC1 -quiet -O1 $IN/some.i -o /dev/null',
}
# Debian's valgrind is a script that adds to the environment, so that ld.so would look elsewhere
# first.
VALGRIND = shutil.which('valgrind.bin') or 'valgrind'
HIDDEN = ['AVX512F', 'AVX512VL', 'AVX512BW', 'AVX512DQ', 'AVX512CD', 'AVX512ER', 'AVX512PF', 'RTM',
          'ERMS', 'FSRM']
# Cachegrind charges an instruction that loads and stores as one load, Callgrind as one store.
RULES = {'cachegrind': {'Dr': lambda d: d['loads'] + d['modifies'], 'Dw': lambda d: d['stores']},
         'callgrind': {'Dr': lambda d: d['loads'], 'Dw': lambda d: d['stores'] + d['modifies']}}


# What Valgrind counts for one bit test of a register by a register, which touches no memory.
BIT_TESTS = {'cachegrind': {'bt': {'Dr': 1, 'Dw': 1}, 'bts': {'Dr': 2, 'Dw': 1}},
             'callgrind': {'bt': {'Dr': 1, 'Dw': 1}, 'bts': {'Dr': 1, 'Dw': 2}}}


def environment(base):
    return {'PATH': '/usr/bin:/bin', 'LC_ALL': 'C', 'HOME': base, 'TZ': 'UTC',
            'GLIBC_TUNABLES': 'glibc.cpu.hwcaps=' + ','.join('-' + f for f in HIDDEN)}


def run(argv, base, patience):
    """Run argv without address randomisation; what it prints is thrown away."""
    done = subprocess.run(['setarch', '-R'] + argv, cwd=base, env=environment(base),
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, timeout=patience)
    if done.returncode != 0:
        sys.exit('%s ended with %d: %s' % (' '.join(argv[:4]), done.returncode,
                                           done.stderr[-300:].decode()))


def prepare(name, base, options):
    folder = os.path.join(base, 'inputs')
    command = PROGRAMS[name].replace('$IN', folder)
    if name == 'cc1':
        with open(folder + '/steps.c') as f:
            some = f.read().split('static int step%d(' % options.functions)[0]
        with open(folder + '/some.c', 'w') as f:
            f.write(some.replace('static int step', 'int step'))
        subprocess.run(['gcc', '-E', folder + '/some.c', '-o', folder + '/some.i'], check=True)
        cc1 = subprocess.run(['gcc', '-print-prog-name=cc1'], check=True, capture_output=True)
        command = command.replace('$CC1', cc1.stdout.decode().strip())
    argv = [word.strip('"') for word in re.findall(r'"[^"]*"|\S+', command)]
    argv[0] = shutil.which(argv[0]) or argv[0]
    return argv


def dwell(argv, base, options):
    profile = os.path.join(base, 'count.db')
    run([options.dwell, 'record', '-q', '--mode', 'count', '-o', profile, '--'] + argv, base,
        options.patience)
    info = subprocess.run([options.dwell, 'info', '-i', profile, '--format=json'],
                          capture_output=True, check=True)
    return json.loads(info.stdout)


def valgrind(tool, argv, base, options, before=()):
    """{event: total} as the tool wrote them; `before`: a command that runs it."""
    out = os.path.join(base, tool + '.out')
    more = ['--vex-guest-chase=no'] if tool == 'cachegrind' else \
        ['--dump-instr=yes', '--compress-strings=no', '--compress-pos=no']
    run([*before, VALGRIND, '-q', '--tool=' + tool, '--cache-sim=yes',
         '--%s-out-file=%s' % (tool, out)] + more + argv,
        base, options.patience)
    with open(out) as f:
        lines = f.read().splitlines()
    events = next(line.split()[1:] for line in lines if line.startswith('events:'))
    totals = next(line.split()[1:] for line in reversed(lines)
                  if line.startswith(('summary:', 'totals:')))
    return dict(zip(events, map(int, totals)))


def executions(path):
    """{object file: {address: times executed}} of a callgrind file with instructions."""
    counts, here, skip = {}, {}, False
    with open(path) as f:
        for line in f:
            if line.startswith('ob='):
                here = counts.setdefault(line[3:].strip(), {})
            elif line.startswith('calls='):
                skip = True  # the next line is what the call cost
            elif line.startswith('0x'):
                if not skip:
                    word = line.split()
                    address = int(word[0], 16)
                    here[address] = here.get(address, 0) + int(word[2])
                skip = False
    return counts


def bit_tests(path):
    """How often the program tested ('bt') or changed ('bts') a register's bit that a register
    names.
    """
    form = re.compile(r'\s*([0-9a-f]+):\s+(bt[src]?)[wlq]?\s+%\w+,%\w+\s*$')
    found = {'bt': 0, 'bts': 0}
    for name, counts in executions(path).items():
        if not os.path.exists(name):
            continue
        dump = subprocess.run(['objdump', '-d', '--no-show-raw-insn', name], capture_output=True,
                              text=True)
        for match in filter(None, map(form.match, dump.stdout.splitlines())):
            found['bt' if match[2] == 'bt' else 'bts'] += counts.get(int(match[1], 16), 0)
    return found


def compare(name, base, options):
    """Rows (program, tool, event, dwell, theirs)."""
    argv = prepare(name, base, options)
    ours, rows = dwell(argv, base, options), []
    # Valgrind counts each turn of a string instruction, and once more where it finds rcx = 0.
    ours['Ir'] = ours['instructions'] + ours['rep_iterations']
    for tool in 'callgrind', 'cachegrind':
        theirs = valgrind(tool, argv, base, options)
        if tool == 'callgrind':
            ours['bit_tests'] = tests = bit_tests(os.path.join(base, 'callgrind.out'))
        for kind in tests:
            for event in 'Dr', 'Dw':
                theirs[event] -= tests[kind] * BIT_TESTS[tool][kind][event]
        values = [('Ir', ours['Ir'], theirs['Ir']),
                  ('Dr+Dw', ours['accesses'], theirs['Dr'] + theirs['Dw'])]
        values += [(e, RULES[tool][e](ours), theirs[e]) for e in ('Dr', 'Dw')]
        rows += [(name, tool, event, mine, other) for event, mine, other in values]
    return rows, ours


def show(rows, markdown):
    form = '| %s | %s | %s | %s | %s | %s |' if markdown else '%-9s %-11s %-6s %15s %15s %10s'
    if markdown:
        print(form % ('program', 'against', 'event', 'Dwell', 'theirs',
                      'difference') + '\n|---|---|---|---:|---:|---:|')
    else:
        print(form % ('program', 'against', 'event', 'Dwell', 'theirs', 'difference'))
    for name, tool, event, mine, other in rows:
        print(form % (name, tool, event, format(mine, ','), format(other, ','),
                      '%+.4f %%' % (100 * (mine - other) / other)))


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    p.add_argument('--dwell', default='build/dwell')
    p.add_argument('--scale', type=int, default=1)
    p.add_argument('--functions', type=int, default=12, help='how many functions cc1 compiles')
    p.add_argument('--only', default='')
    p.add_argument('--patience', type=float, default=300, help='seconds that one run may take')
    p.add_argument('--limit', type=float, default=0.1,
                   help='largest difference, in per cent, that passes')
    p.add_argument('--markdown', action='store_true')
    p.add_argument('--json', help='write the raw counts there too')
    options = p.parse_args()
    options.dwell = os.path.abspath(options.dwell)
    base = tempfile.mkdtemp(prefix='dwell-valgrind-')
    inputs.make(os.path.join(base, 'inputs'), options.scale)
    rows, raw = [], {}
    try:
        for name in [n for n in PROGRAMS if re.search(options.only, n)]:
            more, raw[name] = compare(name, base, options)
            rows += more
    finally:
        shutil.rmtree(base, ignore_errors=True)
    show(rows, options.markdown)
    if options.json:
        with open(options.json, 'w') as f:
            json.dump(raw, f, indent=1)
    for name in raw:
        print('%s: %d bit tests and %d bit changes between registers' % (
            name, raw[name]['bit_tests']['bt'], raw[name]['bit_tests']['bts']))
    worst = max((abs(mine - other) / other for _, _, _, mine, other in rows), default=0) * 100
    print('\nlargest difference: %.4f %%' % worst)
    return 0 if worst <= options.limit else 1


if __name__ == '__main__':
    sys.exit(main())
