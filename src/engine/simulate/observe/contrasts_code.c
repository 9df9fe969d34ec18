/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Contrasts of the misses of instructions; see contrasts.h. */
#include "engine/core/records.h"
#include "engine/simulate/observe/contrasts.h"
#include "engine/simulate/observe/numbering.h"
#include "engine/unwind/eras.h"
#include "engine/unwind/modules.h"

#define MOST_INSTRUCTIONS (16u << 20)

/* The last cache is the first level of code. */
static struct {
	struct contrast_table table;
	struct numbering numbers; /* by key (eras.h) */
	struct grow sites;	  /* uint32_t: number */
	bool is_on;
} all;

bool contrasts_start(uint32_t levels, uint32_t most_sites)
{
	if (all.is_on)
		return true;
	return all.is_on = contrasts_init(&all.table, MOST_INSTRUCTIONS, levels + 1) &&
			   numbering_init(&all.numbers, MOST_INSTRUCTIONS) == 0 &&
			   grow_init_whole(&all.sites, most_sites * sizeof(uint32_t)) == 0;
}

static uint32_t *of_site(uint32_t site)
{
	return (uint32_t *)(void *)all.sites.base + site;
}

uint32_t contrasts_known(uint32_t site)
{
	return site ? *of_site(site) : 0;
}

uint32_t contrasts_find(uint32_t site, uint64_t pc)
{
	const uint32_t number = numbering_get(&all.numbers, modules_key(pc), 0);

	if (!contrasts_reach(&all.table, number))
		return 0;
	if (site)
		*of_site(site) = number;
	return number;
}

void contrasts_missed(uint32_t number, uint32_t missed, uint32_t unknown)
{
	struct contrasts *c = contrasts_at(&all.table, number);
	bool is_unknown = false;

	if (!number)
		return;
	if (c->signs != contrasts_now)
		contrasts_fold(&all.table, c);
	if (missed & 1u << BIN_FIRST_CODE) {
		is_unknown = unknown & 1u << BIN_FIRST_CODE;
		contrasts_count(c, all.table.caches - 1, is_unknown);
	}
	for (uint32_t level = 0; level + 1 < all.table.caches; level++) {
		if (!(missed & 1u << level))
			continue;
		is_unknown |= (unknown & 1u << level) != 0;
		contrasts_count(c, level, is_unknown);
	}
}

void contrasts_flush(struct process *p)
{
	for (uint32_t number = 1; all.is_on && number <= all.numbers.count; number++) {
		const uint64_t key = numbering_key(&all.numbers, number)->a;
		struct contrasts *c = contrasts_at(&all.table, number);
		struct record_contrasts r = {.pc = eras_address(key)};

		if (!contrasts_reach(&all.table, number))
			return;
		r.position = eras_position(key);
		contrasts_fold(&all.table, c);
		for (uint32_t cache = 0; cache < all.table.caches; cache++) {
			r.cache = cache + 1 == all.table.caches ? BIN_FIRST_CODE : cache;
			if (contrasts_take(c, cache, &r))
				records_contrasts(p, &r);
		}
	}
}

void contrasts_forget_sites(uint32_t sites)
{
	if (all.is_on)
		memset(all.sites.base, 0, sites * sizeof(uint32_t));
}

void contrasts_forked(void)
{
	if (all.is_on)
		contrasts_clear(&all.table);
}
