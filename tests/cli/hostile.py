#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Hostile files and programs can harm neither dwell nor the readers of its output.

    hostile.py [--dwell PATH] [--only EXPRESSION]

A profile may come from anybody. Each command must end by itself, with a result or an error. Each
case prints one line; the exit status is 0 when none failed.
"""
import csv
import io
import json
import os
import random
import re
import resource
import shutil
import signal
import sqlite3
import stat
import subprocess
import time

from cases import case, check, main, Skip

USAGE, INPUT, OUTPUT = 2, 3, 5
SECONDS = 60
FORMS = [[], ['--format=csv'], ['--format=json']]
VIEWS = [['report'], ['curve'], ['annotate'], ['annotate', 'main'], ['spatial'], ['objects'],
         ['objects', '--sites-by', 'path'],
         ['paths'], ['paths', '--folded'], ['reuse'], ['info'], ['processes']]
EVENT_VIEWS = [['report'], ['report', '--by=line'], ['report', '--by=object'], ['report',
                                                                                '--by=process'],
               ['annotate', 'main'], ['calls'], ['info']]
EXPORTS = ['callgrind', 'folded', 'speedscope', 'pprof', 'csv', 'json']


def run(*arguments, memory=None, prefix=(), **more):
    """(exit status, stdout, stderr), both as bytes."""
    def limit():
        if memory is not None:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

    done = subprocess.run(
        [*prefix, DWELL, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        timeout=SECONDS, preexec_fn=limit, **{'stdin': subprocess.DEVNULL, **more})
    return done.returncode, done.stdout, done.stderr


def refused(status, says, *arguments, **more):
    got, out, err = run(*arguments, **more)
    err = err.decode('utf-8', 'replace')
    check(got == status, arguments, 'ended with', got, 'and not', status, repr(err[:200]))
    check(re.search(says, err) and err.startswith('dwell'), arguments, 'said', repr(err[:300]))
    check(len(err) < 600 and out == b'', arguments, 'printed', repr(out[:200]), repr(err[:300]))


def profile(kind='record'):
    """A good profile of a short run, made once."""
    path = kind + '.db'
    if not os.path.exists(path):
        status, _, err = run(kind, '-q', '-o', path, '--', 'sh',
                             '-c', 'seq 1 2000 | sort >/dev/null')
        check(status == 0, kind, 'ended with', status, err)
    return path


def change(path, *statements, source=None):
    shutil.copy(source or profile(), path)
    with sqlite3.connect(path) as db:
        db.execute('PRAGMA writable_schema = ON')
        for statement in statements:
            db.execute(statement)
    db.close()
    return path


# ---- Profiles whose tables are something else ----

@case
def a_view_in_the_place_of_a_table_is_refused():
    endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT '
    for table, columns in (('meta', "'k' || i AS key, i AS value"), ('process', 'i AS id'),
                           ('thread', 'i AS idx')):
        change('view.db', 'ALTER TABLE %s RENAME TO kept' % table,
               'CREATE VIEW %s AS %s%s FROM n' % (table, endless, columns))
        for command in ['report'], ['info'], ['top', '--once'], ['export',
                                                                 '--to=json'], ['diff', 'view.db']:
            refused(INPUT, 'not those of a profile', *command,
                    *(['view.db'] if command[0] == 'diff' else ['-i', 'view.db']))
        refused(INPUT, 'not those of a profile', 'merge', '-o', 'merged.db', 'view.db', profile())


@case
def a_process_that_cannot_be_read_leaves_the_others():
    with sqlite3.connect(profile()) as db:
        with_samples = db.execute("""SELECT p.id FROM process p JOIN sample_batch b ON b.process_id = p.id
            GROUP BY 1 ORDER BY accesses""").fetchall()
    db.close()
    check(len(with_samples) > 1, 'the run had one process')
    broken, whole = with_samples[0][0], with_samples[-1][0]
    change('part.db', "UPDATE sample_batch SET list = '[[1,2' WHERE process_id = %d" % broken)
    for view in ['processes'], ['report']:
        for form in FORMS:
            status, out, err = run(*view, *form, '-i', 'part.db')
            check(status == 0, view, form, 'ended with', status, err)
        text = run(*view, '-i', 'part.db')[1].decode()
        if view == ['processes']:
            check('The profile of process %d is damaged' % broken in text, 'it says', text)
    check(run('report', '--process', str(whole), '-i', 'part.db')[0] == 0,
          'another process cannot be shown')
    refused(INPUT, 'damaged', 'report', '--process', str(broken), '-i', 'part.db')


@case
def what_a_schema_would_compute_is_not_computed():
    heavy = 'hex(zeroblob(100000000))'
    for statement in (
            'CREATE TABLE other(a, b AS (%s))' % heavy,
            'CREATE INDEX i ON meta(length(%s))' % heavy,
            'CREATE TRIGGER t AFTER INSERT ON meta BEGIN SELECT 1; END',
            "UPDATE sqlite_schema SET sql = replace(sql, 'command TEXT', 'command TEXT CHECK(%s)') "
            "WHERE name = 'process'" % heavy):
        try:
            change('schema.db', statement)
        except sqlite3.Error:
            continue # an SQLite that does not make it
        refused(INPUT, 'not those of a profile', 'report', '-i', 'schema.db', memory=2 << 30)


@case
def views_of_the_users_are_no_harm():
    change('mine.db', 'CREATE VIEW mine AS SELECT * FROM process')
    check(run('report', '-i', 'mine.db')[0] == 0, 'a profile with another view is refused')


# ---- Names that give orders ----

EVIL = "=cmd|' /C x'!A0\x1b[2J\x1b]0;t\x07\n\"a\",b;c\u202e\x9b31m<&>"


def spoil(kind):
    path = 'evil-%s.db' % kind
    evil = "'%s'" % EVIL.replace("'", "''")
    # Of the bytes behind the text some are no UTF-8.
    bad = "CAST(%s || CAST(x'ff80c0af' AS TEXT) || %%s AS TEXT)" % evil
    with sqlite3.connect(change(path, source=profile(kind))) as db:
        db.text_factory = bytes
        for table, column, key in (
                ('place', 'function', 'id'), ('place', 'file', 'id'), ('module', 'path', 'id'),
                ('process', 'command', 'id'), ('process', 'exe', 'id'), ('process', 'state', 'id'),
                ('site', 'name', 'id'), ('site', 'kind', 'id'), ('variable', 'name', 'id'),
                ('variable', 'type', 'id'), ('variable', 'file', 'id'),
                ('variable', 'module', 'id'),
                ('object', 'path', 'id'), ('geometry', 'value', 'name'),
                ('event', 'description', 'id')):
            db.execute('UPDATE %s SET %s = %s' % (table, column, bad % key))
        db.execute('UPDATE event SET name = name || %s || id WHERE id > 8 AND formula IS NULL' %
                   evil)
        db.execute("UPDATE meta SET value = %s WHERE typeof(value) = 'text' AND key <> 'state'" %
                   (bad % 'key'))
        db.execute('INSERT INTO message VALUES(NULL, 0, %s)' % (bad % "'m'"))
    db.close()
    return path


def is_number(field):
    return re.fullmatch(r'[-+][0-9.e+-]*(inf|nan)?', field) is not None


def check_safe(out, arguments):
    check(re.search(rb'[\x00-\x09\x0b-\x1f\x7f]', out) is None,
          arguments, 'prints a control character',
          repr(out[:300]))
    text = out.decode('utf-8') # or it is no UTF-8
    check(not re.search('[\x80-\x9f]', text), arguments, 'prints a control character of 8 bits')
    if '--format=csv' in arguments or '--to=csv' in arguments:
        for row in csv.reader(io.StringIO(text)):
            for field in row:
                check(field[:1] not in '=+-@' or field == '' or is_number(field), arguments,
                      'has a formula', field[:40])
    if out and ('--format=json' in arguments or '--to=json' in arguments or
                '--to=speedscope' in arguments):
        json.loads(text)


@case
def what_is_printed_is_safe_to_paste():
    for kind, views in (('record', VIEWS), ('simulate', EVENT_VIEWS)):
        path = spoil(kind)
        for view in views:
            for form in [[]] if '--folded' in view else FORMS:
                status, out, err = run(*view, *form, '-i', path)
                check(status in (0, INPUT, USAGE), view, form, 'ended with', status,
                      repr(err[:300]))
                check_safe(out, view + form)
                check_safe(err, view)
        for to in EXPORTS:
            status, out, err = run('export', '--to=' + to, '-i', path)
            check(status == 0, 'the export to', to, 'ended with', status, repr(err[:300]))
            if to != 'pprof':
                check_safe(out, ['export', '--to=' + to])
        status, out, err = run('diff', path, path)
        check_safe(out, ['diff'])
        check_safe(err, ['diff'])


@case
def a_name_of_a_file_is_never_blank_in_what_callgrind_reads():
    path = change('blank.db', "UPDATE place SET file = '  '", "UPDATE object SET path = ''",
                  source=profile('simulate'))
    status, out, _ = run('export', '--to=callgrind', '-i', path)
    check(status == 0 and re.search(rb'^(fl|fi|fe|cfi|ob|cob|fn)=\(\d+\) *$',
                                    out.replace(b'???', b''), re.M) is None or b'???' in out,
          'a blank name')
    check(re.search(rb'^\w+=\(\d+\) +$', out, re.M) is None, 'a blank name')


# ---- Input without end ----

@case
def lines_without_end_are_refused():
    with open('/dev/zero', 'rb') as zero:
        refused(INPUT, 'line of more than|zero byte', 'import', '-', '-o', 'import.db',
                memory=2 << 30, stdin=zero)
    refused(INPUT, 'more than', 'simulate', '--cache', 'L1d=32K,8,64', '--trace', '/dev/zero',
            memory=2 << 30)
    refused(USAGE, 'more than', 'simulate', '--config', '/dev/zero', '--', 'true', memory=8 << 30)


@case
def an_expression_too_deep_for_the_library_is_refused():
    for text in '(' * 15000, '(' * 7500 + 'a' + ')' * 7500, 'a' * 100000:
        refused(USAGE, 'too long', 'report', '-i', profile('simulate'), '--focus', text)
        refused(USAGE, 'too long', 'report', '-i', profile('simulate'), '--ignore', text)
    status = run('report', '-i', profile('simulate'), '--focus', '(' * 100 + 'a' + ')' * 100)[0]
    check(status == 0, 'an expression of 201 bytes ended with', status)


# ---- Who may read a profile, and who writes it ----

def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


@case
def profiles_are_nobody_elses_to_read():
    old = os.umask(0)
    try:
        process = subprocess.Popen([DWELL, 'record', '-q', '-o', 'mode.db', '--', 'sh',
                                    '-c', 'echo begins; read x'],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        check(process.stdout.readline() == b'begins\n', 'it did not begin')
        for end in '', '-wal', '-shm':
            check(mode_of('mode.db' + end) == 0o600, 'mode.db' + end, 'is',
                  oct(mode_of('mode.db' + end)))
        check(run('dump', '-o', 'dumped.db', '-p', str(process.pid))[0] == 0, 'no dump')
        process.communicate(b'\n', timeout=SECONDS)
        os.chmod('mode.db', 0o644) # as one of an older version
        check(run('record', '-q', '-o', 'mode.db', '--', 'true')[0] == 0, 'recording failed')
        open('was-empty.db', 'w').close()
        check(run('record', '-q', '-o', 'was-empty.db', '--', 'true')[0] == 0, 'recording failed')
        check(run('merge', '-o', 'merge.db', 'mode.db', 'mode.db.old')[0] == 0, 'merging failed')
        check(run('export', '-i', profile('simulate'), '--to=callgrind', '-o', 'exported')[0] == 0,
              'exporting failed')
        check(run('import', 'exported', '-o', 'imported.db')[0] == 0, 'importing failed')
        for path in ('mode.db', 'mode.db.old', 'was-empty.db', 'dumped.db', 'merge.db',
                     'imported.db'):
            check(mode_of(path) == 0o600, path, 'is', oct(mode_of(path)))
        check(mode_of('exported') == 0o666, 'an export does not follow the mask')
    finally:
        os.umask(old)


@case
def a_number_of_a_process_in_another_namespace_is_nobody():
    apart = ['unshare', '-Ur', '--pid', '--fork', '--kill-child', '--mount-proc']
    if shutil.which('unshare') is None or subprocess.run([*apart, 'true'],
                                                         capture_output=True).returncode != 0:
        raise Skip('no namespace of one\'s own')
    # Not the first process there, and the same number each time.
    again = [*apart, 'sh', '-c', '"$@"; exit $?', 'sh']
    process = subprocess.Popen([*again, DWELL, 'record', '-q', '-o', 'apart.db', '--', 'sh',
                                '-c', 'echo begins; sleep 50'],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    try:
        check(process.stdout.readline() == b'begins\n', 'it did not begin')
        # From here its number means somebody else, and yet it writes.
        status, _, err = run('record', '-q', '-o', 'apart.db', '--', 'true')
        check(status == OUTPUT and b'is being written by process' in err, 'ended with', status, err)
    finally:
        process.kill()
        process.communicate(timeout=SECONDS)
    end = time.monotonic() + 5 # its first process is killed, the others die with it
    status = OUTPUT
    while status == OUTPUT and time.monotonic() < end:
        status, _, err = run('record', '-q', '-o', 'apart.db', '--', 'true', prefix=again)
        time.sleep(0.05)
    check(status == 0, 'the same number, and another process: ended with', status, err)


@case
def the_number_of_another_process_does_not_hold_a_file():
    status, _, err = run('record', '-q', '-o', 'forged.db', '--', 'true')
    check(status == 0, err)
    with sqlite3.connect('forged.db') as db:
        db.execute("UPDATE meta SET value = 'running' WHERE key = 'state'")
        db.execute("UPDATE meta SET value = ? WHERE key = 'collector_pid'", (os.getpid(),))
    db.close()
    status, _, err = run('record', '-q', '-o', 'forged.db', '--', 'true')
    check(status == 0, 'ended with', status, err)
    check(b'cut off' in run('top', '--once', '-i', 'forged.db.old')[1],
          'the number of another is a writer')


@case
def without_proc_that_is_what_is_said():
    apart = ['unshare', '-m', 'sh', '-c', 'umount -l /proc || exit 99; "$@"', 'sh']
    if os.geteuid() != 0 or subprocess.run([*apart, 'true'], capture_output=True).returncode != 0:
        raise Skip('unmounting takes root')
    status, _, err = run('record', '-q', '-o', 'no-proc.db', '--', '/bin/true', prefix=apart)
    check(status == 4 and b'/proc is not mounted' in err, 'ended with', status, err)


# ---- Damage ----

@case
def a_size_of_lines_that_cannot_be_is_said():
    for size in 0, 3, 8192, -1, 1 << 32:
        change('lines.db', "UPDATE meta SET value = %d WHERE key = 'line_bytes'" % size)
        for view in ['report'], ['objects'], ['export', '--to=json']:
            # The size comes with the first counts.
            refused(INPUT, 'has no counts' if size == 0 else 'damaged: it watched lines', *view,
                    '-i', 'lines.db')


@case
def views_over_damaged_cells_end():
    """Any cell of any table has any value: results or sentences, never a crash."""
    chance = random.Random(11)
    values = [None, -1, 0, 1 << 62, -(1 << 63), 1e300, 'x', b'\x00\xff', '[]', '[[]]', '[[1,2],[3',
              '9' * 50, '[' * 5000]
    for kind, views in (('record', VIEWS), ('simulate', EVENT_VIEWS)):
        with sqlite3.connect(profile(kind)) as db:
            tables = [name for name,
                      in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
                      if db.execute('SELECT count(*) FROM ' + name).fetchone()[0] > 0]
            columns = {t: [row[1] for row in db.execute('PRAGMA table_info(%s)' % t)]
                       for t in tables}
        db.close()
        for _ in range(12):
            path = 'cells.db'
            shutil.copy(profile(kind), path)
            with sqlite3.connect(path) as db:
                for _ in range(chance.choice([1, 3])):
                    table = chance.choice(tables)
                    try:
                        db.execute('UPDATE OR REPLACE %s SET %s = ?' %
                                   (table, chance.choice(columns[table])),
                                   (chance.choice(values),))
                    except sqlite3.Error:
                        pass # it must not be NULL
            db.close()
            view = chance.choice(views)
            status, _, err = run(*view, *chance.choice(FORMS if '--folded' not in view else [[]]),
                                 '-i', path)
            check(status in (0, USAGE, INPUT, OUTPUT), view, 'ended with', status, repr(err[:300]))
            check(status == 0 or err.startswith(b'dwell'), view, 'said', repr(err[:300]))


def set_up(dwell, folder):
    global DWELL
    DWELL = dwell


if __name__ == '__main__':
    main('hostile', __doc__, set_up)
