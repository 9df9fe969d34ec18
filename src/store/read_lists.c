/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the tables with lists, item by item. */
#include "store/lists.h"
#include "store/select.h"

static int read_row(struct store *s, sqlite3_stmt *q, list_function *take, void *context,
		    struct err *err)
{
	struct list_item item;
	int i, columns = sqlite3_column_count(q);

	item.numbers = numbers_read((const char *)sqlite3_column_text(q, 0));
	for (i = 0; i < LIST_KEYS; i++)
		item.keys[i] = i + 1 < columns ? sqlite3_column_int64(q, i + 1) : 0;
	item.text = i + 1 < columns ? (const char *)sqlite3_column_text(q, i + 1) : NULL;
	for (item.index = 0; numbers_next(&item.numbers); item.index++) {
		if (take(context, &item, err) != 0)
			return -1;
	}
	return item.numbers.is_bad ? select_damaged(s, err) : 0;
}

int lists_read(struct store *s, const char *sql, int64_t process, list_function *take,
	       void *context, struct err *err)
{
	sqlite3_stmt *q = NULL;
	int code = SQLITE_DONE, status = 0;

	if (select_prepare(s, sql, process, &q, err) != 0)
		return -1;
	while (status == 0 && (code = sqlite3_step(q)) == SQLITE_ROW)
		status = read_row(s, q, take, context, err);
	if (status == 0 && code != SQLITE_DONE)
		status = store_fail(s, "read", err);
	sqlite3_finalize(q);
	return status;
}
