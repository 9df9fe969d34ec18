/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of a view: described once, written as text, CSV and JSON. A view has a table of the columns
 * that it may show; each says when it exists, and how early a narrow text does without it.
 */
#ifndef DWELL_ANSWER_ROWS_H
#define DWELL_ANSWER_ROWS_H

#include "answer/columns.h"
#include "base/text.h"

#define ROWS_COLUMNS 256

/* What the rows of a profile may have; a view adds its own from ROWS_OF_VIEW on. */
enum rows_needs {
	ROWS_CONFLICTS = 1,  /* conflict misses are told apart */
	ROWS_BOUNDS = 2,     /* misses are estimates from stretches */
	ROWS_REFERENCES = 4, /* references are counted, hits too */
	ROWS_OF_VIEW = 8,
};

/* A column of a view. */
struct shown {
	const struct column *column;
	unsigned needs, lacks; /* it exists if the rows have all of these, and none of those */
	unsigned less;	       /* the rank by which a narrow text leaves it out; 0: never */
	unsigned in; /* only in these; 0: in text if it has a title, in files with a key */
};

enum { IN_TEXT = 1, IN_CSV = 2, IN_JSON = 4, IN_FILES = IN_CSV | IN_JSON };

struct rows_columns {
	const struct column *items[ROWS_COLUMNS];
	size_t count;
	unsigned less[ROWS_COLUMNS]; /* ranks, as in struct shown */
};

struct rows {
	const void *items; /* an array of the type of the columns */
	size_t count, bytes_each;
	struct rows_columns text, csv, json;
	const void *others; /* the sum of those that files leave out; NULL: that of each column */
	struct text title;  /* lines above its table, if there is one; released with the answer */
	const char *more;   /* after "... and N more" of text; NULL: nothing */
	bool is_chosen;	    /* all are to show: the view has obeyed the question's number of rows */
	const struct column
		*section; /* text has a table for each value, below it if it has a title */
	unsigned wide;	 /* characters: narrower text has no column with a rank, and says nothing */
	const char *key; /* of the array in JSON */
	const char *none; /* a sentence for text without rows; NULL: an empty table; "": nothing */
};

/* Instead of a table that the choice of rows has left empty. */
#define ROWS_NONE_SHOWN "No row matches what --focus and --ignore say."

/* Add those columns of a table that rows which have `has` show. */
#define ROWS_SHOW(r, table, has) \
	rows_show(r, table, sizeof(table) / sizeof((table)[0]), has, IN_TEXT | IN_FILES)

/* The same of `count` columns, in these formats. */
void rows_show(struct rows *r, const struct shown *columns, size_t count, unsigned has,
	       unsigned in);

const void *rows_at(const struct rows *r, size_t i);

/* How many of the rows to show when `most` are asked for; 0: all. */
size_t rows_shown(const struct rows *r, size_t most);

struct column_list rows_list(const struct rows_columns *c);

#endif
