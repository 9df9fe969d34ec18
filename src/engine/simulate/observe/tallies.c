/* SPDX-License-Identifier: GPL-2.0-or-later */
/* References of sites to structures that they do not expect; see tallies.h. */
#include "engine/simulate/observe/tallies.h"

#include <stddef.h>

#include "engine/core/util.h"
#include "engine/simulate/observe/references.h"

#define FIRST_LIMIT 16u

_Static_assert(sizeof(struct site_tally) == 1u << TALLY_SHIFT, "layout");
_Static_assert(offsetof(struct site_tally, label) == TALLY_LABEL, "layout");
_Static_assert(offsetof(struct site_tally, count) == TALLY_COUNT, "layout");
_Static_assert(offsetof(struct site_tally, limit) == TALLY_LIMIT, "layout");
_Static_assert(offsetof(struct site_tally, bin) == TALLY_BIN, "layout");

struct site_tally *tallies;

static struct grow room;

bool tallies_start(void)
{
	if (grow_init_whole(&room, TALLIES * sizeof(struct site_tally)) != 0)
		return false;
	tallies = (struct site_tally *)(void *)room.base;
	return true;
}

void tallies_take(struct site_tally *t)
{
	if (t->count)
		references_add(t->bin, t->count);
	t->count = 0;
}

struct site_tally *tallies_get(uint32_t site, uint32_t label, uint32_t bin, uint64_t since)
{
	struct site_tally *t = &tallies[(site + label * TALLY_FACTOR) % TALLIES];

	if (t->site == site && t->label == label)
		return t;
	tallies_take(t);
	*t = (struct site_tally){
		.site = site, .label = label, .limit = FIRST_LIMIT, .bin = bin, .since = since};
	return t;
}

void tallies_settle(void)
{
	for (uint32_t i = 0; i < TALLIES; i++) {
		tallies_take(&tallies[i]);
		tallies[i] = (struct site_tally){0};
	}
}
