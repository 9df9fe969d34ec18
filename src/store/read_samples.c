/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads samples and far reuses from their lists. */
#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"
#include "store/lists.h"
#include "store/select.h"

/* ---- Samples ---- */

struct sample_list {
	struct store *s;
	struct store_sample *items;
	size_t count, room;
};

static int add_sample(void *context, const struct list_item *item, struct err *err)
{
	struct sample_list *list = context;
	const struct numbers *n = &item->numbers;
	struct store_sample *x;

	if (n->count != SAMPLE_NUMBERS && n->count != SAMPLE_TOUCHES && n->count != SAMPLE_END)
		return select_damaged(list->s, err);
	if (!ARRAY_GROW(list))
		return err_set(err, "out of memory");
	x = &list->items[list->count++];
	*x = (struct store_sample){
		.process_id = item->keys[0],
		.window = (uint32_t)(item->keys[1] + n->items[SAMPLE_WINDOW]),
		.status = (uint32_t)n->items[SAMPLE_STATUS],
		.position = (uint64_t)item->keys[2] + (uint64_t)n->items[SAMPLE_POSITION],
		.distance = (uint64_t)n->items[SAMPLE_DISTANCE],
		.end = {.location = STORE_NONE},
	};
	if (!access_from_numbers(list->s, n->items + SAMPLE_BEGIN, NULL, &x->begin) ||
	    (n->count >= SAMPLE_TOUCHES &&
	     !access_from_numbers(list->s, n->items + SAMPLE_END, &x->begin, &x->end)))
		return select_damaged(list->s, err);
	if (n->count == SAMPLE_NUMBERS)
		touches_from_number(n->items[SAMPLE_TOUCHES], x->touches);
	x->line = x->begin.address - (uint64_t)n->items[SAMPLE_PLACE];
	return 0;
}

/* Sort by process and window, if they do not come so; the rest of the order stays. */
static int sort_samples(struct sample_list *list, struct err *err)
{
	struct sort_item *order = calloc(list->count + 1, sizeof(*order));
	struct store_sample *sorted = NULL;
	bool is_sorted = true;
	int status = -1;

	for (size_t i = 0; order != NULL && i < list->count; i++) {
		order[i].key = (uint64_t)list->items[i].process_id << 32 | list->items[i].window;
		order[i].index = i;
		is_sorted &= i == 0 || order[i - 1].key <= order[i].key;
	}
	if (order != NULL && !is_sorted)
		sorted = calloc(list->count, sizeof(*sorted));
	if (order == NULL || (!is_sorted && sorted == NULL) ||
	    (!is_sorted && sort_by_key(order, list->count) != 0)) {
		err_set(err, "out of memory");
		free(sorted);
		goto out;
	}
	for (size_t i = 0; !is_sorted && i < list->count; i++)
		sorted[i] = list->items[order[i].index];
	if (!is_sorted) {
		free(list->items);
		list->items = sorted;
	}
	status = 0;
out:
	free(order);
	return status;
}

int store_read_samples(struct store *s, int64_t process, struct store_sample **items, size_t *count,
		       struct err *err)
{
	static const char sql[] = "SELECT list, process_id, window, position"
				  " FROM sample_batch WHERE ?1 < 0 OR process_id = ?1"
				  " ORDER BY process_id, first_id";
	struct sample_list list = {.s = s};

	*items = NULL;
	*count = 0;
	if (accesses_read(s, err) != 0 ||
	    lists_read(s, sql, process, add_sample, &list, err) != 0 ||
	    sort_samples(&list, err) != 0) {
		free(list.items);
		return -1;
	}
	*items = list.items;
	*count = list.count;
	return 0;
}

/* ---- Far reuses ---- */

struct far_list {
	struct store *s;
	struct store_far *items;
	size_t count, room;
	/* of the current row */
	double weights[STORE_FAR_WEIGHTS];
	size_t weight_count;
};

/* Returns false if the numbers are impossible. */
static bool take_far_lines(const struct far_list *list, const struct numbers *n,
			   struct store_far *f)
{
	size_t sizes = (n->count - FAR_OF) / FAR_NUMBERS;
	int64_t smallest = n->items[FAR_SMALLEST];

	if (smallest < 0 || smallest > STORE_FAR_SIZES ||
	    sizes > STORE_FAR_SIZES - (size_t)smallest)
		return false;
	for (size_t i = 0; i < sizes; i++) {
		const int64_t *of = n->items + FAR_OF + i * FAR_NUMBERS;
		struct store_far_line *l = &f->of[(size_t)smallest + i];

		if (of[FAR_WEIGHT] < 0 || (uint64_t)of[FAR_WEIGHT] > list->weight_count ||
		    of[FAR_NEARER] < 0 || of[FAR_NEARER] - 1 > n->items[FAR_BASE])
			return false;
		if (of[FAR_WEIGHT] == 0)
			continue;
		l->weight = list->weights[of[FAR_WEIGHT] - 1];
		l->is_first = of[FAR_NEARER] == 0;
		if (l->is_first)
			continue;
		l->distance = (uint64_t)(n->items[FAR_BASE] - (of[FAR_NEARER] - 1));
		l->lines = (uint64_t)of[FAR_LINES];
	}
	return true;
}

static int add_far(void *context, const struct list_item *item, struct err *err)
{
	struct far_list *list = context;
	const struct numbers *n = &item->numbers;
	struct store_far *f;

	if (n->count < FAR_OF || (n->count - FAR_OF) % FAR_NUMBERS != 0 || n->items[FAR_BASE] < 0)
		return select_damaged(list->s, err);
	if (item->index == 0 &&
	    !numbers_read_reals(item->text, list->weights, STORE_FAR_WEIGHTS, &list->weight_count))
		return select_damaged(list->s, err);
	if (!ARRAY_GROW(list))
		return err_set(err, "out of memory");
	f = &list->items[list->count++];
	*f = (struct store_far){
		.process_id = item->keys[0],
		.window = (uint32_t)(item->keys[1] + n->items[FAR_WINDOW]),
		.position = (uint64_t)item->keys[2] + (uint64_t)n->items[FAR_POSITION],
	};
	return access_from_numbers(list->s, n->items + FAR_END, NULL, &f->end) &&
			       access_from_numbers(list->s, n->items + FAR_BEGIN, &f->end,
						   &f->begin) &&
			       take_far_lines(list, n, f)
		       ? 0
		       : select_damaged(list->s, err);
}

int store_read_far(struct store *s, int64_t process, struct store_far **items, size_t *count,
		   struct err *err)
{
	static const char sql[] = "SELECT list, process_id, window, position, weights"
				  " FROM far_batch WHERE ?1 < 0 OR process_id = ?1"
				  " ORDER BY process_id, first_id";
	struct far_list list = {.s = s};

	*items = NULL;
	*count = 0;
	if (accesses_read(s, err) != 0 || lists_read(s, sql, process, add_far, &list, err) != 0) {
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
