#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does the first screen say what is known of a program?

Programs that wait for memory, each for one reason: the function that waits is in the first rows of
code, the data structure that it waits for in those of data, and the verdict says that the program
waits. And programs that do not wait: the verdict raises no alarm.

    first_screens.py [--build DIR] [--simulate] [--keep DIR] [NAME...]
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

# The function, and the data structure: regular expressions.
WAITS = {
    'one-field': (r'sum_masses', r'make<particle>'),
    'long-keys': (r'find_key', r'make_key|long_keys'),
    'list': (r'walk_list', r'linked_list'),
    'tree': (r'look_up', r'plant'),
    'map': (r'count_in_map', r'standard_map'),
    'hash': (r'count_in_hash', r'standard_hash'),
    'columns': (r'sum_columns', r'matrix'),
    'product': (r'multiply', r'product'),
    'shuffled': (r'read_shuffled', r'make<record>'),
    'join': (r'join', r'make<order_line>'),
    'sort': (r'compare_records', r'make<record>'),
    'strings': (r'count_letters', r'strings'),
    'sparse': (r'multiply_sparse', r'make<double>'),
    'histogram': (r'count_values', r'counters'),
    'search': (r'search_sorted', r'binary_search'),
    'graph': (r'search_breadth', r'breadth_first'),
    'shapes': (r'area', r'shapes'),
    'recent': (r'use_recent', r'use_recent|recently_used'),
    'stencil': (r'smooth_grid', r'grid|smooth'),
    'dict': (r'_PyDict|dict|lookdict', r'PyDict|dict|arena|PyMem|PyObject|\[allocator\]'),
}
# What waits is the first touch of memory.
FRESH = {'fresh': (r'touch_lines', r'fresh')}
CALM = ['blocked', 'checksum', 'bodies', 'queens', 'small-sorts', 'filled-once', 'formatted',
        'distance']

DICT = '''
import random
table = {i * 2654435761 % 2**32: i for i in range(300000)}
keys = list(table)
random.seed(1)
random.shuffle(keys)
total = 0
for round in range(6):
    for key in keys:
        total += table[key]
print(total)
'''


def command(build, name):
    if name == 'dict':
        return ['python3', '-c', DICT]
    return [os.path.join(build, 'tests', 'answers', 'calm' if name in CALM else 'waits'), name]


def first_screen(build, name, is_simulated, profile):
    dwell = os.path.join(build, 'dwell')
    how = ['simulate', '-q', '--data'] if is_simulated else ['record', '-q']
    if not os.path.exists(profile):
        subprocess.run([dwell] + how + ['-o', profile, '--'] + command(build, name), check=True,
                       stdout=subprocess.DEVNULL, timeout=600)
    shown = subprocess.run([dwell, 'report', '-i', profile], check=True, capture_output=True,
                           text=True).stdout
    return shown[:shown.index('\nNext: ')]


def rows(screen, title):
    """The last column of the rows below a title, up to the next one."""
    found, at = [], None
    for line in screen.splitlines():
        if line.endswith(' ' + title):
            at = line.index(title)
        elif at is not None and not re.match(r'\s*~?[\d-]', line):
            break
        elif at is not None:
            found.append(line[at:])
    return found


def judge(name, screen):
    """What is wrong with the first screen: a list of words."""
    waits = 'Waits for memory' in screen
    is_first = 'for the first time' in ' '.join(screen.split())
    if name in CALM:
        return ['alarm'] if waits or 'Does not wait' not in screen else []
    function, data = (WAITS.get(name) or FRESH[name])
    wrong = []
    if not any(re.search(function, row) for row in rows(screen, 'FUNCTION')):
        wrong.append('function')
    if not any(re.search(data, row) for row in rows(screen, 'DATA STRUCTURE')):
        wrong.append('data')
    return wrong + ([] if waits and is_first == (name in FRESH) else ['verdict'])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--build', default='build')
    parser.add_argument('--simulate', action='store_true')
    parser.add_argument('--keep')
    parser.add_argument('names', nargs='*')
    options = parser.parse_args()
    wrong = {'function': [], 'data': [], 'verdict': [], 'alarm': []}
    with tempfile.TemporaryDirectory() as folder:
        for name in options.names or [*WAITS, *FRESH, *CALM]:
            screen = first_screen(options.build, name, options.simulate,
                                  os.path.join(options.keep or folder, name + '.db'))
            found = judge(name, screen)
            print('%-12s %s' % (name, ', '.join(found) or 'ok'))
            for word in found:
                wrong[word].append(name)
    print('%d programs wait: the function is missing in %d, the data in %d, the verdict is wrong '
          'in %d; %d do not: %d alarms' %
          (len(WAITS) + len(FRESH), len(wrong['function']), len(wrong['data']),
           len(wrong['verdict']), len(CALM), len(wrong['alarm'])))
    # Two of twenty may miss a name; a verdict may never be wrong.
    return int(len(wrong['function']) > 2 or len(wrong['data']) > 2 or
               bool(wrong['verdict'] + wrong['alarm']))


if __name__ == '__main__':
    sys.exit(main())
