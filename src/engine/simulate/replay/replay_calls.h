/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between replaying and the call graph (graph.h): steps are written to a list and followed some
 * hundred at a time. A graph that takes no steps gets each segment at once.
 */
#ifndef DWELL_ENGINE_SIMULATE_REPLAY_CALLS_H
#define DWELL_ENGINE_SIMULATE_REPLAY_CALLS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/simulate/counts/graph.h"
#include "engine/simulate/counts/segments.h"

/* steps before they are followed; the loop may write some more before it checks */
#define REPLAY_STEPS 256u
#define REPLAY_MORE  512u

struct replay_calls {
	struct sim_step *next;	/* where the next one is written */
	struct sim_step *limit; /* follow the steps when `next` reaches this */
	uint64_t step_bytes;	/* of a step; 0: no steps are written */
	uint64_t counts;	/* sum over the buffer's segments; see SIM_COUNTS */
	/* executed last, if the graph does not know yet that it was left */
	struct segment *last;
	uint64_t is_direct;	     /* 1: segments are reported one by one */
	struct graph_thread *thread; /* NULL: no call graph */
	struct sim_cell *cell;	     /* of the segment, if it has several; else NULL */
	uint32_t events;	     /* how many are counted */
	const uint64_t *end;	     /* of the buffer */
};

extern struct replay_calls replay_calls __attribute__((visibility("hidden")));

/* A buffer of the thread begins; and ends. */
void replay_calls_begin(struct graph_thread *thread, const uint64_t *p, const uint64_t *end);
void replay_calls_end(const uint64_t *end);

/* Follow the steps that were written. */
void replay_calls_follow(void);

/* s, whose entries begin at p, comes next. */
static inline void replay_calls_enter(struct segment *s, const uint64_t *p)
{
	struct replay_calls *c = &replay_calls;
	struct segment *last = c->last;

	c->last = s;
	if (!(last->counts & SEGMENT_LEAVES) || !c->step_bytes)
		return;
	if (c->next >= c->limit)
		replay_calls_follow();
	*c->next++ = (struct sim_step){.left = segment_graph(last),
				       .entered = segment_graph(s),
				       .sp = last->accesses ? p[-2] : 0,
				       .counts = c->counts};
}

/* The entered segment is new to the graph. */
void replay_calls_meet(struct segment *s);

/* s ended; the next segment begins at `next`. */
void replay_left(struct segment *s, const uint64_t *next);
static inline void replay_calls_leave(struct segment *s, const uint64_t *next)
{
	replay_calls.counts += s->counts;
	if (replay_calls.is_direct && s->counts & SEGMENT_LEAVES)
		replay_left(s, next);
}
/* s was cut (segments_cut_last). */
void replay_calls_cut(struct segment *s, const uint64_t *next);

/* Count events that executions do not imply: `amount` of one event; or a number for each event. */
void replay_calls_count(uint32_t event, uint64_t amount);
void replay_calls_count_all(const uint64_t *events);
/* One more of each event whose bit is set, bit 0 for CELL_FIRST_MISS. */
void replay_calls_count_each(uint64_t bits);

/* The place of the number of the instruction's cell, in the current context. */
static inline uint32_t *replay_calls_cell_number(struct segment *s, struct segment_insn *in)
{
	struct sim_cell *cell = replay_calls.cell;

	return cell ? graph_cell_number(cell, s, in) : &in->cell;
}

#endif
