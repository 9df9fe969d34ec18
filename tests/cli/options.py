#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Options, which mean the same in every command, and the words beside them.

    options.py [--dwell PATH] [--walk COLUMN-WALK] [--only EXPRESSION]

Each case prints one line; the exit status is 0 when none failed.
"""
import csv
import json
import os
import re
import shutil
import subprocess

from cases import case, check, main

OPTION = re.compile(r'^ {2,6}(?:-(\S), )?--([a-z][a-z-]*)(?:=\S+)?(?: |$)', re.M)
VIEWS = ['report', 'curve', 'annotate', 'spatial', 'objects', 'paths', 'reuse', 'info', 'processes']


def run(*arguments, options=None, **more):
    """(exit status, stdout, stderr) of dwell."""
    env = {k: v for k, v in os.environ.items() if k != 'DWELL_OPTIONS'}
    if options is not None:
        env['DWELL_OPTIONS'] = options
    done = subprocess.run([DWELL, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=60,
                          env=env, **more)
    return done.returncode, done.stdout, done.stderr


def shows(*arguments, **more):
    status, out, err = run(*arguments, **more)
    check(status == 0, arguments, 'ended with', status, err)
    return out


def refuses(says, *arguments, **more):
    status, out, err = run(*arguments, **more)
    check(status == 2 and out == '' and err.startswith('dwell'), arguments, 'ended with', status,
          out[:99], err)
    check(err.count('\n') == 1, arguments, 'said more than a line:', err)
    check(says in err, arguments, 'said', err, 'and not', says)


def commands():
    return re.findall(r'^  ([a-z]+) +\S', shows('--help').split('Commands:\n')[1].split('\n\n')[0],
                      re.M)


def set_up(folder, dwell, walk):
    global DWELL, WALK
    DWELL, WALK = dwell, walk
    for name, command in {'run': ['record', '--seed', '1'], 'events': ['simulate']}.items():
        status, _, err = run(*command, '-q', '-o', name + '.db', '--', 'sh',
                             '-c', 'seq 1 3000 | sort >/dev/null')
        check(status == 0, err)


@case
def a_letter_and_a_name_mean_one_thing_everywhere():
    letters, names = {}, {}
    for command in commands():
        for letter, name in OPTION.findall(shows(command, '--help')):
            check(names.setdefault(name, letter) == letter, command, name, letter, names)
            check(not letter or letters.setdefault(letter, name) == name, command, letter, name,
                  letters)
    check(letters['i'] == 'input' and letters['p'] == 'pid' and letters['n'] == 'rows', letters)
    check(len(letters) > 15, letters)


@case
def every_command_has_help_and_version():
    for command in commands():
        text = shows(command, '--help')
        check(text.startswith('Usage: dwell %s [OPTION...]' % command), text[:80])
        check(text == shows(command, '-h') == shows('help', command), command)
        check(max(len(line) for line in text.split('\n')) <= 80, command, 'is wide')
        check(shows(command, '--version') == shows(command, '-V') == shows('--version'), command)


@case
def help_tells_defaults_and_choices():
    text = ' '.join(shows('report', '--help').split())
    for words in ('text, csv or json (default: text)', 'thread or data (default: function)',
                  '(default: dwell.db)'):
        check(words in text, words, text)


@case
def a_profile_is_a_word_of_every_view():
    for view in VIEWS:
        check(shows(view, 'run.db') == shows(view, '-i', 'run.db'), view)
        if view != 'curve':
            refuses("'run.db' is one too many", view, '-i', 'run.db', 'run.db', 'run.db')
    check('events.db' in shows('curve', 'run.db', 'run.db',
                               '--process', '0').replace('run.db', 'events.db'), 'two files')
    check(shows('calls', 'events.db') == shows('calls', '-i', 'events.db'), 'calls')
    check(shows('export', '--to', 'csv', 'events.db') == shows('export', '--to', 'csv',
                                                               '-i', 'events.db'), 'export')
    check(shows('top', '--once', 'run.db') == shows('top', '--once', '-i', 'run.db'), 'top')


@case
def a_word_is_a_name_where_it_is_no_profile():
    with open('main', 'w') as f:
        f.write('SQLite, but no profile')
    shutil.copy('run.db', 'profile')
    for view in 'annotate', 'paths', 'reuse':
        # of the file, which is no profile, nothing is read
        refuses("'main'", view, 'run.db', 'main')
        check(shows(view, 'profile') == shows(view, '-i', 'run.db'), view)
        refuses("'profile'", view, '-i', 'run.db', 'profile')
        status, _, err = run(view, 'none.db')
        check(status == 3 and "no profile 'none.db'" in err, status, err)
        refuses("'two.db' is one too many", view, 'run.db', 'two.db')
        refuses("'b' is one too many", view, 'run.db', 'a', 'b')


@case
def the_nearest_word_is_offered():
    for says, arguments in {
            "'reprot' is not a command: did you mean 'report'?": ['reprot'],
            "did you mean 'curve'?": ['help', 'curv'],
            "'--szie' is no option: did you mean '--size'?": ['report', '--szie', '1M'],
            "did you mean '--start-at'?": ['record', '--start=f', '--strat-at', 'f', 'true'],
            "format 'jsn' is unknown: it is text, csv or json; did you mean 'json'?":
            ['report', '--format=jsn'],
            "policy 'lur' is unknown: it is random or lru; did you mean 'lru'?":
            ['curve', '--policy', 'lur'],
            "mode 'coutn' is unknown: it is sample or count; did you mean 'count'?":
            ['record', '--mode=coutn', 'true'],
            "'xyzzy' is not a command: 'dwell --help' lists them": ['xyzzy'],
            "'--xyzzy' is no option: 'dwell info --help' lists them": ['info', '--xyzzy'],
            "'--tree' is no option": ['report', '--tree', 'up']}.items():
        refuses(says, *arguments)


@case
def names_may_be_cut_and_letters_joined():
    full = shows('report', 'events.db', '--inclusive', '--rows', '3', '--by', 'object')
    check(full == shows('report', 'events.db', '-In3', '-bobject') ==
          shows('report', '--incl', '--ro=3', 'events.db', '-b', 'object'),
          'cut names')
    refuses("'--fo' may be --format or --focus", 'report', '--fo', 'x')
    refuses("'--size' lacks its value: --size BYTES", 'report', '--size')
    refuses("'-n' lacks its value: -n N", 'report', '-n')
    refuses("'--inclusive' takes no value", 'report', '--inclusive=yes')
    # The value of some may be left out, and does not follow as a word.
    refuses("line use of '1/x': it is of 'all' lines, or of '1/N', N a power of two up to 4096",
            'simulate', '--line-use=1/x', 'true')
    refuses('no command to simulate', 'simulate', '--line-use')
    check(run('simulate', '-q', '--line-use', 'all')[2] == 'dwell: all: command not found\n',
          'a command is no value')


@case
def a_command_to_run_ends_the_options():
    check(shows('record', '-q', '-o', 'x.db', 'echo', '--help', '-q') == '--help -q\n',
          'without --')
    check(shows('record', '-q', '-o', 'x.db', '--', 'echo', '--', '-h') == '-- -h\n', 'with --')
    refuses('no command to record', 'record', '--')


@case
def the_environment_has_options_for_all_commands():
    environment = '--size 64K --format=json -n 3 --tree up'
    for view in 'report', 'objects':
        check(shows(view, 'run.db', options=environment) == shows(view, 'run.db', '--size', '64K',
                                                                  '--format=json', '-n', '3'), view)
    check(shows('info', 'run.db', options=environment) == shows('info', 'run.db',
                                                                '--format', 'json'), 'info')
    # The command line wins, also over lists; and what does not fit there asks for nothing.
    check(shows('objects', 'run.db', '--format=csv', '--size=1M', options=environment) ==
          shows('objects', 'run.db', '--format=csv', '--size=1M', '-n', '3'), 'command line')
    check(shows('spatial', 'run.db', '-s', '64K',
                options='-s 32K -s 1M') == shows('spatial', 'run.db', '-s', '64K'), 'list')
    check(shows('report', 'run.db', options='-i none.db') == shows('report', 'run.db'), 'file')
    check(shows('report', options='-i run.db') == shows('report', 'run.db'), '-i')
    check(shows('report', 'events.db', options='--size 64K') == shows('report', 'events.db'),
          'events')
    check(shows('report', 'run.db', options='--sort Ir --by line') == shows('report', 'run.db'),
          'samples')
    check(shows('report', 'events.db', options=r"""--focus 'a b' -e "x = 2*Ir" -e D\r""") ==
          shows('report', 'events.db', '--focus', 'a b', '-e', 'x = 2*Ir', '-e', 'Dr'), 'quotes')
    check(run('record', '-q', '-o', 'x.db', 'true', options='--period 9 --delay 1 -n 3')[0] == 0,
          'record')


@case
def what_is_wrong_in_the_environment_is_said_to_be_there():
    for says, options in {
            "in DWELL_OPTIONS: '--sizee' is no option: did you mean '--size'?": '--sizee 1M',
            "in DWELL_OPTIONS: 'x' is not a size": '--size x',
            "in DWELL_OPTIONS: format 'yaml' is unknown": '--format yaml',
            "in DWELL_OPTIONS: 'run.db' is no option": 'run.db',
            "in DWELL_OPTIONS: '--rows' lacks its value": '--rows',
            "in DWELL_OPTIONS: a quote ' is not closed": "--focus 'x"}.items():
        refuses(says, 'report', 'run.db', options=options)
    check(shows('report', 'run.db', options='') == shows('report', 'run.db', options='   ') ==
          shows('report', 'run.db'), 'empty')


@case
def views_that_take_a_policy_tell_it():
    def caches(policy):
        return json.loads(shows('report', 'run.db', '--format=json', '--policy', policy,
                                '--caches', '4K,8K'))['caches']

    check(caches('lru') != caches('random'), 'they are alike')
    for view in 'report', 'spatial', 'curve':
        check('LRU' in shows(view, 'run.db', '--policy', 'lru') and
              'LRU' not in shows(view, 'run.db'), view)
    refuses('--policy is for', 'report', 'events.db', '--policy', 'lru')
    refuses('not by loop', 'report', 'run.db', '--by', 'loop')


@case
def rows_are_chosen_by_focus_and_ignore():
    def names(*arguments, key, rows):
        return [row[key] for row in json.loads(shows(*arguments, '--format=json'))[rows]]

    for view, rows, key in [('report', 'functions', 'function'), ('report', 'lines', 'function'),
                            ('report', 'objects', 'name'),
                            ('annotate', 'functions', 'name'), ('objects', 'objects', 'name')]:
        whole = names(view, 'run.db', rows=rows, key=key)
        some = [n for n in whole if re.search('^m|libc', n or '')]
        focused = names(view, 'run.db', '--focus', '^m|libc', rows=rows, key=key)
        # files match as well
        check(set(some) <= set(focused) < set(whole), view, rows, some, focused)
        ignored = names(view, 'run.db', '--ignore', '^m|libc', rows=rows, key=key)
        check(not set(some) & set(ignored) and
              sorted(map(str, focused + ignored)) == sorted(map(str, whole)), view, rows, ignored)
        check(names(view, 'run.db', '--focus', '^m|libc', '--ignore', '.', rows=rows,
                    key=key) == [], view)
    paths = names('paths', 'run.db', rows='paths', key='functions')
    check([p for p in paths if p[0].startswith('m')] ==
          names('paths', 'run.db', '--focus', '^m', rows='paths', key='functions'), 'paths')
    check('No functions match what --focus and --ignore say.' in shows('annotate', 'run.db',
                                                                       '--focus', 'no such'),
          'none')
    one = shows('annotate', 'events.db', '--focus', 'main', '--format=csv')
    check(1 < one.count('\n') < shows('annotate', 'events.db', '--format=csv').count('\n'), one)
    refuses("'(' is no regular expression", 'objects', 'run.db', '--focus', '(')


@case
def rows_of_samples_are_sorted_by_any_of_their_columns():
    def rows(*arguments, key):
        return json.loads(shows(*arguments, '--format=json'))[key]

    for view, key in [('annotate', 'functions'), ('paths', 'paths'), ('objects', 'objects'),
                      ('report', 'functions'), ('reuse', 'rows')]:
        for order, column in [('accesses', 'accesses'), ('samples', 'samples'),
                              ('ratio', 'miss_ratio'), ('cost', 'cost_share')]:
            if view in ('paths', 'reuse'):
                shows(view, 'run.db', '--sort', order)
                continue
            values = [row.get(column, 0) for row in rows(view, 'run.db', '--sort', order, key=key)]
            check(len(values) > 1 and values == sorted(values, reverse=True), view, order, values)
        # What the run waits for are first touches: the default is as with a size.
        for order, options in ('misses', []), ('misses', ['-s', '64K']):
            check(shows(view, 'run.db', '--sort', order, *options) ==
                  shows(view, 'run.db', *options), view, order)
        refuses("not by 'Ir'", view, 'run.db', '--sort', 'Ir')
    refuses('--sort is of the list', 'annotate', 'run.db', 'main', '--sort', 'accesses')
    for path in 'run.db', 'events.db':
        refuses('--focus is of the list', 'annotate', path, 'main', '--focus', 'x')
    refuses("no option of 'dwell spatial'", 'spatial', 'run.db', '--sort', 'misses')
    refuses("no option of 'dwell curve'", 'curve', 'run.db', '--focus', 'x')
    check('A: ' in shows('diff', 'run.db', 'run.db', '--sort', 'accesses'), 'diff')
    refuses("not by 'Ir'", 'diff', 'run.db', 'run.db', '--sort', 'Ir')


@case
def rows_without_misses_are_left_out_of_text():
    """But for those who ask for a number of rows, for another order, or for a name."""
    def table(view, *options):
        """Its shares, and the number of rows that it leaves out."""
        text = shows(view, 'walk.db', '-s', '32K',
                     *options).split('DATA STRUCTURE\n')[-1].split('\n\n')[0]
        left = re.search(r'\n\.\.\. and (\d+) more', text)
        # The first share is that of the cost.
        return (re.findall(r'^ *[\d.]+ % +([\d.]+) %', text, re.M),
                int(left.group(1)) if left else 0)

    status, _, err = run('record', '-q', '--seed', '1', '-o', 'walk.db', '--', WALK, '2000')
    check(status == 0, err)
    rows = list(csv.DictReader(shows('objects', 'walk.db', '-s', '32K',
                                     '--format', 'csv').splitlines()))
    some = sum(float(row['miss_share']) >= 0.00005 for row in rows)
    check(0 < some < 10 < len(rows), some, len(rows))
    for view, most in ('report', 10), ('objects', 20):
        check(shows(view, 'walk.db') == shows(view, 'walk.db', '--sort', 'cost') !=
              shows(view, 'walk.db', '--sort', 'samples'), view, 'by cost')
        shares, left = table(view)
        check(len(shares) == min(some, most) and '0.00' not in shares, view, shares)
        check(len(shares) + left == len(rows), view, len(shares), left, len(rows))
        for options in ['-n', '1000'], ['-n', '1000', '--sort', 'ratio']:
            check(len(table(view, *options)[0]) == len(rows) and table(view, *options)[1] == 0,
                  view, options)
        check(table(view, '--sort', 'samples')[0] == table(view, '--sort', 'samples',
                                                           '-n', str(most))[0], view)
    little = next(row['name'] for row in rows if float(row['miss_share']) < 0.00005)
    check('0.00' in table('objects', little)[0] and
          '0.00' in table('objects', '--focus', '^%s$' % re.escape(little))[0], little)


@case
def sets_mean_the_same_in_all_views_of_samples():
    for view in 'report', 'paths', 'reuse', 'objects', 'annotate', 'spatial':
        text = shows(view, 'run.db', '--ways', '8', '--policy', 'lru')
        check('8-way' in text and 'LRU' in text, view, text)
    for view in 'report', 'paths', 'objects', 'reuse', 'annotate':
        refuses('could not hold a set of 4096 lines', view, 'run.db', '--ways', '4096',
                '--size', '32K')
    for view in 'report', 'annotate':
        refuses('--ways is for those', view, 'events.db', '--ways', '8')
    refuses('--ways is for profiles of samples', 'diff', 'events.db', 'events.db', '--ways', '8')
    check('8-way' in shows('diff', 'run.db', 'run.db', '--ways', '8', '--sort', 'samples'), 'diff')
    one, eight = (shows('processes', 'run.db', '--ways', n, '--format=csv') for n in '18')
    check(one != eight, 'processes')


@case
def csv_and_json_say_what_miss_ratios_assume():
    function = json.loads(shows('annotate', 'run.db', '--format=json'))['functions'][0]['name']
    for view in [['report'], ['annotate'], ['annotate', function], ['objects'], ['paths'],
                 ['reuse'], ['spatial'], ['curve'],
                 ['processes'], ['diff', 'run.db']]:
        for options, policy, ways in [([], 'random', None),
                                      (['--policy', 'lru', '--ways', '8'], 'lru', 8)]:
            answer = json.loads(shows(*view, 'run.db', *options, '--format=json'))
            check((answer['policy'], answer['ways']) == (policy, ways), view, options,
                  answer['policy'], answer['ways'])
            rows = list(csv.DictReader(shows(*view, 'run.db', *options,
                                             '--format=csv').splitlines()))
            said = {(row['policy'], row['ways']) for row in rows}
            check((policy, str(ways or '')) in said and said <= {(policy, str(ways or '')),
                                                                 ('', '')}, view, options, said)


@case
def reuses_and_differences_are_chosen_by_focus_and_ignore():
    check('No reuse matches' in shows('reuse', 'run.db', '--focus', 'nothing is called so'),
          'reuse')
    check('No row matches' in shows('diff', 'run.db', 'run.db', '--focus', 'nothing is called so'),
          'diff')
    for files, key in [(('run.db', 'run.db'), 'rows'), (('events.db', 'events.db'), 'rows')]:
        whole = json.loads(shows('diff', *files, '--format=json'))[key]
        some = json.loads(shows('diff', *files, '--ignore', '^m', '--format=json'))[key]
        check(0 < len(some) < len(whole), files, len(some), len(whole))


@case
def calls_are_chosen_by_focus_and_ignore():
    def calls(*arguments):
        return json.loads(shows('calls', 'events.db', *arguments, '--format=json'))['calls']

    def names(call):
        return [call['caller'] or '', call['callee']]

    whole = calls()
    name = next(c['callee'] for c in whole if c['caller'] and re.fullmatch(r'\w+', c['callee']))
    only = '^%s$' % name
    some = calls('--focus', only)
    check(0 < len(some) < len(whole) and all(name in names(c) for c in some), 'focus', name, some)
    check(not any(name in names(c) for c in calls('--ignore', only)), 'ignore', name)
    paths = [c['path'] for c in calls('--tree', 'down', '--focus', only, '--threshold', '0')]
    ends = [p for p in paths if p[-1] == name]
    check(ends and all(any(p[:len(q)] == q or q[:len(p)] == p for q in ends) for p in paths),
          'tree', name, paths)
    check(not any(name in c['path'] for c in calls('--tree', 'down', '--ignore', only,
                                                   '--threshold', '0')), 'a tree is cut')
    check('No call matches' in shows('calls', 'events.db', '--focus', 'nothing is called so'),
          'none')
    refuses("'(' is no regular expression", 'calls', 'events.db', '--focus', '(')


@case
def a_thread_is_chosen_where_the_profile_tells_them_apart():
    with open('callgrind.out', 'w') as f:
        for thread, cost in (1, 5), (2, 3):
            f.write('pid: 7\nthread: %d\nevents: Ir\nfn=f\n1 %d\ntotals: %d\n' % (thread, cost,
                                                                                  cost))
    status, _, err = run('import', 'callgrind.out', '-o', 'threads.db')
    check(status == 0, err)
    for view, options, key in [('report', [], 'totals'), ('calls', [], 'totals')]:
        sums = [json.loads(shows(view, 'threads.db', *options, *thread, '--format=json'))[key]['Ir']
                for thread in ([], ['--thread', '1'], ['--thread', '2'])]
        check(sums == [8, 5, 3], view, sums)
    check('thread 2' in shows('report', 'threads.db', '--thread', '2'), 'the heading')
    check(json.loads(shows('diff', 'threads.db', 'threads.db', '--thread', '1',
                           '--format=json'))['totals']['Ir']['b'] == 5, 'diff')
    for view, path, says in [('report', 'threads.db', 'no thread 3'),
                             ('calls', 'events.db', 'does not tell threads apart')]:
        status, _, err = run(view, path, '--thread', '3')
        check(status == 3 and says in err, view, status, err)
    for view in 'report', 'annotate':
        refuses('--thread is for those of', view, 'run.db', '--thread', '0')
    one = json.loads(shows('curve', 'run.db', '--thread', '0', '--format=json'))['curves']
    check([c['curve'] for c in one] == ['thread 0'], 'curve', one)
    check(json.loads(shows('spatial', 'run.db', '--thread', '0', '--format=json'))['part'] == '0',
          'spatial')
    for view in 'curve', 'spatial':
        refuses('no samples of thread 9', view, 'run.db', '--thread', '9')
    refuses('--thread is for profiles of events', 'diff', 'run.db', 'run.db', '--thread', '0')
    refuses("thread 'x' is not a whole number", 'report', 'threads.db', '--thread', 'x')


@case
def processes_and_top_have_an_order_and_rows():
    def column(key, *arguments):
        return [row[key] for row in json.loads(shows('processes', 'run.db', *arguments,
                                                     '--format=json'))['processes']]

    for order, key in [('accesses', 'accesses'), ('samples', 'samples')]:
        values = column(key, '--sort', order)
        check(values == sorted(values, reverse=True), order, values)
    check(column('id', '--sort', 'accesses') == column('id'), 'the usual order')
    for order in 'ratio', 'misses':
        check('in a cache of' in ' '.join(shows('processes', 'run.db', '--sort', order).split()),
              order)
    refuses("not by 'Ir'", 'processes', 'run.db', '--sort', 'Ir')
    # But for the widths of columns, which depend on the rows.
    whole, one = ('\n'.join(' '.join(line.split()) for line in
                            shows('top', '--once', '--show', 'functions', 'run.db', '-n',
                                  n).splitlines(True)) for n in ('1000', '1'))
    check(whole.startswith(one) and one.count('\n') == 5, 'top', one)
    check('process 0' in shows('top', '--once', '--process', '0', 'run.db'), 'top --process')
    status, _, err = run('top', '--once', '--process', '99', 'run.db')
    check(status == 3 and 'no process 99' in err, status, err)


@case
def processes_have_rows_and_caches():
    text = shows('processes', 'run.db')
    check(shows('processes', 'run.db', '-n', '99') == text != shows('processes', 'run.db',
                                                                    '-n', '1'), '-n')
    check('128K' in re.sub('[^0-9K]', ' ', shows('processes', 'run.db', '--caches', '16K,128K')) or
          shows('processes', 'run.db', '--caches', '16K,128K',
                '--format', 'csv') != shows('processes', 'run.db', '--format', 'csv'), 'caches')
    check(shows('top', '--once', 'run.db', options='-p 1') == shows('top', '--once', 'run.db'),
          'top: the word wins')


main('options', __doc__, set_up, walk='build/examples/column-walk')
