#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""No output costs a profile: what lies where one is written stays, or is kept as FILE.old.

    outputs.py [--dwell PATH] [--only EXPRESSION]

Runs that begin at the same time with one name, disks that become full, files that are moved, and
each -o onto each kind of file.
"""
import gzip
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import time

from cases import case, check, main, Skip

INPUT, USAGE, OUTPUT, NOT_EXECUTABLE = 3, 2, 5, 126
SECONDS = 120


def run(*arguments, **more):
    done = subprocess.run([DWELL, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=SECONDS, **more)
    return done.returncode, done.stdout.decode('utf-8', 'replace'), done.stderr.decode('utf-8',
                                                                                       'replace')


def start(*arguments, **more):
    return subprocess.Popen([DWELL, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **more)


def seed_of(path):
    """The seed of a profile tells which run wrote it."""
    check(os.path.exists(path), path, 'is not there, but', os.listdir(os.path.dirname(path) or '.'))
    with sqlite3.connect('file:%s?mode=ro' % path, uri=True) as db:
        check(db.execute('PRAGMA integrity_check').fetchone()[0] == 'ok', path, 'is damaged')
        return int(db.execute("SELECT value FROM meta WHERE key = 'seed'").fetchone()[0])


def record(path, seed, *command):
    status, _, err = run('record', '-q', '--seed', str(seed), '-o', path, '--',
                         *(command or ['true']))
    check(status == 0, 'recording ended with', status, err)


def leftovers(folder='.'):
    return [f for f in os.listdir(folder) if re.search(r'\.(part|older)\d', f)]


def clean(*names):
    for name in names:
        for side in '', '.old', '-wal', '-shm', '.old-wal', '.old-shm', '-wal.old', '-shm.old':
            if os.path.lexists(name + side):
                os.unlink(name + side)


# ---- Two at once ----

def begin_together(count, output, folder):
    """Start so many runs at once. The seed of one is its number."""
    runs = [start('record', '-q', '--seed', str(i), *output, '--', 'sleep', '0.2', cwd=folder)
            for i in range(count)]
    ends = []
    for i, process in enumerate(runs):
        _, err = process.communicate(timeout=SECONDS)
        ends.append((process.returncode, err.decode()))
    won = [i for i, (status, _) in enumerate(ends) if status == 0]
    for status, err in ends:
        check(status in (0, OUTPUT), 'a run ended with', status, err)
        check((status == 0) == (err == ''), 'status', status, 'and', repr(err))
        check(status == 0 or re.fullmatch("dwell: (profile '.*' is being written by process \\d+"
                                          "|another process writes or moves the profile '.*'): "
                                          "choose another name with -o\n", err), err)
    return won


@case
def of_runs_that_begin_together_each_that_ends_well_has_its_profile():
    os.mkdir('together')
    for count in (2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 10, 10):
        for output in ['-o', 'one.db'], []:
            name = output[1] if output else 'dwell.db'
            clean('together/' + name)
            won = begin_together(count, output, 'together')
            kept = [seed_of('together/' + f) for f in (name, name + '.old')
                    if os.path.exists('together/' + f)]
            check(won and kept[0] in won, 'of', count, 'runs', won, 'ended well, and', kept,
                  'are kept')
            check(set(won[-2:]) == set(kept) or len(won) > 2, won, 'ended well, and', kept,
                  'are kept')
            check(not leftovers('together'), leftovers('together'))


@case
def a_run_that_comes_second_leaves_three_profiles_alone():
    record('busy.db', 1)
    record('busy.db', 2)
    process = start('record', '-q', '--seed', '3', '-o', 'busy.db', '--', 'sh',
                    '-c', 'echo begins; sleep 1')
    check(process.stdout.readline() == b'begins\n', 'it did not begin')
    for command in ['record', '--', 'touch', 'ran'], ['simulate', '--', 'touch', 'ran']:
        status, _, err = run(command[0], '-o', 'busy.db', *command[1:])
        check(status == OUTPUT and 'being written by process %d:' % process.pid in err, status, err)
    # What lies beside it is not replaced while it is written, either.
    os.rename('busy.db.old', 'kept.db')
    process.communicate(timeout=SECONDS)
    check((seed_of('busy.db'), seed_of('kept.db')) == (3, 2), 'they hold something else')
    check(not os.path.exists('ran'), 'the command ran')


@case
def what_is_written_is_not_replaced_as_an_old_profile():
    record('front.db', 1)
    process = start('record', '-q', '--seed', '2', '-o', 'front.db.old', '--', 'sh',
                    '-c', 'echo begins; sleep 1')
    check(process.stdout.readline() == b'begins\n', 'it did not begin')
    status, _, err = run('record', '-q', '-o', 'front.db', '--', 'touch', 'ran')
    check(status == OUTPUT and "'front.db.old' is being written" in err, status, err)
    process.communicate(timeout=SECONDS)
    check((seed_of('front.db'), seed_of('front.db.old')) == (1, 2), 'they hold something else')
    check(not os.path.exists('ran') and not leftovers(), leftovers())


@case
def a_profiler_killed_at_any_moment_leaves_an_older_profile():
    for i in range(24):
        clean('struck.db')
        record('struck.db', 1)
        process = start('record', '-q', '--seed', '2', '-o', 'struck.db', '--', 'sleep', '0.1')
        time.sleep(i * 0.002)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=SECONDS)
        seeds = [seed_of(f) for f in ('struck.db', 'struck.db.old') if os.path.exists(f)]
        check(1 in seeds, 'killed after %d ms: left are' % (2 * i), seeds)
        check(run('info', '-i', 'struck.db' if os.path.exists('struck.db')
                  else 'struck.db.old')[0] == 0, 'it is not readable')
        for f in leftovers():
            os.unlink(f)


# ---- Full disks ----

# Disks of different sizes, so each becomes full elsewhere. DWELL_TEST_PART=1/N: a part of them.
MOMENTS = 100 // int(os.environ.get('DWELL_TEST_PART', '1/1').split('/')[1])
COMMAND = 'seq 1 5000 | sort -r | tail -n 1; exit 7'


def on_a_disk(kilobytes, script, *arguments):
    """Run a script of the shell in a new file system that holds these profiles: seeds 2 and 1."""
    mount = ('mount -t tmpfs -o size=%dk none disk && cp first.db disk/x.db.old && cp second.db '
             'disk/x.db || exit 99; ' % kilobytes)
    done = subprocess.run(['unshare', '-m', 'sh', '-c', mount + script, DWELL, *arguments],
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS)
    if done.returncode == 99:
        raise Skip('mounting is not allowed')
    return done.returncode, done.stdout.decode(), done.stderr.decode('utf-8', 'replace')


def prepare_disk():
    if os.geteuid() != 0 or shutil.which('unshare') is None:
        raise Skip('mounting takes root')
    os.makedirs('disk', exist_ok=True)
    record('first.db', 1)
    record('second.db', 2)
    return 2 * (os.path.getsize('first.db') + 8192) // 1024


def run_on_a_disk_of(kilobytes):
    """'refused', 'cut off', 'whole' or 'not merged', as the disk has this much beside the older
    profiles.
    """
    script = '''"$0" record -q --seed 3 -o disk/x.db -- sh -c "$1"; s=$?; cp disk/* out; exit $s'''
    shutil.rmtree('out', ignore_errors=True)
    os.mkdir('out')
    status, out, err = on_a_disk(kilobytes, script, COMMAND)
    seeds = [seed_of('out/' + f) for f in ('x.db', 'x.db.old')]
    check(not leftovers('out'), kilobytes, leftovers('out'))
    if status == OUTPUT and out == '':
        check(seeds == [2, 1] and 'disk is full' in err, kilobytes, 'refused, and left are', seeds,
              err)
        return 'refused'
    is_cut = 'was cut off' in err
    check(status == 7 and out == '1\n' and seeds == [3, 2], kilobytes, 'ended with', status, seeds,
          err)
    check(is_cut or err == '' or "needs 'disk/x.db-wal' beside it" in err, kilobytes, err)
    status, out, _ = run('info', '-i', 'out/x.db')
    check(status == 0 and ('cut off: the disk is full' in out) == is_cut, kilobytes, err, out[:300])
    check(run('report', '-i', 'out/x.db')[0] in (0, INPUT), kilobytes, 'it cannot be read')
    return 'cut off' if is_cut else 'whole' if err == '' else 'not merged'


def smallest(base, most, holds):
    """The smallest disk, to 8 KB, whose run ends in such a way."""
    least = 0
    while most - least > 8:
        middle = (least + most) // 2
        if holds(run_on_a_disk_of(base + middle)):
            most = middle
        else:
            least = middle
    return most


@case
def a_disk_full_at_any_moment_costs_no_profile():
    base = prepare_disk()
    enough = 256
    while run_on_a_disk_of(base + enough) != 'whole':
        enough *= 2
    begins = smallest(base, enough, lambda how: how != 'refused')
    ends = smallest(base, enough, lambda how: how == 'whole')
    # How much a run writes depends on its samples: not each that lies between the two is cut off.
    for least, most, share, wanted in ((0, begins, .25, 'refused'), (begins, ends, .5, 'cut off'),
                                       (ends, ends + 800, .25, 'whole')):
        count = int(MOMENTS * share)
        how = [run_on_a_disk_of(base + least + (most - least) * i // count) for i in range(count)]
        check(how.count(wanted) >= count // 3, 'between', least, 'and', most, how)


@case
def what_was_recorded_before_the_disk_was_full_is_there():
    base = prepare_disk()
    for command in ['record', '-q'], ['simulate', '-q']:
        # The disk is full as soon as the profile shows what ended before.
        script = '''"$0" %s -o disk/x.db -- sh -c 'seq 1 100000 | sort -r | tail -n 1; until [ -e full ]; do sleep 0.1; done
                    seq 1 400000 | sort -r | tail -n 1; exit 7' & p=$!; rm -f full
                    until "$0" processes -i disk/x.db 2>&1 | grep -q "%%.*%% sort -r$"; do sleep 0.1; done
                    head -c 100M /dev/zero >disk/fill; touch full; wait $p; s=$?
                    rm disk/fill; "$0" report -i disk/x.db; "$0" processes -i disk/x.db; exit $s''' % ' '.join(command)
        status, out, err = on_a_disk(base + 40000, script)
        check(status == 7, command, 'ended with', status, err)
        # Whether it is seen while the command runs depends on when the profile grows.
        check("cannot write profile 'disk/x.db': the disk is full" in err and
              'was cut off; it holds what was recorded before' in err, err)
        check('cut off: the disk is full' in out, 'it is not told', out[:400])
        check(re.search(r'%.*% sort -r$', out, re.M), 'what ended before is missing', out[:600])


@case
def imports_merges_and_exports_to_full_disks_change_nothing():
    base = prepare_disk()
    check(run('simulate', '-q', '-o', 'm.db', '--', 'true')[0] == 0, 'no simulation')
    check(run('export', '-i', 'm.db', '--to', 'callgrind', '-o', 'm.out')[0] == 0, 'no export')
    for words in ['import', 'm.out'], ['merge', 'm.db', 'm.db'], ['simulate', '--trace', 'trace']:
        with open('trace', 'w') as f:
            f.write('r 1000 4\n' * 20)
        script = '''shift 0; "$0" %s -o disk/x.db; s=$?; cp disk/* out; exit $s''' % ' '.join(words)
        for size in 8, 24, 48, 64:
            shutil.rmtree('out', ignore_errors=True)
            os.mkdir('out')
            status, _, err = on_a_disk(base + size, script)
            check(status == OUTPUT and 'disk is full' in err, words, size, 'ended with', status,
                  err)
            check([seed_of('out/x.db'), seed_of('out/x.db.old')] == [2, 1] and
                  len(os.listdir('out')) == 2, os.listdir('out'))


# ---- Files that are moved ----

@case
def a_profile_that_is_moved_while_it_is_written_is_whole():
    for then in 'rm -f away.db*', 'mv away.db moved.db':
        clean('away.db', 'moved.db')
        status, _, err = run('record', '-q', '--seed', '4', '-o', 'away.db', '--', 'sh', '-c', then)
        check(status == 0 and err ==
              "dwell: profile 'away.db' was moved or removed while it was written\n", status, err)
        check(not os.path.exists('away.db'), 'it is there again')
    check(seed_of('moved.db') == 4, 'it has another seed')
    check(run('report', '-i', 'moved.db')[0] == 0, 'it cannot be read')


@case
def a_run_in_the_place_of_a_moved_one_keeps_its_log():
    process = start('record', '-q', '--seed', '5', '-o', 'place.db', '--', 'sh',
                    '-c', 'echo begins; sleep 1')
    check(process.stdout.readline() == b'begins\n', 'it did not begin')
    os.rename('place.db', 'gone.db')
    other = start('record', '-q', '--seed', '6', '-o', 'place.db', '--', 'sh',
                  '-c', 'sleep 2; exit 3')
    process.communicate(timeout=SECONDS)
    other.communicate(timeout=SECONDS)
    check((process.returncode, other.returncode) == (0, 3), process.returncode, other.returncode)
    check((seed_of('gone.db'), seed_of('place.db')) == (5, 6), 'they hold something else')
    for name in 'gone.db', 'place.db':
        check(run('report', '-i', name)[0] == 0, name, 'cannot be read')


@case
def a_link_stays_a_link():
    os.mkdir('data')
    os.symlink('data/linked.db', 'link.db') # dangling at first
    record('link.db', 1)
    record('link.db', 2)
    check(os.path.islink('link.db') and not os.path.islink('data/linked.db'),
          'the link was replaced')
    check((seed_of('data/linked.db'), seed_of('data/linked.db.old')) == (2, 1),
          'they hold something else')
    os.symlink('loop.db', 'loop.db')
    status, _, err = run('record', '-q', '-o', 'loop.db', '--', 'true')
    check(status == OUTPUT and 'symbolic links' in err, status, err)


@case
def a_command_that_cannot_be_run_leaves_the_profiles_as_they_were():
    record('before.db', 1)
    record('before.db', 2)
    with open('script', 'w') as f:
        f.write('#!/no/such/interpreter\n')
    os.chmod('script', 0o755)
    for command in './script', '/etc/passwd', 'no-such-command':
        status, _, err = run('record', '-q', '-o', 'before.db', '--', command)
        check(status in (126, 127), command, 'ended with', status, err)
        check((seed_of('before.db'), seed_of('before.db.old')) == (2, 1), command, 'cost a profile')
        check(not leftovers(), leftovers())


# ---- Each -o onto each kind of file ----

FORMATS = ['callgrind', 'folded', 'speedscope', 'pprof', 'csv', 'json']
KINDS = {'text': b'my thesis\n', 'source': b'int main(void)\n{\n}\n', 'json': b'{"mine": 1}\n',
         'csv': b'a,b,c\n1,2,3\n', 'gzip': gzip.compress(b'mine'),
         'elf': b'\x7fELF\x02\x01\x01' + bytes(100),
         'valgrind': b'# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\n'}


def put(path, content):
    with open(path, 'wb') as f:
        f.write(content)


def content(path):
    with open(path, 'rb') as f:
        return f.read()


def make_inputs():
    if not os.path.exists('sim.db'):
        check(run('simulate', '-q', '-o', 'sim.db', '--', 'true')[0] == 0, 'no simulation')
    return 'sim.db'


@case
def an_export_replaces_files_of_its_format_only():
    source = make_inputs()
    for name in FORMATS:
        status, _, err = run('export', '-i', source, '--to', name, '-o', 'e.' + name)
        check(status == 0, name, err)
    for name in FORMATS:
        for kind in KINDS:
            put('victim', KINDS[kind])
            status, out, err = run('export', '-i', source, '--to', name, '-o', 'victim')
            check(status == OUTPUT and 'without --force' in err and
                  content('victim') == KINDS[kind], name, 'onto', kind, status, err)
        for other in FORMATS:
            before = content('e.' + other)
            status, _, err = run('export', '-i', source, '--to', name, '-o', 'e.' + other)
            if other == name:
                check(status == 0 and content('e.' + name) == before, name, 'onto itself', status,
                      err)
            else:
                check(status == OUTPUT and content('e.' + other) == before, name, 'onto', other,
                      status, err)
        put('victim', b'')
        check(run('export', '-i', source, '--to', name, '-o', 'victim')[0] == 0, name,
              'onto an empty file')
        put('victim', KINDS['text'])
        check(run('export', '-i', source, '--to', name, '-o', 'victim', '--force')[0] == 0, name,
              'with --force')
        check(content('victim') == content('e.' + name), name, 'with --force wrote something else')
        check(run('export', '-i', source, '--to', name, '-o', '/dev/null')[0] == 0, name,
              'to a device')


@case
def an_export_replaces_no_profile():
    source = make_inputs()
    record('other.db', 1)
    os.link(source, 'hard.db')
    os.symlink(source, 'soft.db')
    before, other = content(source), content('other.db')
    for name in FORMATS:
        for force in [], ['--force']:
            for victim in source, 'hard.db', 'soft.db', './' + source:
                status, _, err = run('export', '-i', source, '--to', name, '-o', victim, *force)
                check(status == OUTPUT and 'is read and cannot be the output' in err, victim,
                      status, err)
            status, _, err = run('export', '-i', source, '--to', name, '-o', 'other.db', *force)
            check(status == OUTPUT and 'is a profile' in err, status, err)
    check(content(source) == before and content('other.db') == other, 'a profile has changed')


@case
def a_new_profile_replaces_no_other_file_and_no_input():
    source = make_inputs()
    check(run('export', '-i', source, '--to', 'callgrind', '-o', 'in.out')[0] == 0, 'no export')
    put('in.trace', b'r 1000 4\n')
    writers = {'import': ['import', 'in.out'], 'merge': ['merge', source, source],
               'trace': ['simulate', '--trace', 'in.trace'],
               'record': ['record', '-q'], 'simulate': ['simulate', '-q'],
               'curve': ['simulate', '-q', '--curve']}
    for writer, words in writers.items():
        command = ['--', 'touch', 'ran'] if '-q' in words else []
        for kind in KINDS:
            put('victim', KINDS[kind])
            status, _, err = run(*words, '-o', 'victim', *command)
            check(status == OUTPUT and 'not replacing it' in err and
                  content('victim') == KINDS[kind], writer, 'onto', kind, status, err)
        put('victim', KINDS['text'])
        os.path.exists('p.db.old') and os.unlink('p.db.old')
        shutil.copy(source, 'p.db')
        shutil.copy('victim', 'p.db.old')
        status, _, err = run(*words, '-o', 'p.db', *command)
        check(status == OUTPUT and content('p.db.old') == KINDS['text'], writer,
              'onto a foreign .old', status, err)
        check(content('p.db') == content(source), writer, 'changed the profile')
        os.unlink('p.db.old')
        check(not os.path.exists('ran'), writer, 'ran the command')
    for words in (['import', 'in.out', '-o', 'in.out'],
                  ['simulate', '--trace', 'in.trace', '-o', 'in.trace'],
                  ['merge', source, source, '-o', source],
                  ['merge', source, source, '-o', './' + source]):
        status, _, err = run(*words)
        check(status == USAGE and 'is read and cannot be the output' in err, words, status, err)
    shutil.copy(source, 'p.db.old')
    status, _, err = run('merge', 'p.db.old', source, '-o', 'p.db')
    check(status == USAGE and 'would replace it' in err, status, err)
    check(not leftovers(), leftovers())


@case
def a_dump_replaces_no_other_file_and_not_its_run():
    for kind in 'text', 'elf', 'valgrind':
        put('victim', KINDS[kind])
        status, out, err = run(
            'record', '-q', '--seed', '8', '-o', 'run.db', '--', 'sh', '-c',
            '"$0" dump -p $PPID -o victim; echo $?; "$0" dump -p $PPID -o run.db; echo $?', DWELL)
        check(status == 0 and out == '%d\n%d\n' % (OUTPUT, OUTPUT), status, out, err)
        check('not replacing it' in err and 'is being written by' in err and
              content('victim') == KINDS[kind], err)
    check(seed_of('run.db') == 8 and not leftovers(), 'it holds another seed')
    record('dumped.db', 1)
    status, out, err = run('record', '-q', '--seed', '9', '-o', 'run.db', '--', 'sh',
                           '-c', '"$0" dump -p $PPID -o dumped.db', DWELL)
    check(status == 0, status, err)
    check((seed_of('dumped.db'), seed_of('dumped.db.old')) == (9, 1), 'a dump cost a profile')


def set_up(dwell, folder):
    global DWELL
    DWELL = dwell


if __name__ == '__main__':
    main('outputs', __doc__, set_up)
