/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables for the terminal: libsmartcols, with our error messages, and output into a text. The rules
 * of fit.h decide which cells are cut on a narrow terminal, in all tables alike.
 */
#ifndef DWELL_VIEWS_TABLE_H
#define DWELL_VIEWS_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "answer/columns.h"
#include "base/err.h"
#include "base/text.h"
#include "views/fit.h"

struct table_column {
	const char *title;
	bool is_number;	  /* aligned right */
	unsigned may_cut; /* as in a column: by fit_name, or by fit_words */
};

struct table;

/* Returns NULL when memory runs out; all other functions take that as an empty table. */
struct table *table_new(const struct table_column *columns, size_t count, const struct display *d);
void table_free(struct table *t);

/*
 * Numbers of columns to leave out, in this order, before names become too short to distinguish. A
 * line below the table names them. The caller keeps `columns` until table_free.
 */
void table_may_leave_out(struct table *t, const unsigned *columns, size_t count);

/* Add a row, with a cell for each column; the cells are copied. NULL is an empty cell. */
void table_row(struct table *t, const char *const *cells);

/* Append the table to `out`. Returns 0, or -1 when memory ran out. */
int table_print(struct table *t, struct text *out, struct err *err);

#endif
