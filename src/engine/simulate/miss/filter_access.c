/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Misses of accesses that C handles, by data structure; see filter_access.h. */
#include "engine/simulate/miss/filter_access.h"

#include "engine/core/run_mode.h"
#include "engine/simulate/miss/filter_notes.h"
#include "engine/simulate/miss/filter_windows.h"
#include "engine/simulate/observe/bins.h"
#include "engine/simulate/observe/contrasts.h"
#include "engine/simulate/observe/dead.h"
#include "engine/simulate/observe/references.h"
#include "engine/simulate/plan/plan.h"
#include "engine/simulate/state/cold.h"
#include "engine/simulate/state/filter.h"
#include "engine/simulate/state/filter_conflicts.h"
#include "engine/simulate/state/filter_sets.h"
#include "sim/cache/entry.h"
#include "sim/system/hierarchy.h"

struct filter_access filter_access;

#define a filter_access

void filter_access_begin(uint64_t address)
{
	a.address = address;
	a.bin = a.caches = a.unknown = a.elsewhere = 0;
	a.is_fetch = a.has_missed = false;
}

void filter_access_fetch(uint64_t pc)
{
	a.pc = pc;
	a.bin = a.caches = a.unknown = a.elsewhere = 0;
	a.is_fetch = true;
	a.has_missed = false;
}

static bool counts_references(void)
{
	return plan.references || (plan.data && !plan.sets && plan.windows);
}

void filter_access_repeat(const struct repeat *rep)
{
	for (uint32_t k = 0; k < rep->accesses && counts_references(); k++)
		references_count(a.pc, rep->address[k], rep->step, rep->iterations,
				 filter_allocates());
}

void filter_access_elements(const uint64_t *entries, uint32_t n)
{
	for (uint32_t i = 0; i < n && counts_references(); i++)
		references_count(a.pc, STREAM_ADDRESS(entries[i]), 0, 1, filter_allocates());
}

void filter_access_take_back(uint64_t pc, uint64_t address)
{
	if (counts_references())
		references_count(pc, address, 0, -(uint64_t)1, filter_allocates());
}

static void find_bin(void)
{
	if (plan.walks)
		filter_look_below(); /* what missed before is counted before */
	const struct bins_versions now = bins_versions();

	a.bin = a.site ? bins_known(a.site, a.address, a.is_fetch ? now.code : now.data) : 0;
	if (!a.bin)
		a.bin = a.is_fetch ? bins_of_code(a.site, a.pc)
				   : bins_of_data(a.site, a.pc, a.address);
}

static void note_offset(void)
{
	if (!a.is_fetch && !a.has_missed)
		bins_missed_at(a.bin, a.site, a.address);
	a.has_missed = true;
}

/* `bit`: of the cache. Of two lines that miss the first one counts. */
static enum bin_miss how_of(uint32_t bit)
{
	if ((a.caches | a.elsewhere) & bit)
		return BIN_MISS_COUNTED;
	if (!plan.stretches || !a.unknown)
		return filter_is_conflict ? BIN_MISS_CONFLICT : BIN_MISS_KNOWN;
	return a.unknown & ~bit ? BIN_MISS_ABOVE : BIN_MISS_UNKNOWN;
}

static void replaced(enum bin_cache cache, uint64_t line, uint64_t victim)
{
	const uint32_t bit = 1u << cache;

	if (victim == SIM_NO_LINE && !(a.caches & bit))
		a.unknown |= (uint8_t)bit;
	if (!(a.caches & bit) && !filter_counts_set(line))
		a.elsewhere |= (uint8_t)bit;
	if (plan.data) {
		if (!a.bin)
			find_bin();
		note_offset();
		bins_replaced(a.bin, cache, line, victim, how_of(bit), a.is_fetch ? 0 : a.address);
	}
	a.caches |= (uint8_t)bit;
}

/* Is the miss, on a line that had another one's place, a known one that counts? */
static bool is_first_known(enum bin_cache cache, uint64_t line)
{
	return !((a.caches | a.elsewhere) & 1u << cache) && !a.unknown && filter_counts_set(line);
}

void filter_access_replaced(const struct filter_level *l, uint64_t line, const uint32_t *victim,
			    uint64_t stamp)
{
	const enum bin_cache cache = l == &filter_state.data   ? BIN_FIRST_DATA
				     : l == &filter_state.code ? BIN_FIRST_CODE
							       : BIN_FIRST_DATA + 1;

	if (plan.stretches && victim && l->by_use && !l->came && is_first_known(cache, line))
		dead_missed(&stretch_caches[cache],
			    l == &filter_state.last ? DEAD_CLOCK_LAST : DEAD_CLOCK_FIRST, stamp);
	replaced(cache, line, victim ? filter_line_of(l, victim) : SIM_NO_LINE);
}

static void came(void *context, unsigned level, uint64_t line, uint64_t victim)
{
	if (victim == SIM_NO_LINE && plan.stretches)
		cold_filled(level, line);
	replaced((enum bin_cache)level, line, victim);
}

static enum bin_cache cache_of(unsigned slot)
{
	return slot == SIM_CODE_SLOT ? BIN_FIRST_CODE : (enum bin_cache)slot;
}

/* A miss without an eviction, and the other way round, where levels exchange lines. */
static void missed(void *context, unsigned slot, uint64_t line)
{
	replaced(cache_of(slot), line, SIM_NO_LINE);
}

static void left(void *context, unsigned slot, uint64_t line)
{
	if (!a.bin)
		find_bin();
	bins_replaced(a.bin, cache_of(slot), line, line, BIN_MISS_COUNTED,
		      a.is_fetch ? 0 : a.address);
}

static void looks(void *context, unsigned level, uint64_t line)
{
	if (plan.conflicts)
		filter_conflicts_look(level, line);
}

const struct sim_watch filter_access_watch = {
	.came = came, .looks = looks, .missed = missed, .left = left};

/* ---- Events ---- */

static uint64_t *event(uint64_t events[], unsigned id)
{
	return &events[filter_state.h->shared.list.index[id]];
}

static uint32_t bit_of(unsigned column, uint32_t level)
{
	return 1u << (level == 0 && column == 0 ? (uint32_t)BIN_FIRST_CODE : level);
}

bool filter_access_counts(unsigned column, uint32_t level)
{
	return !(a.elsewhere & bit_of(column, level));
}

void filter_count_unknown(uint32_t missed, uint32_t unknown, uint32_t elsewhere, unsigned column,
			  uint64_t events[])
{
	const uint32_t levels = filter_state.h->shared.geometry.level_count;
	bool above = false;

	for (uint32_t level = 0; level < levels && missed & bit_of(column, level); level++) {
		const uint32_t bit = bit_of(column, level);
		const bool counts = !(elsewhere & bit);
		struct stretch_cache *c = &stretch_caches[__builtin_ctz(bit)];

		c->missed += counts;
		if (counts && unknown & bit)
			dead_unknown(c);
		if (above) {
			c->above += counts;
			*event(events, SIM_ABOVE + 3 * (level - 1) + column) += counts;
		} else if (unknown & bit) {
			c->unknown += counts;
			*event(events, SIM_UNKNOWN + 3 * level + column) += counts;
			above = true;
		}
	}
}

void filter_access_end(unsigned column, uint64_t events[])
{
	const uint32_t levels = filter_state.h->shared.geometry.level_count;
	const uint32_t number = plan.stretches ? contrasts_known(a.site) : 0;

	for (uint32_t level = 0; level < levels && a.elsewhere && !plan.pair; level++)
		if (!filter_access_counts(column, level))
			--*event(events, SIM_MISSES + 3 * level + column);
	if (!plan.stretches)
		return;
	filter_count_unknown(a.caches, a.unknown, a.elsewhere, column, events);
	contrasts_missed(number ? number : contrasts_find(a.site, a.pc),
			 a.caches & ~(uint32_t)a.elsewhere, a.unknown);
}
