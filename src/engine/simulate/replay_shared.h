/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is no-op in all of several hierarchies: nine accesses of ten are, and are then looked at
 * once.
 *
 * A line that no other one of its set in a small first level has come after is the last one used of
 * its set in a larger one, too, whose sets are parts of those. So one table with as many sets as
 * the smallest first level has tells of all, if their lines are of one size and nothing but an
 * access to data changes what is in a first level of data, nor anything but a fetch in one of code.
 */
#ifndef DWELL_ENGINE_SIMULATE_REPLAY_SHARED_H
#define DWELL_ENGINE_SIMULATE_REPLAY_SHARED_H

#include <stdbool.h>

#include "sim/system/hierarchy.h"

struct replay_shared {
	const struct sim_hierarchy *h;
	uint32_t count;
	uint64_t *data, *code;	     /* by set: the no-op line, or SIM_NO_LINE */
	struct sim_noop noop, fetch; /* these tables as a hierarchy shows its own */
};

/*
 * Is there such a table for these hierarchies? Then it is made, empty. With `filter` false there is
 * none. The memory is never given back.
 */
bool replay_shared_init(struct replay_shared *s, const struct sim_hierarchy *h, uint32_t count,
			bool filter);

/* All hierarchies have had the access: is what it touched no-op now? */
void replay_shared_data(struct replay_shared *s, uint64_t address, uint32_t bytes);
void replay_shared_code(struct replay_shared *s, uint64_t pc, uint32_t bytes);

/*
 * An access that is not no-op comes: have this processor fetch what the last levels keep of its
 * line. It lies in as many places as there are hierarchies, and one after the other would wait for
 * memory.
 */
void replay_shared_prefetch(const struct replay_shared *s, uint64_t address);

/* Whether an access changes nothing in any of them. */
static inline bool replay_shared_is_noop(const struct sim_noop *p, uint64_t address, uint32_t bytes)
{
	uint64_t line = address >> p->shift;

	return sim_is_noop(p, line, SIM_LOAD) && (address + bytes - 1) >> p->shift == line;
}

#endif
