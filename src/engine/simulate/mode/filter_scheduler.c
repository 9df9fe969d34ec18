/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The turn in the filter variant; see filter_scheduler.h. */
#include "engine/simulate/mode/filter_scheduler.h"

#include "engine/drive/collect.h"
#include "engine/simulate/calls/filter_calls.h"
#include "engine/simulate/miss/filter_notes.h"
#include "engine/simulate/mode/stretches.h"
#include "engine/simulate/plan/plan.h"
#include "engine/translate/world.h"

#define CLOCK_OF_A_TURN (1ull << 40)

uint32_t filter_turn_blocks = FILTER_TURN_BLOCKS;
static uint64_t clock; /* while nobody has the turn */

void filter_scheduler_begin(struct thread *t)
{
	if (plan.turns)
		return;
	plan.turns = true;
	world_empty_cache(t);
}

void filter_turn_enter(struct thread *t)
{
	if (__atomic_load_n(&filter_owner, __ATOMIC_RELAXED) == t)
		return;
	collect_lock();
	__atomic_store_n(&filter_owner, t, __ATOMIC_RELAXED);
	t->clock = clock;
	t->turn = filter_turn_blocks;
	if (plan.stretches)
		stretches_turn_begins(t);
	filter_allocation_goes_on(t);
	collect_unlock();
}

void filter_turn_leave(struct thread *t)
{
	if (__atomic_load_n(&filter_owner, __ATOMIC_RELAXED) != t)
		return;
	collect_lock();
	filter_calls_end(t);
	if (plan.stretches)
		stretches_turn_leaves(t);
	filter_allocation_waits();
	clock = t->clock;
	__atomic_store_n(&filter_owner, 0, __ATOMIC_RELAXED);
	collect_unlock();
}

bool filter_turn_is_anothers(void)
{
	return filter_owner && filter_owner != thread_self();
}

void filter_turn_is_lost(struct thread *t)
{
	if (!filter_owner || filter_owner == t)
		return;
	/* the owner's lanes are lost: go past any time it may have reached */
	clock = filter_owner->clock + CLOCK_OF_A_TURN;
	filter_owner = 0;
	filter_calls_forget();
}
