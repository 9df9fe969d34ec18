/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeping threads out of the code cache; see world.h. */
#include "engine/translate/world.h"

#include "channel/sys.h"
#include "engine/codecache/cache.h"
#include "engine/codecache/poll.h"
#include "engine/core/lock.h"
#include "engine/core/stuck.h"
#include "engine/core/util.h"
#include "engine/translate/x87.h"

static uint32_t hold_lock; /* a lock's value, of the thread that sets engine_hold.world */

void world_kick(const struct thread *except)
{
	lock_take(&engine.world_lock);
	for (struct thread *o = engine.threads; o; o = o->next_thread)
		if (o != except)
			poll_call(o);
	lock_drop(&engine.world_lock);
}

static bool others_out(const struct thread *t)
{
	bool out = true;

	lock_take(&engine.world_lock);
	for (struct thread *o = engine.threads; o && out; o = o->next_thread)
		out = o == t || o->is_gone || !__atomic_load_n(&o->in_cache, __ATOMIC_SEQ_CST);
	lock_drop(&engine.world_lock);
	return out;
}

#define ROUNDS_BEFORE_LOOK 40u /* some 4 ms */

/*
 * Calls threads out of page faults in translated code, which may last until t or a thread waiting
 * for it continues. Marks those that were killed there.
 */
static void call_stuck_out(const struct thread *t)
{
	uint64_t pc;

	if (engine.quiet)
		return;
	lock_take(&engine.world_lock);
	for (struct thread *o = engine.threads; o; o = o->next_thread) {
		if (o == t || !__atomic_load_n(&o->in_cache, __ATOMIC_SEQ_CST))
			continue;
		if (stuck_is_gone(o))
			o->is_gone = true;
		else if (stuck_look(o, 2, &pc) && (pc == STUCK_SOMEWHERE || cache_contains(pc)))
			stuck_call_out(o, pc);
	}
	lock_drop(&engine.world_lock);
}

/* A holder that was killed lets nobody go on: one of those that wait does it in its place. */
static void release_lost(void)
{
	uint32_t holder = __atomic_load_n(&hold_lock, __ATOMIC_RELAXED);

	if (lock_is_lost(holder) &&
	    __atomic_compare_exchange_n(&hold_lock, &holder, lock_value(), 0, __ATOMIC_ACQUIRE,
					__ATOMIC_RELAXED))
		world_release();
}

void world_await_release(void)
{
	uint32_t seen;

	while ((seen = __atomic_load_n(&engine_hold.world, __ATOMIC_SEQ_CST)) != 0) {
		futex_wait_ns(&engine_hold.world, seen, LOCK_LOOK_NS);
		if (__atomic_load_n(&engine_hold.world, __ATOMIC_SEQ_CST) == seen)
			release_lost();
	}
}

/* One thread holds the world at a time; the others wait where it lets them. */
static void take_hold(void)
{
	const uint32_t mine = lock_value();

	for (;;) {
		uint32_t holder = 0;

		if (__atomic_compare_exchange_n(&hold_lock, &holder, mine, 0, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return;
		world_await_release();
		release_lost();
	}
}

bool world_stop(struct thread *t, uint32_t patience_ms)
{
	uint32_t waited = 0;

	take_hold();
	__atomic_store_n(&engine_hold.world, 1, __ATOMIC_SEQ_CST);
	world_kick(t);
	for (uint32_t rounds = 1; !others_out(t); rounds++) {
		struct {
			long s, ns;
		} pause = {0, 50000};

		sys2(SYS_nanosleep, &pause, 0);
		world_kick(t);
		if (rounds % ROUNDS_BEFORE_LOOK == 0)
			call_stuck_out(t);
		if (patience_ms && ++waited > patience_ms * 10)
			return false;
	}
	return true;
}

void world_release(void)
{
	__atomic_store_n(&engine_hold.world, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&hold_lock, 0, __ATOMIC_RELEASE);
	futex_wake_all(&engine_hold.world);
}

void world_reset(void)
{
	engine_hold.world = 0;
	hold_lock = 0;
}

void world_empty_cache(struct thread *t)
{
	uint32_t generation = __atomic_load_n(&engine.generation, __ATOMIC_SEQ_CST);

	x87_show(t); /* while the block of the last x87 instruction is known */
	world_stop(t, 0);
	lock_take(&engine.translate_lock);
	if (generation == engine.generation)
		cache_flush();
	lock_drop(&engine.translate_lock);
	world_release();
}
