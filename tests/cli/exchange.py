#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Profiles for other tools: dwell export.

    exchange.py --dwell PATH --programs FOLDER

Each format is read back, and must have the counts of the profile. If valgrind is installed, files
of Callgrind are imported and exported again, and callgrind_annotate must agree on both. Each case
prints one line; the exit status is 0 when none failed.
"""
import collections
import gzip
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys

from exchange_common import (DR, FOLDED, GRAPH, IR, check, imported, main, recorded, refused, rows,
                             run, tools,
                             write)


# ---- Callgrind's format ----

def callgrind_and_back(folder):
    profile = imported(folder)
    first = run('export', '--to', 'callgrind', '-i', profile)
    for line in ['cmd: ./graph 1 2', 'pid: 77', 'events: Ir Dr',
                 'positions: instr line', 'summary: 210 24',
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
    check(run('report', '--format', 'csv', '-i', again) == run('report', '--format', 'csv',
                                                               '-i', profile),
          'another report')


def derived_events(folder):
    profile = imported(folder)
    text = run('export', '--to', 'callgrind', '-i', profile, '--event', 'X = 2*Ir + 3*(Dr - Ir)')
    check('event: X = - Ir + 3 Dr\n' in text and 'events: Ir Dr\n' in text, 'the file is', text)
    text = run('export', '--to', 'callgrind', '-i', profile, '--event', 'Dr')
    check('events: Dr\n' in text and 'totals: 24\n' in text, 'the file is', text)
    done = subprocess.run([tools.dwell, 'export', '--to', 'callgrind', '-i', profile,
                           '--event', 'Ir', '--event',
                           'Q = Ir / Dr'], capture_output=True, text=True)
    check(done.returncode == 0 and 'event Q is left out' in done.stderr and 'Q' not in done.stdout,
          done.stdout, done.stderr)
    refused('export', '--to', 'folded', '-i', profile, '--event', 'Q = Ir / Dr', status=2,
            says='no sum')


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
    check(exported.count('leaf') == 1 and "'" not in exported and 'leaf\n+30 120\n' in exported,
          exported)
    folded = dict(line.rsplit(' ', 1) for line in run('export', '--to', 'folded',
                                                      '-i', profile).splitlines())
    check(folded == {'main': '5', 'main;one': '10', 'main;two': '10', 'main;one;leaf': '30',
                     'main;two;leaf': '90'},
          folded)


def annotations(path, *options):
    """Name -> numbers, of callgrind_annotate; without functions that recurse, which Callgrind
    splits.
    """
    done = subprocess.run(['callgrind_annotate', '--show-percs=no', '--auto=no', '--threshold=100',
                           *options, path],
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
    subprocess.run(['valgrind', '--tool=callgrind', '--cache-sim=yes', '--dump-instr=yes',
                    '--collect-jumps=yes',
                    '--callgrind-out-file=' + original, '/bin/ls', '/'], stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=True, timeout=100)
    run('import', original, '-o', profile)
    run('export', '--to', 'callgrind', '-i', profile, '-o', exported)
    _, before = annotations(original)
    totals, after = annotations(exported)
    check(len(after) > 50, 'only', len(after), 'functions')
    different = [n for n in before if before[n] != after.get(n)]
    check(not different, 'other costs of', different[:5],
          [(before[n], after.get(n)) for n in different[:5]])
    sums = [sum(int(r[e]) for r in rows(run('export', '--to', 'csv', '-i', profile))) for e in
            ['Ir', 'Dr', 'Dw', 'I1mr', 'D1mr', 'D1mw', 'ILmr', 'DLmr', 'DLmw']]
    check(sums == totals, 'totals are', totals, 'and rows have', sums)
    _, before = annotations(original, '--inclusive=yes')
    _, after = annotations(exported, '--inclusive=yes')
    wrong = [n for n in after if n in before and before[n] != after[n]]
    # What calls something that recurses counts it once with us.
    check(len(wrong) < len(after) / 20, len(wrong), 'of', len(after), 'other inclusive costs:',
          wrong[:5])
    ours = collections.defaultdict(list)
    for r in json.loads(run('report', '-i', profile, '--format', 'json'))['rows']:
        ours[r['name']].append(r['events']['Ir']['inclusive'] if 'events' in r
                               else r['inclusive']['Ir'])
    alone = {n.rsplit(':', 1)[-1]: v[0] for n, v in after.items()}
    times = collections.Counter(n.rsplit(':', 1)[-1] for n in after)
    wrong = [(n, v, ours[n]) for n, v in alone.items() if times[n] == 1 and len(ours[n]) == 1 and
             abs(ours[n][0] - v) > 0.01 * v]
    check(len(wrong) < len(alone) / 20, len(wrong), 'of', len(alone), 'differ from dwell report:',
          wrong[:5])
    return None


def parts_are_threads(folder):
    thread = GRAPH.split('version: 1\n')[1]
    text = ('# callgrind format\nversion: 1\n' + thread.replace('pid: 77\n',
                                                                'pid: 77\nthread: 1\n') + '\n' +
            thread.replace('creator: by-hand\n', '').replace('pid: 77\n', 'pid: 77\nthread: 2\n'))
    profile = imported(folder, text)
    plain = run('export', '--to', 'callgrind', '-i', profile)
    check(plain.count('events:') == 1 and 'totals: 420 48' in plain, plain)
    parts = run('export', '--to', 'callgrind', '--parts', '-i', profile)
    check(re.findall('^thread: (.*)$', parts, re.M) == ['1', '2'] and
          parts.count('totals: 210 24') == 2, parts)
    again = imported(folder, parts, 'again')
    check(run('report', '--by', 'thread', '--format', 'csv', '-i', again) ==
          run('report', '--by', 'thread', '--format', 'csv', '-i', profile), 'other threads')


# ---- Stacks ----

def folded_stacks(folder):
    profile = imported(folder)
    lines = run('export', '--to', 'folded', '-i', profile).splitlines()
    check({s: int(n) for s, n in (l.rsplit(' ', 1) for l in lines)} == FOLDED, lines)
    lines = run('export', '--to', 'folded', '-i', profile,
                '--event', 'CEst = 10*Ir + Dr').splitlines()
    check(sum(int(l.rsplit(' ', 1)[1]) for l in lines) == 10 * IR + DR, lines)


def what_is_estimated_is_told(folder):
    # The g that f calls is one for both callers of f.
    contexts = ("creator: callgrind\nevents: Ir\nfn=a\n1 1\ncfn=f'a\ncalls=1 3\n1 30\nfn=b\n2 1\n"
                "cfn=f'b\ncalls=1 3\n2 20\n"
                "fn=f'a\n3 10\ncfn=g'f\ncalls=1 4\n3 20\nfn=f'b\n3 10\ncfn=g'f\ncalls=1 4\n3 10\n"
                "fn=g'f\n4 30\n")
    for text, said in [(GRAPH, 'the profile has no contexts: where'),
                       (contexts,
                        "stacks are exact as far as the profile's contexts go: further up, where")]:
        done = subprocess.run([tools.dwell, 'export', '--to', 'folded',
                               '-i', imported(folder, text)],
                              capture_output=True, text=True, timeout=100)
        check(done.returncode == 0 and said in done.stderr, done)


def circles_are_cut(folder):
    """main calls ping, which calls pong, which calls ping, ...; and itself: nothing is lost or
    twice.
    """
    text = """# callgrind format
positions: line
events: Ir
fn=main
1 5
cfn=ping
calls=2 10
2 95
fn=ping
10 30
cfn=pong
calls=9 20
11 60
fn=pong
20 40
cfn=ping
calls=7 10
21 0
cfn=pong
calls=3 20
22 0
cfn=end
calls=5 30
23 25
fn=end
30 25
fn=alone
40 7
totals: 107
"""
    found = dict(l.rsplit(' ', 1) for l in run('export', '--to', 'folded',
                                               '-i', imported(folder, text)).splitlines())
    check(found == {'main': '5', 'main;ping': '30', 'main;ping;pong': '40',
                    'main;ping;pong;end': '25', 'alone': '7'},
          found)
    _, stacks = read_pprof(run('export', '--to', 'pprof', '-i', imported(folder, text),
                               binary=True))
    check(sum(stacks.values()) == 107, stacks)


def speedscope_file(folder):
    profile = imported(folder)
    o = json.loads(run('export', '--to', 'speedscope', '-i', profile, '--event', 'Ir',
                       '--event', 'Dr'))
    check(o['$schema'] == 'https://www.speedscope.app/file-format-schema.json' and o['exporter'], o)
    frames = o['shared']['frames']
    check(all(isinstance(f['name'], str) for f in frames) and
          0 <= o['activeProfileIndex'] < len(o['profiles']), o)
    check([p['name'] for p in o['profiles']] == ['Ir', 'Dr'], o)
    for p, total in zip(o['profiles'], [IR, DR]):
        check(p['type'] == 'sampled' and p['unit'] == 'none' and p['startValue'] == 0, p)
        check(p['endValue'] == total == sum(p['weights']) and
              len(p['samples']) == len(p['weights']), p)
        check(all(0 <= f < len(frames) for s in p['samples'] for f in s), p)
    stacks = {';'.join(frames[f]['name'] for f in s): w
              for s, w in zip(o['profiles'][0]['samples'], o['profiles'][0]['weights'])}
    check(stacks == FOLDED, stacks)
    o = json.loads(run('export', '--to', 'speedscope', '-i', profile))
    check([p['name'] for p in o['profiles']] == ['Ir', 'Dr'] and o['activeProfileIndex'] == 0, o)


def speedscope_stacks_are_sorted(folder):
    """Two processes run the same functions: each stack is there once, next to those that begin like
    it.
    """
    profile = os.path.join(folder, 'two.db')
    run('merge', imported(folder), imported(folder, name='again'), '-o', profile)
    o = json.loads(run('export', '--to', 'speedscope', '-i', profile))
    for p, total in zip(o['profiles'], [IR, DR]):
        check(p['samples'] == sorted(p['samples']) and sum(p['weights']) == 2 * total, p)
        check(len(set(map(tuple, p['samples']))) == len(p['samples']), 'a stack twice in', p)


def ratios_are_left_out_of_stacks(folder):
    profile = os.path.join(folder, 'ratio.db')
    run('simulate', '-q', '-o', profile, '--event', 'Q = Ir / Dr', '--', 'true')
    for name in ['pprof', 'speedscope']:
        done = subprocess.run([tools.dwell, 'export', '--to', name, '-i', profile],
                              capture_output=True, timeout=100)
        check(done.returncode == 0 and b'event Q is left out' in done.stderr, done.returncode,
              done.stderr)


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


def pprof_mappings(data):
    p = message(gzip.decompress(data))
    return [p[6][message(m)[5][0]].decode() for m in p[3]]


def go_reads_it(path, says):
    """go tool pprof, where it is installed, finds the program and the event to begin with."""
    if shutil.which('go') is None:
        return
    done = subprocess.run(['go', 'tool', 'pprof', '-top', path], capture_output=True, text=True,
                          timeout=100)
    check(done.returncode == 0 and all(line in done.stdout for line in says), done.stdout,
          done.stderr)


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
    go_reads_it(profile, ['File: graph\n', 'Type: Ir\n'])


# ---- Rows ----

def csv_and_json(folder):
    profile = imported(folder)
    found = rows(run('export', '--to', 'csv', '-i', profile))
    check(sum(int(r['Ir']) for r in found) == IR and sum(int(r['Dr']) for r in found) == DR, found)
    inlined = [r for r in found if r['file'] == '/src/util.h']
    check(inlined == [{'function': 'leaf', 'file': '/src/util.h', 'line': '7',
                       'object': '/bin/graph',
                       'process': '0', 'Ir': '100', 'Dr': '12'}], inlined)
    o = json.loads(run('export', '--to', 'json', '-i', profile, '--event', 'Q = Ir / Dr',
                       '--event', 'Dr'))
    check([e['name'] for e in o['events']] == ['Q', 'Dr'] and o['command'] == './graph 1 2', o)
    check([r['values'] for r in o['rows'] if r['file'] == '/src/util.h'] == [{'Q': 100 / 12,
                                                                              'Dr': 12}] or
          abs([r['values']['Q'] for r in o['rows'] if r['line'] == 7][0] - 100 / 12) < 1e-6, o)


def samples_too(folder):
    profile = recorded(folder)
    with sqlite3.connect(profile) as db:
        accesses = db.execute('SELECT accesses FROM process').fetchone()[0]
    found = rows(run('export', '--to', 'csv', '-i', profile, '--caches', '256K'))
    check(list(found[0])[5:] == ['L1dm', 'Acc', 'Samples'], list(found[0]))
    total = sum(int(r['Acc']) for r in found)
    check(abs(total - accesses) < 0.001 * accesses, total, 'accesses of', accesses)
    misses = sum(int(r['L1dm']) for r in found)
    ratio = json.loads(run('paths', '-i', profile, '--size', '256K',
                           '--format', 'json'))['miss_ratio']
    check(abs(misses - ratio * accesses) < 0.001 * accesses, misses, 'misses and a ratio of', ratio)
    # Folded stacks are those of dwell paths, in another unit.
    ours = dict(l.rsplit(' ', 1) for l in run('export', '--to', 'folded', '-i', profile,
                                              '--caches', '256K').splitlines())
    theirs = dict(l.rsplit(' ', 1) for l in run('paths', '--folded', '-i', profile,
                                                '--size', '256K').splitlines())
    large = [s for s in theirs if s.endswith('main;from_large;read_table')]
    check(len(large) == 1, large)
    check(abs(int(ours[large[0]]) - int(theirs[large[0]]) * accesses / 1e9) < 2, ours[large[0]],
          theirs[large[0]])
    types, stacks = read_pprof(run('export', '--to', 'pprof', '-i', profile, '--caches', '256K',
                                   binary=True))
    check(abs(sum(v for (_, t), v in stacks.items() if t == 'L1dm') - misses) < 0.01 * misses,
          'misses of pprof')
    text = run('export', '--to', 'callgrind', '-i', profile, '--caches', '256K')
    check('events: L1dm Acc Samples\n' in text and 'desc: Sampled' in text, text[:600])
    # Samples do not tell how often a function was called; callgrind_annotate wants a number.
    check(set(re.findall('^calls=(\\d+)', text, re.M)) == {'1'}, 'calls of samples')
    again = os.path.join(folder, 's.db')
    run('import', write(folder, 's.out', text), '-o', again)
    check(run('export', '--to', 'callgrind',
              '-i', again).count('\ncalls=1 ') == text.count('\ncalls=1 '), 'calls')


def samples_open_on_misses(folder):
    """Readers show the first event, and take the first mapping for the program."""
    profile = recorded(folder)
    caches = ('--caches', '32K,256K,8M')
    text = run('export', '--to', 'callgrind', '-i', profile, *caches)
    ranked = json.loads(run('paths', '-i', profile, *caches, '--format', 'json'))
    first = {32 << 10: 'L1dm', 256 << 10: 'L2m', 8 << 20: 'L3m'}[ranked['size_bytes']]
    ratio, events = ranked['miss_ratio'], [first] + [e for e in ['L1dm', 'L2m', 'L3m']
                                                     if e != first]
    events += ['Acc', 'Samples']
    check('events: %s\n' % ' '.join(events) in text, re.findall('^events.*', text, re.M), 'not',
          events)
    total = [int(n) for n in re.search('^totals: (.*)$', text, re.M).group(1).split()]
    check(abs(total[0] / total[3] - ratio) < 0.001, total, 'a ratio of', ratio)
    o = json.loads(run('export', '--to', 'speedscope', '-i', profile, *caches))
    check([p['name'] for p in o['profiles']] == events, 'other profiles')
    check(o['activeProfileIndex'] == 0, o['activeProfileIndex'])
    path = os.path.join(folder, 'p.pb.gz')
    run('export', '--to', 'pprof', '-i', profile, '-o', path, *caches)
    with open(path, 'rb') as f:
        mappings = pprof_mappings(f.read())
    check(mappings[0] == os.path.realpath(tools.programs + '/call-paths'), mappings)
    go_reads_it(path, ['File: call-paths\n', 'Type: %s\n' % first, 'read_table'])


def simulated(folder):
    """Threads, handlers, jumps and exceptions: all that was counted goes out, and comes in again.
    """
    profile = os.path.join(folder, 'simulated.db')
    run('simulate', '-q', '-o', profile, '--', tools.programs + '/call-paths')
    text = run('export', '--to', 'callgrind', '-i', profile)
    totals = re.search('^totals: (.*)$', text, re.M).group(1).split()
    rows_of = rows(run('export', '--to', 'csv', '-i', profile))
    events = list(rows_of[0])[5:5 + len(totals)]
    check([sum(int(r[e]) for r in rows_of) for e in events] == [int(t) for t in totals],
          'rows and totals', totals)
    folded = collections.Counter()  # functions of one name in several objects are several lines
    for stack, n in (l.rsplit(' ', 1) for l in run('export', '--to', 'folded',
                                                   '-i', profile).splitlines()):
        folded[stack] += int(n)
    check(sum(folded.values()) == int(totals[0]), 'stacks have', sum(folded.values()), 'of',
          totals[0])
    # The table is read 2000 times by each of these.
    reads = [n for s, n in folded.items()
             if re.search('main;(from_large|from_pointer|from_deep);read_table$', s)]
    check(len(reads) == 3 and len(set(reads)) == 1 and reads[0] > 2000 * 500, reads)
    again = os.path.join(folder, 'again.db')
    run('import', write(folder, 'simulated.out', text), '-o', again)
    back = run('export', '--to', 'callgrind', '-i', again)
    check(re.search('^totals: (.*)$', back, re.M).group(1).split() == totals, 'other totals',
          back[-200:])
    calls = [re.findall('^calls=(\\d+)', t, re.M) for t in (text, back)]
    check(sum(map(int, calls[0])) == sum(map(int, calls[1])), 'other calls')


# ---- What cannot be ----

def bad_input(folder):
    profile = imported(folder)
    refused('export', '-i', profile, status=2, says='which format')
    refused('export', '--to', 'nix', '-i', profile, status=2, says='is unknown')
    refused('export', '--to', 'csv', '-i', profile, '--event', 'Nix', status=2, says='no event')
    refused('export', '--to', 'csv', '-i', profile, '--event', 'X = Ir +', status=2, says='formula')
    refused('export', '--to', 'csv', '-i', profile, '--parts', status=2, says='callgrind')
    refused('export', '--to', 'folded', '-i', profile, '--event', 'Ir', '--event', 'Dr', status=2,
            says='one event')
    refused('export', '--to', 'csv', '-i', profile, '--process', '7', status=3, says='no process 7')
    refused('export', '--to', 'csv', '-i', os.path.join(folder, 'nix.db'), status=3,
            says='no profile')
    refused('export', '--to', 'csv', '-i', profile, '-o', os.path.join(folder, 'no/such'), status=5,
            says='no/such')
    check(run('export', '--to', 'csv', profile) == run('export', '--to', 'csv', '-i', profile),
          'a plain FILE')
    refused('export', '--to', 'csv', profile, profile, status=2, says='one too many')


if __name__ == '__main__':
    sys.exit(main(__doc__, [
                      callgrind_and_back, derived_events, contexts_are_summed_up,
                      callgrind_annotate_agrees, parts_are_threads,
                      folded_stacks, what_is_estimated_is_told, circles_are_cut, speedscope_file,
                      speedscope_stacks_are_sorted, ratios_are_left_out_of_stacks,
                      pprof_file, csv_and_json, samples_too, samples_open_on_misses, simulated,
                      bad_input]))
