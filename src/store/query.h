/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the reading files of src/store turn a query's rows into an array of structs. */
#ifndef DWELL_STORE_QUERY_H
#define DWELL_STORE_QUERY_H

#include "base/array.h"
#include "store/private.h"

struct query {
	const char *sql; /* parameter 1, if there is one, is a process id or STORE_ALL */
	size_t item_bytes;
	void (*fill)(struct store *s, sqlite3_stmt *row, void *item); /* item is zeroed */
};

/* Run it: an array that the caller frees. */
int query_all(struct store *s, const struct query *def, int64_t process, void **items,
	      size_t *count, struct err *err);

int query_prepare(struct store *s, const char *sql, int64_t process, sqlite3_stmt **q,
		  struct err *err);

/* Columns of the current row. */
int64_t query_id(sqlite3_stmt *q, int column);			      /* STORE_NONE for NULL */
uint64_t query_uint(sqlite3_stmt *q, int column);		      /* 0 for NULL */
const char *query_text(struct store *s, sqlite3_stmt *q, int column); /* interned */

#endif
