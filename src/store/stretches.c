/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes and reads the table of simulated stretches; see stretches.h. */
#include "store/stretches.h"

#include "store/row.h"
#include "store/select.h"

int store_put_stretch(struct store *s, const struct store_stretch *x, struct err *err)
{
	struct row r = row_begin(s, PUT_STRETCH);

	row_int(&r, x->process_id);
	row_count(&r, x->number);
	row_text(&r, x->cache);
	row_count(&r, x->start);
	row_count(&r, x->accesses);
	row_count(&r, x->instructions);
	row_count(&r, x->misses);
	row_count(&r, x->unknown);
	row_count(&r, x->above);
	row_count(&r, x->filled);
	row_count(&r, x->generations);
	row_count(&r, x->generation_time);
	row_count(&r, x->dead_time);
	return row_end(&r, err);
}

static const struct select_column columns[] = {
	{SELECT_ID, offsetof(struct store_stretch, process_id), NULL},
	{SELECT_U64, offsetof(struct store_stretch, number), NULL},
	{SELECT_TEXT, offsetof(struct store_stretch, cache), "LL"},
	{SELECT_U64, offsetof(struct store_stretch, start), NULL},
	{SELECT_U64, offsetof(struct store_stretch, accesses), NULL},
	{SELECT_U64, offsetof(struct store_stretch, instructions), NULL},
	{SELECT_U64, offsetof(struct store_stretch, misses), NULL},
	{SELECT_U64, offsetof(struct store_stretch, unknown), NULL},
	{SELECT_U64, offsetof(struct store_stretch, above), NULL},
	{SELECT_U64, offsetof(struct store_stretch, filled), NULL},
	{SELECT_U64, offsetof(struct store_stretch, generations), NULL},
	{SELECT_U64, offsetof(struct store_stretch, generation_time), NULL},
	{SELECT_U64, offsetof(struct store_stretch, dead_time), NULL},
};

static const struct select query = {
	"SELECT process_id, number, cache, start, accesses, instructions, misses, unknown, above,"
	" filled, generations, generation_time, dead_time FROM stretch"
	" WHERE ?1 < 0 OR process_id = ?1 ORDER BY process_id, number, cache",
	sizeof(struct store_stretch),
	SELECT_COLUMNS(columns),
	NULL,
};

int store_read_stretches(struct store *s, int64_t process, struct store_stretch **items,
			 size_t *count, struct err *err)
{
	return select_all(s, &query, process, (void **)items, count, err);
}
