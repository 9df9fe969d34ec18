/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading samples out of their lists. */
#include <stdlib.h>

#include "base/array.h"
#include "store/lists.h"
#include "store/numbers.h"
#include "store/query.h"

struct sample_list {
	struct store_sample *items;
	size_t count, room;
};

static struct store_access numbers_to_access(const int64_t numbers[5])
{
	return (struct store_access){
		.location = numbers[0],
		.address = (uint64_t)numbers[1],
		.size = (uint32_t)numbers[2],
		.kind = (uint16_t)numbers[3],
		.thread = (uint16_t)numbers[4],
	};
}

static void fill_sample(struct store_sample *x, const struct numbers *n)
{
	x->status = (uint32_t)n->items[SAMPLE_STATUS];
	x->position = (uint64_t)n->items[SAMPLE_POSITION];
	x->distance = (uint64_t)n->items[SAMPLE_DISTANCE];
	x->line = (uint64_t)n->items[SAMPLE_LINE];
	x->begin = numbers_to_access(n->items + SAMPLE_BEGIN);
	x->end = (struct store_access){.location = STORE_NONE};
	if (n->count == SAMPLE_NUMBERS)
		x->end = numbers_to_access(n->items + SAMPLE_END);
}

/* Take a row of sample_batch apart. */
static int add_batch(struct store *s, sqlite3_stmt *q, struct sample_list *samples, struct err *err)
{
	struct store_sample x = {
		.process_id = sqlite3_column_int64(q, 0),
		.window = (uint32_t)sqlite3_column_int64(q, 1),
	};
	struct numbers n = numbers_read((const char *)sqlite3_column_text(q, 2));

	while (numbers_next(&n)) {
		if (n.count != SAMPLE_NUMBERS && n.count != SAMPLE_END)
			return query_damaged(s, err);
		if (!ARRAY_GROW(samples))
			return err_set(err, "out of memory");
		fill_sample(&x, &n);
		samples->items[samples->count++] = x;
	}
	return n.is_bad ? query_damaged(s, err) : 0;
}

int store_read_samples(struct store *s, int64_t process, struct store_sample **items, size_t *count,
		       struct err *err)
{
	static const char sql[] = "SELECT process_id, window, list FROM sample_batch"
				  " WHERE ?1 < 0 OR process_id = ?1"
				  " ORDER BY process_id, window, first_id";
	struct sample_list samples = {0};
	sqlite3_stmt *q = NULL;
	int code, status = 0;

	*items = NULL;
	*count = 0;
	if (query_prepare(s, sql, process, &q, err) != 0)
		return -1;
	while ((code = sqlite3_step(q)) == SQLITE_ROW && status == 0)
		status = add_batch(s, q, &samples, err);
	if (status == 0 && code != SQLITE_DONE)
		status = store_fail(s, "read", err);
	sqlite3_finalize(q);
	if (status != 0) {
		free(samples.items);
		return -1;
	}
	*items = samples.items;
	*count = samples.count;
	return 0;
}
