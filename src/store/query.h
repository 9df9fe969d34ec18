/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the reading files of src/store turn a query's rows into an array of structs. */
#ifndef DWELL_STORE_QUERY_H
#define DWELL_STORE_QUERY_H

#include "base/array.h"
#include "store/private.h"

/* How a column's value becomes a field of the item. */
enum query_kind {
	QUERY_U64,  /* 0 for NULL */
	QUERY_U32,  /* the same, cut */
	QUERY_U16,  /* the same, cut */
	QUERY_ID,   /* int64_t, STORE_NONE for NULL */
	QUERY_END,  /* uint64_t, UINT64_MAX for NULL: it has not ended */
	QUERY_TEXT, /* interned; `otherwise` for NULL */
};

struct query_column {
	enum query_kind kind;
	size_t offset; /* of the field in the item */
	const char *otherwise;
};

/* Columns in the order of the statement. */
struct query_columns {
	const struct query_column *items;
	size_t count;
};

#define QUERY_COLUMNS(list)                              \
	{                                                \
		(list), sizeof(list) / sizeof((list)[0]) \
	}

struct query {
	const char *sql; /* parameter 1, if there is one, is a process id or STORE_ALL */
	size_t item_bytes;
	struct query_columns columns;
	void (*complete)(void *item); /* fields that are no columns; or NULL */
};

/* Run it: an array that the caller frees. */
int query_all(struct store *s, const struct query *def, int64_t process, void **items,
	      size_t *count, struct err *err);

int query_prepare(struct store *s, const char *sql, int64_t process, sqlite3_stmt **q,
		  struct err *err);

/* Fill the item's fields from the current row, beginning with the row's column `first`. */
void query_fill(struct store *s, sqlite3_stmt *q, int first, const struct query_columns *columns,
		void *item);

/* The sentence for a file whose rows cannot be what they are; -1. */
int query_damaged(struct store *s, struct err *err);

/* A text column of the current row, interned; NULL for NULL. */
const char *query_text(struct store *s, sqlite3_stmt *q, int column);

#endif
