/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What happens between two stays in the code cache. */
#ifndef DWELL_ENGINE_RUN_DISPATCH_H
#define DWELL_ENGINE_RUN_DISPATCH_H

#include "engine/codecache/cache.h"
#include "engine/core/lanes.h"

/* Called from glue.S on the engine's stack; both store where to continue in t->next. */
void dispatch_go_on(struct thread *t);
void dispatch_wait_and_go_on(struct thread *t);

/* Subtract the counts of code that was counted but did not run. */
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
	return (struct counts){t.accesses, t.loads, t.stores, t.instructions};
}

/* Deferred counts as negative counts, so that subtracting them adds what is missing. */
static inline struct counts counts_deferred(struct deferred o)
{
	return (struct counts){-(uint64_t)o.accesses, -(uint64_t)o.loads, -(uint64_t)o.stores,
			       -(uint64_t)o.instructions};
}

#endif
