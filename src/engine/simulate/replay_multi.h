/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replaying for several hierarchies that sim/system/multi.h simulates in one pass. Hierarchies that
 * it cannot are simulated one by one, at best with one filter for all (replay_shared.h).
 */
#ifndef DWELL_ENGINE_SIMULATE_REPLAY_MULTI_H
#define DWELL_ENGINE_SIMULATE_REPLAY_MULTI_H

#include "engine/simulate/segments.h"
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

/*
 * Called by replay_wide: `line` missed in the front, and took the place of the entry `victim`. It
 * is the first line of the code of s, or that of its access i, which lies on one line.
 */
void replay_multi_code_missed(struct segment *s, uint64_t line, uint64_t victim);
void replay_multi_missed(struct segment *s, uint32_t i, uint64_t line, uint64_t victim);

#endif
