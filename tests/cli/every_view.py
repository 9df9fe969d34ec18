#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each view on each kind of profile: it shows it, or says why not, as docs/views.md has it; and its
JSON has the fields of docs/json.md.

    every_view.py [--dwell PATH] [--walk PATH] [--docs FOLDER]

With DWELL_TEST_WRITE in the environment the fields in docs/json.md become those that are seen. Each
case prints one line; the exit status is 0 when none failed.
"""
import csv
import io
import json
import os
import re
import subprocess

from cases import case, check, main

KINDS = {
    'samples': ['record', '-q', '--seed', '1', '-g'],
    'counts': ['record', '-q', '--mode', 'count'],
    'events': ['simulate', '-q'],
    'data': ['simulate', '-q', '--conflicts', '--references'],
    'curves': ['simulate', '-q', '--curve', '--sizes', '8K:64K'],
}
MORE = {
    'by-data': ['simulate', '-q', '--curve', '--size', '32K', '--by', 'data'],
    'sampled': ['simulate', '-q', '--data', '--seed', '1', '--sample', '30%,20000'],
    'sets': ['simulate', '-q', '--data', '--sets', '1/4'],
}
# Views with words or options, by the heading of docs/json.md under which their fields are.
ASKED = {
    'info': [('info', kind) for kind in KINDS],
    'report, of samples': [('report', 'samples'), ('report -n 1', 'samples')],
    'report --by, of samples': [('report --by line -n 1', 'samples')],
    'report, of events': [('report -n 1', 'events'), ('report --by line', 'events'),
                          ('report --by loop', 'events'), ('report --by thread', 'events')],
    'annotate, of samples': [('annotate -n 1', 'samples')],
    'annotate NAME, of samples': [('annotate @ sum_by_columns', 'samples')],
    'annotate NAME, of events': [('annotate @ sum_by_columns', 'data')],
    'annotate NAME --asm': [('annotate @ sum_by_columns --asm', 'data')],
    'processes, of samples': [('processes', 'samples')],
    'processes, of events': [('processes', 'events'), ('processes', 'sampled')],
    'curve': [('curve', 'samples'), ('curve', 'curves'), ('curve -i @ --process 0 --process 0',
                                                          'samples')],
    'spatial': [('spatial', 'samples')],
    'paths': [('paths -n 1', 'samples')],
    'reuse': [('reuse -n 1', 'samples'), ('reuse @ sum_by_columns', 'samples')],
    'objects, of samples': [('objects -n 1', 'samples'), ('objects', 'by-data')],
    'objects, of data': [('objects -n 1', 'data'), ('objects', 'sampled')],
    'objects --fields': [('objects --fields -n 1', 'samples'), ('objects --fields -n 1', 'data'),
                         ('objects --fields', 'sampled')],
    'bins': [('bins -n 1', 'data'), ('bins', 'sampled')],
    'causes': [('causes --by both -n 1', 'data'), ('causes', 'sampled')],
    'calls': [('calls -n 1', 'events'), ('calls @ main', 'events')],
    'diff, of samples': [('diff @ @ -n 1', 'samples'), ('diff @ @ --by data', 'samples')],
    'diff, of events': [('diff @ @ -n 1', 'events'),
                        ('diff @ @ --by data --fail-if "L1m > +2%"', 'data')],
}
# Objects whose keys are names of the profile.
NAMED = ('totals', 'self', 'inclusive', 'events', 'geometry', 'not_followed')


def run(*arguments):
    done = subprocess.run([DWELL, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=100, env=dict(os.environ, MALLOC_PERTURB_='0'))
    return done.returncode, done.stdout, done.stderr


def ask(words, kind, *options):
    """Where the words name no profile, it comes last."""
    profile = kind + '.db'
    said = [word.strip('"') for word in re.findall(r'"[^"]*"|\S+', words)]
    named = [profile if word == '@' else word for word in said]
    return run(*named, *options, *([] if '@' in said else [profile]))


def make():
    for kind, words in {**KINDS, **MORE}.items():
        status, _, err = run(*words, '-o', kind + '.db', '--', WALK, '400')
        check(status == 0, kind, err)


def document(name):
    with open(os.path.join(DOCS, name)) as file:
        return file.read()


def table():
    """(view, kind) -> None, or the sentence why not."""
    text = document('views.md')
    sentences = {number: ' '.join(words.split())
                 for number, words in re.findall(r'^(\d)\. (.*(?:\n   .*)*)', text, re.M)}
    lines = [[cell.strip(' `') for cell in line.strip('|').split('|')]
             for line in text.splitlines() if line.startswith('|')]
    head = next(line for line in lines if line[0] == 'view')
    return {(line[0], kind): sentences.get(cell) for line in lines if len(line) == len(head)
            and line[0] != 'view' and not line[0].startswith('-')
            for kind, cell in zip(head[1:], line[1:])}


@case
def each_view_shows_each_kind_or_says_why_not():
    seen = table()
    check(set(kind for _, kind in seen) == set(KINDS), 'the kinds of docs/views.md')
    for (view, kind), sentence in seen.items():
        for form in ('text', 'csv', 'json'):
            if view.startswith('top') and form != 'text':
                continue
            status, out, err = ask(view, kind, *([] if form == 'text' else ['--format', form]))
            if sentence is None:
                check((status, err) == (0, '') and out.strip(), view, kind, form, status, err)
            else:
                check((status, out, err) == (3, '', "dwell: profile '%s.db' %s\n" %
                                             (kind, sentence)), view, kind, form, status, err)


@case
def differences_are_of_two_of_a_kind():
    recorded = ('samples', 'counts')
    for a in KINDS:
        for b in KINDS:
            status, out, err = run('diff', a + '.db', b + '.db')
            if 'curves' in (a, b) or (a in recorded) != (b in recorded):
                check((status, out) == (3, '') and err.count('\n') == 1, a, b, status, err)
            else:
                check(status == 0 and out, a, b, status, err)
    for kind in KINDS:
        status, _, err = run('diff', '--by', 'data', kind + '.db', kind + '.db')
        check(status == (0 if kind in ('data', *recorded) else 3), kind, status, err)


@case
def data_of_samples_are_compared_by_their_names():
    """Figures of both sides are those of objects."""
    status, out, err = run('diff', '--by', 'data', '--sites-by', 'line', '--size', '32K',
                           '--format', 'json', 'samples.db', 'samples.db')
    check(status == 0, err)
    objects = json.loads(ask('objects --size 32K', 'samples', '--format', 'json')[1])['objects']
    compared = {row['name']: row for row in json.loads(out)['rows']}
    check(set(compared) == {row['name'] for row in objects} and len(compared) > 1, compared)
    for row in objects:
        for side in 'a', 'b':
            check(all(compared[row['name']][side][key] == row[key]
                      for key in ('samples', 'miss_ratio', 'low', 'high')), row, compared)


@case
def report_shows_data_without_a_number_of_rows():
    """And says so where no data is left to show."""
    for kind in 'samples', 'data':
        for words in 'report --by data', 'objects':
            status, out, err = ask(words, kind)
            check(status == 0 and 'DATA STRUCTURE\n' in out, words, kind, out, err)
            status, out, err = ask(words + ' --focus nothing-of-this-name', kind)
            check(status == 0 and 'No row matches what --focus and --ignore say.' in out,
                  words, kind, out, err)


@case
def rows_and_others_are_all_rows():
    """-n leaves out, and sums up, what there is without it."""
    for words, kind, key, column in [('bins', 'data', 'bins', 'L1_misses'),
                                     ('causes', 'data', 'causes', 'misses'),
                                     ('objects', 'data', 'objects', 'LL_misses'),
                                     ('objects', 'samples', 'objects', 'samples'),
                                     ('report', 'samples', 'functions', 'samples'),
                                     ('reuse', 'samples', 'reuses', 'samples'),
                                     ('paths', 'samples', 'paths', 'samples')]:
        whole, some = (json.loads(ask(words, kind, *options, '--format', 'json')[1])
                       for options in ([], ['-n', '1']))
        left = some['others'][key]
        check('others' not in whole and some[key] == whole[key][:1], words, kind)
        check(left['rows'] == len(whole[key]) - 1 > 0, words, kind, left)
        check(left[column] == sum(row[column] for row in whole[key][1:]), words, kind, left)
        sums = [row for row in csv.DictReader(io.StringIO(ask(words, kind, '-n', '1', '--format',
                                                              'csv')[1]))
                if '[others]' in row.values()]
        check(str(left[column]) in [row[column] for row in sums], words, kind, sums, left)
    whole, some = (json.loads(ask('report', 'events', *options, '--format', 'json')[1])
                   for options in ([], ['-n', '1']))
    check(some['others']['rows']['self']['Ir'] == sum(row['self']['Ir']
                                                      for row in whole['rows'][1:]), 'events')


@case
def causes_of_misses_are_of_all_misses():
    """Also where only some sets were simulated."""
    for kind in 'data', 'sets':
        causes, bins = (json.loads(ask(view, kind, '--format', 'json')[1])[view]
                        for view in ('causes', 'bins'))
        for level, caches in ('L1', ('L1d', 'L1i')), ('LL', ('LL',)):
            missed = sum(row[level + '_misses'] for row in bins)
            caused = sum(row['misses'] for row in causes if row['cache'] in caches)
            check(caused == missed > 0, kind, level, caused, missed)


# ---- Fields ----

def type_of(value):
    return {bool: 'truth', int: 'number', float: 'number', str: 'text', type(None): 'null',
            dict: 'empty', list: 'empty'}[type(value)]


def fields(value, path, found):
    """Add "rows[].LEVEL_misses": "number". A value that is null or empty has any type."""
    if value and isinstance(value, dict):
        named = re.split(r'[.\[]', path)[-1] in NAMED and not path.endswith(']')
        for key, inner in value.items():
            key = 'NAME' if named else re.sub(r'^(L1i|L1d|L1|L2|L3|L4|LL)(?=_|$)', 'LEVEL', key)
            fields(inner, '%s.%s' % (path, key) if path else key, found)
    elif value and isinstance(value, list):
        for inner in value:
            fields(inner, path + '[]', found)
    elif found.get(path) in (None, 'null', 'empty'):
        found[path] = type_of(value)
    else:
        check(type_of(value) in ('null', 'empty', found[path]), path, 'has two types')


def seen_fields():
    result = {}
    for heading, questions in ASKED.items():
        found = {}
        for words, kind in questions:
            status, out, err = ask(words, kind, '--format', 'json')
            check(status in (0, 1), words, kind, err)
            answer = json.loads(out)
            check(answer.get('json_version') == 1, words, kind, 'json_version')
            fields(answer, '', found)
        result[heading] = found
    return result


def listed_in(text, heading):
    part = text.split('\n### %s\n' % heading)
    check(len(part) == 2, heading, 'has no heading in docs/json.md')
    lines = part[1].split('\n#')[0].splitlines()
    return dict(line.split() for line in lines if line.startswith('    '))


def own(found):
    """Without what all answers have, and what is empty, whose fields are not known."""
    return {path: kind for path, kind in found.items()
            if not path.startswith(('json_version', 'others.')) and kind != 'empty'}


def write(text, seen):
    """Fields that are null keep the type that is written there."""
    begin = text.split('\n## Fields\n')[0] + '\n## Fields\n'
    for heading, found in seen.items():
        before = listed_in(text, heading) if '\n### %s\n' % heading in text else {}
        wide = max(len(path) for path in own(found))
        begin += '\n### %s\n\n' % heading
        for path, kind in sorted(own(found).items()):
            begin += '    %-*s  %s\n' % (wide, path, before.get(path, kind) if kind == 'null'
                                         else kind)
    with open(os.path.join(DOCS, 'json.md'), 'w') as file:
        file.write(begin)


@case
def json_has_the_fields_of_its_documentation():
    seen = seen_fields()
    if WRITE:
        write(document('json.md'), seen)
    text = document('json.md')
    meant = set(re.findall(r'`(\w+)`', ''.join(re.findall(r'^\|([^|]*)\|', text, re.M))))
    used = set()
    for heading, found in seen.items():
        listed, found = listed_in(text, heading), own(found)
        missing = set() if heading == 'info' else set(listed) - set(found)
        check(set(found) <= set(listed) and not missing, heading, 'not listed:',
              sorted(set(found) - set(listed)), 'not there:', sorted(missing))
        other = [path for path, kind in found.items() if kind not in ('null', listed[path])]
        check(not other, heading, 'have another type:', other)
        used |= {key for path in listed for key in re.split(r'[.\[\]]+', path)} - {'', 'NAME'}
    check(used == meant, 'without a meaning:', sorted(used - meant), 'without a field:',
          sorted(meant - used))


def set_up(folder, dwell, walk, docs):
    globals().update(DWELL=dwell, WALK=walk, DOCS=docs, WRITE='DWELL_TEST_WRITE' in os.environ)
    make()


main('every-view', __doc__, set_up, walk='build/examples/column-walk', docs='docs')
