#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Random programs whose accesses are the same under each tool: see prelude.c.

    random_program.py SEED FOLDER

Writes FOLDER/SEED.c, builds FOLDER/SEED, and writes FOLDER/SEED.map for naive_whose. `make` does
that for tests.
"""
import os
import random
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
IMAGE = 0x400000  # where it begins; gaps between variables are data, too
MAP_AT = 0x10000000
MAPPING = 1 << 16
ALLOCATORS = ['malloc', 'calloc', 'realloc']
FLAGS = ['-nostdlib', '-static', '-no-pie',
         '-ffreestanding', '-fno-builtin', '-fno-stack-protector', '-w', '-std=gnu17',
         '-fno-pic', '-fno-tree-loop-distribute-patterns', '-fno-optimize-sibling-calls',
         '-fcf-protection=none',
         '-fno-reorder-blocks-and-partition', '-fasynchronous-unwind-tables', '-Wl,--eh-frame-hdr',
         '-Wl,--build-id=none']


class Arrays:
    """Global arrays: (name, type, elements)."""

    def __init__(self, rng):
        self.rng = rng
        self.all = []
        for i in range(rng.randint(3, 7)):
            kind = rng.choice(['u8', 'u16', 'u32', 'u64'])
            self.all.append(('g%d' % i, kind, rng.choice([5, 24, 100, 511, 1024, 2000, 4096])))

    def text(self):
        lines = []
        for name, kind, n in self.all:
            align = self.rng.choice(['', '', ' __attribute__((aligned(64)))',
                                     ' __attribute__((aligned(4096)))'])
            lines.append('%s %s[%d]%s;' % (kind, name, n, align))
        # Records that straddle lines.
        lines.append('struct __attribute__((packed)) odd { u8 a; u64 b; u16 c; u32 d; } odd[%d];' %
                     self.rng.randint(20, 400))
        lines.append('u64 matrix[%d][%d];' % (self.rng.randint(8, 40),
                                              self.rng.choice([8, 17, 64])))
        return '\n'.join(lines)

    def pick(self):
        return self.rng.choice(self.all)


LIST = '''
struct node { struct node *next; u64 value; u8 more[%d]; } *head%d;
NOINLINE void push%d(u64 n) { while (n--) { struct node *x = malloc(sizeof *x); x->next = head%d; x->value = n; head%d = x; } }
NOINLINE void drop%d(u64 n) { while (n-- && head%d) { struct node *x = head%d; head%d = x->next; free(x); } }
NOINLINE u64 sum%d(void) { u64 s = 0; for (struct node *x = head%d; x; x = x->next) s += x->value++; return s; }
'''
TABLE = '''
u8 *slot%d[%d]; u64 length%d[%d];
NOINLINE void change%d(void) {
  u64 k = draw(%d), n = 1 + draw(%d);
  if (slot%d[k]) free(slot%d[k]);
  slot%d[k] = malloc(n); length%d[k] = n;
}
NOINLINE u64 use%d(void) {
  u64 s = 0;
  for (u64 k = 0; k < %d; k++)
    for (u64 i = 0; slot%d[k] && i < length%d[k]; i += %d)
      s += slot%d[k][i] ^= (u8)i;
  return s;
}
NOINLINE void resize%d(void) {
  u64 k = draw(%d), n = 1 + draw(%d);
  slot%d[k] = slot%d[k] ? realloc(slot%d[k], n, length%d[k]) : calloc(n, 1);
  length%d[k] = n;
}
'''


def work(rng, arrays, i):
    """A function over global arrays."""
    lines = ['NOINLINE u64 work%d(u64 s) {' % i]
    for _ in range(rng.randint(1, 6)):
        (a, _, n), (b, _, k), (c, _, l) = (arrays.pick() for _ in range(3))
        step, both = rng.choice([1, 1, 1, 2, 7, 16]), min(n, k)
        lines.append(
            '  ' + rng.choice(
                ['for (u64 i = 0; i < {n}; i += {step}) s += {a}[i];',
                 'for (u64 i = 0; i < {n}; i += {step}) {a}[i] = i + s;',
                 'for (u64 i = 0; i < {n}; i += {step}) {a}[i] ^= 3;',
                 'for (u64 i = {n}; i-- > 0;) s ^= {a}[i];',
                 'for (u64 i = 0; i < {both}; i++) {a}[i] += {b}[i];',
                 'for (u64 i = 0; i < {both}; i++) {a}[i] = {b}[i] * {c}[i % {l}];',
                 'for (u64 i = 0; i < {r}; i++) s += {a}[draw({n})];',
                 'for (u64 i = 0; i < {r}; i++) {a}[draw({n})]++;',
                 'for (u64 i = 0; i < {r}; i++) {a}[{b}[i % {k}] % {n}] += s;',
                 'for (u64 i = 0; i < sizeof odd / sizeof *odd; i++) {{ '
                 's += odd[i].b; odd[i].d++; }}',
                 'for (u64 i = 0; i < {r}; i++) odd[draw(sizeof odd / sizeof *odd)].b += i;',
                 'for (u64 j = 0; j < sizeof *matrix / 8; j++) for (u64 i = 0; i < '
                 'sizeof matrix / sizeof *matrix; i++) s += matrix[i][j];',
                 'if (s & 1) s += work{above}(s >> 1);',
                 '__asm__ volatile("push %0; pop %0" : "+r"(s));',
                 # Instructions of other kinds: of strings, exchanges, vectors that straddle
                 # lines, calls by a pointer in memory.
                 '{{ void *to = {a}; u64 n = draw(sizeof {a}); __asm__ volatile("rep stosb" : '
                 '"+D"(to), "+c"(n) : "a"((int)s) : "memory"); }}',
                 '{{ void *to = {a}, *from = {b}; u64 n = draw(sizeof {b} < sizeof {a} ? sizeof '
                 '{b} : sizeof {a}) / 4; '
                 '__asm__ volatile("rep movsl" : "+D"(to), "+S"(from), "+c"(n) :: "memory"); }}',
                 '{{ void *to = {a}, *from = {b}; __asm__ volatile("movsb" : "+D"(to), "+S"(from) '
                 ':: "memory"); }}',
                 'for (u64 i = 0; i < {r}; i++) s += __atomic_exchange_n(&{a}[draw({n})], 3, '
                 '__ATOMIC_RELAXED);',
                 'for (u64 i = 0; i < {r}; i++) __atomic_fetch_add(&{a}[draw({n})], s, '
                 '__ATOMIC_RELAXED);',
                 'for (u64 i = 0; i < {r}; i++) {{ wide *w = (wide *)(area + draw(sizeof area / '
                 '{part} - sizeof *w)); *w += 3; s += (*w)[1]; }}',
                 's += by_pointer[{i} % 2](s);',
                 'MAPPED',]).replace('MAPPED', 'for (u64 i = 0; i < {r}; i++) '
                                     '((volatile u32 *){at:#x}ul)[draw({words})] += i;') .format(
                a=a, b=b, c=c, n=n, k=k, l=l, step=step, both=both, r=rng.randint(3, 150),
                part=rng.choice([1, 16, 128]), i=i, above=max(0, i - 1) if i else 0,
                at=MAP_AT, words=MAPPING // 4 // rng.choice([1, 16])))
        if i == 0:
            lines[-1] = re.sub(r'if \(s & 1\).*', 's++;', lines[-1])
    if rng.random() < 0.3:  # much code, run once
        a, _, n = arrays.pick()
        lines += ['  s = s * %d + %s[s %% %d];' % (rng.randint(3, 99), a, n)
                  for _ in range(rng.randint(20, 80))]
    return '\n'.join(lines + ['  return s;', '}'])


def source(seed, calls):
    rng = random.Random(seed)
    arrays = Arrays(rng)
    lists, tables, works = rng.randint(1, 3), rng.randint(1, 3), rng.randint(3, 12)
    parts = ['#define SEED %dul' % (seed * 2 + 1), '#define MAPS 1',
             '#define MAP_AT %#xul' % MAP_AT,
             '#include "%s"' % os.path.join(HERE, 'prelude.c'), arrays.text(),
             'typedef u64 wide __attribute__((vector_size(%d), aligned(1), may_alias));' %
             (32 if seed % 4 == 3 else 16),
             'u8 area[32768];', 'NOINLINE u64 twice(u64 s) { return 2 * s; }',
             'NOINLINE u64 half(u64 s) { return s / 2; }',
             'u64 (*volatile by_pointer[])(u64) = {twice, half};']
    body = ['void run(void) {', '  volatile u64 s = 1;', '  map();',
            '  for (u64 i = 0; i < %d; i++)' % calls, '    switch (draw(16)) {']
    choices = []
    for i in range(lists):
        parts.append((LIST % ((rng.choice([1, 8, 40, 112]),) + (i,) *
                              10)).replace('struct node', 'struct node%d' % i))
        choices += ['push%d(1 + draw(%d)); s += sum%d();' % (i, rng.randint(2, 30), i),
                    'drop%d(draw(40)); s += sum%d();' % (i, i)]
    for i in range(tables):
        k, most = rng.choice([4, 16, 64]), rng.choice([16, 60, 200, 1000])
        parts.append(TABLE % ((i, k, i, k, i, k, most, i, i, i, i, i, k, i, i,
                               rng.choice([1, 8, 64]), i, i, k, most) + (i,) * 5))
        choices += ['change%d(); change%d();' % (i, i), 'resize%d(); resize%d();' % (i, i),
                    's += use%d();' % i]
    for i in range(works):
        parts.append(work(rng, arrays, i))
        choices.append('s += work%d(s);' % i)
    for number in range(16):
        body.append('    case %d: %s break;' % (number, rng.choice(choices)))
    return '\n'.join(parts + body + ['    }', '}', ''])


def write_map(program):
    """What naive_whose must know, from the symbols and the code."""
    lines, marks, probe, variables = ['mapping %x %x' %
                                      (MAP_AT, MAP_AT + MAPPING)], [], None, [(IMAGE, IMAGE)]
    symbols = subprocess.run(['nm', '-S', program], check=True, capture_output=True,
                             text=True).stdout
    for line in symbols.splitlines():
        words = line.split()
        if re.match('mark_(begin|end|size)_', words[-1]):
            marks.append((words[-1].split('_')[1], words[0]))
        elif len(words) == 4:
            start, size = int(words[0], 16), int(words[1], 16)
            if words[3] == 'size_probe':
                probe = start
            if words[2] in 'tTwWi':
                lines.append('function %x %x' % (start, start + size))
                lines += ['allocates %x' % start] * (words[3] in ALLOCATORS)
            else:
                variables.append((start, start + size))
    sections = subprocess.run(['readelf', '-SW', program], check=True, capture_output=True,
                              text=True).stdout
    for start, flags in re.findall(r'([0-9a-f]{16}) [0-9a-f]+ [0-9a-f]+ [0-9a-f]+ +([A-Z]*)',
                                   sections):
        if 'A' in flags and int(start, 16) not in [v[0] for v in variables]:
            # what lies between variables ends there
            variables.append((int(start, 16), int(start, 16)))
    variables.sort()
    for (_, end), (start, next_end) in zip(variables, variables[1:]):
        lines += ['variable %x %x' % (end, start)] * (end < start) + \
            ['variable %x %x' % (start, next_end)] * (start < next_end)
    lines += ['%s %s %x' % (mark, pc, probe) for mark, pc in marks]
    code = subprocess.run(['objdump', '-d', '--no-show-raw-insn', program], check=True,
                          capture_output=True, text=True).stdout
    for pc, what, behind in re.findall(r'^\s*([0-9a-f]+):\s+(call|ret)\b.*\n(?=\s*([0-9a-f]*))',
                                       code, re.M):
        lines.append('call %s %s' % (pc, behind) if what == 'call' else 'return ' + pc)
    for pc, prefix, what in re.findall(
            r'^\s*([0-9a-f]+):\s+(lock |rep )?(xchg\b.*\(|movs[bwlq]\s|)', code, re.M):
        lines += ['copy ' + pc] * what.startswith('movs') + ['atomic ' + pc] * \
            (prefix == 'lock ' or what.startswith('xchg'))
    with open(program + '.map', 'w') as f:
        f.write('\n'.join(lines) + '\n')


def make(seed, folder, calls=60):
    """Returns the path of the program."""
    program = os.path.join(folder, 'random%d' % seed)
    with open(program + '.c', 'w') as f:
        f.write(source(seed, calls))
    level = ['-O1', '-O2', '-O3', '-O2 -mavx2 -ftree-vectorize'][seed % 4].split()
    subprocess.run(['cc', *FLAGS, *level, '-o', program, program + '.c'], check=True)
    write_map(program)
    return program


if __name__ == '__main__':
    print(make(int(sys.argv[1]), sys.argv[2]))
