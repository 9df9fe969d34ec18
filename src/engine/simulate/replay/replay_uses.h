/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replaying segments that only use lines which were used last (sim/system/recent.h). */
#ifndef DWELL_ENGINE_SIMULATE_REPLAY_USES_H
#define DWELL_ENGINE_SIMULATE_REPLAY_USES_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/system/core.h"

struct segment;

/* If n fetches in the bytes, or an access, only use a line, note that and return true. */
static inline bool replay_fetch_use(struct sim_core *c, uint64_t pc, uint32_t bytes, uint32_t n)
{
	if (!sim_core_is_use(c, c->fetch_slot, pc, bytes, SIM_FETCH))
		return false;
	sim_core_use(c, c->fetch_slot, pc, pc + bytes - 1, n);
	return true;
}

static inline bool replay_data_use(struct sim_core *c, uint64_t address, uint32_t bytes,
				   enum sim_access kind)
{
	const uint32_t most = c->shared->most_bytes;

	if (!sim_core_is_use(c, 0, address, bytes, kind))
		return false;
	sim_core_use(c, 0, address, address + (bytes < most ? bytes : most) - 1, 1);
	return true;
}

/*
 * Note the uses of lines of a segment without flags that changes nothing else. Returns false, and
 * does nothing, if it may.
 */
bool replay_uses(struct sim_core *c, const struct segment *s, const uint64_t *entry);

#endif
