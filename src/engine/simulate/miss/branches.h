/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often conditional branches are taken (--jumps): in the filter variant that is how often their
 * segments were executed, less how often control passed on behind them. Where nothing else leads to
 * the segment behind, its executions say so, and the code is the same as without --jumps. Elsewhere
 * code counts at the end of the segment (segment.passes). With nodes (nodes.h) each node has these
 * counts, and nodes_take takes them.
 *
 * sim_cell.taken lacks the executions that were not reported yet: between reports it may fall.
 */
#ifndef DWELL_ENGINE_SIMULATE_ARCS_BRANCHES_H
#define DWELL_ENGINE_SIMULATE_ARCS_BRANCHES_H

#include "engine/core/state.h"

struct job;
struct segment;

/* Emitting: at a block's beginning; behind a segment, where no branch was taken. */
void branches_begin(void);
void branches_pass(struct job *j);
/* A segment was made for the job. */
void branches_meet(const struct job *j, struct segment *s);

/*
 * Control has passed on to a segment, if it begins at pc, which has not counted that execution; n:
 * -1 if it is about to count it after all.
 */
void branches_passed(uint32_t segment, uint64_t pc, int64_t n);

/* Take what code has counted; the same, and no code will count any more. */
void branches_take(struct segment *s);
void branches_end(struct segment *s);
/* The segment's executions are about to be reported. */
void branches_report(struct segment *s);

#endif
