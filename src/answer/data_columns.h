/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of data structures: columns of samples and of counted misses. */
#ifndef DWELL_ANSWER_DATA_COLUMNS_H
#define DWELL_ANSWER_DATA_COLUMNS_H

#include "answer/cost_columns.h"
#include "estimate/counted/forms.h"
#include "estimate/data.h"

/* Rows of other tables may begin with it. */
struct data_cells {
	struct cost_row cost;
	const struct data *data;
	struct data_row r;
	enum form form; /* by its type, as samples tell no strides; a simulation may know more */
};

struct data_cells data_cells_of(const struct data *d, const struct data_row *r);

/* All threads' copies of a variable are one row; so is all data without a name. */
bool data_is_variable(const struct data_row *r);

/* "head  struct node *  list.c:12", or "malloc in make_tree (tree.c:42)". */
void data_put_name(const struct data_row *r, struct text *out);

/* All that is known of a row beside its figures, as lines. */
void data_put_details(const struct data *d, size_t row, struct text *out);

enum data_column {
	DATA_COLUMN_KIND,
	DATA_COLUMN_FORM_OR_KIND,
	DATA_COLUMN_FORM,
	DATA_COLUMN_TYPE,
	DATA_COLUMN_MODULE,
	DATA_COLUMN_ALLOCATOR,
	DATA_COLUMN_SITES,
	DATA_COLUMN_SEVERAL_BLOCKS,
	DATA_COLUMN_KNOWN_BYTES,
	DATA_COLUMN_SIZES,
	DATA_COLUMN_KNOWN_ELEMENT,
	DATA_COLUMN_BLOCK_TYPE,
	DATA_COLUMN_WORDS,
	DATA_COLUMN_PATH,
	DATA_COLUMN_BLOCKS,
	DATA_COLUMN_BYTES,
	DATA_COLUMN_ALLOCATED_BYTES,
	DATA_COLUMN_LIVE_BLOCKS,
	DATA_COLUMN_LIVE_BYTES,
	DATA_COLUMN_SMALLEST,
	DATA_COLUMN_LARGEST,
	DATA_COLUMN_ELEMENT_SIZE,
	DATA_COLUMNS
};

extern const struct column data_columns[DATA_COLUMNS];

#define DATA(column) (&data_columns[DATA_COLUMN_##column])

#endif
