#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Files of Callgrind become profiles, and the views show what callgrind_annotate says.

    events.py --dwell PATH --program PATH

The program, counted.c, is run by Callgrind; its file is imported and looked at. Each case prints
one line; the exit status is 0 when none failed.
"""
import argparse
import collections
import csv
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

CALLGRIND = ['valgrind', '--tool=callgrind', '--cache-sim=yes', '--dump-instr=yes',
             '--collect-jumps=yes']
EVENTS = ['Ir', 'Dr', 'Dw', 'I1mr', 'D1mr', 'D1mw', 'ILmr', 'DLmr', 'DLmw']


def check(condition, *what):
    if not condition:
        raise AssertionError(' '.join(str(w) for w in what))


def dwell(*argv, code=0, stdin=b''):
    done = subprocess.run([DWELL, *argv], input=stdin, capture_output=True, timeout=100)
    out, err = done.stdout.decode(), done.stderr.decode()
    check(done.returncode == code, argv, 'ended with', done.returncode, err)
    if code != 0:
        check(re.fullmatch(r'(dwell[^\n]*\n)+(Try [^\n]*\n)?', err), argv, 'said', err)
    return err if code != 0 else out


def count(folder, *options):
    path = os.path.join(folder, 'callgrind.out')
    done = subprocess.run(CALLGRIND + ['--callgrind-out-file=' + path, *options, PROGRAM],
                          capture_output=True, timeout=100)
    check(done.returncode == 0, 'valgrind:', done.stderr.decode())
    return path


def imported(folder, text=None):
    """The profile of the program, or of a file with this text."""
    profile = os.path.join(folder, 'profile.db')
    if text is not None:
        with open(os.path.join(folder, 'text.out'), 'w') as f:
            f.write(text)
    dwell('import', os.path.join(folder, 'text.out') if text is not None else FILE, '-o', profile)
    return profile


def rows(profile, *options):
    return json.loads(dwell('report', '-i', profile, '--format=json', *options))


def annotate(path, *options):
    """What callgrind_annotate says: function -> [(file, numbers)]."""
    out = subprocess.run(['callgrind_annotate', '--threshold=100', '--auto=no', '--show-percs=no',
                          *options, path],
                         capture_output=True, text=True, timeout=100).stdout
    functions, begun = collections.defaultdict(list), False
    for line in out.splitlines():
        found = re.match(r'\s*((?:[\d,]+|\.)(?:\s+(?:[\d,]+|\.))*)\s+(\S.*)$', line)
        if not found:
            continue
        numbers = [0 if n == '.' else int(n.replace(',', '')) for n in found.group(1).split()]
        name = re.sub(r' \[[^]]*\]$', '', found.group(2))
        if name == 'PROGRAM TOTALS':
            begun = True
        elif ':' in name and begun:
            file, function = name.split(':', 1)
            functions[function].append((file, numbers))
    check(begun, 'callgrind_annotate said', out)
    return functions


def self_costs_are_those_of_callgrind_annotate(folder):
    profile = imported(folder)
    functions = annotate(FILE)
    # Not its own totals, which are of the line 'summary:' and have a few instructions more.
    with open(FILE) as f:
        totals = [int(n) for line in f if line.startswith('totals:') for n in line.split()[1:]]
    wanted = collections.defaultdict(lambda: [0] * len(EVENTS))
    for name, places in functions.items():
        for _, numbers in places:
            base = re.sub(r"'\d+$", '', name)
            wanted[base] = [a + b for a, b in zip(wanted[base], numbers)]
    report = rows(profile)
    found = collections.defaultdict(lambda: [0] * len(EVENTS))
    for row in report['rows']:
        found[row['name']] = [a + row['self'][e] for a, e in zip(found[row['name']], EVENTS)]
    check([report['totals'][e] for e in EVENTS] == totals, report['totals'], 'and not', totals)
    for name, numbers in wanted.items():
        check(found[name] == numbers, name, found[name], 'and not', numbers)


def inclusive_costs_are_those_of_callgrind_annotate(folder):
    profile = imported(folder)
    functions = annotate(FILE, '--inclusive=yes')
    report = {row['name']: row for row in rows(profile)['rows']}
    # Of a recursive function, the one without a number has the outermost calls.
    compared = 0
    for name in ['main', 'fibonacci', 'is_even', 'is_odd', 'count_above', 'rarely', 'often',
                 'compare', 'qsort']:
        wanted = max(numbers for _, numbers in functions[name])
        found = [report[name]['inclusive'][e] for e in EVENTS]
        check(found == wanted, name, found, 'and not', wanted)
        compared += 1
    check(compared == 9, 'only', compared, 'functions')
    total = rows(profile)['totals']['Ir']
    check(all(row['inclusive']['Ir'] <= total * 1.0001 for row in report.values()), 'more than all')


def calls_have_their_numbers(folder):
    profile = imported(folder)
    pairs = {(c['caller'], c['callee']): c for c in
             json.loads(dwell('calls', '-i', profile, '--format=json'))['calls']}
    # fibonacci(10) calls itself 176 times; is_even(20) and is_odd call each other 10 times each.
    check(pairs['fibonacci', 'fibonacci']['calls'] == 176, pairs['fibonacci', 'fibonacci'])
    check(pairs['main', 'fibonacci']['calls'] == 1, 'of main')
    check(pairs['is_even', 'is_odd']['calls'] == 10 and pairs['is_odd', 'is_even']['calls'] == 10,
          'even')
    check(pairs['often', 'count_above']['calls'] == 9, 'often')
    check(pairs['rarely', 'count_above']['calls'] == 1, 'rarely')
    both = json.loads(dwell('calls', '-i', profile, '--format=json', 'count_above'))['calls']
    check([(c['relation'], c['path'][-1]) for c in both] ==
          [('function', 'count_above'), ('caller', 'often'), ('caller', 'rarely')], both)
    check(both[0]['inclusive'] == both[1]['inclusive'] + both[2]['inclusive'], both)
    text = dwell('calls', '-i', profile, 'count_above')
    check(re.search(r' 10 \*\s+count_above', text) and re.search(r' 9 from\s+often', text), text)


def trees_mark_what_is_estimated(folder):
    # Of work's calls of io nobody knows from where they came.
    profile = imported(folder, 'events: Ir\nfl=x.c\n'
                               'fn=main\n1 10\ncfn=a\ncalls=1 2\n1 40\ncfn=b\ncalls=1 3\n1 70\n'
                               'fn=a\n2 10\ncfn=work\ncalls=1 4\n2 30\n'
                               'fn=b\n3 10\ncfn=work\ncalls=2 4\n3 60\n'
                               'fn=work\n4 60\ncfn=io\ncalls=9 5\n4 30\nfn=io\n5 30\ntotals: 120\n')
    down = dwell('calls', '-i', profile, '--tree', 'down')
    found = re.findall(r'([\d,]+~?) +([\d,]+) ( *)(\w+)', down.split('OBJECT')[1])
    check([(c, n, len(i) // 2, f) for c, n, i, f in found] ==
          [('120', '0', 0, 'main'), ('70', '1', 1, 'b'), ('60', '2', 2, 'work'), ('20~', '6', 3,
                                                                                  'io'),
           ('40', '1', 1, 'a'), ('30', '1', 2, 'work'), ('10~', '3', 3, 'io')], down)
    check('~ estimated' in down, down)
    narrow = subprocess.run([DWELL, 'calls', '-i', profile, '--tree', 'down'], capture_output=True,
                            text=True, timeout=100,
                            env=dict(os.environ, COLUMNS='60')).stdout
    check(max(map(len, narrow[narrow.index('~ estimated'):].splitlines())) <= 60, narrow)
    up = json.loads(dwell('calls', '-i', profile, '--tree=up', '--depth=2', '--format=json',
                          'io'))['calls']
    check([(c['path'][-1], c['inclusive'], c['is_estimate']) for c in up] ==
          [('io', 30, False), ('work', 30, False), ('b', 20, True), ('a', 10, True)], up)
    flat = list(csv.DictReader(io.StringIO(dwell('calls', '-i', profile, '--tree=down',
                                                 '--format=csv', 'main'))))
    check(flat[3]['path'] == 'main;b;work;io' and flat[3]['is_estimate'] == '1', flat[3])
    check('estimated' not in dwell('calls', '-i', profile, '--tree', 'down', '--threshold', '50'),
          'threshold')


def formulas_are_events(folder):
    profile = imported(folder)
    report = rows(profile, '-e', 'CEst', '-e', 'x = Ir + 10*L1m + 100*LLm',
                  '-e', 'ratio = D1mr / Dr', '-e', 'Dr')
    total = report['totals']
    check(total['CEst'] == total['x'], total)
    for row in report['rows']:
        check((row['self']['ratio'] is None) == (row['self']['Dr'] == 0), row)
    check([r['self']['CEst']
           for r in report['rows']] == sorted((r['self']['CEst'] for r in report['rows']),
                                              reverse=True), 'not sorted')
    check(report['sort'] == 'CEst', report['sort'])
    check("there is no event 'Xr'" in dwell('report', '-i', profile, '-e', 'y = Xr + 1', code=2),
          'Xr')
    check('is measured' in dwell('report', '-i', profile, '-e', 'Ir = 1', code=2), 'Ir = 1')
    check('the profile has Ir Dr Dw' in dwell('calls', '-i', profile, '--sort', 'Xr', code=2), 'Xr')


def rows_are_by_what_is_asked_for(folder):
    profile = imported(folder)
    total = rows(profile)['totals']['Ir']
    for by in ['function', 'class', 'file', 'object', 'line', 'loop', 'process', 'thread']:
        report = rows(profile, '--by', by)
        check(sum(row['self']['Ir'] for row in report['rows']) == total, by, 'does not add up')
        dwell('report', '-i', profile, '--by', by)
        flat = list(csv.DictReader(io.StringIO(dwell('report', '-i', profile, '--by', by,
                                                     '--format=csv'))))
        check([int(r['self_Ir']) for r in flat] == [r['self']['Ir'] for r in report['rows']], by)
    names = {row['name'] for row in rows(profile, '--focus', 'counted',
                                         '--ignore', '^is_|^main$')['rows']}
    check({'fibonacci', 'rarely', 'often', 'count_above', 'compare'} <= names, names)
    check(not names & {'is_even', 'is_odd', 'main', 'qsort'}, names)
    shares = [row['inclusive']['Ir'] / total for row in rows(profile,
                                                             '-I', '--threshold', '10')['rows']]
    check(len(shares) > 2 and min(shares) >= 0.1 and shares == sorted(shares, reverse=True), shares)
    classes = imported(folder,
                       'events: Ir\nfn=a::b::f(int)\n1 5\nfn=a::b::g()\n1 7\nfn=main\n1 1\n')
    found = {row['name']: row['self']['Ir'] for row in rows(classes, '--by=class')['rows']}
    check(found == {'a::b': 12, '': 1}, found)


def totals_have_lines_that_fit(folder):
    profile, totals = imported(folder), rows(imported(folder))['totals']
    for view in ['report'], ['calls'], ['annotate', 'count_above'], ['annotate',
                                                                     '--asm', 'count_above']:
        for width in 80, 50:
            environment = {k: v for k, v in os.environ.items() if k != 'COLUMNS'}
            environment.update({'COLUMNS': str(width)} if width != 80 else {})
            text = subprocess.run([DWELL, *view, '-i', profile], capture_output=True, text=True,
                                  timeout=100,
                                  env=environment).stdout
            lines = text[max(0, text.find('Events by')):].split('\n\n')[0].split('\n')[1:]
            check(len(lines) > 1 and max(map(len, lines)) <= width, view, width, lines)
            told = re.findall(r'(\w+) ([\d,]*\d)', ' '.join(lines))
            check({k: int(v.replace(',', '')) for k, v in told} == totals, view, told)


def lines_count_nothing_twice(folder):
    # Two functions of one name and no lines, the outer one of which calls the other: 10 + 85, and 5
    # + 80.
    profile = imported(
        folder,
        'events: Ir\nob=ld.so\nfl=???\nfn=_start\n0 10\ncob=prog\ncfn=_start\ncalls=1 0\n0 85\n'
        'ob=prog\nfn=_start\n0 5\ncfi=x.c\ncfn=main\ncalls=1 1\n0 80\nfl=x.c\nfn=main\n1 80\n')
    found = {(row['name'], row['object']): row for row in rows(profile, '--by=line')['rows']}
    check([found['_start', o]['inclusive']['Ir'] for o in ['ld.so', 'prog']] == [95, 85], found)
    check(not any(row['inclusive_is_estimate'] for row in found.values()), found)
    text = dwell('report', '-i', profile, '--by=line')
    check(re.search(r'95 \(in ld.so\) +_start', text) and '(in prog)' in text, text)
    # f calls g, which calls f again, which calls h from the line that called g: that is 10 + 10 + 5
    # and not 5 more.
    profile = imported(
        folder, 'creator: callgrind\nevents: Ir\nfl=x.c\nfn=main\n1 1\ncfn=f\ncalls=1 7\n1 25\n'
        'fn=f\n7 5\ncfn=g\ncalls=1 8\n7 20\n'
        "fn=g\n8 10\ncfn=f'2\ncalls=1 7\n8 10\nfn=f'2\n7 5\ncfn=h\ncalls=1 9\n7 5\nfn=h\n9 5\n")
    found = {row['line']: row for row in rows(profile, '--by=line')['rows']}
    check([found[line]['inclusive']['Ir'] for line in [7, 8, 9]] == [25, 10, 5], found)
    check([found[line]['inclusive_is_estimate'] for line in [7, 8, 9]] == [True, False, False],
          found)


def loops_are_found_in_the_code(folder):
    profile = imported(folder)
    functions = {row['name']: row for row in rows(profile)['rows']}
    loops = collections.defaultdict(list)
    for row in rows(profile, '--by', 'loop')['rows']:
        loops[row['name']].append(row)
    # Of the ten calls of count_above, each with 500 turns, less than ten instructions are outside.
    inner, = loops['count_above']
    check(functions['count_above']['self']['Ir'] - 100 <= inner['self']['Ir'] <
          functions['count_above']['self']['Ir'], inner)
    # Nine of the ten are called in a loop.
    outer, = loops['often']
    check(outer['inclusive']['Ir'] > 0.9 * inner['self']['Ir'] > outer['self']['Ir'], outer)
    # What only recurses is no loop, even where a jump goes back, as to the end of the function.
    check(not loops['fibonacci'] and not loops['is_even'] and not loops['rarely'], loops.keys())
    check('(in no loop)' in dwell('report', '-i', profile, '--by', 'loop'), 'text')
    # Code that is of two functions, as where one jumps into the other: either has a loop of its
    # own.
    db = sqlite3.connect(profile)
    addresses = [a for a, in db.execute(
        "SELECT DISTINCT module_address FROM location JOIN cost ON cost.location_id = location.id "
        "JOIN node ON node.id = cost.node_id WHERE function = 'count_above' ORDER BY 1")]
    db.close()
    path = os.path.realpath(PROGRAM)
    profile = imported(folder, 'positions: instr line\nevents: Ir\nob=' + path + '\nfl=x.c\n' +
                       ''.join(f'fn={name}\n' + ''.join(f'0x{a:x} 1 {each}\n' for a in addresses)
                               for name, each in [('count_above', 3), ('count_below', 4)]))
    found = [row for row in rows(profile, '--by', 'loop')['rows'] if row['name']]
    selves = {row['name']: row['self']['Ir'] for row in found}
    check(selves['count_above'] * 4 == selves['count_below'] * 3 > 0, found)
    check(all(row['self'] == row['inclusive'] for row in found), found)


def source_and_machine_code_have_their_events(folder):
    profile = imported(folder)
    wanted = {row['name']: row for row in rows(profile)['rows']}['count_above']['self']
    for options in [[], ['--asm']]:
        text = dwell('annotate', '-i', profile, 'count_above', *options, '--format=json')
        found = json.loads(text)
        lines = found['instructions'] if options else [x for f in found['files']
                                                       for x in f['lines']]
        for event in EVENTS:
            check(sum(x['events'][event] for x in lines if 'callee' not in x) == wanted[event],
                  options, event)
        dwell('annotate', '-i', profile, 'count_above', *options, '--format=csv')
    text = dwell('annotate', '-i', profile, 'count_above', '-e', 'Ir')
    check(re.search(r'if \(numbers\[i\] > limit\)', text), text)
    calls = dwell('annotate', '-i', profile, 'counted.c', '-e', 'Ir')
    check(re.search(r'=> count_above \(9 x\)', calls), calls)
    code = dwell('annotate', '-i', profile, 'count_above', '--asm', '-e', 'Ir')
    # 500 numbers, ten times: the loop is left once each.
    check(re.search(r'\n *[\d.]+ % +5,000 .*\bj\w+ 0x.* taken 4,990 of 5,000\n', code), code)
    check('\u25ba' in code or '>' in code, 'no arrows')
    check(re.search(r'\bret\n', code), code)
    check('no file and no function' in dwell('annotate', '-i', profile, 'nowhere', code=2),
          'nowhere')


def code_that_is_gone_is_told(folder):
    profile = imported(folder, 'positions: instr line\nevents: Ir\nob=/nowhere/prog\n'
                       'fl=/nowhere/x.c\nfn=f\n0x10 5 7\n')
    done = subprocess.run([DWELL, 'annotate', '-i', profile, '--asm', 'f'], capture_output=True,
                          text=True)
    check(done.returncode == 0 and 'cannot read the machine code of /nowhere/prog' in done.stderr,
          done)
    check(re.search(r' 10  \?', done.stdout), done.stdout)
    done = subprocess.run([DWELL, 'annotate', '-i', profile, 'x.c'], capture_output=True, text=True)
    check(done.returncode == 0 and 'cannot read the source file /nowhere/x.c' in done.stderr, done)


def noted(*argv):
    done = subprocess.run([DWELL, *argv], capture_output=True, text=True, timeout=100)
    check(done.returncode == 0, argv, 'ended with', done.returncode, done.stderr)
    return done.stderr, done.stdout


def code_that_has_changed_is_told(folder):
    profile, copy = os.path.join(folder, 'profile.db'), os.path.join(folder, 'copy')
    shutil.copy(PROGRAM, copy)
    subprocess.run([DWELL, 'simulate', '-q', '-o', profile, '--', copy], check=True,
                   stdout=subprocess.DEVNULL)
    views = [['report', '--by=loop', '-n', '1000'], ['annotate', '--asm', 'count_above']]
    check(all(noted(*view, '-i', profile)[0] == ''
              for view in views + [['annotate', 'count_above']]), 'too early')
    check(' count_above ' in noted(*views[0], '-i', profile)[1], 'no loop')
    # The source file is newer than a run of 1970.
    with sqlite3.connect(profile) as db:
        db.execute("UPDATE meta SET value = 1 WHERE key = 'start_time'")
    for options in [[], ['--asm']]:
        said = noted('annotate', '-i', profile, 'count_above', *options)[0]
        check(len(re.findall('counted.c has changed since the run: lines may not fit', said)) == 1,
              options, said)
    os.unlink(copy)
    shutil.copy('/bin/true', copy)
    for view in views:
        said, out = noted(*view, '-i', profile)
        check('/copy has changed since the run: its machine code is not known' in said, view, said)
        check(' count_above ' not in out and ' ret' not in out, view, out)
    os.unlink(copy)
    for view in views:
        check('cannot read the machine code of' in noted(*view, '-i', profile)[0], view)


def threads_come_from_parts(folder):
    part = 'pid: 5\nthread: %d\nevents: Ir\nfn=f\n1 %d\ntotals: %d\n'
    profile = os.path.join(folder, 'profile.db')
    dwell('import', '-', '-o', profile, stdin=(part % (1, 10, 10) + part % (2, 30, 30)).encode())
    found = {row['thread']: row['self']['Ir'] for row in rows(profile, '--by=thread')['rows']}
    check(found == {1: 10, 2: 30}, found)


def info_says_what_it_is(folder):
    profile = imported(folder)
    info = json.loads(dwell('info', '-i', profile, '--format=json'))
    check([e['name'] for e in info['events']] == EVENTS, info['events'])
    check(info['events'][0]['total'] == info['instructions'], info)
    check('B, 64 B' in info['geometry']['D1 cache'], info['geometry'])
    check('event D1mr' in dwell('info', '-i', profile), 'text')


def a_broken_file_leaves_the_old_profile(folder):
    profile = imported(folder)
    before = rows(profile)
    bad = os.path.join(folder, 'bad')
    with open(FILE, 'rb') as f:
        whole = f.read()
    cases = [(b'', 'is empty'), (b'\x7fELF\0\0', 'a zero byte'),
             (b'hello\n', 'no line of the Callgrind format'),
             (whole.replace(b'totals: ', b'totals: 1'), 'the file is damaged'),
             (re.sub(rb'calls=.*\n.*\n', b'calls=3 0x5 5\nfn=f\n', whole, 1),
              'a line that says from where')]
    for text, said in cases:
        with open(bad, 'wb') as f:
            f.write(text)
        err = dwell('import', bad, '-o', profile, code=3)
        check(re.search(said, err), err)
        check(rows(profile) == before, 'the profile has changed')
    check('cannot read' in dwell('import', os.path.join(folder, 'none'), code=3), 'none')
    check('which file' in dwell('import', code=2), 'no argument')
    check('one file at a time' in dwell('import', 'a', 'b', code=2), 'two')
    check('not replacing it' in dwell('import', FILE, '-o', bad, code=5), 'over another file')
    with open(bad, 'wb') as f:
        f.write(whole[:whole.rindex(b'totals:')])
    done = subprocess.run([DWELL, 'import', bad, '-o', profile], capture_output=True, text=True)
    check(done.returncode == 0 and 'may have been cut off' in done.stderr, done)


def views_tell_events_from_samples(folder):
    profile = imported(folder)
    for view in ['curve', 'spatial', 'objects', 'paths', 'reuse']:
        check('counts of events and no samples' in dwell(view, '-i', profile,
                                                         *(['x:1'] if view == 'reuse' else []),
                                                         code=3), view)
    check('no samples' in dwell('report', '-i', profile, '--size', '32K', code=2), 'report --size')
    check('no samples' in dwell('annotate', '-i', profile, '--size', '32K', code=2),
          'annotate --size')
    check('is unknown' in dwell('report', '-i', profile, '--by', 'colour', code=2), 'by')
    check('no regular expression' in dwell('report', '-i', profile, '--focus', '(', code=2),
          'focus')
    check('from 0 to 100' in dwell('report', '-i', profile, '--threshold', '101', code=2),
          'threshold')
    check('similar' in dwell('calls', '-i', profile, 'fibo', code=2), 'calls fibo')
    check('name it' in dwell('calls', '-i', profile, '--tree=up', code=2), 'tree up')
    check('no process 7' in dwell('report', '-i', profile, '--process', '7', code=3), 'process')
    for mode, has in ('sample', 'samples'), ('count', 'counts'):
        other = os.path.join(folder, mode + '.db')
        subprocess.run([DWELL, 'record', '-q', '-o', other, '--mode', mode, '--', PROGRAM],
                       check=True,
                       stdout=subprocess.DEVNULL)
        check('has %s and no events' % has in dwell('report', '-i', other, '--inclusive', code=2),
              'report --inclusive')
        check('has %s and no events' % has in dwell('annotate', '-i', other, '--asm', code=2),
              'annotate --asm')
        said = dwell('calls', '-i', other, code=3)
        check('has %s and no calls' % has in said and ('dwell paths' in said) == (mode == 'sample'),
              said)


CASES = [self_costs_are_those_of_callgrind_annotate,
         inclusive_costs_are_those_of_callgrind_annotate,
         calls_have_their_numbers, trees_mark_what_is_estimated, formulas_are_events,
         rows_are_by_what_is_asked_for, totals_have_lines_that_fit,
         lines_count_nothing_twice, loops_are_found_in_the_code,
         source_and_machine_code_have_their_events, code_that_is_gone_is_told,
         code_that_has_changed_is_told, threads_come_from_parts, info_says_what_it_is,
         a_broken_file_leaves_the_old_profile, views_tell_events_from_samples]


def main():
    global DWELL, PROGRAM, FILE
    parser = argparse.ArgumentParser()
    parser.add_argument('--dwell', required=True)
    parser.add_argument('--program', required=True)
    arguments = parser.parse_args()
    DWELL, PROGRAM = os.path.abspath(arguments.dwell), os.path.abspath(arguments.program)
    os.environ.pop('COLUMNS', None)  # views as wide as that would lack columns
    failed = 0
    with tempfile.TemporaryDirectory() as shared:
        FILE = count(shared)
        for case in CASES:
            with tempfile.TemporaryDirectory() as folder:
                try:
                    case(folder)
                    print('ok       ' + case.__name__)
                except (AssertionError, KeyError, ValueError, subprocess.SubprocessError) as error:
                    failed += 1
                    print('FAILED   %s: %r' % (case.__name__, error))
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
