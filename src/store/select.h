/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Turns the rows of a query into an array of structs, for the reading files of src/store. */
#ifndef DWELL_STORE_SELECT_H
#define DWELL_STORE_SELECT_H

#include "base/array.h"
#include "store/private.h"

/* The conversion of a column's value to a field. */
enum select_kind {
	SELECT_U64,  /* 0 for NULL */
	SELECT_U32,  /* the same, truncated */
	SELECT_U16,  /* the same, truncated */
	SELECT_ID,   /* int64_t, STORE_NONE for NULL; at most 2^53 */
	SELECT_END,  /* uint64_t, UINT64_MAX for NULL: not ended */
	SELECT_TEXT, /* interned; `otherwise` for NULL */
	/* A JSON array of STORE_FAR_SIZES numbers, or of none: then all are 0. */
	SELECT_COUNTS,	/* uint64_t[] */
	SELECT_REALS,	/* double[] */
	SELECT_TOUCHES, /* uint64_t[], of STORE_TOUCH_CLASSES numbers */
};

struct select_column {
	enum select_kind kind;
	size_t offset; /* of the field in the item */
	const char *otherwise;
};

/* In the order of the statement's columns. */
struct select_columns {
	const struct select_column *items;
	size_t count;
};

#define SELECT_COLUMNS(list)                             \
	{                                                \
		(list), sizeof(list) / sizeof((list)[0]) \
	}

struct select {
	const char *sql; /* parameter 1, if any, is a process id or STORE_ALL */
	size_t item_bytes;
	struct select_columns columns;
	void (*complete)(void *item); /* sets fields without columns; or NULL */
};

/* Run the query; the caller frees *items. */
int select_all(struct store *s, const struct select *def, int64_t process, void **items,
	       size_t *count, struct err *err);

int select_prepare(struct store *s, const char *sql, int64_t process, sqlite3_stmt **q,
		   struct err *err);

/*
 * Fill the item's fields from the current row, beginning with column `first`. Returns false if the
 * row is impossible.
 */
bool select_fill(struct store *s, sqlite3_stmt *q, int first, const struct select_columns *columns,
		 void *item);

/* Set *err for a file with impossible rows. Returns -1. */
int select_damaged(struct store *s, struct err *err);

/* A text column of the current row, interned; NULL for NULL. */
const char *select_text(struct store *s, sqlite3_stmt *q, int column);

#endif
