/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sites of the filter variant; see filter_sites.h. */
#include "engine/simulate/state/filter_sites.h"

#include "engine/simulate/counts/segments.h"
#include "engine/simulate/observe/contrasts.h"

/* large, so that it does not lie among the program's mappings */
#define OWNERS_RESERVE (1ull << 30)

static struct grow owners; /* by site number; 0 is unused */

#define w filter_state

bool filter_sites_start(void)
{
	return grow_init(&owners, OWNERS_RESERVE) == 0 &&
	       grow_take(&owners, sizeof(struct filter_owner));
}

static struct filter_owner *all(void)
{
	return (struct filter_owner *)(void *)owners.base;
}

uint32_t filter_site_number(const uint8_t *site)
{
	return *(const uint32_t *)(const void *)(site + SITE_NUMBER);
}

const uint8_t *filter_site_back(const uint8_t *site)
{
	return site + *(const int32_t *)(const void *)(site + SITE_BACK);
}

const struct filter_owner *filter_site_owner(uint32_t number)
{
	return &all()[number];
}

struct segment_insn *filter_site_insn(const struct filter_owner *o)
{
	struct segment *s = segments_of_trailer(o->segment);
	bool is_code = o->flags & FILTER_SITE_CODE;

	return &segment_insns(s)[is_code ? o->index : segment_accesses(s)[o->index].owner];
}

uint32_t filter_next_site(void)
{
	return (uint32_t)(owners.used / sizeof(struct filter_owner));
}

bool filter_site_is_of(uint32_t number, const struct segment *s)
{
	return number < filter_next_site() && segments_of_trailer(all()[number].segment) == s;
}

struct filter_owner *filter_new_site(void)
{
	return filter_next_site() < FILTER_MOST_SITES
		       ? grow_take(&owners, sizeof(struct filter_owner))
		       : 0;
}

bool filter_has_sites(void)
{
	return owners.base != 0;
}

void filter_clear_sites(void)
{
	owners.used = sizeof(struct filter_owner);
}
