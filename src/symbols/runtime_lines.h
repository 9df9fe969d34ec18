/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines of code made at run time, stored per piece: a piece may move, or another may replace
 * it.
 */
#ifndef DWELL_SYMBOLS_RUNTIME_LINES_H
#define DWELL_SYMBOLS_RUNTIME_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct runtime_line {
	uint64_t offset; /* in the piece */
	uint32_t line;
	const char *file;
};

/* All zero: none. */
struct runtime_lines {
	struct runtime_line *items;
	size_t count, room;
	size_t waiting;	     /* lines from here on belong to the next piece of code */
	uint64_t waiting_at; /* which begins here */
	/* The lines of each piece, by its number. */
	struct {
		struct runtime_line_range {
			size_t first, count;
		} * items;
		size_t count, room;
	} pieces;
};

void runtime_lines_release(struct runtime_lines *l);

/* Each returns false when memory ran out, or there are too many. */
bool runtime_lines_add(struct runtime_lines *l, uint64_t start, uint64_t address, uint32_t line,
		       const char *file, struct arena *a);
/* The piece of that number begins at `start`: it gets the waiting lines for that address. */
bool runtime_lines_take(struct runtime_lines *l, size_t piece, uint64_t start);
/* Give it the lines of another piece. */
bool runtime_lines_copy(struct runtime_lines *l, size_t piece, size_t from);

/*
 * The line of the byte at `offset` of the piece; *end is where the next one begins. NULL: not
 * known.
 */
const struct runtime_line *runtime_lines_find(const struct runtime_lines *l, size_t piece,
					      uint64_t offset, uint64_t *end);

#endif
