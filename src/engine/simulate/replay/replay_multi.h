/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replaying for several hierarchies that sim/system/multi.h simulates in one pass. Hierarchies that
 * it cannot are simulated one by one.
 */
#ifndef DWELL_ENGINE_SIMULATE_REPLAY_MULTI_H
#define DWELL_ENGINE_SIMULATE_REPLAY_MULTI_H

#include "engine/simulate/counts/segments.h"
#include "sim/system/multi.h"

/*
 * Can these be simulated in one pass? Then this makes the cells (cells.h), and sets *events to the
 * numbers of a cell. False: no, or no memory. Keeps pointers to the geometries; the memory is never
 * given back.
 */
bool replay_multi_init(const struct sim_geometry *const g[], uint32_t count, uint32_t *events,
		       const struct sim_memory *memory);

extern struct sim_multi replay_multi __attribute__((visibility("hidden")));

/* A fetch of the instruction; and one access of it. */
void replay_multi_fetch(struct segment *s, struct segment_insn *in, uint64_t pc);
void replay_multi_touch(struct segment *s, struct segment_insn *in, uint64_t address,
			uint32_t bytes, enum sim_access access);

#endif
