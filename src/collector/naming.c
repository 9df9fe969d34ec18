/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names for code locations: asked in order of address, written in order of location. */
#include "collector/naming.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"

struct naming_question {
	uint64_t address;
	int file;
	uint32_t count;
	const struct symbols_frame *frames; /* the symbols' */
};

int64_t naming_add(struct naming *n, int file, uint64_t address)
{
	if (!ARRAY_GROW(n))
		return 0;
	n->items[n->count] = (struct naming_question){.address = address, .file = file};
	return (int64_t)++n->count;
}

void naming_release(struct naming *n)
{
	free(n->items);
	*n = (struct naming){0};
}

/* The questions' indices by file, and within a file by address. */
static int sort_questions(const struct naming *n, struct sort_item *sorted)
{
	size_t i;

	for (i = 0; i < n->count; i++)
		sorted[i] = (struct sort_item){n->items[i].address, i};
	if (sort_by_key(sorted, n->count) != 0)
		return -1;
	for (i = 0; i < n->count; i++)
		sorted[i].key = (uint64_t)n->items[sorted[i].index].file;
	return sort_by_key(sorted, n->count);
}

static int find_names(struct naming *n, struct symbols *symbols, struct err *err)
{
	struct sort_item *sorted = calloc(n->count + 1, sizeof(*sorted));
	size_t i;

	if (sorted == NULL || sort_questions(n, sorted) != 0) {
		free(sorted);
		return err_set(err, "out of memory");
	}
	for (i = 0; i < n->count; i++) {
		struct naming_question *q = &n->items[sorted[i].index];

		q->count = (uint32_t)symbols_resolve(symbols, q->file, q->address, &q->frames);
	}
	free(sorted);
	return 0;
}

static int write_names(const struct naming_question *q, int64_t id, struct store *store,
		       struct err *err)
{
	struct store_frame frames[STORE_MAX_FRAMES];
	size_t i;

	for (i = 0; i < q->count && i < STORE_MAX_FRAMES; i++)
		frames[i] = (struct store_frame){q->frames[i].function, q->frames[i].file,
						 q->frames[i].line};
	return i > 0 ? store_put_frames(store, id, frames, i, err) : 0;
}

int naming_finish(struct naming *n, struct symbols *symbols, struct store *store, struct err *err)
{
	size_t i;

	if (find_names(n, symbols, err) != 0)
		return -1;
	for (i = 0; i < n->count; i++) {
		if (write_names(&n->items[i], (int64_t)i + 1, store, err) != 0)
			return -1;
	}
	return 0;
}
