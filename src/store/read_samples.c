/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads samples, and the outcomes of long watches, from their lists. */
#include <stdlib.h>

#include "base/array.h"
#include "store/lists.h"
#include "store/select.h"

/* ---- Samples ---- */

struct sample_list {
	struct store *s;
	struct store_sample *items;
	size_t count, room;
};

struct store_access access_from_numbers(const int64_t numbers[ACCESS_NUMBERS], uint64_t base)
{
	uint64_t address = base + (uint64_t)numbers[ACCESS_ADDRESS];
	int64_t in_block = numbers[ACCESS_BLOCK];

	return (struct store_access){
		.location = numbers[ACCESS_LOCATION],
		.address = address,
		.size = (uint32_t)numbers[ACCESS_SIZE],
		.kind = (uint16_t)numbers[ACCESS_KIND],
		.thread = (uint16_t)numbers[ACCESS_THREAD],
		.site = numbers[ACCESS_SITE],
		.block = in_block == 0 ? 0 : address - (uint64_t)in_block + (in_block > 0),
		.path = numbers[ACCESS_PATH],
	};
}

static int add_sample(void *context, const struct list_item *item, struct err *err)
{
	struct sample_list *list = context;
	const struct numbers *n = &item->numbers;
	struct store_sample *x;
	uint64_t line;

	if (n->count != SAMPLE_NUMBERS && n->count != SAMPLE_END)
		return select_damaged(list->s, err);
	line = (uint64_t)n->items[SAMPLE_LINE];
	if (!ARRAY_GROW(list))
		return err_set(err, "out of memory");
	x = &list->items[list->count++];
	*x = (struct store_sample){
		.process_id = item->keys[0],
		.window = (uint32_t)item->keys[1],
		.status = (uint32_t)n->items[SAMPLE_STATUS],
		.position = (uint64_t)n->items[SAMPLE_POSITION],
		.distance = (uint64_t)n->items[SAMPLE_DISTANCE],
		.line = line,
		.begin = access_from_numbers(n->items + SAMPLE_BEGIN, line),
		.end = {.location = STORE_NONE},
	};
	if (n->count == SAMPLE_NUMBERS)
		x->end = access_from_numbers(n->items + SAMPLE_END, line);
	return 0;
}

int store_read_samples(struct store *s, int64_t process, struct store_sample **items, size_t *count,
		       struct err *err)
{
	static const char sql[] = "SELECT list, process_id, window FROM sample_batch"
				  " WHERE ?1 < 0 OR process_id = ?1"
				  " ORDER BY process_id, window, first_id";
	struct sample_list list = {.s = s};

	*items = NULL;
	*count = 0;
	if (lists_read(s, sql, process, add_sample, &list, err) != 0) {
		free(list.items);
		return -1;
	}
	*items = list.items;
	*count = list.count;
	return 0;
}

/* ---- Outcomes of long watches ---- */

static const char follow_sql[] = "SELECT list, process_id FROM follow_batch"
				 " WHERE ?1 < 0 OR process_id = ?1 ORDER BY process_id, first_id";

struct follow_list {
	struct store *s;
	struct store_follow *items;
	size_t count, room;
};

/*
 * Tell whether the numbers are valid for a follow: it has an end if, and only if, it was touched.
 */
static bool is_follow(const struct numbers *n)
{
	if (n->count != FOLLOW_NUMBERS && n->count != FOLLOW_END)
		return false;
	return n->count == FOLLOW_NUMBERS
		       ? n->items[FOLLOW_STATUS] == 0
		       : n->items[FOLLOW_STATUS] == 1 || n->items[FOLLOW_STATUS] == 2;
}

static int add_follow(void *context, const struct list_item *item, struct err *err)
{
	struct follow_list *list = context;
	const struct numbers *n = &item->numbers;
	struct store_follow *f;

	if (!is_follow(n))
		return select_damaged(list->s, err);
	if (!ARRAY_GROW(list))
		return err_set(err, "out of memory");
	f = &list->items[list->count++];
	*f = (struct store_follow){
		.process_id = item->keys[0],
		.window = (uint32_t)n->items[FOLLOW_WINDOW],
		.status = (uint32_t)n->items[FOLLOW_STATUS],
		.position = (uint64_t)n->items[FOLLOW_POSITION],
		.watched = (uint64_t)n->items[FOLLOW_WATCHED],
		.end_position = (uint64_t)n->items[FOLLOW_END_POSITION],
		.end = {.location = STORE_NONE, .thread = (uint16_t)n->items[FOLLOW_THREAD]},
	};
	if (n->count == FOLLOW_NUMBERS)
		f->end = access_from_numbers(n->items + FOLLOW_END, 0);
	return 0;
}

int store_read_follows(struct store *s, int64_t process, struct store_follow **items, size_t *count,
		       struct err *err)
{
	struct follow_list list = {.s = s};

	*items = NULL;
	*count = 0;
	if (lists_read(s, follow_sql, process, add_follow, &list, err) != 0) {
		free(list.items);
		return -1;
	}
	*items = list.items;
	*count = list.count;
	return 0;
}

/* ---- Window first touches ---- */

struct arrival_list {
	struct store *s;
	struct store_arrival *items;
	size_t count, room;
};

static int add_arrival(void *context, const struct list_item *item, struct err *err)
{
	struct arrival_list *list = context;
	const struct numbers *n = &item->numbers;

	if (n->count != ARRIVAL_NUMBERS || n->items[ARRIVAL_WEIGHT] < 1 ||
	    n->items[ARRIVAL_WEIGHT] > UINT32_MAX)
		return select_damaged(list->s, err);
	if (!ARRAY_GROW(list))
		return err_set(err, "out of memory");
	list->items[list->count++] = (struct store_arrival){
		.process_id = item->keys[0],
		.window = (uint32_t)n->items[ARRIVAL_WINDOW],
		.weight = (uint32_t)n->items[ARRIVAL_WEIGHT],
		.position = (uint64_t)n->items[ARRIVAL_POSITION],
		.end = access_from_numbers(n->items + ARRIVAL_END, 0),
	};
	return 0;
}

int store_read_arrivals(struct store *s, int64_t process, struct store_arrival **items,
			size_t *count, struct err *err)
{
	static const char sql[] = "SELECT list, process_id FROM arrival_batch"
				  " WHERE ?1 < 0 OR process_id = ?1 ORDER BY process_id, first_id";
	struct arrival_list list = {.s = s};

	*items = NULL;
	*count = 0;
	if (lists_read(s, sql, process, add_arrival, &list, err) != 0) {
		free(list.items);
		return -1;
	}
	*items = list.items;
	*count = list.count;
	return 0;
}

/* ---- Stack distances ---- */

struct stack_list {
	struct store *s;
	struct store_stack_distance *items;
	size_t count, room;
};

static int add_stack_distance(void *context, const struct list_item *item, struct err *err)
{
	struct stack_list *list = context;
	const struct numbers *n = &item->numbers;
	struct store_stack_distance *d;

	if (n->count != STACK_NUMBERS)
		return select_damaged(list->s, err);
	if (!ARRAY_GROW(list))
		return err_set(err, "out of memory");
	d = &list->items[list->count++];
	*d = (struct store_stack_distance){
		.process_id = item->keys[0],
		.window = (uint32_t)n->items[STACK_WINDOW],
		.position = (uint64_t)n->items[STACK_POSITION],
	};
	for (unsigned i = 0; i < STORE_STACK_SIZES; i++) {
		int64_t distance = n->items[STACK_OF + 2 * i],
			lines = n->items[STACK_OF + 2 * i + 1];

		if (distance >= 0 && lines >= 0)
			d->of[i] = (struct store_stack){true, (uint64_t)distance, (uint64_t)lines};
	}
	return 0;
}

int store_read_stack_distances(struct store *s, int64_t process,
			       struct store_stack_distance **items, size_t *count, struct err *err)
{
	static const char sql[] = "SELECT list, process_id FROM stack_distance_batch"
				  " WHERE ?1 < 0 OR process_id = ?1 ORDER BY process_id, first_id";
	struct stack_list list = {.s = s};

	*items = NULL;
	*count = 0;
	if (lists_read(s, sql, process, add_stack_distance, &list, err) != 0) {
		free(list.items);
		return -1;
	}
	*items = list.items;
	*count = list.count;
	return 0;
}

/* ---- Counts of long watches ---- */

struct follow_count {
	struct store *s;
	struct store_process *processes;
	size_t count;
	size_t at; /* the process of the previous follow: both are sorted */
};

static int count_follow(void *context, const struct list_item *item, struct err *err)
{
	struct follow_count *c = context;

	if (!is_follow(&item->numbers))
		return select_damaged(c->s, err);
	while (c->at < c->count && c->processes[c->at].id < item->keys[0])
		c->at++;
	if (c->at == c->count || c->processes[c->at].id != item->keys[0])
		return 0; /* no such process: the row is ignored */
	c->processes[c->at].followed++;
	c->processes[c->at].followed_touched += item->numbers.items[FOLLOW_STATUS] == 0;
	return 0;
}

int lists_count_follows(struct store *s, struct store_process *processes, size_t count,
			struct err *err)
{
	struct follow_count c = {.s = s, .processes = processes, .count = count};

	return lists_read(s, follow_sql, STORE_ALL, count_follow, &c, err);
}
