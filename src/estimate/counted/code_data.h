/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data structures and fields that pieces of code miss on, such as lines of the source. */
#ifndef DWELL_ESTIMATE_COUNTED_CODE_DATA_H
#define DWELL_ESTIMATE_COUNTED_CODE_DATA_H

#include "estimate/counted/counted.h"

/* The number of the piece with the code at a location; SIZE_MAX: none has it. */
typedef size_t code_data_piece(const void *context, int64_t location);

struct code_data_row {
	size_t piece;
	const struct data_row *structure;
	const char *field; /* of the structure; "" if it has none, or cannot be told */
	const char *type;  /* of the field, or of the structure; NULL: unknown */
	struct counted_misses first, last; /* in the first level of data or code; in LL */
	double cycles;			   /* that accesses wait for these misses */
};

struct code_data {
	struct counted names;
	struct code_data_row *rows; /* by piece, most cycles first */
	size_t count;
	struct arena strings;
};

/*
 * The misses of the pieces, of a profile that was opened for its bins and ranges, which must
 * outlive them. Release with code_data_release. Returns -1 with *err when memory runs out.
 */
int code_data_init(struct code_data *c, const struct profile *p, const struct query *q,
		   code_data_piece *piece_of, const void *context, struct err *err);
void code_data_release(struct code_data *c);

/* The first row of a piece and their number; NULL: it has none. */
const struct code_data_row *code_data_of(const struct code_data *c, size_t piece, size_t *count);

#endif
