/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of data structures: columns of samples and of counted misses. data_print.c has them. */
#ifndef DWELL_VIEWS_DATA_COLUMNS_H
#define DWELL_VIEWS_DATA_COLUMNS_H

#include "estimate/data.h"
#include "views/cost_columns.h"

/* Rows of other tables may begin with it. */
struct data_cells {
	struct cost_row cost;
	const struct data *data;
	struct data_row r;
};

struct data_cells data_cells_of(const struct data *d, const struct data_row *r);

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

/* These columns in the order of CSV and JSON. */
#define DATA_NUMBERS                                                                           \
	DATA(BLOCKS), DATA(BYTES), DATA(ALLOCATED_BYTES), DATA(LIVE_BLOCKS), DATA(LIVE_BYTES), \
		DATA(SMALLEST), DATA(LARGEST), DATA(ELEMENT_SIZE)

#endif
