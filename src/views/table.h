/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables for the terminal: libsmartcols, with errors of ours and output into a text. What cells
 * give way to a narrow terminal is decided here, by the rules of fit.h, the same for all tables.
 */
#ifndef DWELL_VIEWS_TABLE_H
#define DWELL_VIEWS_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/text.h"
#include "views/fit.h"

#define TABLE_WORDS 2 /* for may_cut: not a name, what gives way is the end */

struct table_column {
	const char *title;
	bool is_number;	  /* to the right */
	unsigned may_cut; /* true: gives way when the terminal is too narrow, as fit_name does */
};

struct table;

/* NULL when memory runs out; every other function takes that as an empty table. */
struct table *table_new(const struct table_column *columns, size_t count, const struct display *d);
void table_free(struct table *t);

/*
 * Columns, by their number, that are left out, in this order, before names get too short to say
 * something; a line below the table names them. `columns` is the caller's, until table_free.
 */
void table_may_leave_out(struct table *t, const unsigned *columns, size_t count);

/* Add a row of as many cells as there are columns; they are copied. NULL is an empty cell. */
void table_row(struct table *t, const char *const *cells);

/* Append the table to `out`. Returns 0, or -1 when memory ran out on the way. */
int table_print(struct table *t, struct text *out, struct err *err);

#endif
