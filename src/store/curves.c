/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes and reads the tables of exact curves, and of their sums by data; see curves.h. */
#include "store/curves.h"

#include "store/row.h"
#include "store/select.h"

int store_put_curve(struct store *s, const struct store_curve *c, struct err *err)
{
	struct row r = row_begin(s, PUT_CURVE);

	row_int(&r, c->process_id);
	row_int(&r, c->line_bytes);
	row_text(&r, c->policy);
	row_count(&r, c->size_bytes);
	row_count(&r, c->accesses);
	row_count(&r, c->misses);
	row_count(&r, c->lines);
	row_count(&r, c->low);
	row_count(&r, c->high);
	return row_end(&r, err);
}

int store_put_data_cost(struct store *s, const struct store_data_cost *d, struct err *err)
{
	struct row r = row_begin(s, PUT_DATA_COST);

	row_int(&r, d->process_id);
	row_id(&r, d->site_id);
	row_id(&r, d->address != 0 ? (int64_t)d->address : STORE_NONE);
	row_int(&r, d->image);
	row_count(&r, d->accesses);
	row_count(&r, d->first_touches);
	row_id(&r, d->lru_misses);
	row_id(&r, d->random_misses);
	return row_end(&r, err);
}

static const struct select_column curve_columns[] = {
	{SELECT_ID, offsetof(struct store_curve, process_id), NULL},
	{SELECT_U32, offsetof(struct store_curve, line_bytes), NULL},
	{SELECT_TEXT, offsetof(struct store_curve, policy), "random"},
	{SELECT_U64, offsetof(struct store_curve, size_bytes), NULL},
	{SELECT_U64, offsetof(struct store_curve, accesses), NULL},
	{SELECT_U64, offsetof(struct store_curve, misses), NULL},
	{SELECT_U64, offsetof(struct store_curve, lines), NULL},
	{SELECT_U64, offsetof(struct store_curve, low), NULL},
	{SELECT_U64, offsetof(struct store_curve, high), NULL},
};

static const struct select curve_query = {
	"SELECT process_id, line_bytes, policy, size_bytes, accesses, misses, lines,"
	" low, high FROM curve"
	" WHERE (?1 < 0 OR process_id = ?1) AND size_bytes > 0 AND line_bytes > 0"
	" ORDER BY process_id, line_bytes, policy, size_bytes",
	sizeof(struct store_curve),
	SELECT_COLUMNS(curve_columns),
	NULL,
};

int store_read_curves(struct store *s, int64_t process, struct store_curve **items, size_t *count,
		      struct err *err)
{
	return select_all(s, &curve_query, process, (void **)items, count, err);
}

static const struct select_column cost_columns[] = {
	{SELECT_ID, offsetof(struct store_data_cost, process_id), NULL},
	{SELECT_ID, offsetof(struct store_data_cost, site_id), NULL},
	{SELECT_U64, offsetof(struct store_data_cost, address), NULL},
	{SELECT_ID, offsetof(struct store_data_cost, image), NULL},
	{SELECT_U64, offsetof(struct store_data_cost, accesses), NULL},
	{SELECT_U64, offsetof(struct store_data_cost, first_touches), NULL},
	{SELECT_ID, offsetof(struct store_data_cost, lru_misses), NULL},
	{SELECT_ID, offsetof(struct store_data_cost, random_misses), NULL},
};

static const struct select cost_query = {
	"SELECT process_id, site_id, address, image, accesses, first_touches, lru_misses,"
	" random_misses FROM data_cost WHERE ?1 < 0 OR process_id = ?1 ORDER BY process_id, id",
	sizeof(struct store_data_cost),
	SELECT_COLUMNS(cost_columns),
	NULL,
};

int store_read_data_costs(struct store *s, int64_t process, struct store_data_cost **items,
			  size_t *count, struct err *err)
{
	return select_all(s, &cost_query, process, (void **)items, count, err);
}

bool store_has_curves(struct store *s)
{
	sqlite3_stmt *q = NULL;
	bool has = select_prepare(s, "SELECT 1 FROM curve LIMIT 1", STORE_ALL, &q, NULL) == 0 &&
		   sqlite3_step(q) == SQLITE_ROW;

	sqlite3_finalize(q);
	return has;
}
