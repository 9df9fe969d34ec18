/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What happens between two stays in the code cache. */
#ifndef DWELL_ENGINE_RUN_DISPATCH_H
#define DWELL_ENGINE_RUN_DISPATCH_H

#include "engine/codecache/cache.h"
#include "engine/core/lanes.h"

/* From glue.S, on the engine's stack; both leave the way on in t->next. */
void engine_dispatch(struct thread *t);
void engine_wait_and_dispatch(struct thread *t);

/*
 * Keep all other threads out of the cache until world_release. World_stop waits
 * at most `patience_ms` (0: without end) and returns whether all are out.
 */
bool world_stop(struct thread *t, uint32_t patience_ms);
void world_release(void);
/* All translated code is given up. t is outside of the cache, with no lock. */
void world_empty_cache(struct thread *t);
/* In a forked child: nobody holds anything. */
void world_reset(void);
/* Make threads come to the dispatcher soon: their next check exits. */
void world_kick(const struct thread *except);

/* Take back counts of code that was counted but not run. */
static inline void thread_uncount(struct thread *t, const struct counts *c)
{
	t->counters.accesses -= c->accesses;
	t->counters.loads -= c->loads;
	t->counters.stores -= c->stores;
	t->counters.instructions -= c->instructions;
	lanes_uncount(t, c);
}

static inline struct counts counts_of(struct tally t)
{
	return (struct counts){ t.accesses, t.loads, t.stores, t.instructions };
}

/* What is owed, as counts that were made and have to be taken back: they are below zero. */
static inline struct counts counts_owed(struct owed o)
{
	return (struct counts){ -(uint64_t)o.accesses, -(uint64_t)o.loads, -(uint64_t)o.stores,
				-(uint64_t)o.instructions };
}

#endif
