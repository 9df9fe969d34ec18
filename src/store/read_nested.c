/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads multi-size samples from their lists. */
#include <stdlib.h>

#include "base/array.h"
#include "store/lists.h"
#include "store/select.h"

struct nested_list {
	struct store *s;
	struct store_nested *items;
	size_t count, room;
};

static int take_events(struct nested_list *list, const struct numbers *n, struct store_nested *x,
		       struct err *err)
{
	struct store_nested_event *events;

	x->event_count = (uint32_t)((n->count - NESTED_EVENTS) / EVENT_NUMBERS);
	events = arena_alloc(&list->s->strings, (x->event_count + 1) * sizeof(*events));
	if (events == NULL)
		return err_set(err, "out of memory");
	for (uint32_t i = 0; i < x->event_count; i++) {
		const int64_t *numbers = n->items + NESTED_EVENTS + i * EVENT_NUMBERS;

		events[i] = (struct store_nested_event){
			.sizes = (uint32_t)numbers[EVENT_SIZES],
			.weight = (uint32_t)numbers[EVENT_WEIGHT],
			.distance = (uint64_t)numbers[EVENT_DISTANCE],
		};
		if (!access_from_numbers(list->s, numbers + EVENT_END, &x->begin, &events[i].end))
			return select_damaged(list->s, err);
		touches_from_number(numbers[EVENT_TOUCHES], events[i].touches);
	}
	x->events = events;
	return 0;
}

static int add_nested(void *context, const struct list_item *item, struct err *err)
{
	struct nested_list *list = context;
	const struct numbers *n = &item->numbers;
	struct store_nested *x;

	if (n->count < NESTED_EVENTS || (n->count - NESTED_EVENTS) % EVENT_NUMBERS != 0)
		return select_damaged(list->s, err);
	if (!ARRAY_GROW(list))
		return err_set(err, "out of memory");
	x = &list->items[list->count++];
	*x = (struct store_nested){
		.process_id = item->keys[0],
		.window = (uint32_t)(item->keys[1] + n->items[NESTED_WINDOW]),
		.status = (uint32_t)n->items[NESTED_STATUS],
		.position = (uint64_t)item->keys[2] + (uint64_t)n->items[NESTED_POSITION],
		.watched = (uint64_t)n->items[NESTED_WATCHED],
		.open = (uint32_t)n->items[NESTED_OPEN],
		.weight = (uint32_t)n->items[NESTED_WEIGHT],
	};
	if (!access_from_numbers(list->s, n->items + NESTED_BEGIN, NULL, &x->begin))
		return select_damaged(list->s, err);
	x->point = x->begin.address + (uint64_t)n->items[NESTED_POINT];
	return take_events(list, n, x, err);
}

int store_read_nested(struct store *s, int64_t process, struct store_nested **items, size_t *count,
		      struct err *err)
{
	static const char sql[] = "SELECT list, process_id, window, position FROM nested_batch"
				  " WHERE ?1 < 0 OR process_id = ?1 ORDER BY process_id, first_id";
	struct nested_list list = {.s = s};

	*items = NULL;
	*count = 0;
	if (accesses_read(s, err) != 0 ||
	    lists_read(s, sql, process, add_nested, &list, err) != 0) {
		free(list.items);
		return -1;
	}
	*items = list.items;
	*count = list.count;
	return 0;
}
