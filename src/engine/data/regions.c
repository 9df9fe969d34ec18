/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An ordered list of regions; see regions.h. */
#include "engine/data/regions.h"

#include "engine/core/intervals.h"
#include "engine/core/util.h"

#define MAX_REGIONS  (1u << 17)
#define MAX_FAMILIES (1u << 20)

static struct intervals regions;
/* The number of pieces of each family of cut regions. Family 0 does not exist. */
static struct grow pieces;

int regions_init(void)
{
	if (intervals_init(&regions, sizeof(struct region), MAX_REGIONS) != 0 ||
	    grow_init(&pieces, MAX_FAMILIES * sizeof(uint64_t)) != 0)
		return -1;
	return grow_take(&pieces, sizeof(uint64_t)) ? 0 : -1;
}

static uint64_t *pieces_of(uint32_t family)
{
	return (uint64_t *)(void *)pieces.base + family;
}

void regions_add(uint64_t start, uint64_t end, uint32_t site)
{
	intervals_insert(&regions, &(struct region){.start = start, .end = end, .site = site});
}

/* A region of the family is gone: was it the last one? */
static bool was_last(uint32_t family)
{
	return !family || --*pieces_of(family) == 0;
}

/*
 * Count one more piece in the family of r; make the family if r has none. Out of memory: the pieces
 * count as separate regions.
 */
static void join_family(struct region *r)
{
	uint64_t *count = r->family ? pieces_of(r->family) : grow_take(&pieces, sizeof *count);

	if (!count)
		return;
	*count += r->family ? 1 : 2;
	r->family = (uint32_t)(count - pieces_of(0));
}

/* Take [start, end) out of the middle of r. */
static void divide(struct region *r, uint64_t start, uint64_t end)
{
	struct region upper;

	join_family(r);
	upper = *r;
	upper.start = end;
	intervals_set_end(&regions, r, start);
	if (!intervals_insert(&regions, &upper))
		was_last(upper.family);
}

bool regions_cut(uint64_t start, uint64_t end, struct region *cut, bool *whole)
{
	struct region *r = intervals_after(&regions, start);

	if (!r || r->start >= end || start >= end)
		return false;
	*cut = *r;
	cut->start = r->start > start ? r->start : start;
	cut->end = r->end < end ? r->end : end;
	*whole = cut->start == r->start && cut->end == r->end;
	if (*whole) {
		*whole = was_last(r->family);
		intervals_remove(&regions, r);
	} else if (cut->start == r->start) {
		r->start = cut->end;
	} else if (cut->end == r->end) {
		intervals_set_end(&regions, r, cut->start);
	} else {
		divide(r, cut->start, cut->end);
	}
	return true;
}

bool regions_find(uint64_t address, struct region *r)
{
	const struct region *found = intervals_after(&regions, address);

	if (!found || found->start > address)
		return false;
	*r = *found;
	return true;
}

void regions_set_site(uint64_t start, uint32_t site)
{
	struct region *r = intervals_after(&regions, start);

	if (r && r->start == start)
		r->site = site;
}
