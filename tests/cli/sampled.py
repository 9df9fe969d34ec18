#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""dwell simulate --sample: a part of the accesses, and what is estimated from it.

    sampled.py [--dwell PATH] [--program SAMPLED] [--only EXPRESSION]

Each case prints one line; the exit status is 0 when none failed.
"""
import csv
import io
import os
import shutil
import signal
import subprocess
import time

import simulate_common
from cases import Skip, case, check, main
from simulate_common import SMALL, ask, names, run, simulate, totals

CACHES = ['--cache=L1i=32K,8,64', '--cache=L1d=16K,1,64', '--cache=LL=1M,16,64']
LENGTH = 50000
SWEEP = 8192 * 1000  # accesses to the array
LINES = 256          # of L1d
SETUP = 40000        # accesses before the sweep, at most
SLACK = 200          # accesses of the block in which a stretch ends, and of the C library


def sampled(share, *arguments, path='run.db'):
    """Simulate a part."""
    done = run('simulate', '-q', '-o', path, '--sample', share, *arguments)
    check(done[0] == 0, *arguments, *done)
    check('all accesses are simulated' not in done[2], done[2])
    return done[2]


def stretches(cache, path='run.db'):
    return ask('SELECT accesses, misses, unknown, above FROM stretch WHERE cache = %r ORDER BY '
               'number' % cache,
               path)


def in_the_sweep(cache):
    """Without the last one, in which the program may end, and one that began too early on a busy
    machine.
    """
    found = ask('SELECT start, accesses, misses, unknown, above FROM stretch WHERE cache = %r '
                'ORDER BY number' % cache)
    return [row[1:] for row in found[:-1] if row[0] > SETUP]


def estimates(*options, path='run.db'):
    """The events of a profile, as the report shows them: their sums over all functions."""
    status, out, err = run('report', '-i', path, '--format', 'csv', *options)
    check(status == 0, err)
    rows = list(csv.DictReader(io.StringIO(out)))
    return {key[5:]: sum(float(row[key]) for row in rows) for key in rows[0]
            if key.startswith('self_')}


@case
def a_sweep_misses_once_a_line():
    """16 KB never hold a line of 64 KB until it comes again: one of eight accesses misses.

    All 256 places take a line before one takes a second: 256 references are unknown in each
    stretch.
    """
    sampled('10%%,%d,fixed' % LENGTH, *CACHES, PROGRAM, 'sweep')
    all_of_them = stretches('L1d')
    # 8.2 M accesses, one in 500,000; a late one stands for those, too, whose time has passed.
    check(14 <= sum(round(row[0] / LENGTH) for row in all_of_them) <= 17, all_of_them)
    for accesses, misses, unknown, above in in_the_sweep('L1d'):
        check(accesses >= LENGTH and accesses % LENGTH < SLACK, accesses)
        check(abs(misses - accesses / 8) <= 40 and above == 0, misses)
        check(unknown == LINES, unknown)
    for accesses, misses, unknown, above in in_the_sweep('LL'):
        # Four arrays of 16 KB, each line once: those of the first level's 256 are unknown above.
        check(abs(unknown - 768) <= 40 and abs(above - LINES) <= 20, unknown, above)
        check(misses == unknown + above, misses, unknown, above)


@case
def stretches_add_up_to_the_profile():
    sampled('20%%,%d' % LENGTH, *CACHES, PROGRAM, 'sweep')
    events = totals()
    for cache, letter in ('L1d', '1'), ('LL', 'L'):
        sums = [sum(column) for column in zip(*stretches(cache))]
        check(sums[0] == events['Dr'] + events['Dw'], sums, events)
        parts = {what: sum(events[kind % (letter, what)]
                           for kind in (['D%s%sr', 'D%s%sw'] + ['I%s%sr'] * (letter == 'L'))
                           if kind % (letter, what) in events) for what in 'mua'}
        check([parts['m'], parts['u'], parts['a']] == sums[1:4], cache, parts, sums)
    check(len({row[0] for row in stretches('L1d')}) > 1, 'lengths are random')


@case
def stretches_begin_and_end_among_string_instructions():
    """Two of them take 12 KB, or a megabyte, at a time: 20 million accesses, which miss once in 64.

    A copy reads and writes a byte: 2 * 64 accesses, of which two miss. So in any place a stretch
    has as many misses.
    """
    sampled('10%%,%d,fixed' % LENGTH, *CACHES, PROGRAM, 'strings')
    found = ask("SELECT start, accesses, misses FROM stretch WHERE cache = 'L1d' ORDER BY number")
    check(len(found) >= 30, len(found))
    for start, accesses, misses in found[:-1]:
        # more than LENGTH, if the machine was too busy for some
        check(accesses % LENGTH < SLACK, found)
        check(start < SETUP or abs(misses - accesses / 64) < 60, start, accesses, misses)
    total = ask('SELECT accesses FROM process')[0][0]
    check(abs(sum(row[1] for row in found) / total - 0.1) < 0.01, found, total)


@case
def stretches_begin_where_they_are_planned():
    """In the middle of each period, if the timer came in time: it comes late where other programs
    run. Those after a late one are as late.
    """
    for mode in 'sweep', 'strings':
        sampled('10%%,%d,fixed' % LENGTH, *CACHES, PROGRAM, mode)
        starts = [row[0]
                  for row in ask("SELECT start FROM stretch WHERE cache = 'L1d' ORDER BY number")]
        planned = [9 * LENGTH // 2] + [start + 10 * LENGTH for start in starts]
        late = [start for start, plan in zip(starts, planned)
                if (start - plan) % (10 * LENGTH) > SLACK]
        check(len(late) <= len(starts) // 3, starts)


@case
def estimates_are_of_the_whole_run():
    """The accesses are known; the truth lies in the bounds."""
    sampled('10%%,%d' % LENGTH, *CACHES, PROGRAM, 'sweep')
    got = estimates()
    accesses = ask('SELECT accesses FROM process')[0][0]
    check(abs(got['Dr'] + got['Dw'] - accesses) < accesses / 1000, got, accesses)
    got = estimates('--focus', '^sweep$')
    check(got['L1m.low'] <= got['Dr'] / 8 <= got['L1m.high'] * 1.001 and
          got['L1m.low'] <= got['L1m'], got)
    check(abs(got['L1m'] - got['Dr'] / 8) < got['Dr'] / 8 / 30, got)
    check(got['LLm.low'] < 50 and got['LLm.high'] >= 1024, got)
    status, out, err = run('report', '-i', 'run.db')
    check('LOW' in out and 'estimates from' in out and 'Few stretches' in out, out)


@case
def dead_places_tell_the_misses_among_unknown_references():
    """L1d has 256 places. Two lines take turns in the dying ones, so each visit misses; the others
    are never replaced.

    A round visits 256 lines and the dying ones again. Each stretch has an unknown reference to each
    place: to a dying one it is a miss. Some places are not used for most of a stretch. Sums are
    those of visit alone: misses before it are many, and lie in one stretch or in none.
    """
    for dying, *more in (64, ), (192, ), (64, '--data'), (192, '--data'):
        simulate('--no-call-graph', *CACHES, PROGRAM, 'dying', str(dying), path='full.db')
        true = estimates('--focus', '^visit$', path='full.db')
        runs = []
        # The means of some runs: where stretches lie is chance.
        for seed in '123':
            sampled('40%%,%d' % LENGTH, '--seed', seed, *more, *CACHES, PROGRAM, 'dying',
                    str(dying))
            found, visited, all_visited = (events['D1mr'] + events['D1mw'] for events in (
                                               estimates(), estimates('--focus', '^visit$'), true))
            known, unknown, simulated = (
                ask("SELECT sum(misses - unknown), sum(unknown), sum(accesses) FROM stretch"
                    " WHERE cache = 'L1d'")[0])
            accesses = ask('SELECT accesses FROM process')[0][0]
            runs.append(((found * simulated / accesses - known) / unknown,
                         (visited - all_visited) * simulated / accesses / unknown))
        rho, excess = (sum(figures) / len(runs) for figures in zip(*runs))
        check(abs(rho - dying / LINES) < 0.08, dying, rho)
        check(abs(excess) < 0.08, dying, runs)


@case
def bins_are_estimates_with_bounds():
    """The array misses on its own lines: a known miss takes the place of another line of the array.
    """
    sampled('10%%,%d' % LENGTH, '--data', *CACHES, PROGRAM, 'sweep')
    got = estimates('--focus', '^sweep$')
    status, out, err = run('bins', '--format', 'csv', '-i', 'run.db', 'sweep')
    check(status == 0, err)
    row = max(csv.DictReader(io.StringIO(out)), key=lambda row: int(row['L1_misses']))
    misses, low, high, cold, by_self, others = (int(row['L1_' + key]) for key in (
        'misses', 'low', 'high', 'cold', 'by_self', 'by_others'))
    check('aligned_alloc' in row['data'] and low <= misses <= high, row)
    for one, other in (misses, 'L1m'), (low, 'L1m.low'), (high, 'L1m.high'):
        check(abs(one - got[other]) <= 0.01 * got['L1m'], row, got)
    check(cold + by_self + others <= misses and by_self > 0.95 * misses, row)
    for events in 'D1mr', 'DLmr':
        cache = 'L1d' if events == 'D1mr' else 'LL'
        sums = ask('SELECT sum(misses), sum(unknown), sum(above) FROM bin WHERE cache = %r' %
                   cache)[0]
        all_of_them = totals()
        check(cache == 'LL' or sums[0] == all_of_them['D1mr'] + all_of_them['D1mw'], sums,
              all_of_them)
        check(sums[1] == sum(n for name, n in all_of_them.items() if name[1:3] == events[1] +
                             'u' and (cache == 'LL' or name[0] == 'D')), sums, all_of_them)
    for view in 'bins', 'objects':
        out = run(view, '-i', 'run.db')[1]
        check('estimates from' in out and 'exact' not in out, view, out)
    status, out, err = run('causes', '-i', 'run.db')
    check('unknown' in out, out)


@case
def contrasts_are_sums_of_stretches_with_signs():
    """Of all instructions, and of all bins: the same as of the caches, whatever was sent when."""
    sampled('20%%,%d' % LENGTH, '--data', *CACHES, PROGRAM, 'steps')
    pairs = {}
    for number, signs in ask("SELECT number, signs FROM stretch WHERE cache = 'L1d'"):
        check(number // 2 not in pairs or pairs[number // 2] ^ signs == 0xffff,
              'the signs of a pair', number, signs)
        pairs[number // 2] = signs
    check(len(set(pairs.values())) > 10, 'signs are random', pairs)
    for cache in 'L1d', 'L1i', 'LL':
        rows = ask('SELECT signs, misses - unknown - above, unknown + above FROM stretch WHERE '
                   'cache = %r' % cache)
        for kind, name in (1, 'k'), (2, 'u'):
            want = [sum(row[kind] if row[0] >> i & 1 else -row[kind] for row in rows)
                    for i in range(16)]
            sums = ', '.join('coalesce(sum(%s%d), 0)' % (name, i) for i in range(16))
            for owner in 'IS NULL', 'IS NOT NULL':
                got = ask('SELECT %s FROM contrast WHERE cache = %r AND structure_id %s' %
                          (sums, cache, owner))[0]
                check(list(got) == want, cache, name, owner, got, want)
            if name == 'k':
                got = ask('SELECT %s FROM eviction WHERE cache = %r' % (sums, cache))[0]
                check(list(got) == want, cache, 'evictions', got, want)


# View, columns that name a row, misses and bounds
ROW_VIEWS = {'bins': (['function', 'data'], 'L1_misses', 'L1_low', 'L1_high'),
             'objects': (['name'], 'L1_misses', 'L1_low', 'L1_high'),
             'objects --fields': (['data', 'field'], 'L1_misses', 'L1_low', 'L1_high'),
             'report': (['name'], 'self_L1m', 'self_L1m.low', 'self_L1m.high'),
             'causes': (['cache', 'cause', 'data', 'evictor_data'], 'misses', 'low', 'high')}


def rows_of(view, path):
    """Misses, and their bounds, of each row; exact ones are their own bounds."""
    keys, *columns = ROW_VIEWS[view]
    status, out, err = run(*view.split(), '-i', path, '--format', 'csv')
    check(status == 0, view, err)
    return {tuple(row[key] for key in keys): [float(row.get(column, row[columns[0]]))
                                              for column in columns]
            for row in csv.DictReader(io.StringIO(out)) if row.get('cause') != 'unknown'}


@case
def rows_have_bounds_of_their_own():
    """The truth of rows is inside, and bounds are not much farther apart than estimates are wrong.
    """
    simulate('--no-call-graph', '--data', *CACHES, PROGRAM, 'steps', path='full.db')
    held, errors, widths, most = [], [], [], []
    for seed in range(3):
        sampled('20%%,%d' % (LENGTH // 5), '--seed=%d' % (seed + 1), '--data', *CACHES, PROGRAM,
                'steps')
        for view in ROW_VIEWS:
            true, found = rows_of(view, 'full.db'), rows_of(view, 'run.db')
            for key, (count, _, _) in true.items():
                if count < 100000:
                    continue
                check(key in found, view, key, found)
                guess, low, high = found[key]
                held.append(low <= count <= high)
                errors.append(abs(guess - count) / count)
                widths.append((high - low) / count)
                most.append(low <= guess <= high)
    check(all(most) and len(held) >= 15, held, most)
    check(sum(held) >= 0.9 * len(held), held)
    check(sum(widths) / len(widths) < 1, widths)
    check(sum(errors) < sum(widths) < 12 * sum(errors), sum(widths), sum(errors))
    shown = [run(view, '-i', 'run.db', '--format', 'csv')[1] for view in ('bins', 'objects',
                                                                          'causes')]
    lows = [[float(row.get('L1_low', row.get('low'))) for row in csv.DictReader(io.StringIO(out))
             if row.get('cache', 'L1d') == 'L1d'] for out in shown]
    check(lows[2] == sorted(lows[2], reverse=True), 'causes are in the order of what is sure', lows)
    for view in 'bins', 'objects', 'objects --fields', 'causes':
        out = ' '.join(run(*view.split(), '-i', 'run.db')[1].split())
        check(' LOW ' in out and 'in the order of LOW' in out and 'estimates from' in out, view,
              out)


def cold(cache, what):
    """Cold misses on a data structure."""
    status, out, err = run('causes', '-i', 'run.db', '--format', 'csv')
    check(status == 0, err)
    return sum(int(row['misses']) for row in csv.DictReader(io.StringIO(out))
               if (row['cache'], row['cause']) == (cache, 'cold') and what in row['data'])


@case
def a_line_that_no_stretch_has_seen_is_not_cold_for_that():
    """The array has 1,024 lines, of which each misses a thousand times. Each stretch sees all of
    them.
    """
    for sample in '10%%,%d' % LENGTH, '20%%,%d' % (2 * LENGTH):
        sampled(sample, '--data', *CACHES, PROGRAM, 'sweep')
        check(abs(cold('L1d', 'aligned_alloc') - 1024) <= 20, sample, cold('L1d', 'aligned_alloc'))


@case
def lines_that_are_used_once_are_cold():
    """A megabyte is cleared nine times, by 12 KB at a time, and copied five times to another one.
    """
    sampled('10%%,%d' % LENGTH, '--data', *CACHES, PROGRAM, 'strings')
    found = cold('L1d', 'malloc')
    check(0.8 * 32768 < found < 1.3 * 32768, found)


@case
def processes_of_an_exact_simulation():
    """Each row has what the process has alone; the first one executes two others, of which one
    sweeps.
    """
    simulate('--no-call-graph', *CACHES, 'sh', '-c', 'true; %s sweep; true' % PROGRAM,
             path='run.db')
    status, out, err = run('processes', '-i', 'run.db', '--format', 'csv')
    rows = list(csv.DictReader(io.StringIO(out)))
    check(status == 0 and len(rows) >= 2 and rows[0]['command'].endswith('sweep') and
          'L1d_low' not in rows[0], out, err)
    for row in rows:
        events = estimates('--process', row['id'])
        for name, misses in ('L1d', events['D1mr'] + events['D1mw']), ('LL', events['DLmr'] +
                                                                       events['DLmw']):
            check(abs(float(row[name]) - misses / (events['Dr'] + events['Dw'])) < 1e-6, name, row,
                  events)
        check(int(row['accesses']) == events['Dr'] + events['Dw'], row, events)
    check(run('processes', '-i', 'run.db', '--focus', 'sweep$')[1].count('sweep') == 1,
          'one process sweeps')
    for option in ['--ways=4'], ['--policy=lru'], ['--sort=samples']:
        status, _, err = run('processes', '-i', 'run.db', *option)
        check(status == 2 and 'no samples' in err and err.count('\n') == 1, option, status, err)


@case
def all_of_it_is_an_exact_simulation():
    simulate('--no-call-graph', *CACHES, PROGRAM, 'sweep', path='full.db')
    sampled('100%', '--no-call-graph', *CACHES, PROGRAM, 'sweep')
    check(totals() == totals('full.db') and 'D1ur' not in names(), totals(), totals('full.db'))


def sum_of_parts(*command):
    """Costs by place, and bins by cache, summed over the eight parts; as the full run has them."""
    costs, bins = {}, {}
    for part in range(8):
        done = run('simulate', '-q', '-o', 'run.db', '--sets', '1/8,%d' % part, *command)
        check(done[0] == 0, done)
        check('nothing is simulated' not in done[2], done[2])
        for sums, counts in (costs, simulate_common.costs()), (bins, bins_by_cache('run.db')):
            for key, numbers in counts.items():
                sums[key] = [a + b for a, b in zip(sums.get(key, [0] * len(numbers)), numbers)]
    return costs, bins


def bins_by_cache(path):
    return {row[0]: row[1:] for row in ask(
                'SELECT cache, sum(misses), sum(cold), sum(by_self) FROM bin GROUP BY 1', path)}


def parts_are_the_whole(*command):
    """Accesses on two lines count once, also if these are of different parts."""
    simulate(*command, path='full.db')
    costs, bins = sum_of_parts(*command)
    full = simulate_common.costs('full.db')
    columns = names('full.db')
    misses = [i for i, name in enumerate(columns) if name[2:3] == 'm']
    for place in full.keys() | costs.keys():
        for i in misses:
            got = [(counts.get(place) or [0] * len(columns))[i] for counts in (full, costs)]
            check(got[0] == got[1], place, columns[i], got)
    check(bins == {cache: list(counts) for cache, counts in bins_by_cache('full.db').items()}, bins)


@case
def parts_of_the_sets_add_up():
    """Of each instruction, in real programs. Their sets are the same in each run, see SMALL."""
    os.environ['PERL_HASH_SEED'] = '0'
    for command in (['gzip', '-c', __file__],
                    ['perl', '-e', 'for $i (1..3000) { $h{"k" . $i % 700} .= "x$i"; } print '
                     'length(join("", values %h));']):
        if shutil.which(command[0]) is None:
            raise Skip('no ' + command[0])
        parts_are_the_whole('--data', '--no-call-graph', *SMALL, '--', *command)
    parts_are_the_whole('--cache=L2=16K,4,64', *SMALL, '--', 'gzip', '-c', __file__)


@case
def a_part_of_the_sets_stands_for_all():
    done = run('simulate', '-q', '-o', 'run.db', '--data', '--no-call-graph', '--sets', '1/8,3',
               *CACHES, PROGRAM, 'sweep')
    check(done[0] == 0, done)
    check('nothing is simulated' not in done[2], done[2])
    got, bins = estimates('--focus', '^sweep$'), run('bins', '-i', 'run.db')[1]
    check(abs(got['L1m'] - SWEEP / 8) < SWEEP / 8 / 50, got)
    for text in bins, run('report', '-i', 'run.db')[1]:
        check('one of 8 parts of the sets' in ' '.join(text.split()), text)


@case
def caches_that_cannot_be_emptied_are_refused():
    """Three plain levels can be."""
    sampled('10%', *CACHES, '--cache=L2=64K,8,64', PROGRAM, 'sweep')
    for more in ['--cache=DTLB=64,4,4K'], ['--cache=L2=64K,8,64,inclusive']:
        status, _, err = run('simulate', '-q', '-o', 'run.db', '--sample', '10%', *CACHES, *more,
                             PROGRAM, 'sweep')
        check(status == 2 and '--sample needs plain caches' in err, more, status, err)


@case
def some_sets_in_stretches():
    sampled('10%%,%d,fixed' % LENGTH, '--sets', '1/4,1', *CACHES, PROGRAM, 'sweep')
    for accesses, misses, unknown, above in in_the_sweep('L1d'):
        check(0 <= accesses - LENGTH < SLACK and unknown == LINES / 4, accesses, unknown)
        check(abs(misses - LENGTH / 32) <= 80, misses)


@case
def merged_profiles_keep_their_stretches():
    """Of each process, all views show what they showed before; and of both, the sum."""
    alone = []
    for name, dying in ('a.db', '64'), ('b.db', '192'):
        sampled('40%%,%d' % LENGTH, '--data', *CACHES, PROGRAM, 'dying', dying, path=name)
        alone.append(estimates(path=name)['D1mr'])
    done = run('merge', '-o', 'both.db', 'a.db', 'b.db')
    check(done[0] == 0, done)
    for process, name in ('0', 'a.db'), ('1', 'b.db'):
        for view in 'report', 'bins', 'causes':
            shown = [run(view, '-i', *where, '--format', 'csv')
                     for where in (['both.db', '--process', process], [name])]
            check(shown[0][0] == 0 and shown[0] == shown[1], view, name, *shown)
    status, out, err = run('processes', '-i', 'both.db', '--sort', 'ratio', '--format', 'csv')
    rows = list(csv.DictReader(io.StringIO(out)))
    check([row['id'] for row in rows] == ['1', '0'] and
          sum(float(row['share']) for row in rows) == 1, status, out, err)
    for row, name in zip(rows, ('b.db', 'a.db')):
        events = estimates(path=name)
        ratio = (events['D1mr'] + events['D1mw']) / (events['Dr'] + events['Dw'])
        check(abs(float(row['L1d']) - ratio) < 1e-6 and
              int(row['stretches']) == len(stretches('L1d', name)), row, ratio)
        check(float(row['L1d_low']) < ratio < float(row['L1d_high']), row)
    out = run('processes', '-i', 'both.db')[1]
    check('estimates' in out and 'STRETCHES' in out and 'dying 192' in out, out)
    both = estimates(path='both.db')['D1mr']
    check(abs(both - sum(alone)) < 0.03 * both, both, alone)
    for view in 'report', 'bins':
        out = run(view, '-i', 'both.db')[1]
        check('%d stretches' % (len(stretches('L1d', 'a.db')) +
                                len(stretches('L1d', 'b.db'))) in ' '.join(out.split()), out)
    for share, options in ('20 %', ['--sample=20%']), ('100 %', []):
        simulate('--no-call-graph', *options, *CACHES, PROGRAM, 'sweep', path='c.db')
        status, _, err = run('merge', '-o', 'no.db', 'a.db', 'c.db')
        check(status == 3 and '40 %' in err and share in err and err.count('\n') == 1, status, err)


@case
def threads_are_sampled_together():
    sampled('10%%,%d,fixed' % LENGTH, *CACHES, PROGRAM, 'threads')
    all_of_them = stretches('L1d')
    check(8 <= len(all_of_them) <= 34, len(all_of_them))
    for accesses, misses, unknown, above in all_of_them[1:-1]:
        # one stands for those, too, whose time has passed
        check(accesses % LENGTH < 2 * SLACK and abs(misses - accesses / 8) < 400, accesses, misses)
    events = totals()
    check(sum(row[0] for row in all_of_them) == events['Dr'] + events['Dw'], all_of_them, events)


@case
def a_killed_run_keeps_what_it_had():
    sampled('10%%,%d' % LENGTH, *CACHES, 'true')
    target = subprocess.Popen([DWELL, 'simulate', '-q', '-o', 'cut.db',
                               '--sample', '10%%,%d' % LENGTH, *CACHES, PROGRAM,
                               'wait'], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    target.stdout.readline()
    end = time.monotonic() + 60
    # Stretches, and a report of events, which come from time to time.
    while time.monotonic() < end and (len(stretches('L1d', 'cut.db')) < 12 or
                                      ask('SELECT COUNT(*) FROM cost', 'cut.db') == [(0,)]):
        time.sleep(0.2)
    os.kill(ask('SELECT pid FROM process', 'cut.db')[0][0], signal.SIGKILL)
    target.communicate()
    kept = stretches('L1d', 'cut.db')
    check(len(kept) >= 10 and sum(row[1] for row in kept) > 0, kept)
    check(estimates(path='cut.db')['L1m'] > 0, 'the events are lost')


@case
def a_short_run_says_so():
    err = sampled('10%,500K', *CACHES, 'true')
    check('no access was simulated' in err, err)
    check('No access was simulated' in run('report', '-i', 'run.db')[1],
          run('report', '-i', 'run.db'))


@case
def bad_input_gets_a_sentence():
    for value, what in (('0', 'more than 0'), ('101%', 'at most 100 %'), ('x', 'a share is'),
                        ('10%,0', 'from 1000'),
                        ('10%,y', 'a number of accesses')):
        status, _, err = run('simulate', '--sample', value, 'true')
        check(status == 2 and what in err and err.count('\n') == 1, value, status, err)
    for value, what in (('1/3', 'power of two'), ('1/8,8', 'leaves no set'),
                        ('2/8', 'one of N parts'), ('1/1024', 'leaves no')):
        status, _, err = run('simulate', '--sets', value, *CACHES, 'true')
        check(status == 2 and what in err and err.count('\n') == 1, value, status, err)
    check(run('simulate', '--seed', '2', 'true')[0] == 2, '--seed without --sample')
    for other in (['--jumps'], ['--context=2'], ['--also=LL=1M,16,64'], ['--curve'],
                  ['--no-filter'], ['--line-use']):
        status, _, err = run('simulate', '--sample', '10%', *other, 'true')
        check(status == 2 and err.count('\n') == 1, other, status, err)


def set_up(dwell, program, folder):
    global DWELL, PROGRAM
    DWELL, PROGRAM = dwell, program
    simulate_common.set_up(dwell, None, folder)


if __name__ == '__main__':
    main('sampled', __doc__, set_up, program='build/tests/cli/sampled')
