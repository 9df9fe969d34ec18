/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Out of the filter gear; see filter_gear.h. */
#include "engine/filter_gear.h"

#include "engine/baton.h"
#include "engine/filter.h"
#include "engine/filter_turns.h"
#include "engine/sampler.h"

/* The filter is off since a moment: t goes on as threads do. */
static void go_on_without(struct thread *t)
{
	if (engine.gear == GEAR_FILTER)
		__atomic_store_n(&engine.gear, GEAR_STREAM, __ATOMIC_SEQ_CST);
	sampler_set_gear(t);
	baton_take(t);
}

void filter_before_thread(struct thread *t)
{
	if (!filter_is_on() || t->process->borrowed_memory)
		return;
	filter_turns_begin(t);
	baton_take(t);
}

void filter_before_mapping(struct thread *t, uint64_t start, uint64_t end)
{
	bool was_on = filter_is_on();

	if (t->process->borrowed_memory)
		return;
	sampler_lock();
	filter_make_room(start, end);
	sampler_unlock();
	if (was_on && !filter_is_on())
		go_on_without(t);
}
