/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data of each position, in the order of a file in Callgrind's format. */
#ifndef DWELL_EXPORT_CALLGRIND_LINES_H
#define DWELL_EXPORT_CALLGRIND_LINES_H

#include "export/functions.h"

enum line_kind {
	LINE_COST,
	LINE_CALL,
	LINE_JUMP,
	LINE_BRANCH, /* a conditional jump */
};

struct line {
	size_t function;
	struct store_frame place; /* file (the function's own if unknown) and line */
	uint64_t address;
	enum line_kind kind;
	size_t callee; /* for calls: callee's function */
	uint64_t to_address;
	struct store_frame to_place; /* for jumps */
	uint64_t count;		     /* calls, or how often a jump was reached */
	uint64_t taken;
	uint64_t *values; /* for costs and calls; in the memory of the lines */
};

struct lines {
	struct export_functions functions;
	bool apart;
	struct line *items; /* unique, by function, address, line, kind, target */
	size_t count;
	uint64_t *memory;
	int64_t first_thread; /* 1 if threads are numbered from 0: the format numbers from 1 */
	uint64_t **totals;    /* by part: sums of all costs */
};

/* Returns -1 when memory runs out; *l owns nothing then. */
int lines_init(struct lines *l, const struct export_data *d, bool apart, struct err *err);
void lines_release(struct lines *l);

#endif
