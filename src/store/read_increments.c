/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads costs, arcs and jumps: sorts the increments in the file by their keys, and sums them up.
 * All three are rows of numbers, of which the first ones are keys.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"
#include "store/events.h"
#include "store/lists.h"
#include "store/select.h"

#define MAX_KEYS 4

/* Numbers are in the order of the lists; all keys except a jump's last one are ids. */
struct shape {
	const char *sql;
	size_t keys;
	size_t least; /* least count of numbers */
	size_t node;  /* index of the key for the node, whose process counts */
	bool has_values;
	int64_t most[MAX_KEYS]; /* limit of each key; 0: no limit */
	bool may_be_none[MAX_KEYS];
};

/* The numbers of item i begin at numbers.items[i * width]. */
struct increments {
	const struct shape *shape;
	struct store *s;
	int64_t process; /* STORE_ALL: all */
	size_t width;
	struct map process_of_node;
	struct {
		int64_t *items;
		size_t count, room;
	} numbers;
	size_t count;
};

static const struct shape cost_shape = {
	.sql = "SELECT list, first_id FROM cost_batch ORDER BY first_id",
	.keys = COST_VALUES,
	.least = COST_VALUES,
	.node = COST_NODE,
	.has_values = true,
	.most = {STORE_MAX_ID, STORE_MAX_ID},
	.may_be_none = {[COST_LOCATION] = true},
};

static const struct shape arc_shape = {
	.sql = "SELECT list, first_id FROM arc_batch ORDER BY first_id",
	.keys = ARC_CALLS,
	.least = ARC_VALUES,
	.node = ARC_CALLEE,
	.has_values = true,
	.most = {STORE_MAX_ID, STORE_MAX_ID, STORE_MAX_ID, STORE_ARC_KINDS - 1},
	.may_be_none = {[ARC_CALLER] = true, [ARC_LOCATION] = true},
};

static const struct shape jump_shape = {
	.sql = "SELECT list, first_id FROM jump_batch ORDER BY first_id",
	.keys = JUMP_EXECUTED,
	.least = JUMP_NUMBERS,
	.node = JUMP_NODE,
	.most = {STORE_MAX_ID, STORE_MAX_ID, STORE_MAX_ID, 1},
};

static int add_node(void *context, const struct list_item *item, struct err *err)
{
	struct increments *r = context;
	uint64_t id = (uint64_t)item->keys[0] + (uint64_t)item->index;
	uint64_t process = (uint64_t)item->numbers.items[NODE_PROCESS];

	if (process > (uint64_t)STORE_MAX_ID)
		return select_damaged(r->s, err);
	return map_set(&r->process_of_node, id, process) == 0 ? 0 : err_set(err, "out of memory");
}

static bool has_node(const struct increments *r, int64_t id, int64_t *process)
{
	uint64_t known;

	if (!map_get(&r->process_of_node, (uint64_t)id, &known))
		return false;
	*process = (int64_t)known;
	return true;
}

static bool is_good(const struct increments *r, const struct numbers *n, int64_t *process)
{
	const struct shape *shape = r->shape;
	size_t i;

	if (n->count < shape->least || n->count > r->width)
		return false;
	for (i = 0; i < shape->keys; i++) {
		if (n->items[i] == STORE_NONE ? !shape->may_be_none[i]
					      : n->items[i] < 0 || n->items[i] > shape->most[i])
			return false;
	}
	if (!has_node(r, n->items[shape->node], process))
		return false;
	/* An arc has a second node. */
	return shape != &arc_shape || n->items[ARC_CALLER] == STORE_NONE ||
	       has_node(r, n->items[ARC_CALLER], &(int64_t){0});
}

static int add_increment(void *context, const struct list_item *item, struct err *err)
{
	struct increments *r = context;
	const struct numbers *n = &item->numbers;
	int64_t process = 0, *to;

	if (!is_good(r, n, &process))
		return select_damaged(r->s, err);
	if (r->process != STORE_ALL && r->process != process)
		return 0;
	if (!array_reserve_in((void **)&r->numbers.items, &r->numbers.room,
			      r->numbers.count + r->width, sizeof(int64_t)))
		return err_set(err, "out of memory");
	to = r->numbers.items + r->numbers.count;
	memcpy(to, n->items, n->count * sizeof(*to));
	memset(to + n->count, 0, (r->width - n->count) * sizeof(*to));
	r->numbers.count += r->width;
	r->count++;
	return 0;
}

/* ---- Summing up ---- */

/* Two keys as one number, in the same order; STORE_NONE is lowest. */
static uint64_t pack(int64_t first, int64_t second)
{
	return (uint64_t)(first + 1) << 32 | (uint64_t)(second + 1);
}

/* Sort by the last two keys, then by the first two; the sort is stable. */
static int sort_increments(const struct increments *r, struct sort_item *order)
{
	size_t i;

	for (i = 0; i < r->count; i++)
		order[i].index = i;
	if (r->shape->keys > 2) {
		for (i = 0; i < r->count; i++) {
			const int64_t *k = r->numbers.items + i * r->width;

			order[i].key = pack(k[2], k[3]);
		}
		if (sort_by_key(order, r->count) != 0)
			return -1;
	}
	for (i = 0; i < r->count; i++) {
		const int64_t *k = r->numbers.items + order[i].index * r->width;

		order[i].key = pack(k[0], k[1]);
	}
	return sort_by_key(order, r->count);
}

static void add_numbers(const struct increments *r, int64_t *sum, const int64_t *more)
{
	size_t i;

	for (i = r->shape->keys; i < r->width; i++)
		sum[i] = (int64_t)((uint64_t)sum[i] + (uint64_t)more[i]);
}

/* Sum up, into the store's memory: *count sums, in order. */
static int64_t *sum_up(const struct increments *r, const struct sort_item *order, size_t *count)
{
	size_t i, n = 0, bytes = r->width * sizeof(int64_t);
	int64_t *sums = arena_alloc(&r->s->strings, r->count * bytes + 1);

	for (i = 0; i < r->count && sums != NULL; i++) {
		const int64_t *item = r->numbers.items + order[i].index * r->width;

		if (n > 0 &&
		    memcmp(sums + (n - 1) * r->width, item, r->shape->keys * sizeof(int64_t)) == 0)
			add_numbers(r, sums + (n - 1) * r->width, item);
		else
			memcpy(sums + n++ * r->width, item, bytes);
	}
	*count = n;
	return sums;
}

static int count_columns(struct store *s, size_t *columns, struct err *err)
{
	sqlite3_stmt *q = NULL;
	int64_t n = -1;

	if (select_prepare(s, "SELECT count(*) FROM event WHERE formula IS NULL", STORE_ALL, &q,
			   err) != 0)
		return -1;
	if (sqlite3_step(q) == SQLITE_ROW)
		n = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	if (n < 0 || n > STORE_MAX_COLUMNS)
		return select_damaged(s, err);
	*columns = (size_t)n;
	return 0;
}

/* Read all rows of a table: `width` numbers each. */
static int read_increments(struct store *s, const struct shape *shape, int64_t process,
			   int64_t **rows, size_t *width, size_t *count, struct err *err)
{
	struct increments r = {.shape = shape, .s = s, .process = process};
	struct sort_item *order = NULL;
	size_t columns = 0;
	int status;

	*count = 0;
	if (count_columns(s, &columns, err) != 0)
		return -1;
	*width = r.width = shape->least + (shape->has_values ? columns : 0);
	status = lists_read(s, "SELECT list, first_id FROM node_batch", STORE_ALL, add_node, &r,
			    err);
	if (status == 0)
		status = lists_read(s, shape->sql, STORE_ALL, add_increment, &r, err);
	if (status == 0) {
		order = malloc((r.count + 1) * sizeof(*order));
		*rows = order != NULL && sort_increments(&r, order) == 0 ? sum_up(&r, order, count)
									 : NULL;
		if (*rows == NULL)
			status = err_set(err, "out of memory");
	}
	free(order);
	free(r.numbers.items);
	map_release(&r.process_of_node);
	return status;
}

int store_read_costs(struct store *s, int64_t process, struct store_cost **items, size_t *count,
		     struct err *err)
{
	size_t width, i;
	int64_t *rows;

	*items = NULL;
	if (read_increments(s, &cost_shape, process, &rows, &width, count, err) != 0)
		return -1;
	*items = malloc((*count + 1) * sizeof(**items));
	if (*items == NULL)
		return err_set(err, "out of memory");
	for (i = 0; i < *count; i++, rows += width)
		(*items)[i] = (struct store_cost){
			.node_id = rows[COST_NODE],
			.location_id = rows[COST_LOCATION],
			.values = (const uint64_t *)rows + COST_VALUES,
		};
	return 0;
}

int store_read_arcs(struct store *s, int64_t process, struct store_arc **items, size_t *count,
		    struct err *err)
{
	size_t width, i;
	int64_t *rows;

	*items = NULL;
	if (read_increments(s, &arc_shape, process, &rows, &width, count, err) != 0)
		return -1;
	*items = malloc((*count + 1) * sizeof(**items));
	if (*items == NULL)
		return err_set(err, "out of memory");
	for (i = 0; i < *count; i++, rows += width)
		(*items)[i] = (struct store_arc){
			.caller_id = rows[ARC_CALLER],
			.location_id = rows[ARC_LOCATION],
			.callee_id = rows[ARC_CALLEE],
			.kind = (uint32_t)rows[ARC_KIND],
			.calls = (uint64_t)rows[ARC_CALLS],
			.values = (const uint64_t *)rows + ARC_VALUES,
		};
	return 0;
}

int store_read_jumps(struct store *s, int64_t process, struct store_jump **items, size_t *count,
		     struct err *err)
{
	size_t width, i;
	int64_t *rows;

	*items = NULL;
	if (read_increments(s, &jump_shape, process, &rows, &width, count, err) != 0)
		return -1;
	*items = malloc((*count + 1) * sizeof(**items));
	if (*items == NULL)
		return err_set(err, "out of memory");
	for (i = 0; i < *count; i++, rows += width)
		(*items)[i] = (struct store_jump){
			.node_id = rows[JUMP_NODE],
			.from_id = rows[JUMP_FROM],
			.to_id = rows[JUMP_TO],
			.conditional = rows[JUMP_CONDITIONAL] != 0,
			.executed = (uint64_t)rows[JUMP_EXECUTED],
			.taken = (uint64_t)rows[JUMP_TAKEN],
		};
	return 0;
}
