/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of views that other views also show. Only for this folder. */
#ifndef DWELL_VIEWS_PARTS_H
#define DWELL_VIEWS_PARTS_H

#include <jansson.h>

#include "answer/figures.h"
#include "estimate/annotate.h"
#include "estimate/data.h"
#include "views/fit.h"

/* The table of data structures; `marks` (may be NULL) selects some, as data_find does. */
int data_table(const struct data *d, size_t rows, const bool *marks, const struct display *display,
	       struct text *out, struct err *err);

/* Set "objects", and what is left of them, in the object. */
void data_json_rows(const struct data *d, const bool *marks, json_t *object);

/*
 * The origins of the data of one row, as in annotation_sources_text: an array. NULL when memory
 * runs out.
 */
json_t *annotation_sources_json(const struct annotation *a, const struct hot_row *row);

#endif
