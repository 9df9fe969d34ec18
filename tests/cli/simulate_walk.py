#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Hierarchies that are more than plain caches count the same where translated code looks into them
as where it does not.

    simulate_walk.py [--dwell PATH] [--programs FOLDER] [--only EXPRESSION]

Each case prints one line; the exit status is 0 when none failed.
"""
import csv
import io

from cases import case, check, main
from simulate_common import (IS_WHOLE, SMALL, ask, check_filter, costs, environment, is_left_out,
                             layout, names, program, run,
                             set_up, simulate, totals)

SCRIPT = ('my %h; for (1..4000) { $h{$_ % 377} .= chr(65 + $_ % 26) } print map { sort split //, '
          '$h{$_} } sort keys %h')
TINY = ['--cache=L1i=2K,2,64', '--cache=L1d=1K,2,64', '--cache=LL=4K,1,64']


def text():
    with open('text', 'w') as f:
        f.write(' '.join(str(i * i % 1013) for i in range(3000)))
    return 'gzip', '-c', 'text'


PROGRAMS = [[name] for name in ('strings', 'vectors', 'selfmod', 'jumps', 'control',
                                'call-graph')] + [['unaligned', 'sums']]


def check_all(*shape):
    for command in PROGRAMS:
        check_filter(*shape, '--', program(command[0]), *command[1:])


@case
def write_backs_of_first_levels():
    for shape in (SMALL, TINY, ['--cache=L1d=6K,12,64'], ['--cache=LL=48K,12,64'],
                  ['--cache=LL=60K,20,64'], ['--no-instructions'],
                  ['--cache=L1d=16K,16,64'], ['--cache=L2=16K,4,64'],
                  ['--cache=LL=64K,full,64,fifo'], ['--cache=LL=none'],
                  ['--cache=LL=64K,16,128'], ['--cache=LL=64K,16,64,write-through'],
                  ['--cache=LL=64K,16,64,no-allocate'],
                  ['--cache=L1d=4K,4,64,fifo'], ['--cache=L1d=4K,4,64,write-through'],
                  ['--no-call-graph']):
        check_filter('--write-backs', *SMALL, *shape, '--', *text())
    for shape in SMALL, TINY:
        check_all('--write-backs', *shape)


@case
def stores_that_go_on_below_first_levels():
    """Each leaves code; loads that hit stay there."""
    for how in 'write-through', 'no-allocate', 'write-through,no-allocate':
        first = '--cache=L1d=4K,4,64,' + how
        for shape in ([], ['--write-backs'], ['--cache=LL=8K,1,64,inclusive', '--write-backs'],
                      ['--cache=LL=64K,16,64,write-through', '--write-backs'],
                      ['--cache=DTLB=4,full,4K', '--cache=ITLB=2,1,4K'], ['--line-use=all'],
                      ['--cache=L2=8K,2,64,next-line'], ['--context=2', '--jumps'],
                      ['--no-instructions']):
            check_filter(*SMALL, *shape, first, '--', *text())
        for shape in ['--write-backs'], ['--cache=LL=8K,1,64,inclusive']:
            check_all(*SMALL, *shape, first)
        check_filter(*SMALL, '--cache=DTLB=2,full,4K', first, '--', program('pages'))


@case
def inclusive_and_exclusive_levels():
    """The former take lines of code that runs out of the first level, the latter take what it
    evicts.
    """
    for last in ('LL=32K,8,64,inclusive', 'LL=8K,1,64,inclusive', 'LL=16K,2,64,inclusive,random',
                 'LL=32K,8,64,exclusive', 'LL=4K,1,64,exclusive', 'LL=16K,4,64,exclusive,srrip'):
        for more in [], ['--write-backs'], ['--cache=L2=8K,2,64'], ['--cache=L2=8K,2,64,inclusive',
                                                                    '--write-backs']:
            check_filter(*SMALL, *more, '--cache=' + last, '--', *text())
    for last in 'LL=4K,1,64,inclusive', 'LL=8K,2,64,exclusive':
        check_all('--write-backs', *TINY, '--cache=' + last)
    check_all('--write-backs', *TINY, '--cache=L2=4K,1,64,inclusive',
              '--cache=LL=16K,4,64,exclusive')


@case
def prefetchers():
    for level in 'L1d=4K,4,64', 'L2=8K,2,64', 'LL=64K,16,64':
        for prefetcher in 'next-line', 'stride':
            for more in [], ['--write-backs'], ['--cache=LL=32K,8,64,inclusive']:
                check_filter(*SMALL, *more, '--cache=%s,%s' % (level, prefetcher), '--', *text())
    for more in (['L1d=1K,2,64,next-line', 'LL=4K,1,64,inclusive'],
                 ['L2=4K,1,64,next-line', 'LL=8K,2,64,inclusive,stride']):
        check_all('--write-backs', *TINY, *('--cache=' + level for level in more))


@case
def faults_in_other_layouts():
    """What a faulting instruction tries may evict what its handler uses, or the reverse, by where
    the stack lies.
    """
    inclusive = ['--write-backs', '--cache=L1d=1K,2,64,next-line', '--cache=LL=4K,1,64,inclusive']
    for more in 64, 1600:
        with layout(more):
            check_filter(*TINY, '--', program('selfmod'))
            for shape in [], inclusive, ['--line-use=all']:
                check_filter(*TINY, *shape, '--', program('tried'))
    with layout(256):
        check_filter(*TINY, *inclusive, '--', program('selfmod'))
    check_filter(*TINY, *inclusive, '--line-use=all', '--', program('faults'))


@case
def translation_buffers():
    """Pages leave them with all their lines, and come back."""
    for tlbs in (['DTLB=16,full,4K'], ['DTLB=4,1,4K'], ['DTLB=1,full,4K', 'ITLB=1,full,4K'],
                 ['DTLB=16,4,4K', 'ITLB=8,full,4K'],
                 ['DTLB=8,2,4K', 'ITLB=4,2,4K', 'STLB=64,4,4K'], ['ITLB=2,full,4K'],
                 ['DTLB=4,4,2M']):
        for more in [], ['--write-backs',
                         '--cache=L1d=32K,8,64'], ['--cache=LL=32K,8,64,inclusive']:
            check_filter(*SMALL, *more, *('--cache=' + tlb for tlb in tlbs), '--', *text())
    for tlbs in ['DTLB=4,full,4K', 'ITLB=2,1,4K'], ['DTLB=64,4,4K', 'ITLB=64,full,4K',
                                                    'STLB=1536,12,4K']:
        for shape in SMALL, TINY, ['--cache=L1d=32K,8,64', '--write-backs']:
            check_all(*shape, *('--cache=' + tlb for tlb in tlbs))
    for tlb in 'DTLB=2,full,4K', 'DTLB=4,full,4K', 'DTLB=8,2,4K':
        for more in [], ['--write-backs'], ['--cache=LL=32K,8,64,inclusive']:
            check_filter(*SMALL, '--cache=L1d=32K,8,64', *more, '--cache=' + tlb, '--',
                         program('pages'))


@case
def uses_of_lines():
    """Code counts those of data, executions those of code. Replay sums them up while nothing else
    changes.
    """
    for shape in (SMALL, TINY, ['--cache=L2=16K,4,64'], ['--cache=LL=64K,16,128'],
                  ['--cache=LL=32K,8,64,inclusive', '--write-backs'],
                  ['--cache=L2=8K,2,64,exclusive'], ['--cache=L1d=4K,4,64,next-line'],
                  ['--cache=L1d=4K,4,64,srrip'], ['--cache=LL=none'],
                  ['--cache=L1d=4K,4,64,next-line', '--cache=LL=32K,8,64,inclusive,next-line'],
                  ['--cache=LL=64K,16,64,stride'],
                  ['--cache=L1d=6K,12,64', '--cache=LL=60K,20,64'], ['--no-instructions'],
                  ['--cache=DTLB=16,full,4K', '--cache=ITLB=4,2,4K'],
                  ['--also=L1d=2K,2,64 LL=16K,4,64']):
        check_filter('--line-use=all', *SMALL, *shape, '--', *text())
    for shape in SMALL, TINY:
        check_all('--line-use=all', *shape)
    for last in '64K,16,64', '192K,16,64,inclusive', '6M,12,64':
        check_filter('--no-call-graph', '--line-use=all', *SMALL[:2], '--cache=LL=' + last, '--',
                     program('over-tables'))


@case
def uses_of_lines_whatever_comes_between():
    """Reports, instructions that are done again, an emptied code cache, lines of code that leave as
    it runs.
    """
    with environment('report_us=1000'):
        check_all('--line-use=all', *TINY)
        check_all('--line-use=all', '--write-backs', *TINY, '--cache=LL=8K,1,64,inclusive')
    with environment('cache_mb=2,report_us=1000', PERL_HASH_SEED='0'):
        check_filter('--line-use=all', *SMALL, '--', 'perl', '-e', SCRIPT)
    check_all('--line-use=all', *TINY, '--cache=DTLB=4,full,4K', '--cache=ITLB=2,1,4K')
    for command in 'toggles', 'special':
        check_filter('--line-use=all', *TINY, '--', program(command))


@case
def uses_of_lines_in_contexts():
    """Each context has the costs of the lines that it brought, whoever uses them and takes their
    place.
    """
    for options in ['--context=2', '--jumps'], ['--separate-threads']:
        for use in '--line-use=all', '--line-use=1/1':
            check_all(*options, use, *TINY)
            for shape in (['--no-instructions'], ['--cache=LL=none'],
                          ['--cache=DTLB=4,full,4K', '--cache=ITLB=2,1,4K'],
                          ['--cache=LL=8K,1,64,inclusive', '--write-backs']):
                check_filter(*options, use, *SMALL, *shape, '--', *text())
            with environment('report_us=1000'):
                check_all(*options, use, *TINY)
    with environment('cache_mb=2,report_us=1000', PERL_HASH_SEED='0'):
        check_filter('--context=3', '--line-use=all', *SMALL, '--', 'perl', '-e', SCRIPT)
    simulate('--context=1', '--line-use', *SMALL, '--', program('over-tables'))
    simulate('--context=1', '--no-filter', *SMALL, '--', program('over-tables'), path='other.db')
    check_caches('over-tables')


def check_caches(*what):
    """What both runs count but for the use of lines."""
    def counted(path):
        kept = [i for i, name in enumerate(names(path)) if name[:2] not in ('Ac', 'Sp')]
        return {place: [row[i] for i in kept] for place,
                row in costs(path).items() if any(row[i] for i in kept)}
    check(counted('run.db') == counted('other.db'), *what, totals(), totals('other.db'))


@case
def uses_of_some_lines():
    """Those that are looked at leave code. If these are all, counts are exact, too; else those of
    the caches are.
    """
    shapes = (SMALL, TINY, [*TINY, '--cache=DTLB=4,full,4K', '--cache=ITLB=2,1,4K'],
              [*TINY, '--write-backs', '--cache=LL=8K,1,64,inclusive'])
    for shape in shapes:
        check_all('--line-use=1/1', *shape)
    for shape in (['--cache=L1d=6K,12,64', '--cache=LL=60K,20,64'],
                  ['--cache=L1d=4K,4,64,next-line'], ['--cache=LL=none'], ['--no-instructions'],
                  ['--cache=L2=8K,2,64,exclusive']):
        check_filter('--line-use=1/1', *SMALL, *shape, '--', *text())
    with environment('cache_mb=2,report_us=1000', PERL_HASH_SEED='0'):
        check_filter('--line-use=1/1', *SMALL, '--', 'perl', '-e', SCRIPT)
    check_filter('--no-call-graph', '--line-use=1/1', *SMALL[:2], '--cache=LL=64K,16,64', '--',
                 program('over-tables'))
    # over-tables maps memory where the tables of caches with line use are.
    for command, *base in (text(), ), ([program('unaligned'), 'sums'], ), ([program('over-tables')],
                                                                           '--line-use=all'):
        for shape in shapes:
            if is_left_out():
                continue
            simulate('--line-use=1/4', *shape, '--', *command)
            simulate(*base, *shape, '--', *command, path='other.db')
            check_caches(command, shape)


EVENTS = 'AcCost1', 'SpLoss1', 'AcCost2', 'SpLoss2'


def estimates(by, path):
    """{(row, event): (value, low, high)} of a view."""
    rows = csv.DictReader(io.StringIO(run('report', '--by', by, '--format=csv', '-i', path)[1]))
    return {(row['name'], row['file'], row['object'],
             cost): [float(row.get(cost + end, row[cost])) for end in ('', '.low', '.high')]
            for row in rows for kind in ('self_', 'inclusive_')
            for cost in (kind + event for event in EVENTS)}


@case
def intervals_hold_the_exact_counts():
    """95 % of them, of the run and of functions; and the estimates have no bias."""
    seeds, command, held = 80 if IS_WHOLE else 15, ['--', *text()], {'process': [], 'function': []}
    for shape in SMALL, TINY:
        simulate('--line-use=all', *shape, *command, path='other.db')
        exact = {by: estimates(by, 'other.db') for by in held}
        sums = {}
        for seed in range(seeds):
            simulate('--line-use=1/8', '--seed=%d' % seed, *shape, *command)
            for by in ('function', 'process') if seed < 10 else ('process', ):
                told = estimates(by, 'run.db')
                held[by] += [told[key][1] <= value <= told[key][2] for key,
                             (value, *_) in exact[by].items() if value]
            for key, values in told.items():
                sums.setdefault(key, []).append(values)
        for key, told in sums.items():
            value = exact['process'][key][0]
            reach = sum(high - low for _, low, high in told) / seeds / 2
            # That of a mean is the smaller; 4 standard deviations are no chance.
            check(abs(sum(v for v, *_ in told) / seeds - value) < 4 / 1.96 * reach / seeds**.5,
                  shape, key, value, told)
    # Of each seed about four intervals are independent, two of each shape: 4 standard deviations
    # below 0.95.
    least = .95 - 4 * (.95 * .05 / (4 * seeds))**.5
    for by, all_of in held.items():
        check(sum(all_of) >= least * len(all_of), by, sum(all_of), 'of', len(all_of))


@case
def machines():
    for machine in 'zen4', 'haswell', 'skylake-sp':
        check_filter('--machine=' + machine, '--', *text())
        check_filter('--machine=' + machine, '--write-backs', '--', program('call-graph'))


@case
def processes_and_hand_overs():
    """Where the program maps memory over the tables, replay goes on with what the caches have,
    dirty lines too.
    """
    for last, tlb in ('64K,16,64', '16,full'), ('192K,16,64,inclusive',
                                                '16,4'), ('6M,12,64,exclusive', '8,1'):
        check_filter('--no-call-graph', '--write-backs', *SMALL[:2], '--cache=LL=' + last,
                     '--cache=DTLB=%s,4K' % tlb, '--cache=ITLB=8,2,4K',
                     '--', program('over-tables'))
    for command in 'exec', 'toggles', 'special':
        check_filter('--write-backs', *TINY, '--', program(command))


@case
def calls_are_followed_with_all_levels():
    """Arcs, jumps and nodes: misses of the second level, of pages and write-backs belong to the
    calls that were open.
    """
    deep = ['--write-backs', '--cache=L2=16K,4,64', '--cache=DTLB=16,full,4K',
            '--cache=ITLB=8,2,4K']
    for more in (['--context=2', '--write-backs'], ['--jumps', '--line-use=all'],
                 ['--context=2', '--line-use=all', '--jumps'],
                 ['--separate-threads', '--line-use=all'], ['--jumps', *deep], ['--context=2',
                                                                                '--jumps', *deep],
                 ['--separate-threads', '--cache=LL=64K,16,64,random'],
                 ['--jumps', '--cache=L1d=4K,4,64,fifo', '--cache=LL=none']):
        for command in 'call-graph', 'made-code':
            check_filter(*SMALL, *more, '--', program(command))
    for switch in 'report_us=1000', 'vector=0':
        with environment(switch):
            for more in ['--jumps', '--context=1', *deep], ['--line-use=all',
                                                            '--jumps'], ['--line-use=1/1'], deep:
                for command in 'call-graph', 'toggles':
                    check_filter(*SMALL, *more, '--', program(command))


@case
def a_note_says_that_accesses_are_replayed():
    """So the other cases do see the code that looks into the caches."""
    for is_replayed, *shape in (
            (True, '--line-use=all', '--cache=L2=16K,4,64'),
            (False, '--context=2', '--line-use=all'), (False, '--separate-threads', '--line-use'),
            (False, '--context=2', '--jumps'),
            (False, '--context=2', '--cache=L2=16K,4,64'),
            (False, '--context=2', '--also=L1d=4K,4,64 L1i=8K,4,64 LL=1M,16,64'),
            (True, '--cache=L1d=4K,4,64,stride'), (False, '--cache=L1d=4K,4,64,write-through'),
            (False, '--cache=L1d=4K,4,64,no-allocate', '--write-backs'),
            (True, '--cache=L1d=4K,4,64,no-allocate', '--line-use=all'),
            (True, '--write-backs', '--cache=L1d=4K,4,64,fifo'), (True, '--cache=DTLB=4,4,2M'),
            (False, ),
            (False, '--write-backs'), (False, '--line-use'),
            (False, '--line-use=all', '--cache=LL=none'),
            (False, '--cache=LL=32K,8,64,exclusive'), (False, '--machine=zen4', '--jumps'),
            (False, '--cache=LL=32K,8,64,inclusive'), (False, '--cache=L1d=4K,4,64,next-line'),
            (False, '--cache=DTLB=16,full,4K', '--cache=ITLB=8,2,4K', '--cache=STLB=64,4,4K')):
        simulate(*([] if '--machine=zen4' in shape else SMALL), *shape, '--', 'true')
        notes = [text for text, in ask('SELECT text FROM message') if 'replayed' in text]
        check(len(notes) == is_replayed, shape, notes)


if __name__ == '__main__':
    main('simulate-walk', __doc__, set_up, programs='build/tests/programs')
