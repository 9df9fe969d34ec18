/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Named memory; see regions.h. */
#include "collector/regions.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define MAX_REGIONS \
	10000 /* of a process; a program that names each of its blocks is not followed on */
#define NO_SITE SIZE_MAX

struct region {
	uint64_t start, end;
	uint64_t position;
	size_t site; /* index, or NO_SITE: the name was taken back */
};

void regions_release(struct regions *g)
{
	size_t i;

	for (i = 0; i < g->sites.count; i++)
		free((char *)g->sites.items[i].name);
	free(g->sites.items);
	free(g->items);
	*g = (struct regions){0};
}

/* The index of the site with this name, made if it is new. NO_SITE: no memory. */
static size_t find_site(struct regions *g, const char *name, int64_t process, int64_t *next_site)
{
	struct store_site *s;
	size_t i;

	for (i = 0; i < g->sites.count; i++) {
		if (strcmp(g->sites.items[i].name, name) == 0)
			return i;
	}
	if (!ARRAY_GROW(&g->sites))
		return NO_SITE;
	s = &g->sites.items[i];
	*s = (struct store_site){.process_id = process, .kind = "region", .name = strdup(name)};
	if (s->name == NULL)
		return NO_SITE;
	s->id = (*next_site)++;
	g->sites.count++;
	return i;
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

/* The last region that holds the address at that time, or NULL. */
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

/* The memory at `start` loses the name it had. */
static void end_block(struct regions *g, uint64_t start)
{
	const struct region *r = find(g, start, UINT64_MAX);
	struct store_site *s;

	if (r == NULL || r->site == NO_SITE)
		return;
	s = &g->sites.items[r->site];
	s->live_blocks -= s->live_blocks > 0;
	s->live_bytes -= r->end - r->start < s->live_bytes ? r->end - r->start : s->live_bytes;
}

int regions_name(struct regions *g, uint64_t start, uint64_t end, uint64_t position,
		 const char *name, int64_t process, int64_t *next_site)
{
	struct region r = {.start = start, .end = end, .position = position, .site = NO_SITE};

	if (g->count >= MAX_REGIONS)
		return 0;
	end_block(g, start);
	if (name[0] != '\0') {
		r.site = find_site(g, name, process, next_site);
		if (r.site == NO_SITE)
			return -1;
		count_block(&g->sites.items[r.site], end - start);
	}
	if (!ARRAY_GROW(g))
		return -1;
	g->items[g->count++] = r;
	return 0;
}

int regions_inherit(struct regions *g, const struct regions *parent, int64_t process,
		    int64_t *next_site)
{
	size_t i;

	for (i = 0; i < parent->count; i++) {
		const struct region *r = &parent->items[i];
		const char *name = r->site != NO_SITE ? parent->sites.items[r->site].name : "";

		if (regions_name(g, r->start, r->end, 0, name, process, next_site) != 0)
			return -1;
	}
	return 0;
}

int64_t regions_find(const struct regions *g, uint64_t address, uint64_t position, uint64_t *start)
{
	const struct region *r = g->count > 0 ? find(g, address, position) : NULL;

	if (r == NULL || r->site == NO_SITE)
		return 0;
	*start = r->start;
	return g->sites.items[r->site].id;
}

int regions_write(const struct regions *g, struct store *store, struct err *err)
{
	size_t i;

	for (i = 0; i < g->sites.count; i++) {
		if (store_put_site(store, &g->sites.items[i], err) != 0)
			return -1;
	}
	return 0;
}
