/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Beginning and end of the filter; see filter_life.h. */
#include "engine/simulate/mode/filter_life.h"

#include "engine/simulate/calls/arcs.h"
#include "engine/simulate/calls/filter_calls.h"
#include "engine/simulate/calls/nodes.h"
#include "engine/simulate/miss/branches.h"
#include "engine/simulate/miss/filter_access.h"
#include "engine/simulate/miss/filter_executions.h"
#include "engine/simulate/miss/filter_multi.h"
#include "engine/simulate/miss/filter_notes.h"
#include "engine/simulate/miss/filter_references.h"
#include "engine/simulate/miss/filter_taken.h"
#include "engine/simulate/miss/filter_walk.h"
#include "engine/simulate/miss/filter_windows.h"
#include "engine/simulate/mode/stretches.h"
#include "engine/simulate/state/filter_conflicts.h"
#include "engine/simulate/state/filter_memory.h"
#include "engine/simulate/state/filter_sets.h"
#include "sim/system/hierarchy.h"
#include "sim/system/multi.h"

#define w filter_state

/* Starts what tells more of misses; what has no memory is left out. */
static bool start_observers(struct sim_hierarchy *h)
{
	plan.data = plan.data && bins_start(&h->shared.geometry, FILTER_MOST_SITES, plan.stretches);
	plan.references = plan.references && plan.data && filter_references_start();
	plan.stretches = plan.stretches && stretches_start(h->shared.geometry.level_count);
	if (plan.data && plan.walks)
		h->core.watch = &filter_access_watch;
	else if (plan.data && !plan.nodes)
		filter_windows_start(!plan.sets && !plan.references);
	return !plan.conflicts || filter_conflicts_start(h);
}

/* Starts with these caches, for accesses of at most most_bytes. False: there is no memory. */
static bool start(const struct filter_caches *c, uint32_t most_bytes)
{
	w.caches = *c;
	w.most_bytes = most_bytes;
	if (cache_need_variant(VARIANT_FILTER) != 0 || !filter_sites_start() || !filter_reserve() ||
	    (plan.arcs && !filter_calls_start()))
		return false;
	filter_make_levels();
	filter_memory_write_constants();
	arcs_settle_misses = filter_settle_misses;
	if (plan.arcs)
		arcs_begin();
	if (plan.walks && !filter_walk_start(w.h))
		return false;
	if (w.h && !filter_choose_sets(&w.h->shared.geometry))
		return false;
	filter_prepare_misses(plan.walks && filter_walk_marks());
	if (w.h && !start_observers(w.h))
		return false;
	filter_notes_allow(true);
	return w.on = w.is_reserved = true;
}

bool filter_start(struct sim_hierarchy *h)
{
	struct sim_level *const *l = h->core.levels;
	const bool has_second =
		plan.pair || (plan.walks && sim_plan_has_quick_second(&h->shared.geometry));

	w.h = h;
	return start(&(struct filter_caches){&l[0]->cache,
					     plan.fetches ? &l[SIM_CODE_SLOT]->cache : 0,
					     has_second ? &l[1]->cache : 0},
		     h->shared.most_bytes);
}

bool filter_start_multi(struct sim_multi *s)
{
	const bool has_code = s->firsts[SIM_OF_CODE].count != 0;

	return filter_multi_start(s) &&
	       start(&(struct filter_caches){&s->firsts[SIM_OF_DATA].front,
					     has_code ? &s->firsts[SIM_OF_CODE].front : 0, 0},
		     s->most_bytes);
}

/* Tables are about to move. */
static void forget_addresses(void)
{
	filter_settle_misses();
	filter_forget_elsewhere();
}

bool filter_give_space(void)
{
	if (!w.is_reserved)
		return false;
	forget_addresses();
	return filter_memory_divide();
}

void filter_make_room(uint64_t start, uint64_t end)
{
	if (!w.is_reserved || !filter_memory_overlaps(start, end))
		return;
	forget_addresses();
	if (!filter_memory_make_room(start, end))
		filter_turn_off();
}

void filter_turn_off(void)
{
	filter_window_close();
	filter_take_all_misses();
	if (w.h)
		w.h->core.watch = 0;
	if (plan.walks)
		filter_walk_hand_over();
	else
		filter_hand_over(&w.caches);
	if (plan.nodes)
		nodes_take();
	w.on = w.is_reserved = false;
	for (struct segment *s = segments_next(0); s; s = segments_next(s)) {
		filter_count_executions(s);
		if (!segment_has_counter(s))
			continue;
		branches_end(s);
		s->counter = 0;
	}
	arcs_end();
	filter_memory_release();
}
