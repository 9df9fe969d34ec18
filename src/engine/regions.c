/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sorted array of regions; see regions.h. */
#include "engine/regions.h"

#include "engine/util.h"

#define MAX_REGIONS (1u << 17)

static struct region *regions;
static uint32_t count, families;

int regions_init(void)
{
	struct grow memory;

	if (grow_init_whole(&memory, (uint64_t)MAX_REGIONS * sizeof *regions) != 0)
		return -1;
	regions = (struct region *)(void *)memory.base;
	return 0;
}

/* Index of the first region that ends above address. */
static uint32_t first_above(uint64_t address)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (regions[mid].end <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool insert_at(uint32_t i, struct region r)
{
	if (count == MAX_REGIONS)
		return false;
	memmove(&regions[i + 1], &regions[i], (count - i) * sizeof *regions);
	regions[i] = r;
	count++;
	return true;
}

void regions_add(uint64_t start, uint64_t end, uint32_t site)
{
	insert_at(first_above(start), (struct region){ .start = start, .end = end, .site = site });
}

/* Is there another piece of the region that this one was part of? */
static bool has_others(uint32_t family)
{
	for (uint32_t i = 0; family && i < count; i++)
		if (regions[i].family == family)
			return true;
	return false;
}

bool regions_cut(uint64_t start, uint64_t end, struct region *cut, bool *whole)
{
	uint32_t i = first_above(start);
	struct region *r = &regions[i], rest;

	if (i == count || r->start >= end || start >= end)
		return false;
	*cut = *r;
	cut->start = r->start > start ? r->start : start;
	cut->end = r->end < end ? r->end : end;
	*whole = cut->start == r->start && cut->end == r->end;
	rest = *r;
	if (*whole) {
		count--;
		memmove(r, r + 1, (count - i) * sizeof *regions);
		*whole = !has_others(rest.family);
	} else if (cut->start == r->start) {
		r->start = cut->end;
	} else if (cut->end == r->end) {
		r->end = cut->start;
	} else {
		if (!r->family)
			r->family = ++families;
		rest = *r;
		r->end = cut->start;
		rest.start = cut->end;
		insert_at(i + 1, rest);
	}
	return true;
}

bool regions_find(uint64_t address, struct region *r)
{
	uint32_t i = first_above(address);

	if (i == count || regions[i].start > address)
		return false;
	*r = regions[i];
	return true;
}

void regions_set_site(uint64_t start, uint32_t site)
{
	uint32_t i = first_above(start);

	if (i < count && regions[i].start == start)
		regions[i].site = site;
}
