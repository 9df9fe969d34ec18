/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LRU and FIFO in short sets: the entries of a set lie in the order of their age, so that the last one gives
 * way. The youngest is the one used, or with FIFO brought in, last; free places are at the end.
 */
#include <stddef.h>

#include "sim/cache_kinds.h"

static int init(struct sim_cache *c)
{
	(void)c;
	return 0;
}

static void release(struct sim_cache *c)
{
	(void)c;
}

static uint64_t *find(struct sim_cache *c, uint64_t set, uint64_t line)
{
	uint64_t *entry = c->entries + set * c->ways, *end = entry + c->ways;

	for (; entry < end; entry++)
		if (sim_entry_is(*entry, line))
			return entry;
	return NULL;
}

/* Put an entry in front; those up to `last` are a place older, and that one is returned. */
static uint64_t put_first(uint64_t *entry, const uint64_t *last, uint64_t first)
{
	uint64_t moved = first;

	for (; entry <= last; entry++) {
		uint64_t next = *entry;

		*entry = moved;
		moved = next;
	}
	return moved;
}

static uint64_t *use(struct sim_cache *c, uint64_t set, uint64_t *entry)
{
	uint64_t *first = c->entries + set * c->ways;

	if (c->replacement == SIM_REPLACE_FIFO)
		return entry;
	put_first(first, entry, *entry);
	return first;
}

static uint64_t insert(struct sim_cache *c, uint64_t set, uint64_t entry)
{
	uint64_t *first = c->entries + set * c->ways;

	return put_first(first, first + c->ways - 1, entry);
}

static void remove_entry(struct sim_cache *c, uint64_t set, uint64_t *entry)
{
	const uint64_t *last = c->entries + (set + 1) * c->ways - 1;

	for (; entry < last; entry++)
		entry[0] = entry[1];
	*entry = SIM_NO_LINE;
}

static bool is_settled(const struct sim_cache *c, uint64_t entry)
{
	(void)c;
	(void)entry;
	return true;
}

const struct sim_cache_kind sim_cache_by_age = {init,	release,      find,	 use,
						insert, remove_entry, is_settled};
