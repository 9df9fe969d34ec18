/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls summed up by the code that makes them (docs/decisions/arcs-in-line.md). A call pushes a
 * frame; the return that matches it pops the frame, and adds what was counted in between to the
 * sums of the call's arc. Nothing else is known of such a call. Whatever does not match leaves the
 * code: all frames become frames of the call graph, and its rules follow the step.
 *
 *   low page:  | top | base | sp | next note | ...          A_*
 *   frames:    base -> | frame | frame | ... | <- top       F_*, up to a page that faults
 *   lines:     | arc | arc | ...                            L_*, one for each arc
 *   cells:     | function 0 | function 1 | ...              a byte: is it active (1), or not (0)
 *
 * The frame below the base is none: its F_SP bounds the stack pointers of calls that need no rules
 * (0: none).
 *
 * One thread at a time is in the filter variant; all of this is its own. It needs the lock of
 * collect.h to reach the call graph. Lines are made under the translate lock.
 */
#ifndef DWELL_ENGINE_SIMULATE_ARCS_ARCS_H
#define DWELL_ENGINE_SIMULATE_ARCS_ARCS_H

#include "engine/simulate/state/filter.h"

#define A_TOP	   (FILTER_LOW + 512) /* behind the newest frame */
#define A_BASE	   (FILTER_LOW + 520)
#define A_SP	   (FILTER_LOW + 528) /* stack pointer of the last call or return */
#define A_NOTE	   (FILTER_LOW + 536) /* u32: low half of the address of the next note of a miss */
#define A_END	   (FILTER_LOW + 544) /* temporary */
#define A_NEXT	   (FILTER_LOW + 552) /* temporary */
#define A_LANES	   (FILTER_LOW + 560) /* lanes 2 and 3 at a step */
#define A_NODE	   (FILTER_LOW + 256) /* u32: the running node, if nodes.h are on */
#define A_COUNTS   (FILTER_LOW + 264) /* its counts */
#define A_RETRY	   (FILTER_LOW + 272) /* temporary */
#define A_NEAR_LOG 17		      /* a frame is smaller than this; half of SIM_NEAR */

/* struct arcs_frame */
#define F_LINE	0  /* u32: offset of its line */
#define F_CELL	4  /* u32: the address of the callee's cell */
#define F_NOTE	8  /* u32: A_NOTE then */
#define F_OLD	12 /* u32: the cell before: was it active? */
#define F_LANES 16
#define F_SP	32 /* of the return address; a jump's: that of the frame below */
#define F_BYTES 40

/* struct arcs_line */
#define L_LANES	 0  /* sums of calls of functions that were not active */
#define L_CALLS	 16 /* u32: these calls, and those of active ones */
#define L_BACK	 24 /* the return address; 0: it is a jump; 1: within its function */
#define L_WITHIN 1
#define L_SHIFT	 6

#define L_CALLER 32 /* u32: offset of the slot of a node; nodes.h */
#define L_NODE	 36 /* the same: the callee's */
#define L_CELL	 40
/* If the callee is a stub: to what it has led last. */
#define L_LED	     44 /* u32: the line of that; 0: none yet */
#define L_LED_TARGET 48
#define L_LED_CELL   56
#define L_FLAGS	     60 /* u32, nodes.h: 1 if its jump may lead back */

/* struct arcs_towards */
#define TO_TARGET      0
#define TO_SITE	       8
#define TO_LINE	       12
#define TO_CELL	       16
#define TO_SHIFT       5
#define TO_SITE_FACTOR 41

/* struct arcs_span */
#define S_LINE	0
#define S_FROM	4
#define S_TO	8
#define S_BYTES 12

/* Steps that the code leaves to the engine; the number says which. */
#define STEP_CALL   0 /* a line */
#define STEP_JUMP   1 /* a line */
#define STEP_SITE   2 /* of sites.h */
#define STEP_LEAD   3 /* the same: a jump out of a stub */
#define STEP_SWITCH 4 /* the same: a jump, perhaps within the function */
#define STEP_LOOK   5 /* the same: there is no line */
#define STEP_AGAIN  6 /* the same, for a callee that is active: A_NEXT */
/* Set in the number of a site: */
#define STEP_INSIDE    (1u << 30) /* code goes on in the same block */
#define STEP_BY_RETURN (1u << 29) /* it goes by the table of returns; else, if indirect, of jumps */

#ifndef __ASSEMBLER__

_Static_assert(A_NODE >= FILTER_ELSEWHERE + 8 && A_TOP >= A_RETRY + 8, "layout");

#include "engine/codecache/cache.h"
#include "engine/codecache/code_variant.h"
#include "sim/calls/sites.h"

struct arena;
struct out;
struct frame_context;
struct graph_thread;

/* Called once, before code is made. False: there is no memory. */
bool arcs_start(struct sim_trail *trail);
/* Looks up and counts all noted misses, before frames are given to the graph; of the room miss. */
extern void (*arcs_settle_misses)(void);
/* The filter has its memory; is about to lose it: code runs no more, but frames may be left. */
void arcs_begin(void);
void arcs_end(void);

/*
 * The functions of filter_calls.h, where arcs are on. settle: all frames become frames of the
 * graph; t is outside of the code cache. show, hide: t gets, or loses, the turn.
 */
void arcs_settle(struct thread *t);
void arcs_show(struct thread *t);
void arcs_hide(struct thread *t);
/* Are the frames, and what is shown of active functions, those of t? */
bool arcs_are_of(const struct thread *t);
/* t enters the cache at t->rip; its graph did not know. */
void arcs_enter(struct thread *t);
void arcs_count(struct thread *t, uint32_t event, int64_t amount);
bool arcs_is_full(struct thread *t, uint64_t address, struct frame_context *c);
/* In a forked child, without the thread whose frames these are. */
void arcs_forget_frames(void);

/* Add all sums to the arcs of the graph. */
void arcs_flush(void);
/* All code is gone: forget all lines. There are no frames. */
void arcs_forget(void);
/* The same where functions in [start, end) may be others from now on. */
void arcs_forget_code(uint64_t start, uint64_t end);

/* All notes were looked up; each has in NOTE_RECORD the sums of those before it. */
void arcs_looked(void);
/* Notes that have no sums: those are formed here. Notes are named by low halves of addresses. */
struct arcs_sums {
	uint32_t first, bytes; /* the first note; the bytes of each */
	uint32_t bits, words;  /* of an event in a sum; of a sum */
	uint64_t *sums;	       /* room for one of each note, and one more */
	bool *is_named;	       /* the same; all false */
};
/* Name the notes whose sums are needed; then these are spread. */
void arcs_name_notes(const struct arcs_sums *s);
void arcs_spread_sums(void);
/*
 * What so many notes have counted belongs to the frames that were open then, and to spans: `count`
 * adds what one has. From now on there are none.
 */
static inline __attribute__((always_inline)) void arcs_spread(
	const struct arcs_sums *s, uint32_t notes, void (*count)(uint64_t *sum, uint32_t note))
{
	const uint32_t words = s->words;
	uint64_t sum[SIM_GRAPH_EVENTS / 2] = {0}, *to = s->sums;
	bool *const is_named = s->is_named;

	arcs_name_notes(s);
	for (uint32_t i = 0; i <= notes; i++, to += words) {
		for (uint32_t k = 0; is_named[i] && k < words; k++)
			to[k] = sum[k];
		is_named[i] = false;
		if (i < notes)
			count(sum, i);
	}
	arcs_spread_sums();
}
/* A note was made outside of the code: the next one is that. */
void arcs_noted(uint32_t next);
/* What the miss of an event adds to such a sum: a field of ten bits for each. */
extern uint64_t arcs_units[];

/* arcs.S */
extern char engine_arcs[], engine_arcs_end[];

/* Emitting: see code_variant.h. */
void arcs_emit_thunks(struct arena *a, struct out *o);
extern const struct code_steps arcs_steps;

/* arcs.S: where code goes to. */
enum arcs_thunk {
	ARCS_RETURN,
	ARCS_CALL,
	ARCS_JUMP,
	ARCS_LEAD,
	ARCS_SWITCH,
	ARCS_RETURN_FAR, /* from here on, to come back to T_MISS_BACK */
	ARCS_SLOW_CALL,
	ARCS_SLOW_JUMP,
	ARCS_JUMP_BY_RULES,
	ARCS_SITE,
	ARCS_THUNKS
};

_Static_assert(ARCS_THUNKS == ARENA_STEPS, "each has its place in an arena");

#endif
#endif
