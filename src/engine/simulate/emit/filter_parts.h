/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files that emit the filter variant's code (filter_emit.c, filter_data.c). */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_PARTS_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_PARTS_H

#include "engine/simulate/emit/filter_runs.h"
#include "engine/simulate/state/filter.h"
#include "engine/translate/job.h"

_Static_assert(MAX_SEGMENT_INSNS <= FILTER_MOST_INSNS, "a plan is of a segment");

/* State of the segment that is emitted, beside its job; under the translate lock. */
struct filter_work {
	struct filter_plan plan;
	uint32_t next_run, tails;
	struct filter_tail { /* the cold part of a run of accesses */
		const struct filter_run *run;
		uint32_t insn, access; /* of the run's first access */
		bool is_live, borrows, stack_is_aligned;
		uint8_t aligned;     /* log2 of the known alignment of the run's base */
		uint8_t *stub;	     /* the jump to the tail */
		const uint8_t *back; /* the hot code behind the run */
	} tail[FILTER_MOST_ACCESSES / FILTER_RUN_LEAST];
};

extern struct filter_work filter_work;

/*
 * reg32 = the cell of the line in reg, by code at the place it returns, whose address ends there.
 * has_free: the job's scratch register is free. Changes no flags if they are live.
 */
const uint8_t *filter_emit_cell(struct job *j, enum reg r, bool is_live, bool has_free);
#define FILTER_PIECE_MOST 56 /* more code than the least, where cells lie in pieces */
#define FILTER_TRAP_AT	  -2 /* from there to the byte of FILTER_CELLS that is FILTER_TRAP */

/*
 * An island is a jump within reach of a jrcxz, to the real target. add: one for the rel8 at
 * `field`. need: `bytes` more are about to be emitted, so put them here if they would get out of
 * reach. put: put them here; is_passed: control comes by.
 */
void filter_add_island(struct job *j, uint8_t *field, const uint8_t *to);
void filter_need_islands(struct job *j, uint32_t bytes);
void filter_put_islands(struct job *j, bool is_passed);

/* Let the clock tick. */
void filter_put_tick(struct job *j);

/* Store rcx to spill3, unless it is there: repeated stores and loads wait for each other. */
void filter_put_rcx_away(struct job *j);

/* At the beginning of a segment: plan which accesses are checked together. */
void filter_begin_data(struct job *j);
/* In front of in[i]: check its accesses, unless an earlier run has. */
void filter_emit_data(struct job *j, uint32_t i, bool is_live);
/* Behind the segment: code that checks the accesses of a run one by one. */
void filter_put_tails(struct job *j);

/*
 * If the segment is a block's entry: count a block of the thread's turn, see filter_scheduler.h.
 * Registers are the program's.
 */
void filter_put_turn(struct job *j);

/* The functions of filter_emit.c that filter_variant.c lists; see code_variant.h. */
void filter_begin_block(struct job *j);
void filter_enter(struct job *j);
bool filter_fits(struct job *j, uint32_t end);
void filter_begin_segment(struct job *j);
void filter_count(struct job *j);
void filter_accesses(struct job *j, uint32_t i);
void filter_end(struct job *j, bool is_passed);
void filter_leave(struct job *j);
/* Let the graph meet the segment of that number; the job's records are its own from here on. */
void filter_meet(struct job *j, uint32_t trailer);

#endif
