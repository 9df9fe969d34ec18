/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dynamic call graph of a process, out of the segments that its threads execute: who called
 * whom, how often, and what happened in the meantime (Weidendorfer, Kowarschik, Trinitis 2004,
 * section 3). Each thread has a shadow stack of the calls that are open.
 *
 * Rules, which are Callgrind's where nothing else is said:
 *  - A call makes a frame; its stack pointer is the address of the return address. A return, or a
 *    call
 *    that shows that the stack is shorter (longjmp, exceptions), ends all frames below it.
 *  - A jump to the first instruction of another function is a call whose frame ends together with
 *    that of the function that jumped. So is a jump into the middle of a function that is not
 *    active; if it is active, the jump goes back to it and ends the frames above (longjmp, and
 *    parts of a function that the compiler has put elsewhere). A jump within a function,
 *    even to its first instruction, is none; there Callgrind counts a call.
 *  - A return that matches no frame is a jump.
 *  - A jump out of a stub of the linkage table is a call from where the stub was called. What the
 *    stub itself costs is the stub's. The same holds for the dynamic linker's jump to a function
 *    that it has looked up.
 *  - Signal handlers are roots: what they cost is not their interrupted functions'. So is what runs
 *    on another stack of the thread (swapcontext); stacks are told apart by their addresses.
 *  - The inclusive cost of an arc grows when the outermost activation of the called node ends. So
 *    an arc's inclusive cost does not grow with the depth of recursion, and the inclusive cost of a
 *    function is the sum over the arcs to it that are not marked SIM_ARC_RECURSIVE.
 *
 * Costs of a segment are counted in its cell of the node that executes it. Memory that runs out
 * loses detail, never the program: `lost` says how much.
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
	SIM_ARC_JUMP = 1,      /* a jump or a fall into another function, not a call */
	SIM_ARC_RECURSIVE = 2, /* the function that is called is active already */
	SIM_ARC_START = 4,     /* no caller: a thread, or another stack of one, begins with it */
	SIM_ARC_SIGNAL = 8,    /* no caller: a signal handler */
	SIM_ARC_NESTED = 16,   /* to code made at run time, and such code is active already */
};

/* The counts since the last sim_call_graph_each_arc. Calls and returns touch only 64 bytes. */
struct sim_arc {
	uint32_t caller, callee; /* nodes; the caller is 0 for those that have none */
	uint64_t pc;		 /* of the call or jump; 0 for those that have none */
	uint16_t flags;		 /* enum sim_arc_flags */
	bool leads_on;		 /* private: the callee is a stub or resolver */
	bool is_made;		 /* private: it is SIM_FUNCTION_MADE */
	uint32_t function;	 /* private: the callee's; 0: not to be taken for granted */
	/*
	 * Private. If it leads on: what it led to most recently. Else: the same with
	 * SIM_ARC_RECURSIVE if this is without, and the other way round, where both are known.
	 */
	struct sim_arc *other;
	uint64_t calls;
	uint64_t inclusive[]; /* an item for each event, at least SIM_OFTEN */
};

/* How often an indirect jump of a cell went to a place. */
struct sim_jump {
	const struct sim_segment *from;
	uint32_t node;
	uint32_t unused;
	uint64_t target;
	uint64_t taken; /* since the last sim_call_graph_each_jump */
	const struct sim_cell *cell;
};

struct sim_call_graph_config {
	unsigned events;       /* how many are counted, at most SIM_GRAPH_EVENTS */
	unsigned depth;	       /* of contexts, at most SIM_MAX_DEPTH; 0: nodes are functions */
	bool separate_threads; /* a node belongs to a thread */
	bool jumps;	       /* count where branches and jumps go to */
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
	uint64_t lost;		 /* calls, jumps and cells that there was no memory for */
	bool has_short_segments; /* see SIM_SHORT_SEGMENT */
	/*
	 * Set by the caller at any time, as in sim_multi: the processor has AVX-512, and its
	 * registers are free.
	 */
	bool is_wide;
};

/*
 * The events of a thread so far. Nearly each segment has some of the first SIM_OFTEN ones
 * (instructions, reads, writes), most calls have none of the rest.
 */
struct sim_totals {
	uint64_t event[SIM_GRAPH_EVENTS + 8]; /* the last 8 are none, see event_bits.h */
	uint64_t changes;		      /* changes when any but the first SIM_OFTEN rises */
	uint64_t packed; /* of a sum of SIM_COUNTS what they contain already; see call_steps.h */
};

/* An open call. The counts of the other events at its start are in the fiber's snapshots. */
struct sim_frame {
	uint64_t sp; /* where its return address stands; UINT64_MAX: there is none */
	struct sim_arc *arc;
	uint32_t caller; /* node that goes on when it ends */
	uint32_t outer;	 /* the frame of the node's activation before + 1; 0: it is the outermost */
	uint32_t outer_function; /* the same of the function, where nodes are more than functions */
	uint32_t rare;		 /* index of its snapshot, which it may share with frames before */
	uint64_t often[SIM_OFTEN];
	uint64_t back; /* private: the address that its return leads to, see call_records.h; or 0 */
};

_Static_assert(sizeof(struct sim_frame) == 64, "frames are found by a shift");

/* One of the stacks that a thread runs on, with the frames on it. The first frame is a root. */
struct sim_fiber {
	struct sim_fiber *next;
	struct sim_frame *frame;
	uint32_t count, room;
	uint32_t rare_count, rare_room;
	uint64_t *rare;	       /* snapshots of the other events */
	uint64_t *rare_change; /* sim_totals.changes at each snapshot; they rise */
	uint64_t sp;	       /* where the stack was last known to be; 0: not yet */
	uint64_t high;	       /* the highest place known of it */
	uint64_t used;	       /* when it was left, in switches */
	/* The state to continue with once the signal handler on top of it has ended. */
	bool is_interrupted;
	uint32_t node, transfer;
	struct sim_segment *last;
	struct sim_cell *cell;
	uint64_t last_sp;
	struct sim_fiber *interrupted; /* it is that of a handler, on top of this one */
	struct sim_totals left;	       /* as it was left */
};

/* What the end of the last segment means for the next one. */
enum sim_transfer {
	SIM_GOES_ON,
	SIM_TRANSFERS, /* a call, a return, or there is no last segment */
	SIM_CUT,       /* it was cut before its end */
};

/* The shadow stacks of a thread. */
struct sim_call_stack {
	uint32_t node;	   /* that runs; SIM_NO_NODE: none yet */
	uint32_t transfer; /* enum sim_transfer */
	struct sim_segment *last;
	struct sim_cell *cell; /* of last */
	uint64_t sp;	       /* at the end of last */
	struct sim_fiber *fiber;
	struct sim_fiber *fibers;  /* all, also this one */
	uint32_t *active;	   /* by node: the frame of its newest activation + 1; 0: none */
	uint32_t *active_function; /* the same by function, where nodes are more than functions */
	uint32_t active_room, active_function_room;
	uint32_t thread;
	uint32_t fiber_count;
	uint32_t root_flags; /* of the arc to what is executed next, if that is a root */
	uint32_t made;	     /* frames of the running stack whose functions are SIM_FUNCTION_MADE */
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

/* The rest of sim_call_graph_segment. */
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

/* A fault or a signal cut the segment that was left last. */
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

/*
 * The thread ends, or profiling of it pauses: all calls end. Whatever it executes next is a root.
 */
void sim_call_graph_end(struct sim_call_graph *g, struct sim_call_stack *s,
			const struct sim_totals *totals);

/*
 * In a forked child, which has no other threads: empty the results; the calls of s stay open, and
 * cost from here on.
 */
void sim_call_graph_forked(struct sim_call_graph *g, struct sim_call_stack *s,
			   const struct sim_totals *totals);

/*
 * Results. Nodes: g->contexts.items[1 .. g->contexts.count - 1], functions the same way; a node's
 * number is higher than that of its callers' chain. Cells: from each segment, `own` and on by
 * `next`.
 */

/* Visit each arc with new counts, then reset them. Settle the stacks before. */
void sim_call_graph_each_arc(struct sim_call_graph *g,
			     void (*visit)(void *context, const struct sim_arc *arc),
			     void *context);
/* Visit each target of indirect jumps likewise. Targets of direct ones: see struct sim_cell. */
void sim_call_graph_each_jump(struct sim_call_graph *g,
			      void (*visit)(void *context, const struct sim_jump *jump),
			      void *context);

/* Nodes that were entered, and arcs. */
struct sim_call_graph_size {
	uint64_t nodes, arcs;
};
struct sim_call_graph_size sim_call_graph_size(const struct sim_call_graph *g);

#endif
