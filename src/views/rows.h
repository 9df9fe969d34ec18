/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A view that is one table: described once, written as text, CSV and JSON. A command with such a
 * view needs no other file; cli/view_options.h has VIEW_WRITE(rows, ...) for the choice of format.
 */
#ifndef DWELL_VIEWS_ROWS_H
#define DWELL_VIEWS_ROWS_H

#include <stddef.h>

#include "base/err.h"
#include "base/text.h"
#include "views/columns.h"

struct rows {
	const void *items; /* an array of the type of the columns */
	size_t count, bytes_each;
	const struct column_list *text, *csv, *json;
	const char *none;		 /* a sentence for text without rows; NULL: none */
	const char *key;		 /* of the array in JSON */
	const struct column_list *about; /* more members of the object around it; NULL: none */
	json_t *around;			 /* the same, as an object that is taken over; or NULL */
	const unsigned *least_important; /* for table_may_leave_out */
	size_t least_count;
};

/* `most`: number of rows to show; 0: all. Return -1 when memory runs out. */
int rows_text(const struct rows *r, size_t most, const struct display *d, struct text *out,
	      struct err *err);
void rows_csv(const struct rows *r, struct text *out);
int rows_json(const struct rows *r, struct text *out, struct err *err);

#endif
