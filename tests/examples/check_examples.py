#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The examples show under Dwell what their first comments say, and their cures cure.

    check_examples.py --build BUILD [--only EXPRESSION]

Each case records small programs and holds what the views print against numbers that follow from the
loops. The bounds are wide: a busy machine leaves a short run few windows. Each case prints one
line; the exit status is 0 when none failed.
"""
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'cli'))
from cases import Skip, case, check, main  # noqa: E402

ENOUGH = 2500  # samples; with fewer a run is repeated, as the machine was busy with others
TRIES = 4
K, M = 1 << 10, 1 << 20


def near(what, value, expected, by):
    check(abs(value - expected) <= by,
          '%s is %.4f, not within %g of %g' % (what, value, by, expected))


def dwell(*arguments):
    done = subprocess.run([DWELL, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=120)
    check(done.returncode == 0, 'dwell', *arguments, 'ended with', done.returncode, done.stderr)
    return done.stdout


def view(command, profile, *arguments):
    return json.loads(dwell(command, '-i', profile, '--format=json', *arguments))


def program(name):
    path = os.path.join(EXAMPLES, name)
    if not os.path.exists(path):
        raise Skip('%s was not built' % name)
    return path


def record(name, *arguments):
    """(profile, what the example printed), with samples enough."""
    profile = '-'.join([name, *arguments]) + '.db'
    for seed in range(1, TRIES + 1):
        printed = dwell('record', '-q', '--seed', str(seed), '-o', profile, '--', program(name),
                        *arguments)
        if view('info', profile)['processes'][0]['samples'] >= ENOUGH:
            return profile, printed
    raise Skip('%d runs of %s had few samples: the machine is too busy' % (TRIES, name))


def miss_ratio(profile, size, line=64):
    """Of the whole program."""
    return view('report', profile, '--size', str(size), '--line', str(line))['miss_ratio']


def function_of(profile, name, size, line=64):
    """The row of a function in the report."""
    for row in view('report', profile, '--size', str(size), '--line', str(line))['functions']:
        if row['function'] == name:
            return row
    raise AssertionError('%s has no row for %s' % (profile, name))


def spatial_use(ratio, small, line):
    """1: misses fall as the line grows; 0: the line's size makes no difference. By line: miss
    ratio.
    """
    return (1 - ratio[line] / ratio[small]) / (1 - small / line)


def object_ratios(profile, name):
    """Miss ratio of the accesses to a data structure, by cache size."""
    curve = view('curve', profile, '--object', name, '--sizes', '1K:1M')
    return {point['size_bytes']: point['miss_ratio'] for point in curve['curves'][0]['points']}


def knee(ratios):
    """The smallest size with fewer misses than a twentieth."""
    return next(size for size, ratio in sorted(ratios.items()) if ratio < 0.05)


@case
def smaller_blocks_need_smaller_caches():
    """A block of z is 20 * 20 * 8 = 3.1 KB (4 lines a row: 5 KB) or 28 KB (8 or 9 lines a row: 32
    KB).
    """
    source = open(os.path.join(SOURCES, 'blocked-multiply.c')).read().split('\n')
    for where in ['global', 'heap']:
        knees = {}
        for block in ['20', '60']:
            profile = record('blocked-multiply', block, where)[0]
            for name in 'yz':
                line = next(i for i,
                            text in enumerate(source, 1) if 'double *%s = calloc' % name in text)
                of = name + '_matrix' if where == 'global' else 'blocked-multiply.c:%d' % line
                knees[name, block] = knee(object_ratios(profile, of))
        for name in 'yz':
            check(knees[name, '20'] < knees[name, '60'], where, name, 'has its knees at', knees)
        check(4 * K <= knees['z', '20'] <= 16 * K and 32 * K <= knees['z', '60'] <= 128 * K, where,
              knees)


@case
def misses_of_stencils_halve_as_the_line_doubles():
    """The two updates make seven accesses an element, in six streams of doubles; each stream takes
    a new line for each line / 8 elements. (The seventh stores what it has loaded.)
    """
    profile = record('spatial', 'stencil')[0]
    ratio = {line: miss_ratio(profile, M, line) for line in [16, 32, 64, 128]}
    for line in [32, 64, 128]:
        near('misses at %d over those at %d' % (line, line // 2), ratio[line] / ratio[line // 2],
             0.5, 0.15)
    near('misses at 64', ratio[64], 6 / 7 / 8, 0.03)
    near('spatial use', spatial_use(ratio, 16, 64), 1, 0.15)
    told = view('spatial', profile, '--size', '1M', '--base', '16')['caches'][0]['lines']
    near('spatial use as told', next(x['spatial_use'] for x in told if x['line_bytes'] == 64),
         spatial_use(ratio, 16, 64), 0.05)


@case
def misses_of_a_gather_stay():
    """32 MB of doubles at random, in a cache of 1 MB."""
    profile = record('spatial', 'gather')[0]
    ratio = {line: miss_ratio(profile, M, line) for line in [16, 64]}
    near('miss ratio', ratio[64], 0.96, 0.06)
    near('spatial use', spatial_use(ratio, 16, 64), 0, 0.08)


@case
def a_packed_mesh_uses_short_lines_whole():
    """Three accesses a node: its pointer, and its value, loaded and stored. Packed, they miss 2/3,
    1/3, 1/6 of the times with lines of 8, 16, 32 bytes. Spread, 32 bytes apart: 2/3, (1/2 + 1)/3,
    (1/4 + 1)/3.
    """
    use = {}
    for layout, expected in [('spread', [2 / 3, 1 / 2, 5 / 12]), ('packed', [2 / 3, 1 / 3, 1 / 6])]:
        ratio, profile = {}, record('mesh', layout)[0]
        for line, truth in zip([8, 16, 32], expected):
            ratio[line] = function_of(profile, 'relax', 256 * K, line)['miss_ratio']
            near('%s, line %d' % (layout, line), ratio[line], truth, 0.1)
        use[layout] = spatial_use(ratio, 8, 32)
    near('spatial use, packed', use['packed'], 1, 0.12)
    near('spatial use, spread', use['spread'], 0.43, 0.15)


@case
def a_mesh_tells_how_much_faster_it_got():
    done = subprocess.run([program('mesh'), 'time'], capture_output=True, text=True, timeout=60)
    check(re.fullmatch(r'spread [0-9.]+ ms, packed [0-9.]+ ms: [0-9.]+ times as fast\n',
                       done.stdout), done.stdout)


@case
def structures_filled_by_fields_miss_each_time():
    """One double of each 128 bytes; or all sixteen, of two lines."""
    for order, truth in [('fields', 1), ('elements', 1 / 8)]:
        profile = record('struct-init', order)[0]
        near(order, function_of(profile, 'fill_by_' + order, M)['miss_ratio'], truth, 0.05)


@case
def data_of_the_first_loop_is_gone_before_the_second():
    """Of the second loop's data, two lines of eight doubles each, the first touch of each line
    comes from the first loop, or from the other end of its own: far. In one loop, all use is what
    was just made.
    """
    source = 'two-loops.c'
    lines = open(os.path.join(SOURCES, source)).read().split('\n')
    number = {}
    for i, text in enumerate(lines, 1):
        if 'energy += force[i] * force' in text:
            number['apart'] = i
        elif 'energy += 2 * force[i]' in text:
            number['fused'] = i
    for kind in ['apart', 'fused']:
        profile = record('two-loops', kind)[0]
        reuse = view('reuse', profile, '%s:%d' % (source, number[kind]), '--size', '1M')
        others = [row for row in reuse['reuses'] if not row['self']]
        check(others, kind, 'has its data from itself only')
        if kind == 'apart':
            # Where a line is watched from the first loop on, its next touch is far; the middle
            # meets itself.
            check(others[0]['miss_ratio'] > 0.6, 'from the other loop', others[0]['miss_ratio'])
            near('apart', reuse['code_miss_ratio'], 0.125, 0.05)
        else:
            check(others[0]['miss_ratio'] < 0.02, 'from the line above', others[0]['miss_ratio'])
            check(reuse['temporal_share'] > 0.95, 'temporal share', reuse['temporal_share'])
            near('fused', reuse['code_miss_ratio'], 0, 0.02)


@case
def fortran_has_names_and_lines():
    """Across, each of the four neighbours is in a line that was used a column before, but for two
    that are in one line; 1000 lines of a row and a row's neighbours do not fit in 64 KB.
    """
    profile = record('heat')[0]
    across = function_of(profile, 'plate::spread_across', 64 * K)
    along = function_of(profile, 'plate::spread_along', 64 * K)
    check(across['file'].endswith('heat.f90'), across)
    check(across['miss_ratio'] > 3 * along['miss_ratio'], across['miss_ratio'], along['miss_ratio'])
    for name in ['spread_across', 'plate::spread_across']:
        text = dwell('annotate', '-i', profile, '--size', '64K', name)
        check(re.search(r'%.*now\(i, j\) = 0\.25d0', text), text)
    text = dwell('reuse', '-i', profile, '--size', '64K', 'heat.f90')
    check('plate::spread_along' in text and 'Reuse distances' in text, text)


@case
def columns_and_rows_have_their_shares():
    """Known by construction: four times 3000^2 loads in each order and 3000^2 stores. Of the
    columns' loads all miss, of the others an eighth; those of the stores are first touches, which
    in a run with few lines met again may stand where the lines were touched last.
    """
    profile = record('column-walk', '3000')[0]
    truth = {'sum_by_columns': (4 / 9, 1, 0.08), 'sum_by_rows': (4 / 9, 1 / 8, 0.08),
             'matrix_new': (1 / 9, 1 / 8, 0.13)}
    rows = view('report', profile, '--size', '32K')
    for name, (accesses, ratio, by) in truth.items():
        row = function_of(profile, name, 32 * K)
        near(name + ', accesses', row['access_share'], accesses, 0.05)
        near(name + ', miss ratio', row['miss_ratio'], ratio, by)
    near('accesses', sum(row['access_share'] for row in rows['functions']), 1, 1e-5)
    near('misses', sum(row['miss_share'] + row['cold_share'] for row in rows['functions']), 1, 1e-5)
    near('reuse', sum(rows['reuse'].values()), 1, 1e-5)


@case
def a_blocked_multigrid_solver_misses_half():
    """Two sweeps go through the fine grid at once instead of four times half; the numbers are the
    same to the last bit.
    """
    printed, profiles = [], []
    for variant in ['standard', 'optimised']:
        profiles.append('multigrid-%s.db' % variant)
        printed.append(dwell('simulate', '-q', '-o', profiles[-1],
                             '--no-instructions', '--cache', 'L1d=32K,8,64',
                             '--cache', 'LL=1M,16,64', '--start-at', 'cycle', '--',
                             program('multigrid'), variant, '65', '1'))
    check(printed[0] == printed[1] and printed[0].startswith('residual '), printed)
    misses = [view('report', profile)['totals']['LLm'] for profile in profiles]
    check(0.3 < misses[1] / misses[0] < 0.6, 'misses', misses)
    dwell('diff', *profiles, '--event', 'LLm', '--fail-if', 'LLm > -40%')


def bins(name, *arguments):
    """[(function, line of the allocation, misses in L1, in LL)], most cost first."""
    profile = name + '-' + arguments[0] + '-data.db'
    dwell('simulate', '-q', '--data', '--cache=L1i=32K,8,64',
          '--cache=L1d=32K,8,64', '--cache=LL=1M,16,64', '-o', profile,
          '--', program(name), *arguments)
    done = subprocess.run([DWELL, 'bins', '-i', profile, '--format=json'], capture_output=True,
                          text=True)
    if done.returncode != 0:
        raise Skip('misses are not counted by data structure here')
    rows = [(r['function'], int((re.findall(r'%s.c:(\d+)' % name, r['data'] or '') or [0])[0]),
             r['L1_misses'], r['LL_misses'])
            for r in sorted(json.loads(done.stdout)['bins'], key=lambda r: -r['cost_share'])]
    return [row for row in rows if row[1] and row[0] not in ('main', 'make', 'make_circuit')]


def line_of(name, text):
    """The number of the line of the example's source that has the text."""
    with open(os.path.join(HERE, '../../examples', name + '.c')) as f:
        return next(number for number, line in enumerate(f, 1) if text in line)


@case
def gates_miss_their_elements_first():
    """MemSpy's order of PTHOR: elements in the evaluation, then in the fan-out. Apart, values fit a
    cache.
    """
    elements = line_of('gates', 'elements = calloc')
    together, apart = bins('gates', 'together', '4'), bins('gates', 'apart', '4')
    check([row[:2] for row in together[:2]] == [('eval_element', elements),
                                                ('stim_fan_out', elements)], together[:3])
    before = sum(row[3] for row in together if row[1] == elements)
    after = sum(row[3] for row in apart if row[1] in (elements,
                                                      line_of('gates', 'states = calloc')))
    check(after < 0.5 * before, 'apart', after, 'together', before)


@case
def sorted_particles_share_their_cells():
    cells = line_of('particles', 'cells = calloc')
    loose, ordered = bins('particles', 'loose'), bins('particles', 'sorted')
    check(loose[0][:2] == ('move', cells), loose[:2])
    misses = [next(row[3] for row in rows if row[:2] == ('move', cells)) for rows in (loose,
                                                                                      ordered)]
    check(misses[1] < misses[0] / 4, misses)


@case
def a_band_keeps_the_unknowns_near():
    """Scattered, most of the gathered elements miss; in a band each line of x comes once for each
    solution.
    """
    unknowns, rows, solves = line_of('triangular', 'x = malloc'), 400000, 5
    scattered, banded = bins('triangular', 'scattered'), bins('triangular', 'banded')
    check(scattered[0][:2] == ('solve', unknowns), scattered[:2])
    misses = next(row[3] for row in banded if row[:2] == ('solve', unknowns))
    near('lines of x', misses / (rows / 8 * solves), 1, 0.05)


def set_up(folder, dwell, build):
    global DWELL, EXAMPLES, SOURCES
    DWELL, EXAMPLES = os.path.join(build, 'dwell'), os.path.join(build, 'examples')
    SOURCES = os.path.join(HERE, '..', '..', 'examples')


main('examples', __doc__, set_up, build='build')
