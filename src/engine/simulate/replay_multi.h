/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several hierarchies that sim/system/multi.h can simulate in one pass, replayed. Who cannot be is
 * simulated one by one, with a filter for all of them at best (replay_shared.h).
 */
#ifndef DWELL_ENGINE_SIMULATE_REPLAY_MULTI_H
#define DWELL_ENGINE_SIMULATE_REPLAY_MULTI_H

#include "engine/simulate/segments.h"
#include "sim/system/multi.h"

/*
 * Can these be simulated so? Then cells (cells.h) are made, and *events, of all of them, becomes
 * how many numbers a cell has. False: no, or there is no memory for it. The geometries stay where
 * they are, and the memory is never given back.
 */
bool replay_multi_init(const struct sim_geometry *const g[], uint32_t count, uint32_t *events,
		       const struct sim_memory *memory);

extern struct sim_multi replay_multi __attribute__((visibility("hidden")));

/* A fetch of the instruction, and an access that it makes. */
void replay_multi_fetch(struct segment *s, struct segment_insn *in, uint64_t pc);
void replay_multi_touch(struct segment *s, struct segment_insn *in, uint64_t address,
			uint32_t bytes, enum sim_access access);

/*
 * Called by replay_wide: a line has come to the front of code, as that of the first line of s, or
 * of data, as that of access i of s, which lies on one line. `victim` is the entry that it took the
 * place of.
 */
void replay_multi_code_missed(struct segment *s, uint64_t line, uint64_t victim);
void replay_multi_missed(struct segment *s, uint32_t i, uint64_t line, uint64_t victim);

#endif
