/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Miss ratios of simulated caches, from totals of events; see event_caches.h. */
#include "events/event_caches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"

/* Events by level. A code cache is accessed by instructions, the others by loads and stores. */
static const struct level {
	const char *name;
	const char *misses[2], *accesses[2]; /* end with NULL */
	const char *all;		     /* including misses of code, if the level holds both */
	char letter;			     /* in the names of events */
	bool is_code;
} levels[] = {
	{"L1i", {"I1mr"}, {"Ir"}, "I1mr", '1', true},
	{"L1d", {"D1mr", "D1mw"}, {"Dr", "Dw"}, "L1m", '1', false},
	{"L2", {"D2mr", "D2mw"}, {"Dr", "Dw"}, "L2m", '2', false},
	{"L3", {"D3mr", "D3mw"}, {"Dr", "Dw"}, NULL, '3', false},
	{"L4", {"D4mr", "D4mw"}, {"Dr", "Dw"}, NULL, '4', false},
	{"LL", {"DLmr", "DLmw"}, {"Dr", "Dw"}, "LLm", 'L', false},
};

static size_t column_of(const struct event_profile *p, const char *name)
{
	for (size_t i = 0; name != NULL && i < p->column_count; i++)
		if (strcmp(p->columns[i].name, name) == 0)
			return i;
	return SIZE_MAX;
}

/* The sum of the events that the profile has; NAN if there are none. */
static double total(const struct event_profile *p, const char *const names[2])
{
	double sum = NAN;

	for (size_t i = 0; i < 2; i++) {
		size_t column = column_of(p, names[i]);

		if (column != SIZE_MAX)
			sum = (isnan(sum) ? 0 : sum) + events_value(p, column, p->totals);
	}
	return sum;
}

/* Parse "48K,12,64,lru". */
static void read_geometry(struct event_cache *c, const struct store_geometry *g, size_t count)
{
	char size[SIZE_TEXT_BYTES];
	const char *comma;

	for (size_t i = 0; i < count; i++) {
		if (strcmp(g[i].name, c->name) != 0)
			continue;
		comma = strchr(g[i].value, ',');
		if (comma == NULL || (size_t)(comma - g[i].value) >= sizeof(size))
			return;
		memcpy(size, g[i].value, (size_t)(comma - g[i].value));
		size[comma - g[i].value] = '\0';
		if (size_parse(size, &c->size_bytes, NULL) != 0)
			c->size_bytes = 0;
		c->ways = strtoull(comma + 1, NULL, 10);
		return;
	}
}

int event_caches_read(struct event_caches *c, const struct event_profile *p, struct err *err)
{
	struct store_geometry *geometry;
	size_t count;

	*c = (struct event_caches){0};
	if (store_read_geometry(p->store, &geometry, &count, err) != 0)
		return -1;
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		const struct level *l = &levels[i];
		struct event_cache *cache = &c->items[c->count];

		*cache = (struct event_cache){.name = l->name, .is_code = l->is_code};
		cache->accesses = total(p, l->accesses);
		cache->misses = total(p, l->misses);
		if (!(cache->accesses > 0) || isnan(cache->misses))
			continue;
		event_sample_bounds(p, l->letter, l->is_code, cache->misses, &cache->low,
				    &cache->high);
		cache->column = column_of(p, l->all);
		read_geometry(cache, geometry, count);
		c->count++;
	}
	free(geometry);
	return 0;
}

const struct event_cache *event_caches_last(const struct event_caches *c)
{
	for (size_t i = c->count; i > 0; i--)
		if (!c->items[i - 1].is_code && c->items[i - 1].column != SIZE_MAX)
			return &c->items[i - 1];
	return NULL;
}
