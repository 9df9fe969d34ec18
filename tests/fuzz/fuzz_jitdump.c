/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Feeds damaged jitdump files to their reader and to the store of lines: each file must be refused,
 * or read up to the damage, and every reported range must have a beginning and an end. Build with
 * sanitizers.
 *
 *   fuzz_jitdump [ROUNDS [SEED]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "symbols/jitdump.h"
#include "symbols/runtime_lines.h"

static unsigned char good[1024];
static size_t used;
static uint64_t random_state, told, sound, refused;

static void put(uint64_t value, unsigned width)
{
	memcpy(good + used, &value, width);
	used += width;
}

static void put_text(const char *s)
{
	memcpy(good + used, s, strlen(s) + 1);
	used += strlen(s) + 1;
}

static void begin(uint32_t id, uint32_t bytes)
{
	put(id, 4);
	put(16 + bytes, 4);
	put(1, 8);
}

static void make(void)
{
	put(0x4a695444, 4);
	put(1, 4);
	put(40, 4);
	put(62, 4);
	put(7, 8);
	put(1, 8);
	put(0, 8);
	begin(2, 16 + 2 * 16 + 5 + 2); /* lines */
	put(0x1000, 8);
	put(2, 8);
	put(0x1000, 8);
	put(3, 8);
	put_text("a.js");
	put(0x1008, 8);
	put(4, 8);
	put_text("\xff");
	begin(0, 40 + 2 + 16); /* code, and its bytes */
	put(1, 8);
	for (int i = 0; i < 2; i++)
		put(0x1000, 8);
	put(16, 8);
	put(0, 8);
	put_text("f");
	used += 16;
	begin(4, 8);
	put(0, 8);
	begin(1, 48); /* a move */
	put(1, 8);
	put(0x1000, 8);
	put(0x1000, 8);
	put(0x2000, 8);
	put(16, 8);
	put(0, 8);
	begin(3, 0);
}

static void fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	abort();
}

struct keeper {
	struct runtime_lines lines;
	struct arena arena;
	size_t pieces, moves;
};

static bool on_line(void *context, uint64_t start, uint64_t address, uint32_t line,
		    const char *file)
{
	struct keeper *k = context;

	return runtime_lines_add(&k->lines, start, address, line, file, &k->arena);
}

static bool on_code(void *context, uint64_t address, uint64_t bytes, const char *name)
{
	struct keeper *k = context;

	if (bytes == 0 || address + bytes < address || strlen(name) >= 4096)
		fail("code without an end");
	told++;
	return runtime_lines_take(&k->lines, k->pieces++, address);
}

static bool on_move(void *context, uint64_t from, uint64_t to, uint64_t bytes)
{
	struct keeper *k = context;

	if (bytes == 0 || from + bytes < from || to + bytes < to)
		fail("a move without an end");
	k->moves++;
	return k->pieces == 0 || runtime_lines_copy(&k->lines, k->pieces, k->pieces - 1);
}

static const struct runtime_line *look(const struct keeper *k, size_t piece, uint64_t offset)
{
	uint64_t end = 0;
	const struct runtime_line *l = runtime_lines_find(&k->lines, piece, offset, &end);

	if (l != NULL && (l->offset > offset || end <= offset))
		fail("a line that is not around its place");
	return l;
}

static bool try_file(unsigned char *bytes, size_t count, struct keeper *k)
{
	static const struct jitdump_sink sink = {on_line, on_code, on_move};
	FILE *in = fmemopen(bytes, count, "r");
	bool is_sound;

	*k = (struct keeper){0};
	if (in == NULL)
		fail("no memory");
	is_sound = jitdump_read(in, 1 << 20, &sink, k);
	fclose(in);
	for (size_t piece = 0; piece < k->pieces + 2; piece++)
		for (uint64_t offset = 0; offset < 24; offset += 3)
			look(k, piece, offset);
	return is_sound;
}

static void release(struct keeper *k)
{
	runtime_lines_release(&k->lines);
	arena_release(&k->arena);
}

static uint64_t random_next(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

int main(int argc, char **argv)
{
	uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 0) : 500;
	const struct runtime_line *l;
	struct keeper k;

	random_state = argc > 2 ? strtoull(argv[2], NULL, 0) : 20160214;
	make();
	if (!try_file(good, used, &k) || k.pieces != 1 || k.moves != 1)
		fail("the good file is refused");
	l = look(&k, 0, 9);
	if (l == NULL || l->line != 4 || strcmp(l->file, "a.js") != 0 || look(&k, 1, 9) != l ||
	    look(&k, 0, 0)->line != 3)
		fail("the good file has other lines");
	release(&k);
	for (uint64_t i = 0; i < rounds; i++) {
		unsigned char bytes[sizeof(good)];
		size_t count = random_next() % 4 == 0 ? random_next() % used + 1 : used;

		memcpy(bytes, good, sizeof(bytes));
		for (uint64_t n = random_next() % 4 + 1; n > 0; n--)
			bytes[16 + random_next() % (used - 16)] = (unsigned char)random_next();
		*(try_file(bytes, count, &k) ? &sound : &refused) += 1;
		release(&k);
	}
	printf("%" PRIu64 " pieces of code, %" PRIu64 " files sound, %" PRIu64 " refused\n", told,
	       sound, refused);
	return sound > 0 && refused > 0 ? 0 : 1;
}
