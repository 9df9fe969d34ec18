/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Executions of segments, which code counts (state/filter_counters.h). */
#ifndef DWELL_ENGINE_SIMULATE_MISS_FILTER_EXECUTIONS_H
#define DWELL_ENGINE_SIMULATE_MISS_FILTER_EXECUTIONS_H

#include "engine/core/state.h"
#include "engine/simulate/counts/segments.h"

/* The address of a new counter of executions; 0: no room. Under the translate lock. */
uint32_t filter_new_counter(void);
/* Move the count of the segment's counter to s->executions. */
void filter_count_executions(struct segment *s);
/* Those not moved yet, where it has a counter. */
uint64_t filter_new_executions(const struct segment *s);
/* Move them, without exact references. Returns the count. */
uint64_t filter_take_executions(struct segment *s);
/* The counter has reached 0: see filter_windows.h. */
void filter_counter_triggers(struct segment *s);

/* The place of the number of the instruction's cell, in the running node. */
uint32_t *filter_cell_number(struct segment *s, struct segment_insn *in);

/*
 * A fault has ended segment t->cut_segment after t->cut_insns - 1 instructions: count only these.
 */
void filter_cut(struct thread *t);

#endif
