/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The filter's caches as those of the replay; see filter_handover.h. */
#include "engine/simulate/state/filter_handover.h"

#include "engine/core/util.h"
#include "engine/simulate/state/filter.h"
#include "sim/base/geometry.h"
#include "sim/cache/cache.h"

#define w filter_state

uint64_t filter_row_bytes(const struct sim_cache *c)
{
	return (c->ways > SIM_SHORT_WAYS ? c->ways : round_up(c->ways, 8)) * sizeof(uint64_t);
}

bool filter_keeps_places(const struct sim_cache *c)
{
	return c->replacement == SIM_REPLACE_RANDOM || c->replacement == SIM_REPLACE_PLRU;
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

/* Inserts the oldest line of a set first; or lines with fixed places in their order. */
static void hand_over_row(const struct pair *p, uint64_t first)
{
	const struct filter_level *l = p->level;
	const bool keeps_places = filter_keeps_places(p->cache);

	for (uint64_t i = first; keeps_places && i < first + l->places; i++)
		if (l->owners[i])
			sim_cache_insert(p->cache, p->line_of(l->owners[i]), 0);
	for (uint32_t **owner; (owner = oldest(l, first, l->places)) != 0;) {
		if (keeps_places)
			sim_cache_use(p->cache, p->line_of(*owner), 0);
		else
			sim_cache_insert(p->cache, p->line_of(*owner), 0);
		l->stamps[owner - l->owners] = 0;
		**owner = 0;
		*owner = 0;
	}
}

static void hand_over(const struct pair *p)
{
	const uint64_t places = p->level->places;

	for (uint64_t first = 0; first < p->cache->sets * places; first += places)
		hand_over_row(p, first);
}

void filter_hand_over(const struct filter_caches *c)
{
	struct pair p[PAIRS];
	uint32_t n = find_pairs(c, p);

	for (uint32_t i = 0; i < n; i++)
		hand_over(&p[i]);
}
