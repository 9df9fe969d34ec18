/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory with names; see regions.h. */
#include "collector/naming/regions.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* per process; later names are dropped */
#define MAX_REGIONS 10000
#define NO_SITE	    SIZE_MAX

struct region {
	uint64_t start, end;
	uint64_t position;
	size_t site; /* index, or NO_SITE: the name was removed */
};

void regions_release(struct regions *g)
{
	size_t i;

	for (i = 0; i < g->sites.count; i++)
		free((char *)g->sites.items[i].name);
	free(g->sites.items);
	map_release(&g->site_by_name);
	map_release(&g->site_by_number);
	free(g->items);
	*g = (struct regions){0};
}

/* Find the site with this name. Returns its hash, or the next free one for a new site. */
static uint64_t find_name(const struct regions *g, const char *name, size_t *site)
{
	uint64_t hash = 0xcbf29ce484222325u, index; /* FNV-1a */

	for (const char *c = name; *c != '\0'; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
	for (*site = NO_SITE; map_get(&g->site_by_name, hash, &index); hash++) {
		if (strcmp(g->sites.items[index].name, name) != 0)
			continue;
		*site = index;
		break;
	}
	return hash;
}

/* Returns the index of the site with this name, added if new; NO_SITE when memory ran out. */
static size_t find_site(struct regions *g, const char *name, int64_t process, int64_t *next_site)
{
	size_t i;
	uint64_t hash = find_name(g, name, &i);
	char *copy;

	if (i != NO_SITE)
		return i;
	i = g->sites.count;
	copy = strdup(name);
	if (copy == NULL || !ARRAY_GROW(&g->sites) || map_set(&g->site_by_name, hash, i) != 0) {
		free(copy);
		return NO_SITE;
	}
	g->sites.items[g->sites.count++] = (struct store_site){
		.id = (*next_site)++, .process_id = process, .kind = "region", .name = copy};
	return i;
}

/* Mark a site to be written again. */
static struct store_site *change(struct regions *g, size_t site)
{
	if (g->changed_count < REGIONS_CHANGED)
		g->changed[g->changed_count++] = site;
	return &g->sites.items[site];
}

static void count_block(struct store_site *s, uint64_t bytes)
{
	s->blocks++;
	s->bytes += bytes;
	s->live_blocks++;
	s->live_bytes += bytes;
	if (s->live_bytes > s->peak_bytes)
		s->peak_bytes = s->live_bytes;
	if (s->blocks == 1 || bytes < s->smallest)
		s->smallest = bytes;
	if (bytes > s->largest)
		s->largest = bytes;
}

/* The last region at the address at that time, or NULL. */
static const struct region *find(const struct regions *g, uint64_t address, uint64_t position)
{
	size_t i;

	for (i = g->count; i-- > 0;) {
		const struct region *r = &g->items[i];

		if (address >= r->start && address < r->end && r->position <= position)
			return r;
	}
	return NULL;
}

/* Remove the name of the memory at `start`. */
static void end_block(struct regions *g, uint64_t start)
{
	const struct region *r = find(g, start, UINT64_MAX);
	struct store_site *s;

	if (r == NULL || r->site == NO_SITE)
		return;
	s = change(g, r->site);
	s->live_blocks -= s->live_blocks > 0;
	s->live_bytes -= r->end - r->start < s->live_bytes ? r->end - r->start : s->live_bytes;
}

int regions_name(struct regions *g, uint64_t start, uint64_t end, uint64_t position,
		 const char *name, int64_t process, int64_t *next_site)
{
	struct region r = {.start = start, .end = end, .position = position, .site = NO_SITE};

	if (g->count >= MAX_REGIONS)
		return REGIONS_FULL;
	end_block(g, start);
	if (name[0] != '\0') {
		r.site = find_site(g, name, process, next_site);
		if (r.site == NO_SITE)
			return -1;
		count_block(change(g, r.site), end - start);
	}
	if (!ARRAY_GROW(g))
		return -1;
	g->items[g->count++] = r;
	return 0;
}

int regions_number(struct regions *g, const char *name, uint32_t number)
{
	size_t site;

	find_name(g, name, &site);
	return number == 0 || site == NO_SITE ? 0 : map_set(&g->site_by_number, number, site);
}

int64_t regions_numbered(const struct regions *g, uint32_t number)
{
	uint64_t index;

	return map_get(&g->site_by_number, number, &index) ? g->sites.items[index].id : 0;
}

static int inherit_numbers(struct regions *g, const struct regions *parent)
{
	const struct map *numbers = &parent->site_by_number;

	for (size_t i = 0; i < numbers->room; i++) {
		const uint64_t value = numbers->entries[i].value;

		if (value != 0 && regions_number(g, parent->sites.items[value - 1].name,
						 (uint32_t)numbers->entries[i].key) != 0)
			return -1;
	}
	return 0;
}

int regions_inherit(struct regions *g, const struct regions *parent, int64_t process,
		    int64_t *next_site)
{
	size_t i;

	for (i = 0; i < parent->count; i++) {
		const struct region *r = &parent->items[i];
		const char *name = r->site != NO_SITE ? parent->sites.items[r->site].name : "";

		if (regions_name(g, r->start, r->end, 0, name, process, next_site) < 0)
			return -1;
		g->changed_count = 0;
	}
	return inherit_numbers(g, parent);
}

int64_t regions_find(const struct regions *g, uint64_t address, uint64_t position, uint64_t *start)
{
	const struct region *r = g->count > 0 ? find(g, address, position) : NULL;

	if (r == NULL || r->site == NO_SITE)
		return 0;
	*start = r->start;
	return g->sites.items[r->site].id;
}

int regions_write(struct regions *g, struct store *store, struct err *err)
{
	for (unsigned i = 0; i < g->changed_count; i++) {
		if (store_put_site(store, &g->sites.items[g->changed[i]], err) != 0)
			return -1;
	}
	g->changed_count = 0;
	return 0;
}

int regions_write_all(const struct regions *g, struct store *store, struct err *err)
{
	for (size_t i = 0; i < g->sites.count; i++) {
		if (store_put_site(store, &g->sites.items[i], err) != 0)
			return -1;
	}
	return 0;
}
