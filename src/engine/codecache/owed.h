/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the counters lack. In the count gear not each segment adds to them: what has run and is not
 * counted yet is owed, by the place in the code that the thread is at, and known when that is
 * translated. A later segment adds it with its own. Pure.
 *
 * Where control meets from several sides they owe the same, or what makes the difference is added
 * on the way. Nothing is owed where the target of an indirect branch, a call or a return is
 * entered, nor where the engine is asked for anything but to go on elsewhere. See owed.c for who
 * adds.
 */
#ifndef DWELL_ENGINE_CODECACHE_OWED_H
#define DWELL_ENGINE_CODECACHE_OWED_H

#include <stdbool.h>
#include <stdint.h>

struct owed {
	int8_t accesses, loads, stores, instructions;
};

static inline bool owed_is_same(struct owed a, struct owed b)
{
	return a.accesses == b.accesses && a.loads == b.loads && a.stores == b.stores &&
	       a.instructions == b.instructions;
}

static inline bool owed_is_nothing(struct owed a)
{
	return owed_is_same(a, (struct owed){0});
}

#endif
