/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a file in Callgrind's format says of each position, in the order of the file. */
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
	struct store_frame place; /* file (the function's own where it is not known) and line */
	uint64_t address;
	enum line_kind kind;
	size_t callee; /* function of a call */
	uint64_t to_address;
	struct store_frame to_place; /* of a jump */
	uint64_t count;		     /* calls, or times that a jump was reached */
	uint64_t taken;
	uint64_t *values; /* of costs and calls; of the lines' memory */
};

struct lines {
	struct export_functions functions;
	bool apart;
	struct line *items; /* by function, address, line, kind, target: one each */
	size_t count;
	uint64_t *memory;
	int64_t first_thread; /* 1 if threads are numbered from 0: in the format, from 1 */
	uint64_t **totals;    /* by part: what all costs sum up to */
};

/* Returns -1 when memory runs out; *l owns nothing then. */
int lines_init(struct lines *l, const struct export_data *d, bool apart, struct err *err);
void lines_release(struct lines *l);

#endif
