/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types of blocks; see block_types.h. Many sites share a call, so each call is asked about once. If
 * a function allocates for others, the next question is about its own call: so the calls nearest to
 * the allocator come first, then their callers, level by level.
 */
#include "collector/naming/block_types.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/elements.h"
#include "base/sort.h"
#include "store/layouts.h"

#define MOST_CALLS ((size_t)1 << 16) /* of all levels: reading about more takes too long */
#define ASK_MOST   ((size_t)256)

/* A call of an allocator, by its location, and what it returns. */
struct call {
	uint64_t address;
	int file;
	struct symbols_result result;
};

struct calls {
	struct call *items;
	size_t count, room;
	struct map index; /* file and address -> index */
};

static uint64_t key_of(int file, uint64_t address)
{
	return address ^ (uint64_t)(uint32_t)file << 47;
}

/* The call at the location, added if new. NULL: it is in no file, or there are too many. */
static struct call *call_at(struct calls *c, const struct naming *n, int64_t location)
{
	const int file = naming_file(n, location);
	const uint64_t address = naming_address(n, location), key = key_of(file, address);
	uint64_t index;

	if (file < 0)
		return NULL;
	if (map_get(&c->index, key, &index))
		return &c->items[index];
	if (c->count >= MOST_CALLS || !ARRAY_GROW(c) || map_set(&c->index, key, c->count) != 0)
		return NULL;
	c->items[c->count] = (struct call){.address = address, .file = file};
	return &c->items[c->count++];
}

/* Is the next question about the call of the function, or of the one that the function calls? */
static bool is_above(const struct call *c)
{
	return c->result.handed >= SYMBOLS_HANDED_UNTYPED ||
	       (c->result.layout == NULL && c->result.is_for_others);
}

/* The calls of this level that matter for the site's name are known by now, or are asked about. */
static void want(struct calls *c, const struct naming *n, const struct sites *s, size_t site,
		 size_t level)
{
	const int64_t *path;
	const size_t depth = sites_path(s, site, &path);

	for (size_t i = 0; i < level && i < depth; i++) {
		const struct call *below = call_at(c, n, path[i]);

		if (below == NULL || !is_above(below))
			return;
	}
	if (level < depth)
		call_at(c, n, path[level]);
}

/* The call of this level that decides about the site; NULL: there is none. */
static struct call *deciding(struct calls *c, const struct naming *n, const struct sites *s,
			     size_t site, size_t level)
{
	const int64_t *path;
	const size_t depth = sites_path(s, site, &path);

	for (size_t i = 0; i < level && i < depth; i++) {
		const struct call *below = call_at(c, n, path[i]);

		if (below == NULL || below->result.layout != NULL || !below->result.is_for_others)
			return NULL;
	}
	return level < depth ? call_at(c, n, path[level]) : NULL;
}

/* Ask about calls of one file. */
static void ask(struct calls *c, const struct sort_item *order, size_t count,
		struct symbols *symbols)
{
	struct symbols_result results[ASK_MOST];
	uint64_t addresses[ASK_MOST];

	for (size_t i = 0; i < count; i++)
		addresses[i] = c->items[order[i].index].address;
	symbols_results(symbols, c->items[order[0].index].file, addresses, count, results);
	for (size_t i = 0; i < count; i++)
		c->items[order[i].index].result = results[i];
}

/* Ask about the calls from `first` on, by file and in order of address. */
static int ask_new(struct calls *c, size_t first, struct symbols *symbols)
{
	const size_t count = c->count - first;
	struct sort_item *order = calloc(count + 1, sizeof(*order));
	int status = order != NULL ? 0 : -1;

	for (size_t i = 0; status == 0 && i < count; i++)
		order[i] = (struct sort_item){c->items[first + i].address, first + i};
	if (status == 0)
		status = sort_by_key(order, count);
	for (size_t i = 0; status == 0 && i < count; i++)
		order[i].key = (uint64_t)c->items[order[i].index].file;
	if (status == 0)
		status = sort_by_key(order, count);
	for (size_t i = 0, same; status == 0 && i < count; i += same) {
		for (same = 1; same < ASK_MOST && i + same < count; same++)
			if (order[i + same].key != order[i].key)
				break;
		ask(c, order + i, same, symbols);
	}
	free(order);
	return status;
}

static bool fits(const struct sites *s, size_t site, const struct symbols_result *x)
{
	uint64_t smallest, largest;

	sites_sizes(s, site, &smallest, &largest);
	return x->layout->bytes <= largest &&
	       (!x->is_element || elements_fit(smallest, largest, x->layout->bytes)) &&
	       (!x->is_guess || (smallest == x->layout->bytes && largest == smallest));
}

/* Write the types of the sites that this level decides about. */
static int write_level(struct calls *c, const struct naming *n, struct sites *s, size_t level,
		       struct layouts *layouts, struct store *store, struct err *err)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct call *call = deciding(c, n, s, i, level);
		int64_t id;

		if (call == NULL || call->result.layout == NULL || !fits(s, i, &call->result))
			continue;
		if (layouts_put(layouts, call->result.layout, store, &id, err) != 0 ||
		    sites_set_layout(s, i, id, store, err) != 0)
			return -1;
	}
	return 0;
}

/* Calls whose result is handed on: where to. */
struct handing {
	struct handed {
		int64_t location, next; /* next 0: nowhere yet; -1: to several calls */
		uint32_t frames;
	} * items;
	size_t count, room;
	struct map index; /* location -> index */
};

/* Returns -1 when memory ran out. */
static int add_handing(struct handing *h, int64_t location, uint32_t frames, int64_t next)
{
	uint64_t index;

	if (!map_get(&h->index, (uint64_t)location, &index)) {
		index = h->count;
		if (!ARRAY_GROW(h) || map_set(&h->index, (uint64_t)location, index) != 0)
			return -1;
		h->items[h->count++] = (struct handed){location, next, frames};
	}
	if (h->items[index].next != next)
		h->items[index].next = -1;
	return 0;
}

static int list_handing(struct handing *h, struct calls *c, const struct naming *n,
			const struct sites *s)
{
	for (size_t i = 0; i < s->count; i++) {
		const int64_t *path;
		const size_t depth = sites_path(s, i, &path);

		for (size_t k = 0; k < depth; k++) {
			const struct call *call = call_at(c, n, path[k]);

			if (call != NULL && call->result.handed > 0 &&
			    add_handing(h, path[k], call->result.handed,
					k + 1 < depth ? path[k + 1] : 0) != 0)
				return -1;
			if (call == NULL || !is_above(call))
				break;
		}
	}
	return 0;
}

/*
 * Write which functions of the sites' paths hand blocks on. One without types may return what it
 * makes: it counts only if several calls have their blocks from it.
 */
static int write_wrappers(struct calls *c, const struct naming *n, const struct sites *s,
			  struct store *store, struct err *err)
{
	struct handing h = {0};
	int status = list_handing(&h, c, n, s);

	if (status != 0)
		err_set(err, "out of memory");
	for (size_t i = 0; status == 0 && i < h.count; i++)
		if (h.items[i].frames != SYMBOLS_HANDED_UNTYPED || h.items[i].next == -1)
			status = store_put_wrapper(store, h.items[i].location, h.items[i].frames,
						   err);
	free(h.items);
	map_release(&h.index);
	return status;
}

int block_types_find(struct sites *s, struct naming *n, struct symbols *symbols,
		     struct store *store, struct err *err)
{
	struct calls c = {0};
	int status = 0;

	for (size_t level = 0; status == 0 && level < SITE_MAX_DEPTH; level++) {
		const size_t known = c.count;

		for (size_t i = 0; i < s->count; i++)
			want(&c, n, s, i, level);
		if (c.count > known && ask_new(&c, known, symbols) != 0)
			status = err_set(err, "out of memory");
		else
			status = write_level(&c, n, s, level, &n->data.layouts, store, err);
	}
	if (status == 0)
		status = write_wrappers(&c, n, s, store, err);
	free(c.items);
	map_release(&c.index);
	return status;
}
