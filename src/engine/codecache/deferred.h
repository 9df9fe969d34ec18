/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the counters lack. In the count variant not each segment adds to them: what has run and is
 * not counted yet is deferred, by the place in the code that the thread is at, and known when that
 * is translated. A later segment adds it with its own. Pure.
 *
 * Where control meets from several sides they defer the same, or what makes the difference is added
 * on the way. Nothing is deferred where the target of an indirect branch, a call or a return is
 * entered, nor where the engine is asked for anything but to go on elsewhere. See deferred.c for
 * who adds.
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
