/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which caches replay_wide.S can look into; see replay_wide.h. */
#include "engine/simulate/replay_wide.h"

#include "sim/cache/cache_packed.h"

bool replay_wide_fits(const struct sim_cache *c, struct replay_cache *w)
{
	if (!c->entries || c->shift != 6 || c->set_magic || c->ways > SIM_SHORT_WAYS ||
	    c->is_by_age)
		return false;
	*w = (struct replay_cache){.noop = c->noop_loads,
				   .entries = c->entries,
				   .mask = c->set_mask,
				   .stride = (SIM_PACKED_HEAD + c->ways) * sizeof *c->entries,
				   .ways = (1u << c->ways) - 1,
				   .above = (uint8_t)(((1u << c->ways) - 1) >> 8),
				   .oldest_shift = (uint8_t)c->oldest_shift,
				   .part_shift = (uint8_t)c->part_shift};
	return true;
}

bool replay_wide_fits_code(const struct sim_cache *c, const struct sim_noop *noop,
			   struct replay_cache *w)
{
	if (c->memory)
		return replay_wide_fits(c, w);
	*w = (struct replay_cache){.noop = (uint64_t *)(uintptr_t)noop->lines[SIM_LOAD],
				   .mask = noop->set_mask};
	return true;
}
