/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads call paths from their lists. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "store/lists.h"
#include "store/select.h"

struct path_list {
	struct store *s;
	int64_t process; /* STORE_ALL: all */
	struct store_path *items;
	size_t count, room;
};

static int add_path(void *context, const struct list_item *item, struct err *err)
{
	struct path_list *list = context;
	const struct numbers *n = &item->numbers;
	size_t count = n->count - PATH_LOCATIONS;
	int64_t *locations;

	if (n->count <= PATH_LOCATIONS || count > STORE_MAX_PATH)
		return select_damaged(list->s, err);
	if (list->process != STORE_ALL && n->items[PATH_PROCESS] != list->process)
		return 0;
	locations = arena_alloc(&list->s->strings, count * sizeof(*locations));
	if (locations == NULL || !ARRAY_GROW(list))
		return err_set(err, "out of memory");
	memcpy(locations, n->items + PATH_LOCATIONS, count * sizeof(*locations));
	list->items[list->count++] = (struct store_path){
		.id = item->keys[0] + item->index,
		.process_id = n->items[PATH_PROCESS],
		.locations = locations,
		.count = count,
	};
	return 0;
}

/* By process, then by id. */
static int compare_paths(const void *a, const void *b)
{
	const struct store_path *x = a, *y = b;

	if (x->process_id != y->process_id)
		return x->process_id < y->process_id ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

int store_read_paths(struct store *s, int64_t process, struct store_path **items, size_t *count,
		     struct err *err)
{
	static const char sql[] = "SELECT list, first_id FROM path_batch";
	struct path_list list = {.s = s, .process = process};

	*items = NULL;
	*count = 0;
	if (lists_read(s, sql, STORE_ALL, add_path, &list, err) != 0) {
		free(list.items);
		return -1;
	}
	if (list.count > 0)
		qsort(list.items, list.count, sizeof(*list.items), compare_paths);
	*items = list.items;
	*count = list.count;
	return 0;
}
