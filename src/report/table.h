/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables for the terminal: libsmartcols, with errors of ours and output into a text. */
#ifndef DWELL_REPORT_TABLE_H
#define DWELL_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

struct table_column {
	const char *title;
	bool is_number; /* to the right */
	bool may_cut;	/* gives way when the terminal is too narrow */
};

/* What the place that a text will be shown at can do. */
struct display {
	unsigned width; /* characters; 0: no terminal, nothing is cut */
	bool color;
	bool unicode;
};

struct table;

/* NULL when memory runs out; every other function takes that as an empty table. */
struct table *table_new(const struct table_column *columns, size_t count, const struct display *d);
void table_free(struct table *t);

/* Add a row of as many cells as there are columns; they are copied. NULL is an empty cell. */
void table_row(struct table *t, const char *const *cells);

/* Append the table to `out`. Returns 0, or -1 when memory ran out on the way. */
int table_print(struct table *t, struct text *out, struct err *err);

#endif
