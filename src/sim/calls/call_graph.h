/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dynamic call graph of a process, from the segments that its threads execute: who called whom,
 * how often, and what happened during the calls (Weidendorfer, Kowarschik, Trinitis 2004, section
 * 3). Each thread has a shadow stack of open calls.
 *
 * Rules, which are Callgrind's unless stated otherwise:
 * - A call makes a frame; its stack pointer is the address of the return address. A return, or a
 *   call that shows that the stack is shorter (longjmp, exceptions), ends all frames below it.
 * - A jump to the first instruction of another function is a call. Its frame ends together with
 *   that of the jumping function. The same holds for a jump into the middle of a function that is
 *   not active. If it is active, the jump goes back to it and ends the frames above (longjmp, and
 *   parts of a function that the compiler has separated). A jump within a function, even to its
 *   first instruction, is not a call; Callgrind counts one there.
 * - A return that matches no frame is a jump.
 * - A jump out of a stub of the linkage table is a call from where the stub was called. The stub's
 *   own cost remains the stub's. The same holds for the dynamic linker's jump to a function that it
 *   has resolved.
 * - Signal handlers are roots: their cost is not part of the interrupted functions'. The same holds
 *   for code on another stack of the thread (swapcontext); stacks are distinguished by their
 *   addresses.
 * - The inclusive cost of an arc grows when the outermost activation of the called node ends. So it
 *   does not grow with the depth of recursion. The inclusive cost of a function is the sum over its
 *   arcs that are not marked SIM_ARC_RECURSIVE.
 *
 * A segment's costs are counted in its cell of the node that executes it. Lack of memory loses
 * detail, never the program: `lost` counts the losses.
 */
#ifndef DWELL_SIM_CALLS_CALL_GRAPH_H
#define DWELL_SIM_CALLS_CALL_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/memory.h"
#include "sim/base/pool.h"
#include "sim/base/table.h"
#include "sim/calls/contexts.h"
#include "sim/calls/functions.h"
#include "sim/calls/segment.h"

#define SIM_GRAPH_EVENTS 64
#define SIM_OFTEN	 3

#define SIM_NO_NODE UINT32_MAX

enum sim_arc_flags {
	SIM_ARC_JUMP = 1,      /* a jump or fall-through into another function, not a call */
	SIM_ARC_RECURSIVE = 2, /* the called function is already active */
	SIM_ARC_START = 4,     /* no caller: a thread, or another stack of it, begins */
	SIM_ARC_SIGNAL = 8,    /* no caller: a signal handler */
	SIM_ARC_NESTED = 16,   /* to code made at run time, while such code is already active */
};

/* The counts since the last sim_call_graph_each_arc. Calls and returns access only 64 bytes. */
struct sim_arc {
	uint32_t caller, callee; /* nodes; caller 0: none */
	uint64_t pc;		 /* of the call or jump; 0: none */
	uint16_t flags;		 /* enum sim_arc_flags */
	bool leads_on;		 /* private: the callee is a stub or resolver */
	bool is_made;		 /* private: the callee is SIM_FUNCTION_MADE */
	uint32_t function;	 /* private: the callee's; 0: the callee depends on the context */
	/*
	 * Private. If it leads on: the arc that followed most recently. Otherwise its counterpart
	 * with, or without, SIM_ARC_RECURSIVE, if both are known.
	 */
	struct sim_arc *other;
	uint64_t calls;
	uint64_t inclusive[]; /* one for each event, at least SIM_OFTEN */
};

/* How often an indirect jump of a cell went to a target. */
struct sim_jump {
	const struct sim_segment *from;
	uint32_t node;
	uint32_t unused;
	uint64_t target;
	uint64_t taken; /* since the last sim_call_graph_each_jump */
	const struct sim_cell *cell;
};

struct sim_call_graph_config {
	unsigned events;       /* number of events, at most SIM_GRAPH_EVENTS */
	unsigned depth;	       /* of contexts, at most SIM_MAX_DEPTH; 0: nodes are functions */
	bool separate_threads; /* a node belongs to a thread */
	bool jumps;	       /* count targets of branches and jumps */
	sim_function_finder *find;
	void *find_context;
};

struct sim_call_graph {
	const struct sim_memory *memory;
	struct sim_call_graph_config config;
	struct sim_functions functions;
	struct sim_contexts contexts;
	struct sim_table arc_table, cell_table, jump_table;
	struct sim_pool arcs, cells, jumps;
	/*
	 * For open_calls.h: by function, 1 if it is active on the running stack, else 0; NULL:
	 * nobody wants to know.
	 */
	uint8_t *shown;
	uint32_t shown_count;
	/*
	 * If nodes are not just functions, this is told instead: the node of the function's newest
	 * frame on the running stack, or 0; and whether another node of it is active.
	 */
	void (*show)(uint32_t function, uint32_t newest, uint32_t node, bool is_active);
	uint64_t lost;		 /* calls, jumps and cells that were lost for lack of memory */
	bool has_short_segments; /* see SIM_SHORT_SEGMENT */
	/*
	 * Set by the caller at any time, as in sim_multi: the processor has AVX-512, and its
	 * registers are free.
	 */
	bool is_wide;
};

/*
 * The events of a thread so far. Nearly every segment has the first SIM_OFTEN events (instructions,
 * reads, writes); most calls have none of the others.
 */
struct sim_totals {
	uint64_t event[SIM_GRAPH_EVENTS + 8]; /* the last 8 are padding, see event_bits.h */
	uint64_t changes; /* changes when an event after the first SIM_OFTEN rises */
	uint64_t packed;  /* the part of a sum of SIM_COUNTS already included; see call_steps.h */
};

/* An open call. The fiber's snapshots have the counts of the other events at its start. */
struct sim_frame {
	uint64_t sp; /* address of its return address; UINT64_MAX: none */
	struct sim_arc *arc;
	uint32_t caller; /* node that runs when it ends */
	uint32_t outer;	 /* index + 1 of the previous frame of this node; 0: it is the outermost */
	uint32_t outer_function; /* the same for the function, if there are contexts */
	uint32_t rare;		 /* index of its snapshot; frames may share one */
	uint64_t often[SIM_OFTEN];
	uint64_t back; /* private: the return address, see sites.h; or 0 */
};

_Static_assert(sizeof(struct sim_frame) == 64, "frames are found by a shift");

/* One of the stacks of a thread, with its frames. The first frame is a root. */
struct sim_fiber {
	struct sim_fiber *next;
	struct sim_frame *frame;
	uint32_t count, room;
	uint32_t rare_count, rare_room;
	uint64_t *rare;	       /* snapshots of the other events */
	uint64_t *rare_change; /* sim_totals.changes at each snapshot, ascending */
	uint64_t sp;	       /* last known stack pointer; 0: none yet */
	uint64_t high;	       /* highest known address */
	uint64_t used;	       /* when the thread left it, in switches */
	/* The state to restore when the signal handler that interrupted it has ended. */
	bool is_interrupted;
	uint32_t node, transfer;
	struct sim_segment *last;
	struct sim_cell *cell;
	uint64_t last_sp;
	struct sim_fiber *interrupted; /* the stack that this one, of a handler, interrupted */
	struct sim_totals left;	       /* totals when the thread left it */
};

/* What the end of the last segment says about the next one. */
enum sim_transfer {
	SIM_GOES_ON,
	SIM_TRANSFERS, /* a call or return, or there is no last segment */
	SIM_CUT,       /* the last segment was cut before its end */
};

/* The shadow stacks of a thread. */
struct sim_call_stack {
	uint32_t node;	   /* running node; SIM_NO_NODE: none yet */
	uint32_t transfer; /* enum sim_transfer */
	struct sim_segment *last;
	struct sim_cell *cell; /* cell of `last` */
	uint64_t sp;	       /* at the end of last */
	struct sim_fiber *fiber;
	struct sim_fiber *fibers;  /* all stacks, including the running one */
	uint32_t *active;	   /* by node: index + 1 of its newest frame; 0: not active */
	uint32_t *active_function; /* the same by function, if there are contexts */
	uint32_t active_room, active_function_room;
	uint32_t thread;
	uint32_t fiber_count;
	uint32_t root_flags; /* flags of the arc to the next segment, if that is a root */
	uint32_t made;	     /* frames of the running stack with a function SIM_FUNCTION_MADE */
	uint64_t switches;
};

/* Returns 0, or -1 without memory; call sim_call_graph_release in both cases. */
int sim_call_graph_init(struct sim_call_graph *g, const struct sim_call_graph_config *config,
			const struct sim_memory *memory);
void sim_call_graph_release(struct sim_call_graph *g);

/* Returns the number for sim_segment.function. */
uint32_t sim_call_graph_function(struct sim_call_graph *g, uint64_t pc);

/* Code was unmapped: other functions may be mapped there later. */
void sim_call_graph_forget_code(struct sim_call_graph *g, uint64_t start, uint64_t end);

/* A thread begins. Returns 0, or -1 without memory; release s in both cases. */
int sim_call_stack_init(struct sim_call_stack *s, struct sim_call_graph *g, uint32_t thread);
void sim_call_stack_release(struct sim_call_stack *s, struct sim_call_graph *g);

/*
 * In all functions below, `totals` are the thread's events in all segments before the current one.
 */

/* The slow part of sim_call_graph_segment. */
struct sim_cell *sim_call_graph_step(struct sim_call_graph *g, struct sim_call_stack *s,
				     struct sim_segment *segment, const struct sim_totals *totals);
void sim_call_graph_jumped(struct sim_call_graph *g, const struct sim_call_stack *s,
			   const struct sim_segment *segment);

/*
 * The thread begins to execute a segment. Returns its cell in the node that executes it, never
 * NULL. The caller counts the execution and its events there.
 */
static inline struct sim_cell *sim_call_graph_enter(struct sim_call_graph *g,
						    struct sim_call_stack *s,
						    struct sim_segment *segment,
						    const struct sim_totals *totals)
{
	struct sim_cell *cell = g->has_short_segments ? &segment->own : segment->recent;

	if (__builtin_expect(g->config.jumps, 0))
		sim_call_graph_jumped(g, s, segment);
	if (__builtin_expect(segment->node != s->node || s->transfer, 0))
		cell = sim_call_graph_step(g, s, segment, totals);
	s->last = 0;
	s->transfer = SIM_GOES_ON;
	return cell;
}

/*
 * The thread has executed the segment to its end. sp, if the end is a call or return: the address
 * of the return address that it pushes or pops; else unused.
 */
static inline void sim_call_graph_leave(struct sim_call_stack *s, struct sim_segment *segment,
					struct sim_cell *cell, uint64_t sp)
{
	s->last = segment;
	s->cell = cell;
	s->transfer = segment->end >= SIM_END_FIRST_TRANSFER;
	s->sp = sp;
}

/*
 * Enter and leave a segment. Between two segments that follow each other in one function, the
 * caller may skip the leave and the enter if it needs neither contexts nor jumps.
 */
static inline struct sim_cell *sim_call_graph_segment(struct sim_call_graph *g,
						      struct sim_call_stack *s,
						      struct sim_segment *segment, uint64_t sp,
						      const struct sim_totals *totals)
{
	struct sim_cell *cell = sim_call_graph_enter(g, s, segment, totals);

	sim_call_graph_leave(s, segment, cell, sp);
	return cell;
}

/* A fault or a signal interrupted the last segment before its end. */
void sim_call_graph_unfinished(struct sim_call_stack *s);

/* A signal handler begins; its return address is at sp. */
void sim_call_graph_signal(struct sim_call_graph *g, struct sim_call_stack *s, uint64_t sp,
			   const struct sim_totals *totals);
/* The signal handler has ended by sigreturn. */
void sim_call_graph_signal_return(struct sim_call_graph *g, struct sim_call_stack *s,
				  const struct sim_totals *totals);

/*
 * Add the costs of the open calls so far to their arcs, so that the results are complete; the calls
 * stay open.
 */
void sim_call_graph_settle(struct sim_call_graph *g, struct sim_call_stack *s,
			   const struct sim_totals *totals);

/* The thread ends, or profiling of it pauses: all calls end. The next segment is a root. */
void sim_call_graph_end(struct sim_call_graph *g, struct sim_call_stack *s,
			const struct sim_totals *totals);

/*
 * Call this in a forked child, which has no other threads. Empties the results; the calls of s stay
 * open, with costs from now on.
 */
void sim_call_graph_forked(struct sim_call_graph *g, struct sim_call_stack *s,
			   const struct sim_totals *totals);

/*
 * Results. Nodes: g->contexts.items[1 .. g->contexts.count - 1]; functions the same way. A node's
 * number is higher than those of its callers. Cells: for each segment from `own`, following `next`.
 */

/* Visit each arc with new counts, then reset its counts. Settle the stacks first. */
void sim_call_graph_each_arc(struct sim_call_graph *g,
			     void (*visit)(void *context, const struct sim_arc *arc),
			     void *context);
/* The same for each target of indirect jumps. struct sim_cell counts targets of direct ones. */
void sim_call_graph_each_jump(struct sim_call_graph *g,
			      void (*visit)(void *context, const struct sim_jump *jump),
			      void *context);

/* Nodes that were entered, and arcs. */
struct sim_call_graph_size {
	uint64_t nodes, arcs;
};
struct sim_call_graph_size sim_call_graph_size(const struct sim_call_graph *g);

#endif
