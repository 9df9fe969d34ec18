/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Feeds damaged tables of the Go linker, in each format, to both readers: that of names, and the
 * engine's, of functions. A valid table must give its functions, files and lines. Answers from a
 * damaged one may be wrong, but must lie inside of it, and all questions must end. Build with
 * sanitizers.
 *
 *   fuzz_go_table [ROUNDS [SEED]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/core/state.h"
#include "engine/core/util.h"
#include "engine/unwind/code_symbols.h"
#include "symbols/go_table.h"

#define TEXT  0x400000u
#define BYTES 512u

enum { FUNCTIONS = 3 };

static const uint64_t starts[FUNCTIONS + 1] = {TEXT, TEXT + 0x40, TEXT + 0x100, TEXT + 0x180};
static const char *const names[FUNCTIONS] = {"main.fill", "main.(*T).gather", "main.main"};

/* ---- What the engine's reader stands on ---- */

static const unsigned char *memory;

long engine_copy(void *to, const void *from, size_t n)
{
	uint64_t at = (uint64_t)(uintptr_t)from - TEXT;

	if (at > BYTES || n > BYTES - at)
		return -1;
	memcpy(to, memory + at, n);
	return 0;
}

void *pages_get(uint64_t n)
{
	return calloc(1, n);
}

void pages_put(void *p, uint64_t n)
{
	(void)n;
	free(p);
}

/* ---- A good table ---- */

static unsigned char table[BYTES];
static size_t used;

static void put(uint64_t value, unsigned width)
{
	memcpy(table + used, &value, width);
	used += width;
}

static void set(size_t at, uint64_t value, unsigned width)
{
	memcpy(table + at, &value, width);
}

static uint32_t put_text(const char *s)
{
	size_t at = used;

	memcpy(table + used, s, strlen(s) + 1);
	used += strlen(s) + 1;
	return (uint32_t)at;
}

/*
 * Lines 10 for 16 bytes, 12 for the rest; then the file, number 1. Deltas count from -1, sign in
 * the lowest bit.
 */
static const unsigned char lines[] = {22, 16, 4, 0xf0, 1, 0};
static const unsigned char file_one[] = {4, 0x80, 2, 0};

static uint32_t put_values(const unsigned char *v, size_t bytes)
{
	size_t at = used;

	memcpy(table + used, v, bytes);
	used += bytes;
	return (uint32_t)at;
}

struct parts {
	uint32_t name[FUNCTIONS], file, lines, files;
};

static void put_record(const struct parts *p, unsigned i, unsigned entry, uint64_t text,
		       bool has_units)
{
	put(starts[i] - text, entry);
	put(p->name[i], 4);
	put(0, 8);
	put(0, 4);
	put(p->files, 4);
	put(p->lines, 4);
	put(0, 4);
	put(0, 4); /* its unit, or nothing */
	(void)has_units;
}

/* Offsets count from the table's start, as all parts are said to begin there, but for the list. */
static void make(unsigned form)
{
	static const uint32_t magics[] = {0xfffffffb, 0xfffffffa, 0xfffffff0, 0xfffffff1};
	const bool is_old = form == 0, is_relative = form >= 2;
	const unsigned entry = is_relative ? 4 : 8;
	const uint64_t text = is_relative ? TEXT : 0;
	const int words = is_old ? 1 : is_relative ? 8 : 7;
	size_t list, units, end;
	struct parts p;

	memset(table, 0, sizeof(table));
	used = 0;
	put(magics[form], 4);
	put(0x08010000, 4);
	put(FUNCTIONS, 8);
	used = 8 + 8 * (size_t)words;
	list = used;
	used += (FUNCTIONS + 1) * 2 * entry;
	end = used;
	used += 8;
	for (unsigned i = 0; i < FUNCTIONS; i++)
		p.name[i] = put_text(names[i]);
	p.file = put_text("/home/go/main.go");
	p.lines = put_values(lines, sizeof(lines));
	p.files = put_values(file_one, sizeof(file_one));
	used = (used + 7) & ~(size_t)7;
	units = used;
	put(UINT32_MAX, 4);
	put(p.file, 4);
	if (is_old)
		set(end - 8, units, 4);
	else
		for (int w = is_relative ? 3 : 2; w < words; w++)
			set(8 + 8 * (size_t)w,
			    w == words - 1   ? list
			    : w == words - 4 ? units
					     : 0,
			    8);
	if (is_relative)
		set(8 + 8 * 2, TEXT, 8);
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		size_t record = used;

		put_record(&p, i, entry, text, !is_old);
		set(list + i * 2 * entry, starts[i] - text, entry);
		set(list + i * 2 * entry + entry, is_old ? record : record - list, entry);
	}
	set(list + FUNCTIONS * 2 * entry, starts[FUNCTIONS] - text, entry);
}

/* ---- Questions ---- */

static void fail(const char *what, unsigned form)
{
	fprintf(stderr, "form %u: %s\n", form, what);
	abort();
}

static void check_good(unsigned form)
{
	struct code_symbols s = {.base = TEXT};
	struct go_table t;
	struct go_place p;
	uint64_t start, end;

	if (!go_table_init(&t, table, used, 0))
		fail("the good table is refused", form);
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		if (!go_table_find(&t, starts[i] + 20, &p) || strcmp(p.function, names[i]) != 0 ||
		    p.start != starts[i] || p.line != 12 || p.file == NULL ||
		    strcmp(p.file, "/home/go/main.go") != 0)
			fail("a function has not its name, file and line", form);
		if (!go_table_find(&t, starts[i], &p) || p.line != 10 ||
		    p.same_end != starts[i] + 16)
			fail("a function does not begin at its first line", form);
	}
	if (go_table_find(&t, starts[FUNCTIONS], &p) || go_table_find(&t, TEXT - 1, &p))
		fail("there are functions outside", form);
	memory = table;
	code_symbols_add_go(&s, TEXT, used, TEXT + 0x1000);
	if (s.count != FUNCTIONS || !code_symbols_find(&s, starts[1] + 5, &start, &end) ||
	    start != starts[1] || end != starts[2] ||
	    code_symbols_find(&s, starts[3], &start, &end))
		fail("the engine has other functions", form);
	code_symbols_release(&s);
}

static bool is_inside(const char *s, const unsigned char *bytes, size_t size)
{
	const unsigned char *at = (const unsigned char *)s;

	return at >= bytes && at < bytes + size &&
	       memchr(at, 0, size - (size_t)(at - bytes)) != NULL;
}

static uint64_t random_state, taken, refused;

static uint64_t random_next(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Any bytes may be taken for the trees of inlined calls: the table itself, here. */
static void ask_for_inlined(struct go_table *t, const unsigned char *bytes, size_t size,
			    unsigned form)
{
	const char *function;
	uint64_t from;

	t->trees = bytes;
	t->trees_size = size;
	for (uint64_t at = TEXT - 8; at < TEXT + 0x200; at += 4)
		if (go_table_inlined(t, at, &function, &from) && !is_inside(function, bytes, size))
			fail("an inlined function that is not in the table", form);
}

static void try_damaged(const unsigned char *bytes, size_t size, unsigned form)
{
	struct code_symbols s = {.base = TEXT};
	uint64_t start, end;
	struct go_table t;
	struct go_place p;

	if (go_table_init(&t, bytes, size, TEXT)) {
		taken++;
		for (uint64_t at = TEXT - 8; at < TEXT + 0x200; at += 4)
			if (go_table_find(&t, at, &p) &&
			    (!is_inside(p.function, bytes, size) || at < p.start || at >= p.end ||
			     at >= p.same_end ||
			     (p.file != NULL && !is_inside(p.file, bytes, size))))
				fail("an answer that is not in the table", form);
		ask_for_inlined(&t, bytes, size, form);
	} else {
		refused++;
	}
	memory = bytes;
	code_symbols_add_go(&s, TEXT, size, TEXT + 0x1000);
	for (uint64_t at = TEXT - 8; at < TEXT + 0x200; at += 4)
		if (code_symbols_find(&s, at, &start, &end) && (at < start || at >= end))
			fail("a function that is not around its address", form);
	code_symbols_release(&s);
}

int main(int argc, char **argv)
{
	uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 0) : 500;

	random_state = argc > 2 ? strtoull(argv[2], NULL, 0) : 20091110;
	for (unsigned form = 0; form < 4; form++) {
		make(form);
		check_good(form);
		for (uint64_t i = 0; i < rounds; i++) {
			unsigned char bytes[BYTES];
			size_t size = random_next() % 8 == 0 ? random_next() % used : used;

			memcpy(bytes, table, sizeof(bytes));
			for (uint64_t k = random_next() % 6 + 1; k > 0; k--)
				bytes[8 + random_next() % (used - 8)] =
					(unsigned char)random_next();
			try_damaged(bytes, size, form);
		}
	}
	printf("%" PRIu64 " tables taken, %" PRIu64 " refused\n", taken, refused);
	return taken > 0 && refused > 0 ? 0 : 1;
}
