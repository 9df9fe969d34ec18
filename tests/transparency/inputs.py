#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Inputs for the transparency cases and the benchmark: the same bytes on every machine.

    inputs.py DIRECTORY [SCALE]

SCALE 1 makes files of some hundred kilobytes; sizes grow in proportion.
"""
import os
import sys


class Random:
    """A generator of our own: the library's may change between versions."""

    def __init__(self, seed):
        self.state = seed

    def next(self, bound):
        self.state ^= (self.state << 13) & 0xffffffffffffffff
        self.state ^= self.state >> 7
        self.state ^= (self.state << 17) & 0xffffffffffffffff
        return (self.state >> 11) % bound


SYLLABLES = 'ka lo mi ter an des ver ru ston el ba qui fa nor im pe sol ti gra un'.split()


def words(random, count):
    vocabulary = [''.join(SYLLABLES[random.next(len(SYLLABLES))] for _ in range(1 + random.next(4)))
                  for _ in range(3000)]
    # The least of three draws: frequent words and rare ones, as in a language.
    return [vocabulary[min(random.next(3000) for _ in range(3))] for _ in range(count)]


def text(scale):
    random = Random(88172645463325252)
    out, line = [], []
    for word in words(random, 60000 * scale):
        line.append(word)
        if random.next(11) == 0:
            out.append(' '.join(line) + '.')
            line = []
    return ('\n'.join(out) + '\n').encode()


def binary(scale):
    """Half noise, half runs: what compressors of pictures and programs meet."""
    random = Random(12345678901)
    out = bytearray()
    while len(out) < 150000 * scale:
        if random.next(2):
            out += bytes(random.next(256) for _ in range(64))
        else:
            out += bytes([random.next(256)]) * (16 + random.next(200))
    return bytes(out)


def sql(scale):
    random = Random(777)
    out = ['CREATE TABLE t(id INTEGER PRIMARY KEY, a INT, b TEXT, c REAL);',
           'CREATE TABLE u(k INT, v TEXT);', 'BEGIN;']
    names = words(random, 500)
    for i in range(6000 * scale):
        out.append("INSERT INTO t VALUES(%d,%d,'%s',%d.%d);" % (
            i, random.next(1000), names[random.next(500)], random.next(100), random.next(10)))
        if i % 3 == 0:
            out.append("INSERT INTO u VALUES(%d,'%s');" % (random.next(1000), names[i % 500]))
    out += ['COMMIT;', 'CREATE INDEX ta ON t(a);', 'CREATE INDEX tb ON t(b);',
            'SELECT count(*), sum(a), round(avg(c),6) FROM t;',
            'SELECT b, count(*) n, sum(a) FROM t GROUP BY b ORDER BY n DESC, b LIMIT 20;',
            'SELECT count(*), sum(length(v)) FROM t JOIN u ON t.a = u.k WHERE t.c > 20;',
            "UPDATE t SET c = c + a WHERE b LIKE 'ka%';",
            'DELETE FROM t WHERE a % 7 = 3;',
            'SELECT a, group_concat(b) FROM (SELECT * FROM t ORDER BY id LIMIT 30) GROUP BY a;',
            'SELECT t1.b, '
            'max(t1.c) FROM t t1 JOIN t t2 ON t1.a = t2.a GROUP BY t1.b ORDER BY 1 LIMIT 9;',
            'VACUUM;', 'PRAGMA integrity_check;', 'SELECT sum(id), total(c) FROM t;']
    return ('\n'.join(out) + '\n').encode()


def c_source(scale):
    random = Random(4242)
    out = ['#include <stdio.h>', '#include <stdlib.h>', '#include <string.h>',
           'struct node { struct node *next; int key; double weight; char name[24]; };']
    count = 120 * scale
    for i in range(count):
        a, b, c = (1 + random.next(99) for _ in range(3))
        out.append(f'''
static int step{i}(struct node *list, int n, const int *v)
{{
	int sum = {a};
	for (int i = 0; i < n; i++) {{
		switch (v[i] % {3 + i % 7}) {{
		case 0: sum += v[i] * {b}; break;
		case 1: sum ^= v[i] >> {i % 5}; break;
		case 2: sum -= list ? list->key : {c}; break;
		default: sum = sum * {a} + (int)((double)v[i] / {b}.5);
		}}
		if (list && sum % {c} == 0) {{
			snprintf(list->name, sizeof(list->name), "n%d", sum);
			list->weight += strlen(list->name) * {b};
			list = list->next;
		}}
	}}
	return sum{' + step%d(list, n / 2, v)' % (i - 1) if i and i % 3 else ''};
}}''')
    out.append('int main(void)\n{\n\tint v[64];\n\tstruct node l[8] = {0};\n\tunsigned sum = 0;\n'
               '\tfor (int i = 0; i < 64; i++)\n\t\tv[i] = i * 37 % 101;\n'
               '\tfor (int i = 0; i < 7; i++)\n\t\tl[i].next = &l[i + 1], l[i].key = i;')
    out += ['\tsum = sum * 31 + (unsigned)step%d(l, 64, v);' % i for i in range(count)]
    out.append('\tprintf("%u\\n", sum);\n\treturn 0;\n}\n')
    return '\n'.join(out).encode()


CXX = b'''#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <vector>
template <typename T> struct tree { T value; std::unique_ptr<tree> left, right; };
int main()
{
	std::map<std::string, std::vector<int>> index;
	std::stringstream text("a b c a d a b e f c a");
	std::string word;
	for (int i = 0; text >> word; i++)
		index[word].push_back(i);
	std::regex vowels("[aeiou]");
	for (const auto &[w, at] : index)
		std::cout << w << (std::regex_match(w, vowels) ? "* " : " ") << at.size() << "\\n";
	try {
		std::cout << index.at("zzz").size();
	} catch (const std::out_of_range &) {
		std::cout << "caught\\n";
	}
}
'''

PYTHON = b'''import collections, hashlib, json, re, sys, threading
n = int(sys.argv[1]) if len(sys.argv) > 1 else 1
counts = collections.Counter()
for i in range(60000 * n):
    counts[(i * 2654435761 >> 7) % 997] += i
table = {str(k): [v % m for m in range(1, 20)] for k, v in counts.items()}
text = json.dumps(table, sort_keys=True)
print(hashlib.sha256(text.encode()).hexdigest(), len(re.findall(r"1[0-9]+2", text)))
def primes(limit):
    sieve = bytearray([1]) * limit
    for i in range(2, int(limit ** 0.5) + 1):
        if sieve[i]:
            sieve[i * i::i] = bytes(len(sieve[i * i::i]))
    return sum(sieve) - 2
result = []
threads = [threading.Thread(target=lambda k=k: result.append(primes(20000 * n + k))) for k in range(4)]
[t.start() for t in threads], [t.join() for t in threads]
print(sorted(result))
class Node:
    def __init__(self, depth):
        self.kids = [Node(depth - 1) for _ in range(3)] if depth else []
    def count(self):
        return 1 + sum(k.count() for k in self.kids)
print(sum(Node(7).count() for _ in range(2 * n)))
try:
    [][1]
except IndexError as e:
    print(e)
'''

PERL = b'''use strict; use warnings;
my $n = shift || 1; my %h; my $s = 42;
for my $i (1 .. 80000 * $n) { $s = ($s * 1103515245 + 12345) & 0x7fffffff; $h{$s % 5003} .= chr(97 + $s % 26); }
my @k = sort { length($h{$b}) <=> length($h{$a}) || $a <=> $b } keys %h;
print "$k[0] ", length($h{$k[0]}), " ", scalar(@k), "\\n";
my $text = join " ", map { $h{$_} } @k; my $c = 0; $c++ while $text =~ /([aeiou])[^aeiou]+\\1/g;
(my $t = $text) =~ tr/a-m/n-z/; print "$c ", unpack("%32C*", $t), "\\n";
my @m = map { [map { $_ * 3 % 17 } 1 .. 60] } 1 .. 60; my $sum = 0;
for my $r (1 .. 4 * $n) { for my $i (0 .. 59) { for my $j (0 .. 59) { $sum += $m[$i][$j] * $m[$j][$i] } } }
print "$sum\\n"; eval { die { code => 7 } }; print "died $@->{code}\\n";
printf "%s\\n", join ",", (split /k/, $text)[1 .. 3];
'''

NODE = b'''const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const crypto = require('crypto'), zlib = require('zlib');
function mix(n) { let h = 1; for (let i = 0; i < n; i++) h = (Math.imul(h, 31) + i) | 0; return h; }
if (!isMainThread) { parentPort.postMessage(mix(workerData)); return; }
console.log(mix(3000000), [5, 3, 9].sort().map(x => x * 1.5).join());
const o = {}; for (let i = 0; i < 50000; i++) o['k' + i % 777] = (o['k' + i % 777] || 0) + i;
console.log(crypto.createHash('sha256').update(JSON.stringify(o)).digest('hex'));
console.log(zlib.gunzipSync(zlib.gzipSync(Buffer.alloc(100000, 'abc'))).length);
try { null.x } catch (e) { console.log(e.constructor.name) }
Promise.all([1, 2, 3].map(i => new Promise(r => {
  new Worker(__filename, { workerData: i * 500000 }).on('message', r); }))).then(r => console.log(r.join()));
'''

JAVA = b'''import java.util.*; import java.util.concurrent.*;
public class Small {
  public static void main(String[] a) throws Exception {
    Map<Integer, Integer> m = new TreeMap<>(); long h = 7;
    for (int i = 0; i < 300000; i++) { h = h * 6364136223846793005L + 1442695040888963407L; m.merge((int) (h >>> 54), 1, Integer::sum); }
    System.out.println(m.size() + " " + h);
    ExecutorService e = Executors.newFixedThreadPool(3); List<Future<Long>> f = new ArrayList<>();
    for (int t = 0; t < 6; t++) { final int k = t; f.add(e.submit(() -> { long s = 0; for (int i = 0; i < 500000; i++) s += i ^ k; return s; })); }
    for (Future<Long> x : f) System.out.println(x.get()); e.shutdown();
    try { Object o = null; o.hashCode(); } catch (NullPointerException n) { System.out.println("caught"); }
    try { System.out.println(deep(0)); } catch (StackOverflowError s) { System.out.println("deep"); }
  }
  static int deep(int n) { return deep(n + 1) + 1; }
}
'''


def make(directory, scale=1):
    """Write all inputs; existing directories are filled again with the same bytes."""
    os.makedirs(directory, exist_ok=True)
    files = {'text': text(scale), 'binary': binary(scale), 'job.sql': sql(scale),
             'steps.c': c_source(scale), 'small.cc': CXX, 'job.py': PYTHON, 'job.pl': PERL,
             'job.js': NODE, 'Small.java': JAVA}
    for name, content in files.items():
        with open(os.path.join(directory, name), 'wb') as f:
            f.write(content)


if __name__ == '__main__':
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    make(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1)
