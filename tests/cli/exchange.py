#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Profiles go to other tools and to each other: dwell export, dwell merge, dwell diff.

    exchange.py --dwell PATH --programs FOLDER

The counts of the profile GRAPH are small, so that what each command has to say of it is known. Where
valgrind is installed, files of Callgrind go in and out again, and callgrind_annotate has to say the same of
both. Each case prints one line; the exit status is 0 when none failed.
"""
import argparse
import collections
import csv
import gzip
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

# main calls one and two; both call leaf, which has 30 of its own for one and 90 for two; leaf has
# an inlined part from util.h. again calls itself: 5 calls, 50 instructions.
GRAPH = """# callgrind format
version: 1
creator: by-hand
pid: 77
cmd: ./graph 1 2
positions: instr line
event: Ir : Instructions
events: Ir Dr

ob=(1) /bin/graph
fl=(1) /src/graph.c
fn=(1) main
0x1000 10 5 1
+4 +1 5 1
cfn=(2) one
calls=1 0x1100 20
* * 40 5
+4 +1 5 0
cfn=(3) two
calls=1 0x1200 30
* * 100 12
+4 +1 5
cfn=(4) again
calls=1 0x1300 40
* * 50 5

fn=(2)
0x1100 20 10 1
cfn=(5) leaf
calls=1 0x1400 50
* * 30 4

fn=(3)
0x1200 30 10 2
cfn=(5)
calls=3 0x1400 50
* * 90 10

fn=(4)
0x1300 40 50 5
jcnd=4/5 0x1308 41
0x1300 40
cfn=(4)
calls=4 0x1300 40
+4 * 0

fn=(5)
0x1400 50 20 2
fi=(2) /src/util.h
+4 7 100 12
fe=(1)
+4 52 0 0
jump=4 0x1400 50
* *

totals: 210 24
"""
IR, DR = 210, 24
FOLDED = {'main': 20, 'main;one': 10, 'main;one;leaf': 30, 'main;two': 10, 'main;two;leaf': 90,
          'main;again': 50}


def check(condition, *what):
    if not condition:
        raise AssertionError(' '.join(str(w) for w in what))


def run(*argv, status=0, binary=False):
    done = subprocess.run([DWELL, *argv], stdin=subprocess.DEVNULL, capture_output=True, timeout=100)
    errors = done.stderr.decode()
    check(done.returncode == status, ' '.join(argv), 'ended with', done.returncode, errors)
    return done.stdout if binary else done.stdout.decode()


def refused(*argv, status, says):
    """The command fails with one sentence in which there is `says`."""
    done = subprocess.run([DWELL, *argv], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
    check(done.returncode == status, ' '.join(argv), 'ended with', done.returncode, done.stderr)
    check(says in done.stderr, ' '.join(argv), 'said', done.stderr)
    check(done.stdout == '', ' '.join(argv), 'printed', done.stdout)


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, 'w') as f:
        f.write(text)
    return path


def imported(folder, text=GRAPH, name='graph'):
    profile = os.path.join(folder, name + '.db')
    run('import', write(folder, name + '.out', text), '-o', profile)
    return profile


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def recorded(folder, name='samples'):
    profile = os.path.join(folder, name + '.db')
    run('record', '-q', '-o', profile, '--seed', '1', '--paths', '--duty', '100', '--period', '50', '--',
        PROGRAMS + '/call-paths')
    return profile


# ---- Callgrind's format ----

def callgrind_and_back(folder):
    profile = imported(folder)
    first = run('export', '--to', 'callgrind', '-i', profile)
    for line in ['cmd: ./graph 1 2', 'pid: 77', 'events: Ir Dr', 'positions: instr line', 'summary: 210 24',
                 'totals: 210 24', 'event: Ir : Instructions', 'jcnd=4/5 +8 +1', 'jump=4 -4 +43',
                 'calls=3 0x1400 +20', 'fi=(2) /src/util.h', 'fe=(1)']:
        check(line in (l.strip() for l in first.splitlines()), 'no line', line, 'in', first)
    again = imported(folder, first, 'again')
    check(run('export', '--to', 'callgrind', '-i', again) == first, 'another file the second time')
    for options in [(), ('--event', 'Dr'), ('--event', 'X = 2*Ir + Dr')]:
        for name in ['csv', 'json', 'folded']:
            if name != 'folded' or options != ():
                check(sorted(run('export', '--to', name, '-i', profile, *options).splitlines()) ==
                      sorted(run('export', '--to', name, '-i', again, *options).splitlines()),
                      'other', name, 'of', options)
    check(run('report', '--format', 'csv', '-i', again) == run('report', '--format', 'csv', '-i', profile),
          'another report')


def derived_events(folder):
    profile = imported(folder)
    text = run('export', '--to', 'callgrind', '-i', profile, '--event', 'X = 2*Ir + 3*(Dr - Ir)')
    check('event: X = - Ir + 3 Dr\n' in text and 'events: Ir Dr\n' in text, 'the file is', text)
    text = run('export', '--to', 'callgrind', '-i', profile, '--event', 'Dr')
    check('events: Dr\n' in text and 'totals: 24\n' in text, 'the file is', text)
    done = subprocess.run([DWELL, 'export', '--to', 'callgrind', '-i', profile, '--event', 'Ir', '--event',
                           'Q = Ir / Dr'], capture_output=True, text=True)
    check(done.returncode == 0 and 'event Q is left out' in done.stderr and 'Q' not in done.stdout,
          done.stdout, done.stderr)
    refused('export', '--to', 'folded', '-i', profile, '--event', 'Q = Ir / Dr', status=2, says='no sum')


CONTEXTS = """# callgrind format
creator: callgrind-3.19.0
positions: line
events: Ir
fl=a.c
fn=main
1 5
cfn=one'main
calls=1 10
2 40
cfn=two'main
calls=1 20
3 100
fn=one'main
10 10
cfn=leaf'one
calls=1 30
11 30
fn=two'main
20 10
cfn=leaf'two
calls=3 30
21 90
fn=leaf'one
30 30
fn=leaf'two
30 90
totals: 145
"""


def contexts_are_summed_up(folder):
    """Chains of callers make exact stacks, and in the file each function is one."""
    profile = imported(folder, CONTEXTS)
    exported = run('export', '--to', 'callgrind', '-i', profile)
    check(exported.count('leaf') == 1 and "'" not in exported and 'leaf\n+30 120\n' in exported, exported)
    folded = dict(line.rsplit(' ', 1) for line in run('export', '--to', 'folded', '-i', profile).splitlines())
    check(folded == {'main': '5', 'main;one': '10', 'main;two': '10', 'main;one;leaf': '30', 'main;two;leaf': '90'},
          folded)


def annotations(path, *options):
    """Name -> numbers, of callgrind_annotate; without functions that recurse, which Callgrind splits."""
    done = subprocess.run(['callgrind_annotate', '--show-percs=no', '--auto=no', '--threshold=100', *options, path],
                          capture_output=True, text=True, timeout=100)
    check(done.returncode == 0 and done.stderr == '', 'callgrind_annotate:', done.stderr)
    found, totals = {}, None
    for line in done.stdout.splitlines():
        m = re.match(r' *((?:[\d,]+|\.)(?: +(?:[\d,]+|\.))*) +(.+)$', line)
        if not m:
            continue
        numbers = [0 if n == '.' else int(n.replace(',', '')) for n in m.group(1).split()]
        name = re.sub(r' \[[^]]*\]$', '', m.group(2).strip())
        if name.startswith('PROGRAM TOTALS'):
            totals = numbers
        else:
            found[name] = numbers
    recursive = {re.sub(r"'\d+$", '', n) for n in found if re.search(r"'\d+$", n)}
    return totals, {n: v for n, v in found.items() if re.sub(r"'\d+$", '', n) not in recursive}


def callgrind_annotate_agrees(folder):
    if not shutil.which('valgrind') or not shutil.which('callgrind_annotate'):
        return 'valgrind is not installed'
    original, exported = os.path.join(folder, 'cg.out'), os.path.join(folder, 'ex.out')
    profile = os.path.join(folder, 'cg.db')
    subprocess.run(['valgrind', '--tool=callgrind', '--cache-sim=yes', '--dump-instr=yes', '--collect-jumps=yes',
                    '--callgrind-out-file=' + original, '/bin/ls', '/'], stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=True, timeout=100)
    run('import', original, '-o', profile)
    run('export', '--to', 'callgrind', '-i', profile, '-o', exported)
    _, before = annotations(original)
    totals, after = annotations(exported)
    check(len(after) > 50, 'only', len(after), 'functions')
    different = [n for n in before if before[n] != after.get(n)]
    check(not different, 'other costs of', different[:5], [(before[n], after.get(n)) for n in different[:5]])
    sums = [sum(int(r[e]) for r in rows(run('export', '--to', 'csv', '-i', profile))) for e in
            ['Ir', 'Dr', 'Dw', 'I1mr', 'D1mr', 'D1mw', 'ILmr', 'DLmr', 'DLmw']]
    check(sums == totals, 'totals are', totals, 'and rows have', sums)
    _, before = annotations(original, '--inclusive=yes')
    _, after = annotations(exported, '--inclusive=yes')
    wrong = [n for n in after if n in before and before[n] != after[n]]
    # What calls something that recurses counts it once with us.
    check(len(wrong) < len(after) / 20, len(wrong), 'of', len(after), 'other inclusive costs:', wrong[:5])
    ours = collections.defaultdict(list)
    for r in json.loads(run('report', '-i', profile, '--format', 'json'))['rows']:
        ours[r['name']].append(r['events']['Ir']['inclusive'] if 'events' in r else r['inclusive']['Ir'])
    alone = {n.rsplit(':', 1)[-1]: v[0] for n, v in after.items()}
    times = collections.Counter(n.rsplit(':', 1)[-1] for n in after)
    wrong = [(n, v, ours[n]) for n, v in alone.items() if times[n] == 1 and len(ours[n]) == 1 and
             abs(ours[n][0] - v) > 0.01 * v]
    check(len(wrong) < len(alone) / 20, len(wrong), 'of', len(alone), 'differ from dwell report:', wrong[:5])
    return None


def parts_are_threads(folder):
    thread = GRAPH.split('version: 1\n')[1]
    text = '# callgrind format\nversion: 1\n' + thread.replace('pid: 77\n', 'pid: 77\nthread: 1\n') + '\n' + \
        thread.replace('creator: by-hand\n', '').replace('pid: 77\n', 'pid: 77\nthread: 2\n')
    profile = imported(folder, text)
    plain = run('export', '--to', 'callgrind', '-i', profile)
    check(plain.count('events:') == 1 and 'totals: 420 48' in plain, plain)
    parts = run('export', '--to', 'callgrind', '--parts', '-i', profile)
    check(re.findall('^thread: (.*)$', parts, re.M) == ['1', '2'] and parts.count('totals: 210 24') == 2, parts)
    again = imported(folder, parts, 'again')
    check(run('report', '--by', 'thread', '--format', 'csv', '-i', again) ==
          run('report', '--by', 'thread', '--format', 'csv', '-i', profile), 'other threads')


# ---- Stacks ----

def folded_stacks(folder):
    profile = imported(folder)
    lines = run('export', '--to', 'folded', '-i', profile).splitlines()
    check({s: int(n) for s, n in (l.rsplit(' ', 1) for l in lines)} == FOLDED, lines)
    lines = run('export', '--to', 'folded', '-i', profile, '--event', 'CEst = 10*Ir + Dr').splitlines()
    check(sum(int(l.rsplit(' ', 1)[1]) for l in lines) == 10 * IR + DR, lines)


def speedscope_file(folder):
    o = json.loads(run('export', '--to', 'speedscope', '-i', imported(folder)))
    check(o['$schema'] == 'https://www.speedscope.app/file-format-schema.json' and o['exporter'], o)
    frames = o['shared']['frames']
    check(all(isinstance(f['name'], str) for f in frames) and 0 <= o['activeProfileIndex'] < len(o['profiles']), o)
    check([p['name'] for p in o['profiles']] == ['Ir', 'Dr'], o)
    for p, total in zip(o['profiles'], [IR, DR]):
        check(p['type'] == 'sampled' and p['unit'] == 'none' and p['startValue'] == 0, p)
        check(p['endValue'] == total == sum(p['weights']) and len(p['samples']) == len(p['weights']), p)
        check(all(0 <= f < len(frames) for s in p['samples'] for f in s), p)
    stacks = {';'.join(frames[f]['name'] for f in s): w
              for s, w in zip(o['profiles'][0]['samples'], o['profiles'][0]['weights'])}
    check(stacks == FOLDED, stacks)


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        shift += 7
        at += 1
        if byte < 128:
            return value, at


def message(data):
    """field -> values: numbers and bytes."""
    fields, at = collections.defaultdict(list), 0
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        check(key & 7 in (0, 2), 'wire type', key & 7)
        fields[key >> 3].append(value)
    return fields


def numbers(data):
    found, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        found.append(value)
    return found


def read_pprof(data):
    """Names of the sample types, and for each stack, the innermost function first, its values."""
    p = message(gzip.decompress(data))
    strings = [s.decode() for s in p[6]]
    check(strings[0] == '', 'the first string is', strings[0])
    functions = {message(f)[1][0]: strings[message(f)[2][0]] for f in p[5]}
    locations, mapped = {}, {message(m)[1][0] for m in p[3]}
    for data in p[4]:
        location = message(data)
        lines = [message(line) for line in location[4]]
        locations[location[1][0]] = [(functions[line[1][0]], (line[2] or [0])[0]) for line in lines]
        check(not location[2] or location[2][0] in mapped, 'no mapping', location[2])
    stacks = collections.Counter()
    types = [strings[message(t)[1][0]] for t in p[1]]
    for data in p[2]:
        sample = message(data)
        values = numbers(sample[2][0])
        check(len(values) == len(types), 'values', values)
        stack = tuple(f for l in numbers(sample[1][0]) for f in locations[l])
        for name, value in zip(types, values):
            stacks[stack, name] += value
    check(strings[p[14][0]] in types, 'the default is', p[14])
    return types, stacks


def pprof_file(folder):
    profile = os.path.join(folder, 'p.pb.gz')
    run('export', '--to', 'pprof', '-i', imported(folder), '-o', profile)
    with open(profile, 'rb') as f:
        types, stacks = read_pprof(f.read())
    check(types == ['Ir', 'Dr'], types)
    for name, total in [('Ir', IR), ('Dr', DR)]:
        check(sum(v for (_, t), v in stacks.items() if t == name) == total, stacks)
    folded = collections.Counter()
    for (stack, name), value in stacks.items():
        if name == 'Ir':
            folded[';'.join(f for f, _ in reversed(stack))] += value
    check({s: v for s, v in folded.items() if v} == FOLDED, folded)
    check(any(stack[0] == ('leaf', 7) for stack, _ in stacks), 'no line of util.h', stacks)


# ---- Rows ----

def csv_and_json(folder):
    profile = imported(folder)
    found = rows(run('export', '--to', 'csv', '-i', profile))
    check(sum(int(r['Ir']) for r in found) == IR and sum(int(r['Dr']) for r in found) == DR, found)
    inlined = [r for r in found if r['file'] == '/src/util.h']
    check(inlined == [{'function': 'leaf', 'file': '/src/util.h', 'line': '7', 'object': '/bin/graph',
                       'process': '0', 'Ir': '100', 'Dr': '12'}], inlined)
    o = json.loads(run('export', '--to', 'json', '-i', profile, '--event', 'Q = Ir / Dr', '--event', 'Dr'))
    check([e['name'] for e in o['events']] == ['Q', 'Dr'] and o['command'] == './graph 1 2', o)
    check([r['values'] for r in o['rows'] if r['file'] == '/src/util.h'] == [{'Q': 100 / 12, 'Dr': 12}] or
          abs([r['values']['Q'] for r in o['rows'] if r['line'] == 7][0] - 100 / 12) < 1e-6, o)


def samples_too(folder):
    profile = recorded(folder)
    with sqlite3.connect(profile) as db:
        accesses = db.execute('SELECT accesses FROM process').fetchone()[0]
    found = rows(run('export', '--to', 'csv', '-i', profile, '--caches', '256K'))
    check(list(found[0])[5:] == ['Samples', 'Acc', 'L1dm'], list(found[0]))
    total = sum(int(r['Acc']) for r in found)
    check(abs(total - accesses) < 0.001 * accesses, total, 'accesses of', accesses)
    misses = sum(int(r['L1dm']) for r in found)
    ratio = json.loads(run('paths', '-i', profile, '--size', '256K', '--format', 'json'))['miss_ratio']
    check(abs(misses - ratio * accesses) < 0.001 * accesses, misses, 'misses and a ratio of', ratio)
    # Folded stacks are those of dwell paths, in another unit.
    ours = dict(l.rsplit(' ', 1) for l in run('export', '--to', 'folded', '-i', profile, '--caches', '256K').splitlines())
    theirs = dict(l.rsplit(' ', 1) for l in run('paths', '--folded', '-i', profile, '--size', '256K').splitlines())
    large = [s for s in theirs if s.endswith('main;from_large;read_table')]
    check(len(large) == 1, large)
    check(abs(int(ours[large[0]]) - int(theirs[large[0]]) * accesses / 1e9) < 2, ours[large[0]], theirs[large[0]])
    types, stacks = read_pprof(run('export', '--to', 'pprof', '-i', profile, '--caches', '256K', binary=True))
    check(abs(sum(v for (_, t), v in stacks.items() if t == 'L1dm') - misses) < 0.01 * misses, 'misses of pprof')
    text = run('export', '--to', 'callgrind', '-i', profile, '--caches', '256K')
    check('events: Samples Acc L1dm\n' in text and 'desc: Sampled' in text, text[:600])
    run('import', write(folder, 's.out', text), '-o', os.path.join(folder, 's.db'))
    return None


# ---- Merge ----

def merged(folder):
    a, b = imported(folder), imported(folder, GRAPH.replace('pid: 77', 'pid: 78').replace('0x1100 20 10 1', '0x1100 20 13 1')
                                      .replace('totals: 210', 'totals: 213'), 'b')
    both = os.path.join(folder, 'both.db')
    run('merge', a, b, '-o', both)
    text = run('export', '--to', 'callgrind', '-i', both)
    check('totals: 423 48' in text, text)
    for process, alone in [('0', a), ('1', b)]:
        check(run('export', '--to', 'folded', '-i', both, '--process', process) ==
              run('export', '--to', 'folded', '-i', alone), 'another process', process)
        check(run('export', '--to', 'callgrind', '-i', both, '--process', process) ==
              run('export', '--to', 'callgrind', '-i', alone), 'another file of', process)
    parts = run('export', '--to', 'callgrind', '-i', both, '--parts')
    check(re.findall('^pid: (.*)$', parts, re.M) == ['77', '78'], parts)
    # Columns in another order are the same columns.
    swapped = 'events: Dr Ir'.join(GRAPH.split('events: Ir Dr'))
    run('merge', a, imported(folder, swapped, 'c'), '-o', both)
    check('totals: 234 234' in run('export', '--to', 'callgrind', '-i', both), 'columns are mixed up')


def merged_samples(folder):
    a, b = recorded(folder), recorded(folder, 'other')
    both = os.path.join(folder, 'both.db')
    run('merge', a, b, '-o', both)
    for process, alone in [('0', a), ('1', b)]:
        for view in ['paths', 'objects', 'reuse', 'annotate']:
            argument = {'reuse': ['call-paths.cc'], 'annotate': ['call-paths.cc']}.get(view, [])
            check(run(view, '-i', both, '--process', process, '--format', 'json', *argument) ==
                  run(view, '-i', alone, '--format', 'json', *argument), view, 'of process', process)
    with sqlite3.connect(both) as db:
        lost = db.execute('SELECT COUNT(*) FROM (SELECT DISTINCT begin_location AS l FROM sample) '
                          'WHERE l NOT IN (SELECT id FROM location)').fetchone()[0]
        check(lost == 0, lost, 'locations are not there')


def not_merged(folder):
    a, samples = imported(folder), recorded(folder)
    other = imported(folder, GRAPH.replace('events: Ir Dr', 'events: Ir Dw'), 'other')
    caches = imported(folder, GRAPH.replace('positions', 'desc: D1 cache: 32768 B\npositions'), 'caches')
    out = os.path.join(folder, 'out.db')
    refused('merge', a, samples, '-o', out, status=3, says='only profiles of one kind')
    refused('merge', a, other, '-o', out, status=3, says='has the event Dr and')
    refused('merge', a, caches, '-o', out, status=3, says='misses of different caches')
    refused('merge', a, '-o', out, status=2, says='name two profiles')
    refused('merge', a, os.path.join(folder, 'nix.db'), '-o', out, status=3, says='no profile')
    refused('merge', a, other, '-o', a, status=2, says='cannot be the output')
    refused('merge', a, a, '-o', os.path.join(folder, 'no/such.db'), status=5, says='no/such.db')
    check(not os.path.exists(out), 'a profile was made')


# ---- Diff ----

def differences(folder):
    a = imported(folder)
    # The same in another folder, under another name: leaf has 10 more for two, one is gone, new is new.
    text = GRAPH.replace('/src/', '/home/').replace('/bin/graph', '/tmp/graph2').replace('cmd: ./graph', 'cmd: ./graph2') \
        .replace('fn=(2) one', 'fn=(2) new').replace('+4 7 100 12', '+4 7 110 6').replace('totals: 210 24', 'totals: 220 18')
    b = imported(folder, text, 'b')
    o = json.loads(run('diff', a, b, '--format', 'json'))
    check(o['totals']['Ir'] == {'a': 210, 'b': 220, 'change': 10, 'relative': o['totals']['Ir']['relative']}, o['totals'])
    check(abs(o['totals']['Ir']['relative'] - 10 / 210) < 1e-6, o['totals'])
    found = {r['name']: (r['events']['Ir']['a'], r['events']['Ir']['b']) for r in o['rows']}
    check(found == {'main': (20, 20), 'one': (10, 0), 'new': (0, 10), 'two': (10, 10), 'leaf': (120, 130),
                    'again': (50, 50)}, found)
    check(sorted(r['name'] for r in o['rows'][:3]) == ['leaf', 'new', 'one'], 'the order is', o['rows'])
    lines = {(r['name'], r['line']): r for r in rows(run('diff', a, b, '--by', 'line', '--format', 'csv'))
             if r['event'] == 'Ir'}
    check((lines['leaf', '7']['a'], lines['leaf', '7']['b']) == ('100', '110'), lines)
    files = [r for r in rows(run('diff', a, b, '--by', 'file', '--format', 'csv')) if r['by'] == 'file' and
             r['event'] == 'Ir']
    check([(r['a'], r['b']) for r in files] == [('210', '220')], files)
    objects = [r for r in rows(run('diff', a, b, '--by', 'object', '--format', 'csv')) if r['by'] == 'object']
    check(len(objects) == 2, 'the program does not match itself', objects)
    text = run('diff', a, b, '--event', 'Sum = Ir + Dr', '-n', '1')
    check('+1.71 %' in text and '+11' in text and 'leaf' not in text and '2 more' in text, text)
    text = run('diff', a, b, '--sort', 'Dr')
    check('leaf' in text and '-6' in text, text)
    check('No function has changed' in run('diff', a, a), 'changes of nothing')


CONDITIONS = [  # condition, whether it holds: Ir 210 to 220 (+4.76 %), Dr 24 to 18 (-25 %), leaf's Ir 120 to 130
    ('Ir > +4%', True), ('Ir > +5%', False), ('Ir > 4%', True), ('Ir>+9', True), ('Ir > +10', False),
    ('Ir >= +10', True), ('Ir > 219', True), ('Ir > 220', False), ('Ir >= 220', True), ('Ir < 230', True),
    ('Dr < -20%', True), ('Dr < -30%', False), ('Dr <= -25%', True), ('Dr > +0%', False), ('Dr < -5', True),
    ('leaf:Ir > +8%', True), ('leaf:Ir > +9%', False), ('leaf:Dr > 0%', False), ('one:Ir < -99%', True),
    ('new:Ir > +1000%', True), ('main:Ir > +0', False), ('leaf : Ir > 129.5', True)]


def conditions(folder):
    a = imported(folder)
    b = imported(folder, GRAPH.replace('fn=(2) one', 'fn=(2) new').replace('+4 7 100 12', '+4 7 110 6')
                 .replace('totals: 210 24', 'totals: 220 18'), 'b')
    for text, holds in CONDITIONS:
        done = subprocess.run([DWELL, 'diff', a, b, '--fail-if', text], capture_output=True, text=True)
        check(done.returncode == (1 if holds else 0), text, 'ended with', done.returncode, done.stderr)
        check(("condition '%s' holds" % text in done.stderr) == holds, text, 'said', done.stderr)
    done = subprocess.run([DWELL, 'diff', a, b, '--fail-if', 'Ir > +5%', '--fail-if', 'S > +1', '--event',
                           'S = Ir + Dr', '--format', 'json'], capture_output=True, text=True)
    check(done.returncode == 1, 'two conditions:', done.returncode, done.stderr)
    check([c['holds'] for c in json.loads(done.stdout)['conditions']] == [False, True], done.stdout)
    for text, says in [('Ir', 'is no condition'), ('Ir > ', 'is no condition'), ('Ir > x', 'is no condition'),
                       ('Ir > 3x', 'is no condition'), ('> 3', 'is no condition'), ('Nix > 3', 'no event'),
                       ('nix:Ir > 3', 'has a function'), ('Ir > inf', 'is no condition')]:
        refused('diff', a, b, '--fail-if', text, status=2, says=says)


def sampled_differences(folder):
    a = recorded(folder)
    text = run('diff', a, a, '--fail-if', 'L2 > +0.01', '--fail-if', '300K < -1%', '--size', '300K')
    check(text.count(' no') >= 2 and ' yes' not in text, text)
    # A walk that misses much more than this program.
    b = os.path.join(folder, 'walk.db')
    run('record', '-q', '-o', b, '--seed', '1', '--duty', '50', '--', os.path.join(PROGRAMS, '../../examples/column-walk'), '600')
    o = json.loads(run('diff', a, b, '--size', '8K', '--format', 'json'))
    cache = [c for c in o['caches'] if c['size_bytes'] == 8192][0]
    check(cache['outside'] == (cache['a']['high'] < cache['b']['low'] or cache['b']['high'] < cache['a']['low']), cache)
    check(cache['outside'] and cache['b']['miss_ratio'] > cache['a']['miss_ratio'], cache)
    run('diff', a, b, '--size', '8K', '--fail-if', '8K > +10%', status=1)
    run('diff', b, a, '--size', '8K', '--fail-if', '8K > +10%')
    events = imported(folder)
    refused('diff', a, events, status=3, says='two of a kind')
    refused('diff', a, b, '--fail-if', 'Ir > 3', status=2, says='none of the caches')
    refused('diff', a, b, '--event', 'Ir', status=2, says='have samples')
    refused('diff', a, b, '--by', 'object', status=2, says='by function, line or file')


# ---- What cannot be ----

def bad_input(folder):
    profile = imported(folder)
    refused('export', '-i', profile, status=2, says='which format')
    refused('export', '--to', 'nix', '-i', profile, status=2, says='is no format')
    refused('export', '--to', 'csv', '-i', profile, '--event', 'Nix', status=2, says='no event')
    refused('export', '--to', 'csv', '-i', profile, '--event', 'X = Ir +', status=2, says='formula')
    refused('export', '--to', 'csv', '-i', profile, '--parts', status=2, says='callgrind')
    refused('export', '--to', 'folded', '-i', profile, '--event', 'Ir', '--event', 'Dr', status=2, says='one event')
    refused('export', '--to', 'csv', '-i', profile, '--process', '7', status=3, says='no process 7')
    refused('export', '--to', 'csv', '-i', os.path.join(folder, 'nix.db'), status=3, says='no profile')
    refused('export', '--to', 'csv', '-i', profile, '-o', os.path.join(folder, 'no/such'), status=5, says='no/such')
    refused('export', '--to', 'csv', profile, status=2, says='-i')
    refused('diff', profile, status=2, says='two profiles')
    refused('diff', profile, profile, profile, status=2, says='one too many')
    refused('diff', profile, profile, '--event', 'Nix', status=2, says='no event')
    refused('diff', profile, profile, '--by', 'nix', status=2, says='--by')
    refused('diff', profile, profile, '--size', '1M', status=2, says='--size')
    with open(profile, 'rb') as f:
        data = f.read()
    for length in [0, 100, 5000, len(data) // 2]:
        cut = os.path.join(folder, 'cut.db')
        with open(cut, 'wb') as f:
            f.write(data[:length])
        for argv in [('export', '--to', 'callgrind', '-i', cut), ('diff', cut, profile), ('diff', profile, cut),
                     ('merge', profile, cut, '-o', os.path.join(folder, 'm.db'))]:
            refused(*argv, status=3, says='cut.db')
        check(not os.path.exists(os.path.join(folder, 'm.db')), 'a profile was made')
    # Costs of functions that are not there, as a damaged file may have.
    db = sqlite3.connect(profile)
    db.execute("UPDATE cost_batch SET list = '[[99,1,5,5]]'")
    db.commit()
    db.close()
    for argv in [('export', '--to', 'callgrind', '-i', profile), ('diff', profile, profile),
                 ('merge', profile, profile, '-o', os.path.join(folder, 'm.db'))]:
        refused(*argv, status=3, says='graph.db')


def main():
    global DWELL, PROGRAMS
    parser = argparse.ArgumentParser()
    parser.add_argument('--dwell', required=True)
    parser.add_argument('--programs', required=True)
    parser.add_argument('--only', help='run the case of this name')
    arguments = parser.parse_args()
    DWELL, PROGRAMS = os.path.abspath(arguments.dwell), os.path.abspath(arguments.programs)
    failed = 0
    for case in [callgrind_and_back, derived_events, contexts_are_summed_up, callgrind_annotate_agrees,
                 parts_are_threads, folded_stacks, speedscope_file, pprof_file, csv_and_json, samples_too, merged,
                 merged_samples, not_merged, differences, conditions, sampled_differences, bad_input]:
        if arguments.only not in (None, case.__name__):
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                skipped = case(folder)
                print('ok       ' + case.__name__ if not skipped else 'skipped  %s: %s' % (case.__name__, skipped))
            except (AssertionError, sqlite3.Error, KeyError, IndexError, ValueError) as error:
                failed += 1
                print('FAILED   %s: %s %s' % (case.__name__, type(error).__name__, error))
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
