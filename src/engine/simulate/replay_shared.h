/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One table of the accesses that are no-op in all of several hierarchies: nine of ten are, and are
 * then checked once.
 *
 * A line that was used last in its set of a small first level was also used last in its set of a
 * larger one, whose sets are parts of the small one's. So one table, with as many sets as the
 * smallest first level, serves all. Conditions: lines of one size, only data accesses change first
 * levels of data, and only fetches change those of code.
 */
#ifndef DWELL_ENGINE_SIMULATE_REPLAY_SHARED_H
#define DWELL_ENGINE_SIMULATE_REPLAY_SHARED_H

#include <stdbool.h>

#include "sim/system/hierarchy.h"

struct replay_shared {
	const struct sim_hierarchy *h;
	uint32_t count;
	uint64_t *data, *code;	     /* by set: the no-op line, or SIM_NO_LINE */
	struct sim_noop noop, fetch; /* these tables in the form of a hierarchy's own */
};

/*
 * Can these hierarchies share a table? Then make it, empty; but not use it if `filter` is false.
 * The memory is never given back.
 */
bool replay_shared_init(struct replay_shared *s, const struct sim_hierarchy *h, uint32_t count,
			bool filter);

/* After all hierarchies had the access: note whether its lines are no-op now. */
void replay_shared_data(struct replay_shared *s, uint64_t address, uint32_t bytes);
void replay_shared_code(struct replay_shared *s, uint64_t pc, uint32_t bytes);

/*
 * Before an access that is not no-op: prefetch the sets of its line in all last levels. One after
 * the other, these misses of the real caches would add up.
 */
void replay_shared_prefetch(const struct replay_shared *s, uint64_t address);

/* Is the access no-op in all hierarchies? */
static inline bool replay_shared_is_noop(const struct sim_noop *p, uint64_t address, uint32_t bytes)
{
	uint64_t line = address >> p->shift;

	return sim_is_noop(p, line, SIM_LOAD) && (address + bytes - 1) >> p->shift == line;
}

#endif
