#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Several profiles: dwell merge and dwell diff.

    merge_diff.py --dwell PATH --programs FOLDER

Each case prints one line; the exit status is 0 when none failed.
"""
import json
import os
import re
import sqlite3
import subprocess
import sys

from exchange_common import GRAPH, check, imported, main, recorded, refused, rows, run, tools


# ---- Merge ----

def merged(folder):
    a, b = imported(folder), imported(folder, GRAPH.replace('pid: 77', 'pid: 78').replace(
                                          '0x1100 20 10 1', '0x1100 20 13 1') .replace(
                                          'totals: 210', 'totals: 213'), 'b')
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
    check('totals: 234 234' in run('export', '--to', 'callgrind', '-i', both),
          'columns are mixed up')


def merged_samples(folder):
    a, b = recorded(folder), recorded(folder, 'other')
    both = os.path.join(folder, 'both.db')
    run('merge', a, b, '-o', both)
    for process, alone in [('0', a), ('1', b)]:
        for view in ['paths', 'objects', 'reuse', 'annotate']:
            argument = {'reuse': ['call-paths.cc'], 'annotate': ['call-paths.cc']}.get(view, [])
            check(run(view, '-i', both, '--process', process, '--format', 'json', *argument) ==
                  run(view, '-i', alone, '--format', 'json', *argument), view, 'of process',
                  process)
    with sqlite3.connect(both) as db:
        lost = db.execute('SELECT COUNT(*) FROM (SELECT DISTINCT begin_location AS l FROM sample) '
                          'WHERE l NOT IN (SELECT id FROM location)').fetchone()[0]
        check(lost == 0, lost, 'locations are not there')


def not_merged(folder):
    a, samples = imported(folder), recorded(folder)
    other = imported(folder, GRAPH.replace('events: Ir Dr', 'events: Ir Dw'), 'other')
    caches = imported(folder, GRAPH.replace('positions', 'desc: D1 cache: 32768 B\npositions'),
                      'caches')
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
    # The same in another folder, under another name: leaf has 10 more for two, one is gone, new is
    # new.
    text = GRAPH.replace('/src/', '/home/').replace('/bin/graph', '/tmp/graph2').replace(
        'cmd: ./graph', 'cmd: ./graph2') .replace('fn=(2) one', 'fn=(2) new').replace(
        '+4 7 100 12', '+4 7 110 6').replace('totals: 210 24', 'totals: 220 18')
    b = imported(folder, text, 'b')
    o = json.loads(run('diff', a, b, '--format', 'json'))
    check(o['totals']['Ir'] == {'a': 210, 'b': 220, 'change': 10,
                                'relative': o['totals']['Ir']['relative']}, o['totals'])
    check(abs(o['totals']['Ir']['relative'] - 10 / 210) < 1e-6, o['totals'])
    found = {r['name']: (r['events']['Ir']['a'], r['events']['Ir']['b']) for r in o['rows']}
    check(found == {'main': (20, 20), 'one': (10, 0), 'new': (0, 10), 'two': (10, 10),
                    'leaf': (120, 130),
                    'again': (50, 50)}, found)
    check(sorted(r['name'] for r in o['rows'][:3]) == ['leaf', 'new', 'one'], 'the order is',
          o['rows'])
    lines = {(r['name'], r['line']): r
             for r in rows(run('diff', a, b, '--by', 'line', '--format', 'csv'))
             if r['event'] == 'Ir'}
    check((lines['leaf', '7']['a'], lines['leaf', '7']['b']) == ('100', '110'), lines)
    files = [r for r in rows(run('diff', a, b, '--by', 'file', '--format', 'csv'))
             if r['by'] == 'file' and
             r['event'] == 'Ir']
    check([(r['a'], r['b']) for r in files] == [('210', '220')], files)
    objects = [r for r in rows(run('diff', a, b, '--by', 'object', '--format', 'csv'))
               if r['by'] == 'object']
    check(len(objects) == 2, 'the program does not match itself', objects)
    text = run('diff', a, b, '--event', 'Sum = Ir + Dr', '-n', '1')
    check('+1.71 %' in text and '+11' in text and 'leaf' not in text and '2 more' in text, text)
    caches = [imported(folder, GRAPH.replace('positions', 'desc: D1 cache: %d B\npositions' % n),
                       'c%d' % n) for n in (1, 2)]
    done = subprocess.run([tools.dwell, 'diff', *caches], capture_output=True, text=True)
    check(done.returncode == 0 and
          "D1 cache is not the same: '1 B' in A, '2 B' in B" in done.stderr, done.stderr)
    text = run('diff', a, b, '--sort', 'Dr')
    check('leaf' in text and '-6' in text, text)
    check(' graph.c' in text and '/graph.c' not in text, 'files as in reports', text)
    check('No function has changed' in run('diff', a, a), 'changes of nothing')


# condition, whether it holds: Ir 210 to 220 (+4.76 %), Dr 24 to 18 (-25 %), leaf's Ir 120 to 130
CONDITIONS = [('Ir > +4%', True), ('Ir > +5%', False), ('Ir > 4%', True),
              ('Ir>+9', True), ('Ir > +10', False),
              ('Ir >= +10', True), ('Ir > 219', True), ('Ir > 220', False), ('Ir >= 220', True),
              ('Ir < 230', True),
              ('Dr < -20%', True), ('Dr < -30%', False), ('Dr <= -25%', True), ('Dr > +0%', False),
              ('Dr < -5', True),
              ('leaf:Ir > +8%', True), ('leaf:Ir > +9%', False), ('leaf:Dr > 0%', False),
              ('one:Ir < -99%', True),
              ('new:Ir > +1000%', True), ('main:Ir > +0', False), ('leaf : Ir > 129.5', True)]


def conditions(folder):
    a = imported(folder)
    b = imported(folder, GRAPH.replace('fn=(2) one', 'fn=(2) new').replace(
                     '+4 7 100 12', '+4 7 110 6') .replace('totals: 210 24', 'totals: 220 18'), 'b')
    for text, holds in CONDITIONS:
        done = subprocess.run([tools.dwell, 'diff', a, b, '--fail-if', text], capture_output=True,
                              text=True)
        check(done.returncode == (1 if holds else 0), text, 'ended with', done.returncode,
              done.stderr)
        check(("condition '%s' holds" % text in done.stderr) == holds, text, 'said', done.stderr)
    # All instances of a template have its name.
    c = imported(folder, GRAPH.replace(' leaf', ' double ns::leaf<char, a<b> >(char, int)'), 'c')
    run('diff', c, c, '--fail-if', 'ns::leaf: Ir > 119.5', status=1)
    refused('diff', c, c, '--fail-if', 'ns::lea: Ir > 119.5', status=2, says='has a function')
    done = subprocess.run([tools.dwell,
                           'diff', a, b, '--fail-if', 'Ir > +5%', '--fail-if', 'S > +1', '--event',
                           'S = Ir + Dr', '--format', 'json'], capture_output=True, text=True)
    check(done.returncode == 1, 'two conditions:', done.returncode, done.stderr)
    check([c['holds'] for c in json.loads(done.stdout)['conditions']] == [False, True], done.stdout)
    for text, says in [
            ('Ir', 'is no condition'), ('Ir > ', 'is no condition'), ('Ir > x', 'is no condition'),
            ('Ir > 3x', 'is no condition'), ('> 3', 'is no condition'), ('Nix > 3', 'no event'),
            ('nix:Ir > 3', 'has a function'), ('Ir > inf', 'is no condition')]:
        refused('diff', a, b, '--fail-if', text, status=2, says=says)


def sampled_differences(folder):
    a = recorded(folder)
    text = run('diff', a, a, '--fail-if', 'L2 > +1', '--fail-if', '300K < -1%', '--size', '300K')
    check(text.count(' no') >= 2 and ' yes' not in text, text)
    check('No function has changed its misses in a cache of 300K' in text and
          'read_table' not in text, text)
    # A walk that misses much more than this program.
    b = os.path.join(folder, 'walk.db')
    run('record', '-q', '-o', b, '--seed', '1', '--duty', '50', '--',
        os.path.join(tools.programs, '../../examples/column-walk'), '600')
    o = json.loads(run('diff', a, b, '--size', '8K', '--format', 'json'))
    cache = [c for c in o['caches'] if c['size_bytes'] == 8192][0]
    check(cache['outside'] == (cache['a']['high'] < cache['b']['low'] or
                               cache['b']['high'] < cache['a']['low']), cache)
    check(cache['outside'] and cache['b']['miss_ratio'] > cache['a']['miss_ratio'], cache)
    same = json.loads(run('diff', a, a, '--size', '8K', '--format', 'json'))['rows']
    check(same and not any(r['outside'] for r in same) and all(r['a'] == r['b'] for r in same),
          same[:3])
    read = [r for r in same if r['function'] == 'read_table'][0]
    check(0 < read['a']['low'] < read['a']['miss_ratio'] < read['a']['high'] < 1, read)
    run('diff', a, b, '--size', '8K', '--fail-if', '8K > +10%', status=1)
    run('diff', b, a, '--size', '8K', '--fail-if', '8K > +10%')
    events = imported(folder)
    refused('diff', a, events, status=3, says='two of a kind')
    refused('diff', a, b, '--fail-if', 'Ir > 3', status=2, says='none of the caches')
    refused('diff', a, b, '--fail-if', 'L2 > 0.05', status=2, says='and not on their ratio')
    refused('diff', a, b, '--event', 'Ir', status=2, says='have samples')
    refused('diff', a, b, '--by', 'object', status=2, says='by function, line, file or data')


# ---- What cannot be ----

def bad_input(folder):
    profile = imported(folder)
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
        for argv in [('export', '--to', 'callgrind', '-i', cut), ('diff', cut, profile),
                     ('diff', profile, cut),
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


def impossible_numbers(folder):
    """Numbers of rows whose sums would not fit."""
    for most in 2 ** 63 - 1, 2 ** 54, -2:
        for column in 'parent_id', 'id':
            profile = imported(folder)
            db = sqlite3.connect(profile)
            db.execute('UPDATE process SET %s = %d' % (column, most))
            db.commit()
            db.close()
            for argv in [('merge', profile, profile, '-o', os.path.join(folder, 'm.db')),
                         ('processes', '-i', profile)]:
                refused(*argv, status=3, says='graph.db')


if __name__ == '__main__':
    sys.exit(main(__doc__,
                  [merged, merged_samples, not_merged, differences, conditions, sampled_differences,
                   bad_input, impossible_numbers]))
