/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deferred counts. In the count variant a segment may leave its counts for a later segment to add.
 * The deferred counts depend only on the thread's place in the code, so translation knows them.
 * Pure.
 *
 * Where paths meet they defer the same counts, or a bridge adds the difference. Nothing is deferred
 * at the target of an indirect branch, a call or a return, nor where the engine is called for more
 * than the next block. deferred.c decides which segments add.
 */
#ifndef DWELL_ENGINE_CODECACHE_DEFERRED_H
#define DWELL_ENGINE_CODECACHE_DEFERRED_H

#include <stdbool.h>
#include <stdint.h>

struct deferred {
	int8_t accesses, loads, stores, instructions;
};

static inline bool deferred_is_same(struct deferred a, struct deferred b)
{
	return a.accesses == b.accesses && a.loads == b.loads && a.stores == b.stores &&
	       a.instructions == b.instructions;
}

static inline bool deferred_is_nothing(struct deferred a)
{
	return deferred_is_same(a, (struct deferred){0});
}

#endif
