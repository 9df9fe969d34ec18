/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Misses of accesses that C handles, by data structure; see filter_access.h. */
#include "engine/simulate/filter/filter_access.h"

#include "engine/simulate/filter/filter.h"
#include "engine/simulate/filter/filter_notes.h"
#include "engine/simulate/whose/bins.h"
#include "sim/cache/entry.h"

struct filter_access filter_access;

#define a filter_access

void filter_access_begin(uint64_t address)
{
	a.address = address;
	a.bin = a.caches = 0;
	a.is_fetch = false;
}

void filter_access_fetch(uint64_t pc)
{
	a.pc = pc;
	a.bin = a.caches = 0;
	a.is_fetch = true;
}

/* Of two lines that miss the first one counts. */
static void replaced(enum bin_cache cache, uint64_t line, uint64_t victim)
{
	const uint32_t bit = 1u << cache;

	if (!a.bin && a.is_fetch) {
		a.bin = bins_of_code(0, a.pc);
	} else if (!a.bin) {
		a.bin = bins_of_data(0, a.pc, a.address);
		bins_missed_at(a.bin, 0, a.address);
	}
	bins_replaced(a.bin, cache, line, victim, !(a.caches & bit));
	a.caches |= bit;
}

void filter_access_replaced(const struct filter_level *l, uint64_t line, const uint32_t *victim)
{
	const enum bin_cache cache = l == &filter_state.data   ? BIN_FIRST_DATA
				     : l == &filter_state.code ? BIN_FIRST_CODE
							       : BIN_FIRST_DATA + 1;

	replaced(cache, line, victim ? filter_line_of(l, victim) : SIM_NO_LINE);
}

static void came(void *context, unsigned level, uint64_t line, uint64_t victim)
{
	replaced((enum bin_cache)level, line, victim);
}

const struct sim_watch filter_access_watch = {.came = came};
