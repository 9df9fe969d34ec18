/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing a row: each value is bound to the statement's next column. */
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
void row_count(struct row *r, uint64_t v); /* stored as a signed integer, bit for bit */
void row_null(struct row *r);
void row_text(struct row *r, const char *text);	       /* must live until row_end; may be NULL */
void row_list(struct row *r, const struct text *list); /* the same, of a known length */
void row_id(struct row *r, int64_t id);		       /* STORE_NONE becomes NULL */

/* Call it with a value for each column. Returns 0, or -1 with *err set, if err is not NULL. */
int row_end(struct row *r, struct err *err);

/*
 * Keep SQLite's last error, or the lack of memory, as the store's failure. Returns -1 with *err
 * set.
 */
int row_failed(struct store *s, struct err *err);
int row_out_of_memory(struct store *s, struct err *err);

#endif
