#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The origin of blocks of memory: the profile's numbers are the program's.

    sites.py --dwell PATH --programs FOLDER

The program 'allocations' allocates known numbers of blocks; see its source. It is recorded as
it is, linked statically, and with other allocators in place of the C library's.
"""
import argparse
import csv
import os
import sqlite3
import subprocess
import sys
import tempfile

import sites_programs as programs

LIBRARIES = '/usr/lib/x86_64-linux-gnu/'
ALLOCATORS = ['libjemalloc.so.2', 'libtcmalloc_minimal.so.4']
PAGE = 4096

# process, kind, caller: blocks, bytes, live blocks, live bytes, smallest, largest, sum over sites
EXPECTED = {
    (0, 'malloc', 'by_malloc'): (100, 2400, 40, 960, 24, 24),
    (0, 'calloc', 'by_calloc'): (50, 2400, 0, 0, 48, 48),
    (0, 'realloc', 'by_realloc'): (20, 210000, 0, 0, 1000, 20000),
    (0, 'malloc', 'by_failed_realloc'): (1, 64, 1, 64, 64, 64),
    (0, 'reallocarray', 'by_reallocarray'): (8, 480, 0, 0, 40, 80),
    (0, 'aligned_alloc', 'by_aligned_alloc'): (10, 1920, 10, 1920, 192, 192),
    (0, 'posix_memalign', 'by_posix_memalign'): (10, 1000, 3, 300, 100, 100),
    (0, 'new', 'by_throwing_new'): (20, 800, 0, 0, 40, 40),
    (0, 'new', 'by_new'): (10, 440, 2, 16, 8, 128),
    (0, 'new[]', 'by_new_array'): (9, 2756, 2, 100, 50, 400),
    (0, 'new', 'by_operator'): (5, 165, 0, 0, 33, 33),
    (0, 'malloc', 'after_failures'): (18, 1386, 18, 1386, 77, 77),
    (0, 'malloc', 'by_thread'): (8000, 384000, 0, 0, 48, 48),
    (0, 'mmap', 'by_mmap'): (3, 48 * PAGE, 2, 28 * PAGE, 16 * PAGE, 16 * PAGE),
    (0, 'mmap', 'by_mremap'): (2, 68 * PAGE, 1, 64 * PAGE, 4 * PAGE, 64 * PAGE),
    # five are never freed: their memory goes with the plugin
    (0, 'malloc', 'by_plugin'): (12, 360, 0, 0, 30, 30),
    (0, 'malloc', 'by_recursion'): (8, 40, 0, 0, 5, 5),
    (0, 'malloc', 'for_child'): (1, 512, 1, 512, 512, 512),
    (1, 'malloc', 'by_child'): (11, 231, 11, 231, 21, 21),
    (1, 'malloc', 'for_child'): (1, 512, 0, 0, 512, 512),
}
# A path shows what called what, as far as the 16 frames go; each place once.
PATHS = {
    'by_malloc': ['by_malloc', 'main'],
    'after_failures': ['after_failures', 'by_failed_new', 'main'],
    'by_recursion': ['by_recursion', 'by_recursion', 'main'],
}
ELEMENT_SIZES = {'by_calloc': 16, 'by_reallocarray': 8, 'by_malloc': 0}

QUERY = '''
SELECT s.id, s.process_id, s.kind, s.element_size, s.blocks, s.bytes, s.live_blocks, s.live_bytes,
    s.smallest, s.largest, j.key,
    (SELECT function FROM frame WHERE location_id = j.value ORDER BY depth DESC LIMIT 1)
FROM site s LEFT JOIN json_each(s.path) j ORDER BY s.id, j.key'''


def check(condition, *what):
    if not condition:
        raise AssertionError(' '.join(str(w) for w in what))


def record(program, folder, *options, **environment):
    """The open profile of a run of the program."""
    path = os.path.join(folder, 'profile.db')
    done = subprocess.run([DWELL, 'record', '-q', '-o', path, *options, '--', program],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT,
                          env={**os.environ, **environment}, timeout=60)
    check(done.returncode == 0, 'the run ended with', done.returncode, done.stdout.decode())
    check(done.stdout == b'all checks held\n', 'the run said', done.stdout)
    return sqlite3.connect(path)


def read_sites(profile):
    """Site id -> (process, kind, counts..., the functions of its path)."""
    sites = {}
    for row in profile.execute(QUERY):
        site = sites.setdefault(row[0], row[1:10] + ([],))
        if row[11] is not None:
            site[-1].append(row[11])
    return sites.values()


def add_up(sites):
    """As EXPECTED: the sites that a function has in several of its lines are one."""
    sums = {}
    for process, kind, _, blocks, size, live_blocks, live_bytes, smallest, largest, path in sites:
        key = (process, kind, path[0] if path else '')
        old = sums.get(key, (0, 0, 0, 0, smallest, largest))
        sums[key] = (old[0] + blocks, old[1] + size, old[2] + live_blocks, old[3] + live_bytes,
                     min(old[4], smallest), max(old[5], largest))
    return sums


def compare(profile, other_names=(), without=()):
    sites = list(read_sites(profile))
    sums = add_up(sites)
    for key, expected in EXPECTED.items():
        if key[2] in without:
            continue
        process, kind, caller = key
        if key not in sums and kind in dict(other_names):
            key = (process, dict(other_names)[kind], caller)
        check(sums.get(key) == expected, key, 'has', sums.get(key), 'and should have', expected)
    for site in sites:
        caller = site[-1][0] if site[-1] else ''
        if caller in ELEMENT_SIZES:
            check(site[2] == ELEMENT_SIZES[caller], caller, 'has elements of', site[2])
    # The C library has a function of its own between.
    grown = [s for s in sites if s[1] == 'brk' and 'by_sbrk' in s[-1]]
    check([s[3:5] for s in grown] == [(1, 8192)], 'the heap grew by', grown)
    stacks = [s for s in sites if s[0] == 0 and s[1] == 'stack']
    check(sum(s[3] for s in stacks) == 5, 'five stacks, not', stacks)
    # Above the stacks of all threads but the first lie their own variables, those of the first
    # elsewhere: some of a page, not a stack's megabytes.
    own = [s for s in sites if s[0] == 0 and s[1] == 'thread-local']
    check(sum(s[3] for s in own) == 5 and 0 < sum(s[4] for s in own) < 64 * PAGE,
          'five of threads, not', own)
    return sites


def paths_are_right(sites):
    for site in sites:
        wanted = PATHS.get(site[-1][0] if site[-1] else '')
        if wanted and site[0] == 0:
            check(site[-1][:len(wanted)] == wanted, 'a path of', site[-1])


def samples_know_sites(profile):
    """Each access of a sample in a known block names a site of its process that holds it. What is
    left of allocators' memory changes all the time: its bytes are not counted.
    """
    bad = profile.execute('''SELECT COUNT(*) FROM sample x LEFT JOIN site s ON s.id = x.begin_site
        WHERE x.begin_site != 0 AND (s.id IS NULL OR s.process_id != x.process_id
            OR x.begin_address < x.begin_block
            OR (x.begin_address >= x.begin_block + s.largest AND s.kind != 'allocator'))''').fetchone()[0]
    known, every = (
        profile.execute('''SELECT SUM(begin_site != 0), COUNT(*) FROM sample''').fetchone())
    check(bad == 0, bad, 'samples with a block that cannot be')
    check(known > every / 4, 'only', known, 'of', every, 'samples know their block')


def the_c_library(folder):
    profile = record(PROGRAMS + '/allocations', folder, '--period', '100')
    paths_are_right(compare(profile))
    samples_know_sites(profile)


def only_counted(folder):
    profile = record(PROGRAMS + '/allocations', folder, '--mode', 'count')
    check(profile.execute('SELECT COUNT(*) FROM site').fetchone()[0] == 0, 'sites all the same')


def linked_statically(folder):
    paths_are_right(compare(record(PROGRAMS + '/allocations-static', folder),
                            without=['by_plugin']))


def no_objects(folder):
    profile = record(PROGRAMS + '/allocations', folder, '--no-objects')
    check(profile.execute('SELECT COUNT(*) FROM site').fetchone()[0] == 0, 'sites all the same')
    check(profile.execute('SELECT MAX(begin_site) FROM sample').fetchone()[0] == 0, 'a known block')


def another_runtime(folder):
    program = os.path.join(folder, 'runtime')
    subprocess.run(['cc', '-O1', '-fno-omit-frame-pointer', '-fno-asynchronous-unwind-tables',
                    '-x', 'c', '-o', program, '-'], input=programs.RUNTIME.encode(), check=True,
                   timeout=60)
    sites = list(read_sites(record(program, folder)))
    heap = [s for s in sites if s[4] == 1 << 20]
    check([(s[1], s[-1][:2]) for s in heap] == [('mmap', ['make_heap', 'main'])], 'its heap is',
          heap)
    # The variables of the first thread are the C library's.
    own = [s for s in sites if s[1] == 'thread-local']
    check(sum(s[3] for s in own) == 1 and sum(s[4] for s in own) < PAGE, 'one thread-local, not',
          own)


def a_recursion(folder):
    program = os.path.join(folder, 'tree')
    subprocess.run(['cc', '-O1', '-x', 'c', '-o', program, '-'], input=programs.TREE.encode(),
                   check=True,
                   timeout=60)
    sites = [s for s in read_sites(record(program, folder)) if s[1] == 'calloc']
    nodes, live = 2 ** 17 - 1, 2 ** 16
    check(add_up(sites)[0, 'calloc', 'grow_tree'] == (nodes, 16 * nodes, live, 16 * live, 16, 16),
          add_up(sites))
    # Ways through the tree would be 2^16 of the last 16 calls; the two places stand in a path once.
    check(len(sites) <= 5, len(sites), 'sites')


def one_line(folder):
    """Three arrays of one line have a row each."""
    program, path = os.path.join(folder, 'line'), os.path.join(folder, 'profile.db')
    subprocess.run(['cc', '-O1', '-g', '-x', 'c', '-o', program, '-'],
                   input=programs.ONE_LINE.encode(),
                   check=True, timeout=60)
    record(program, folder, '--duty', '80').close()
    done = subprocess.run([DWELL, 'objects', '-i', path, '--format=csv', '--sort', 'accesses'],
                          stdout=subprocess.PIPE,
                          check=True, timeout=60)
    rows = [row for row in csv.DictReader(done.stdout.decode().splitlines())
            if row['kind'] == 'heap']
    names = [row['name'] for row in rows if 'in main' in row['name']]
    check(names[:3] == ['malloc in main (<stdin>:%d) [%d of 3]' % (programs.ONE_LINE_AT, n)
                        for n in (2, 3, 1)], names)
    done = subprocess.run([DWELL, 'objects', '-i', path, '--format=csv',
                           'malloc in main (<stdin>:%d)' % programs.ONE_LINE_AT],
                          stdout=subprocess.PIPE, check=True, timeout=60)
    check(done.stdout.decode().count(' of 3]') == 3, done.stdout)


def mapped_memory(folder):
    program, shared = os.path.join(folder, 'mappings'), '/dev/shm/oats-%d' % os.getpid()
    subprocess.run(['cc', '-O1', '-g', '-x', 'c', '-o', program, '-'],
                   input=programs.MAPPINGS.encode(),
                   check=True, timeout=60)
    path = os.path.join(folder, 'profile.db')
    done = subprocess.run([DWELL, 'record', '-q', '--period', '1000', '-o', path, '--', program,
                           shared], cwd=folder,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=60)
    check(done.stdout == b'all checks held\n', 'the run said', done.stdout)
    profile, bytes_each = sqlite3.connect(path), 64 << 10
    wanted = {('shmat', None, 'by_shmat'): 2, ('mmap', None, 'by_shared'): 1, ('mmap', None,
                                                                               'by_stack'): 1,
              ('mmap', 'memfd:wheat', 'file_mapping'): 1, ('mmap', None, 'by_zero'): 1,
              ('mmap', 'barley \\x1b.bin', 'file_mapping'): 1,
              ('mmap', shared[9:], 'file_mapping'): 1}
    rows = {row[:3]: row[3:] for row in profile.execute("""
        SELECT s.kind, s.name, (SELECT function FROM frame WHERE location_id = json_extract(s.path, '$[0]')
            ORDER BY depth DESC LIMIT 1), SUM(s.blocks), SUM(s.bytes), SUM(s.live_blocks)
        FROM site s WHERE s.process_id = 0 GROUP BY 1, 2, 3""")}
    for key, blocks in wanted.items():
        check(rows.get(key) == (blocks, blocks * bytes_each, 1), key, 'is', rows.get(key), 'among',
              list(rows))
    # The child touched all of it, and knows the names.
    walked = {row[:2]: row[2] for row in profile.execute("""
        SELECT g.kind, g.name, COUNT(*) FROM sample s JOIN site g ON g.id = s.begin_site
        WHERE s.process_id = 1 GROUP BY 1, 2""")}
    for kind, name, _ in wanted:
        check(walked.get((kind, name), 0) > 15, kind, name, 'has', walked.get((kind, name)),
              'samples of the child')
    said = subprocess.run([DWELL, 'objects', '-i', path, '--process', '1', '--format', 'csv'],
                          stdout=subprocess.PIPE, check=True, timeout=60).stdout.decode()
    for name in 'shmat in by_shmat', 'memfd:wheat in file_mapping', shared[9:] + ' in file_mapping':
        check(name in said, name, 'is not in', said[:2000])


def allocators_of_its_own(folder):
    program, path = os.path.join(folder, 'own'), os.path.join(folder, 'profile.db')
    subprocess.run(['c++', '-O1', '-g', '-mno-red-zone', '-fno-omit-frame-pointer', '-x', 'c++',
                    '-o', program, '-'],
                   input=programs.ALLOCATORS_OF_ITS_OWN.encode(), check=True, timeout=60)
    options = ['--allocator', 'zoo::Arena::get:2', '--allocator=pool_get:3,free=pool_put:2',
               '--allocator', 'nobody,free=him']
    done = subprocess.run([DWELL, 'record', '-q', '--duty', '80', *options, '-o', path, '--',
                           program],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    check(done.stdout == 'all checks held\n', 'the run said', done.stdout, done.stderr)
    for name in 'nobody', 'him':
        check("function '%s' of --allocator is in no module" % name in done.stderr, 'it says',
              done.stderr)
    check('zoo' not in done.stderr and 'pool' not in done.stderr, 'it says', done.stderr)
    profile = sqlite3.connect(path)
    sums = {(key[0], key[1], key[2].split('(')[0]): counts for key,
            counts in add_up(read_sites(profile)).items()}
    arena = 'zoo::Arena::get'
    for key, counts in {(0, arena, 'small_ones'): (20, 20000, 0, 0, 1000, 1000),
                        (0, arena, 'large_ones'): (20, 20 << 16, 0, 0, 64 << 10, 64 << 10),
                        (0, 'pool_get', 'main'): (100, 4800, 75, 3600, 48, 48),
                        (0, 'mallocgc', 'make'): (297, 29700, 99, 9900, 100, 100)}.items():
        check(sums.get(key) == counts, key, 'has', sums.get(key), 'and should have', counts, 'of',
              list(sums))
    shares = dict(profile.execute("""SELECT j.value, COUNT(*) FROM sample s JOIN site g ON g.id = s.begin_site,
        json_each(g.path) j WHERE g.kind = ? AND j.key = 0 GROUP BY 1""", [arena]))
    check(len(shares) == 2 and min(shares.values()) > 0.8 * max(shares.values()),
          'samples of the two:', shares)
    for bad in 'f:7', 'f:0', ':1', 'f:x', '', 'f,free=', 'x' * 300:
        done = subprocess.run([DWELL, 'record', '--allocator', bad, 'true'], capture_output=True,
                              text=True, timeout=60)
        check(done.returncode == 2 and 'dwell record: ' in done.stderr, bad, 'ended with',
              done.returncode, done.stderr)


def thread_locals(folder):
    """Where %fs can be read by an instruction, and where it can not, as on some virtual machines.
    """
    for switches in ['', 'fsgsbase=0']:
        profile = record(PROGRAMS + '/thread-locals', folder, '--duty', '80',
                         DWELL_ENGINE_OPTIONS=switches)
        own, all_samples = profile.execute("""
            SELECT SUM(g.kind IS 'thread-local'), COUNT(*)
            FROM sample s LEFT JOIN site g ON g.process_id = s.process_id AND g.id = s.begin_site""").fetchone()
        check(all_samples > 5000 and own > 0.9 * all_samples, switches, own, 'of', all_samples,
              'samples are thread-local')
        # Three threads have a copy each; the child that is forked has the first one's. The C
        # library has its own.
        for process, copies in (0, 3), (1, 1):
            rows = profile.execute("""
                SELECT name, type, end - start, element_size, count(*) FROM variable
                WHERE thread_local AND process_id = ? AND module LIKE '%/thread-locals' GROUP BY 1, 2, 3, 4 ORDER BY 1""", [process]).fetchall()
            check(rows == [('steps', 'volatile uint32_t', 4, 0, copies),
                           ('table', 'volatile uint64_t[512]', 4096, 8, copies)], process, rows)
    said = subprocess.run(
        [DWELL, 'objects', '-i', os.path.join(folder, 'profile.db'), '--format', 'csv', 'table'],
        stdout=subprocess.PIPE, check=True, timeout=60).stdout.decode().splitlines()
    row = dict(zip(said[0].split(','), said[1].split(',')))
    check(row['kind'] == 'thread-local' and row['name'] == 'table', said[:2])


def another_allocator(folder, library):
    # In tcmalloc new[] and new are one function, and mmap is called through one of its own.
    compare(record(PROGRAMS + '/allocations', folder, LD_PRELOAD=LIBRARIES + library),
            other_names=[('new[]', 'new')],
            without=['by_mmap', 'by_mremap', 'by_new'] if 'tcmalloc' in library else [])


def main():
    global DWELL, PROGRAMS
    parser = argparse.ArgumentParser()
    parser.add_argument('--dwell', required=True)
    parser.add_argument('--programs', required=True)
    arguments = parser.parse_args()
    DWELL, PROGRAMS = os.path.abspath(arguments.dwell), os.path.abspath(arguments.programs)
    cases = [('the C library', the_c_library), ('only counted', only_counted),
             ('linked statically', linked_statically), ('no objects', no_objects),
             ('another runtime', another_runtime), ('a recursion', a_recursion),
             ('three arrays of one line', one_line), ('mapped memory', mapped_memory),
             ('allocators of its own', allocators_of_its_own),
             ('thread-local variables', thread_locals)]
    for library in ALLOCATORS:
        if os.path.exists(LIBRARIES + library):
            cases.append((library, lambda folder, l=library: another_allocator(folder, l)))
        else:
            print('skipped  %s is not installed' % library)
    failed = 0
    for name, run in cases:
        with tempfile.TemporaryDirectory() as folder:
            try:
                run(folder)
                print('ok       ' + name)
            except (AssertionError, sqlite3.Error) as error:
                failed += 1
                print('FAILED   %s: %s' % (name, error))
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
