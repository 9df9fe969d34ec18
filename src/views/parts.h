/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of one view that others show, too. Not for other folders. */
#ifndef DWELL_VIEWS_PARTS_H
#define DWELL_VIEWS_PARTS_H

#include <jansson.h>

#include "base/condition.h"
#include "estimate/annotate.h"
#include "estimate/data.h"
#include "views/figures.h"
#include "views/fit.h"

/* The table of data structures alone, or nothing when there are no rows; see data_text. */
int data_table(const struct data *d, size_t rows, const bool *marks, const struct display *display,
	       struct text *out, struct err *err);

/* "head  struct node *  list.c:12", or "malloc in make_tree (tree.c:42)". */
void data_put_name(const struct data_row *r, struct text *out);

/* The call paths that the blocks of a row come from, those of the most bytes first. */
void data_paths_text(const struct data *d, size_t row, const struct display *display,
		     struct text *out);

json_t *data_json_rows(const struct data *d, const bool *marks);

/*
 * The places that the data of one row comes from, as annotation_sources_text has them: an array.
 * NULL when memory runs out.
 */
json_t *annotation_sources_json(const struct annotation *a, const struct hot_row *row);

/* "+1,234", "-0.01"; and "+5.22 %", "new" from 0. Return buf. */
char *diff_figure(double change, char buf[FIGURE_BYTES]);
char *diff_percent(double a, double b, char buf[FIGURE_BYTES]);

/* A list of what the conditions said. */
json_t *diff_json_conditions(const struct condition *conditions, size_t count);

#endif
