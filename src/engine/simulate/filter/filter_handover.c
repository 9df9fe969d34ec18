/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The filter's caches as those of the replay; see filter_handover.h. */
#include "engine/simulate/filter/filter_handover.h"

#include "engine/core/util.h"
#include "engine/simulate/filter/filter.h"
#include "sim/base/geometry.h"
#include "sim/cache/cache.h"

#define w filter_state

#define MOST_WAYS  32u /* of LL, see many_places in filter_below.S */
#define LEAST_SETS 8u  /* neighbouring lines of one segment never meet in a set of code */

uint64_t filter_row_bytes(const struct sim_cache *c)
{
	return (c->ways > SIM_SHORT_WAYS ? c->ways : round_up(c->ways, 8)) * sizeof(uint64_t);
}

static bool fits(const struct sim_cache *c, uint32_t most_ways, uint64_t bytes)
{
	return c->entries && c->shift == FILTER_LINE_SHIFT && c->sets >= LEAST_SETS &&
	       c->ways <= most_ways && c->sets * filter_row_bytes(c) <= bytes;
}

bool filter_can_hold(const struct sim_cache *c)
{
	return fits(c, MOST_WAYS, FILTER_LAST_BYTES);
}

bool filter_can_hold_first(const struct sim_cache *c)
{
	return fits(c, SIM_SHORT_WAYS, FILTER_FIRST_BYTES) && !c->set_magic &&
	       (c->replacement == SIM_REPLACE_LRU || c->replacement == SIM_REPLACE_FIFO ||
		c->replacement == SIM_REPLACE_RANDOM);
}

static bool is_random(const struct sim_cache *c)
{
	return c->replacement == SIM_REPLACE_RANDOM;
}

/* A cache of the filter and of the replay. */
struct pair {
	struct filter_level *level;
	struct sim_cache *cache;
	uint64_t (*line_of)(const uint32_t *);
};

enum { PAIRS = 3 };

static uint32_t find_pairs(const struct filter_caches *c, struct pair p[PAIRS])
{
	uint32_t n = 0;

	p[n++] = (struct pair){&w.data, c->data, filter_line_of_data};
	if (c->code)
		p[n++] = (struct pair){&w.code, c->code, filter_line_of_code};
	if (c->last)
		p[n++] = (struct pair){&w.last, c->last, filter_line_of_last};
	return n;
}

/* The place of the oldest line of a row, or NULL. */
static uint32_t **oldest(const struct filter_level *l, uint64_t first, uint64_t places)
{
	const uint64_t *times = l->came ? l->came : l->stamps;
	uint64_t least = first;

	for (uint64_t i = first; i < first + places; i++)
		if (l->owners[i] && (!l->owners[least] || times[i] < times[least]))
			least = i;
	return l->owners[least] ? &l->owners[least] : 0;
}

/*
 * The owner to insert next, or NULL. With random replacement lines have fixed places, filled in
 * order.
 */
static uint32_t **next_of_row(const struct pair *p, uint64_t first, uint64_t places)
{
	const struct filter_level *l = p->level;

	if (!is_random(p->cache))
		return oldest(l, first, places);
	for (uint64_t i = first; i < first + places; i++)
		if (l->owners[i])
			return &l->owners[i];
	return 0;
}

/* Inserts the oldest line of each set first. */
static void hand_over(const struct pair *p)
{
	const struct filter_level *l = p->level;
	uint64_t places = l->places;

	for (uint64_t first = 0; first < p->cache->sets * places; first += places)
		for (uint32_t **owner; (owner = next_of_row(p, first, places)) != 0;) {
			sim_cache_insert(p->cache, p->line_of(*owner), 0);
			l->stamps[owner - l->owners] = 0;
			**owner = 0;
			*owner = 0;
		}
}

void filter_hand_over(const struct filter_caches *c)
{
	struct pair p[PAIRS];
	uint32_t n = find_pairs(c, p);

	for (uint32_t i = 0; i < n; i++)
		hand_over(&p[i]);
}
