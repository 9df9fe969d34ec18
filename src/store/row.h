/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A row to be written: each value is bound to the statement's next column. */
#ifndef DWELL_STORE_ROW_H
#define DWELL_STORE_ROW_H

#include "store/private.h"

struct row {
	struct store *s;
	sqlite3_stmt *q; /* NULL: the store has failed */
	int column;
};

/* Begins a transaction if none is open. */
struct row row_begin(struct store *s, enum store_statement which);

void row_int(struct row *r, int64_t v);
void row_count(struct row *r, uint64_t v); /* stored bit for bit: SQLite's integers are signed */
void row_null(struct row *r);
void row_text(struct row *r, const char *text); /* must live until row_end; NULL is NULL */
void row_id(struct row *r, int64_t id);		/* NULL for STORE_NONE */

/* All columns must have their value. Returns 0, or -1 with *err set, if err is not NULL. */
int row_end(struct row *r, struct err *err);

/* Keep SQLite's last error, or the lack of memory, as the store's failure; -1, with *err set. */
int row_failed(struct store *s, struct err *err);
int row_out_of_memory(struct store *s, struct err *err);

#endif
