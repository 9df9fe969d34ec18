# SPDX-License-Identifier: GPL-2.0-or-later
"""The programs of curve_set.py in three sets, and their inputs: the same bytes on every machine.

`fit` is for finding the constants of a model, `choose` for choosing between models, `report` for
saying how good the chosen one is: whoever works on the model does not look at these before.
"""
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'transparency'))
import inputs  # noqa: E402

SQL = '''CREATE TABLE part(id INTEGER PRIMARY KEY, kind INT, name TEXT, price REAL);
CREATE TABLE sale(part INT, day INT, pieces INT);
INSERT INTO part WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 7000)
  SELECT i, i * 7919 % 97, 'part ' || (i * 31 % 5003), i % 89 / 7.0 FROM n;
INSERT INTO sale WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
  SELECT i * 7919 % 7000, i * 31 % 365, i % 13 FROM n;
CREATE INDEX sale_part ON sale(part);
SELECT kind, count(*), sum(price * pieces) FROM part JOIN sale ON part.id = sale.part GROUP BY kind ORDER BY 3;
SELECT day, max(pieces), count(DISTINCT part) FROM sale GROUP BY day ORDER BY 3 DESC LIMIT 9;
SELECT name, count(*) FROM part GROUP BY name HAVING count(*) > 2 ORDER BY 1 LIMIT 9;
DELETE FROM sale WHERE pieces = 5;
'''
PYTHON = '''words = open('text').read().split()[:60000]
counts, places = {}, {}
for at, word in enumerate(words):
    counts[word] = counts.get(word, 0) + 1
    places.setdefault(word[:3], []).append(at)
pairs = sorted(((n, w) for w, n in counts.items()), reverse=True)
grid = [[(x * y) % 17 for x in range(160)] for y in range(160)]
for step in range(2):
    grid = [[(grid[y - 1][x] + grid[y][x - 1] + grid[y][x]) % 251 for x in range(160)] for y in range(160)]
objects = [{'key': i * 7919 % 10007, 'next': None} for i in range(30000)]
for a, b in zip(objects, objects[1:]):
    a['next'] = b
objects.sort(key=lambda o: o['key'])
print(pairs[:3], len(places), sum(map(sum, grid)), sum(o['key'] for o in objects if o['next']))
'''
PERL = r'''open my $in, '<', 'text' or die;
my (%count, %after, $last);
$last = '';
while (my $line = <$in>) {
    last if $. > 3500;
    for my $word (split /\W+/, $line) {
        $count{$word}++;
        push @{$after{$last}}, $word;
        $last = $word;
    }
    $line =~ s/([aeiou])([nrst])/$2$1/g;
    $sum += length($line) * ($line =~ tr/a//);
}
my @list = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
print "@list[0..5] $sum ", scalar(map { grep { /ka/ } @$_ } values %after), "\n";
'''
AWK = r'''{ for (i = 1; i <= NF; i++) { n[$i]++; if (i > 1) pair[$(i - 1) " " $i]++ } }
NR % 7 == 0 { gsub(/[aeiou]/, "&x"); total += length($0) }
END { for (p in pair) if (pair[p] > best) best = pair[p]; print length(n), best, total }
'''
BC = '''scale = 600
define f(n) { auto s, t, i; s = 1; t = 1; for (i = 1; i < n; i++) { t /= i; s += t }; return s }
f(400)
x = 1
for (k = 1; k < 1200; k++) x *= k
x
sqrt(2) * sqrt(3)
'''
TCL = '''set in [open text]
set words [lrange [split [read $in 300000]] 0 30000]
foreach w $words { incr count($w); lappend by([string length $w]) $w }
set list [lsort [array names count]]
proc sieve n { set l [lrepeat $n 1]; set c 0
    for {set i 2} {$i < $n} {incr i} { if {[lindex $l $i]} { incr c
        for {set k [expr {$i * 2}]} {$k < $n} {incr k $i} { lset l $k 0 } } }
    return $c }
puts "[llength $list] [sieve 40000] [llength [lsort -unique $by(4)]]"
'''


def orders():
    random = inputs.Random(31415926)
    names = inputs.words(random, 4000)
    return json.dumps([{'id': i, 'name': names[random.next(4000)], 'lines': [
        {'part': random.next(900), 'pieces': random.next(9), 'price': random.next(10000) / 100}
        for _ in range(1 + random.next(5))]} for i in range(9000)]).encode()


def preprocessed():
    source = os.path.join(os.getcwd(), 'steps.c')
    with open(source, 'wb') as f:
        f.write(inputs.c_source(1))
    return subprocess.run(['gcc', '-E', '-P', source], check=True, stdout=subprocess.PIPE).stdout


# file -> its bytes
FILES = {
    'text': lambda: inputs.text(3), 'long-text': lambda: inputs.text(8),
    'binary': lambda: inputs.binary(10),
    'job.sql': SQL.encode, 'job.py': PYTHON.encode, 'job.pl': PERL.encode, 'job.awk': AWK.encode,
    'job.bc': BC.encode, 'job.tcl': TCL.encode,
    'orders.json': orders,
    'steps.i': preprocessed,
}

# set -> program -> command; it runs in the folder of the files. $CC1 is gcc's compiler proper.
SETS = {
    'fit': {'gzip': 'gzip -6 -c binary',
            'sqlite3': 'sqlite3 :memory: -init job.sql .exit',
            'perl': 'perl job.pl',
            'cc1': '$CC1 -quiet -O0 steps.i -o /dev/null',
            'phases-20k': '$ARRAYS phases 20000 3000',
            'multigrid': '$ARRAYS multigrid 256 40',
            'halves': '$ARRAYS halves 8 25',
            'product': '$ARRAYS product 300 0',
            'tree': '$LINKS tree 4 2000000',
            'join': '$LINKS join 524288 3000000',},
    'choose': {'bzip2': 'bzip2 -5 -c text',
               'python3': '/usr/bin/python3 job.py',
               'sort': 'sort --parallel=1 -k3 long-text',
               'jq': 'jq -c [.[]|select(.id%3==1)|{name,'
               'sum:([.lines[]|.pieces*.price]|add)}]|group_by(.name)|map(length) '
               'orders.json',
               'phases-1M': '$ARRAYS phases 1000000 70',
               'zeros': '$ARRAYS zeros 64 6',
               'alignment': '$ARRAYS alignment 1536 4',
               'sparse': '$ARRAYS sparse 60000 30',
               'small-blocks': '$LINKS small_blocks 40000 600',
               'graph': '$LINKS graph 150000 10',},
    'report': {'xz': 'xz -2 -T1 -c text',
               'mawk': 'mawk -f job.awk text',
               'bc': 'bc -q job.bc',
               'openssl': 'openssl enc -des-ede3-cbc -K '
               '123456789abcdef0123456789abcdef0123456789abcdef0 -iv 0123456789abcdef -in binary',
               'tclsh': 'tclsh job.tcl',
               'phases-20M': '$ARRAYS phases 20000000 8',
               'longer-phases': '$ARRAYS longer_phases 100000 50',
               'merge-sort': '$ARRAYS merge_sort 600000 2',
               'heat': '$ARRAYS heat 160 3',
               'butterflies': '$ARRAYS butterflies 18 3',
               'search-tree': '$LINKS search_tree 150000 900000',
               'own-cache': '$LINKS own_cache 60000 2000000',
               'unions': '$LINKS unions 1000000 3000000',
               'queue': '$LINKS queue 120000 4',},}
ENVIRONMENT = {'LC_ALL': 'C', 'PYTHONHASHSEED': '0', 'PERL_HASH_SEED': '0',
               'PERL_PERTURB_KEYS': '0'}


def make_files(folder):
    os.makedirs(folder, exist_ok=True)
    old = os.getcwd()
    os.chdir(folder)
    for name, make in FILES.items():
        if not os.path.exists(name):
            with open(name + '.new', 'wb') as f:
                f.write(make())
            os.rename(name + '.new', name)
    os.chdir(old)


def command_of(name, workloads):
    """The command as a list, or None where its program is missing. `workloads`: folder of our own
    ones.
    """
    command = next(programs[name] for programs in SETS.values() if name in programs).split()
    own = {'$ARRAYS': 'workloads_arrays', '$LINKS': 'workloads_links'}
    if command[0] in own:
        command[0] = os.path.join(workloads, own[command[0]])
    elif command[0] == '$CC1':
        cc1 = shutil.which('gcc') and subprocess.run(['gcc', '-print-prog-name=cc1'],
                                                     stdout=subprocess.PIPE)
        command[0] = cc1.stdout.decode().strip() if cc1 else 'cc1'
    path = shutil.which(command[0])
    return [path] + command[1:] if path else None
