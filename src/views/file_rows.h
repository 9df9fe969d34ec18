/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows for files, CSV or JSON, of which the user may have asked for some. The others become one
 * row, with the sums of columns that add up.
 */
#ifndef DWELL_VIEWS_FILE_ROWS_H
#define DWELL_VIEWS_FILE_ROWS_H

#include <jansson.h>

#include "answer/columns.h"

#define FILE_ROWS_COLUMNS 256

/* Zero but for `list`, `most` (0: all), and `csv` or `array` (json_array). */
struct file_rows {
	const struct column_list *list;
	size_t most;
	struct text *csv;
	json_t *array;
	const void *others; /* the row of those left, if it is no sum of columns; or NULL */

	size_t shown, left;
	struct value sums[FILE_ROWS_COLUMNS]; /* of those left, by column */
	struct text kind;		      /* of the section of those */
};

/* Add a row. Returns its JSON object, for more members; NULL: it is CSV, or one of the others. */
json_t *file_rows_put(struct file_rows *f, const void *row);

/* Add the row of the others of CSV, if there are any; then another section may begin. */
void file_rows_end_csv(struct file_rows *f);

/*
 * Set the array as `key` in the object, and the others, if there are any, as
 * "others": {key: {"rows": NUMBER, SUMS}}. Returns that innermost object, or NULL.
 */
json_t *file_rows_end_json(struct file_rows *f, const char *key, json_t *object);

#endif
