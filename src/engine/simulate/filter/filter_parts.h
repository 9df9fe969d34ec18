/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files that emit the filter variant's code (filter_emit.c, filter_data.c) share. */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_PARTS_H
#define DWELL_ENGINE_SIMULATE_FILTER_PARTS_H

#include "engine/simulate/filter/filter.h"
#include "engine/simulate/filter/filter_runs.h"
#include "engine/translate/job.h"

_Static_assert(MAX_SEGMENT_INSNS <= FILTER_MOST_INSNS, "a plan is of a segment");

/* Of the segment that is emitted, beside what its job says; under the translate lock. */
struct filter_work {
	struct filter_plan plan;
	uint32_t next_run, tails;
	struct filter_tail { /* of a run of accesses: its code in the cold part */
		const struct filter_run *run;
		uint32_t insn, access; /* where it begins */
		bool is_live, borrows, stack_is_aligned;
		uint8_t aligned;     /* as above, of the run's base */
		uint8_t *stub;	     /* what leads to it */
		const uint8_t *back; /* where it goes on */
	} tail[FILTER_MOST_ACCESSES / FILTER_RUN_LEAST];
};

extern struct filter_work filter_work;

/*
 * Islands are what jrcxz reaches: jumps within the code, to where it wants to go. Add one for its
 * rel8; `bytes` more are about to be emitted, so perhaps put them here; put them here, where code
 * comes by (is_passed) or does not.
 */
void filter_add_island(struct job *j, uint8_t *field, const uint8_t *to);
void filter_need_islands(struct job *j, uint32_t bytes);
void filter_put_islands(struct job *j, bool is_passed);

/*
 * rcx to spill3, unless it is there: who stores and loads again each time waits for what was
 * stored.
 */
void filter_put_rcx_away(struct job *j);

/* At the beginning of a segment: which accesses are looked at together. */
void filter_begin_data(struct job *j);
/* In front of in[i]: its accesses, unless they have been looked at. */
void filter_emit_data(struct job *j, uint32_t i, bool is_live);
/* Behind the segment: what it does where accesses have to be looked at one by one. */
void filter_put_tails(struct job *j);

/*
 * If the segment is entered from elsewhere: one block less is left of the thread's turn, see
 * filter_scheduler.h. Registers are the program's.
 */
void filter_put_turn(struct job *j);

/* What filter_variant.c lists (filter_emit.c); see code_variant.h. */
void filter_begin_block(struct job *j);
void filter_enter(struct job *j);
bool filter_fits(struct job *j, uint32_t end);
void filter_begin_segment(struct job *j);
void filter_count(struct job *j);
void filter_accesses(struct job *j, uint32_t i);
void filter_end(struct job *j, bool is_passed);
void filter_leave(struct job *j);
/* The graph meets a described segment, with that number; of it from here on. */
void filter_meet(struct job *j, uint32_t trailer);

#endif
