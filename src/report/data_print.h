/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data structures of a process as a table, as CSV and as JSON. */
#ifndef DWELL_REPORT_DATA_PRINT_H
#define DWELL_REPORT_DATA_PRINT_H

#include <jansson.h>

#include "report/data.h"

/*
 * The first `rows` of them. `marks` (may be NULL) chooses among them, as data_find does; then all
 * that is known of each chosen one follows, with the call paths of its blocks.
 */
int data_text(const struct data *d, size_t rows, const bool *marks, const struct display *display,
	      struct text *out, struct err *err);

/* The table alone, for pages with others, or nothing when there are no rows. */
int data_table(const struct data *d, size_t rows, const bool *marks, const struct display *display,
	       struct text *out, struct err *err);

/* The call paths that the blocks of a row come from, those of the most bytes first. */
void data_paths_text(const struct data *d, size_t row, const struct display *display,
		     struct text *out);

void data_csv(const struct data *d, const bool *marks, struct text *out);
int data_json(const struct data *d, const bool *marks, struct text *out, struct err *err);
json_t *data_json_rows(const struct data *d, const bool *marks);

#endif
