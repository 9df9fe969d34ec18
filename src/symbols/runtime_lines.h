/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines of code made at run time, stored by piece of code: pieces may move, or be replaced.
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

/* Empty when all zero. */
struct runtime_lines {
	struct runtime_line *items;
	size_t count, room;
	size_t waiting;	     /* lines from here on belong to the next piece of code */
	uint64_t waiting_at; /* which begins at this address */
	/* The lines of each piece, by its number. */
	struct {
		struct runtime_line_range {
			size_t first, count;
		} * items;
		size_t count, room;
	} pieces;
};

void runtime_lines_release(struct runtime_lines *l);

/* Return false when memory ran out, or there are too many lines. */
bool runtime_lines_add(struct runtime_lines *l, uint64_t start, uint64_t address, uint32_t line,
		       const char *file, struct arena *a);
/* The piece begins at `start`: give it the lines that wait for this address. */
bool runtime_lines_take(struct runtime_lines *l, size_t piece, uint64_t start);
/* Give the piece the lines of another one. */
bool runtime_lines_copy(struct runtime_lines *l, size_t piece, size_t from);

/* The line at `offset` in the piece; *end is the start of the next line. NULL: unknown. */
const struct runtime_line *runtime_lines_find(const struct runtime_lines *l, size_t piece,
					      uint64_t offset, uint64_t *end);

#endif
