/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the reading files of src/store turn a query's rows into an array of structs. */
#ifndef DWELL_STORE_SELECT_H
#define DWELL_STORE_SELECT_H

#include "base/array.h"
#include "store/private.h"

/* How a column's value becomes a field of the item. */
enum select_kind {
	SELECT_U64,  /* 0 for NULL */
	SELECT_U32,  /* the same, cut */
	SELECT_U16,  /* the same, cut */
	SELECT_ID,   /* int64_t, STORE_NONE for NULL */
	SELECT_END,  /* uint64_t, UINT64_MAX for NULL: it has not ended */
	SELECT_TEXT, /* interned; `otherwise` for NULL */
};

struct select_column {
	enum select_kind kind;
	size_t offset; /* of the field in the item */
	const char *otherwise;
};

/* Columns in the order of the statement. */
struct select_columns {
	const struct select_column *items;
	size_t count;
};

#define SELECT_COLUMNS(list)                             \
	{                                                \
		(list), sizeof(list) / sizeof((list)[0]) \
	}

struct select {
	const char *sql; /* parameter 1, if there is one, is a process id or STORE_ALL */
	size_t item_bytes;
	struct select_columns columns;
	void (*complete)(void *item); /* sets fields that are not columns; or NULL */
};

/* Run the query; *items is an array that the caller frees. */
int select_all(struct store *s, const struct select *def, int64_t process, void **items,
	       size_t *count, struct err *err);

int select_prepare(struct store *s, const char *sql, int64_t process, sqlite3_stmt **q,
		   struct err *err);

/* Fill the item's fields from the current row, from its column `first` on. */
void select_fill(struct store *s, sqlite3_stmt *q, int first, const struct select_columns *columns,
		 void *item);

/* Set *err for a file with impossible rows; returns -1. */
int select_damaged(struct store *s, struct err *err);

/* A text column of the current row, interned; NULL for NULL. */
const char *select_text(struct store *s, sqlite3_stmt *q, int column);

#endif
