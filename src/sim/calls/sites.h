/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exits, for self-simulating code that follows calls by itself (open_calls.h): ends of segments
 * that leave their function, or may do so, which the code leaves to the rules. The constant data of
 * an end are in its site, of 64 bytes. So most calls and jumps access only their site and arc.
 * Returns do not even access a site: their frame knows the return address.
 *
 * Graphs that take no steps (call_steps.h) follow each exit by the slow rules. The nodes of
 * segments that exits do not enter are unknown: see sim_call_graph_place.
 */
#ifndef DWELL_SIM_CALLS_SITES_H
#define DWELL_SIM_CALLS_SITES_H

#include "sim/calls/call_graph.h"

/* No end: the first segment is entered. Other numbers are those of sites. */
#define SIM_EXIT_ENTERS 1u
#define SIM_FIRST_SITE	2u
#define SIM_EXIT_RETURN (1u << 31) /* set in the number if the end is a return */

/*
 * Lane 0 has the sums of loads and, from bit 32 on, stores. Lane 1 has those of instructions and,
 * from this bit on, modifies.
 */
#define SIM_LANE_MODIFIES 34

struct sim_exit {
	uint32_t site;	  /* number of the site */
	uint64_t pc;	  /* the target, if it may be anywhere */
	uint64_t lane[2]; /* the counts so far */
	uint64_t sp;	  /* of a call, after pushing; of a return, after popping */
};

struct sim_site {
	struct sim_segment *left;
	/* The last target; NULL: not known yet. */
	struct sim_segment *entered;
	uint64_t pc; /* of `entered`; constant if is_fixed */
	/*
	 * For a call: the address after it, if that is in its function. For a jump: the start of
	 * its function.
	 */
	uint64_t back;
	struct sim_arc *arc; /* to `entered`, or NULL */
	uint32_t function;   /* of entered */
	uint32_t node;	     /* of `entered` */
	uint32_t span;	     /* for a jump: size of its function, if known */
	bool is_fixed;
	bool is_call;
	uint64_t unused;
};

_Static_assert(sizeof(struct sim_site) == 64, "sites are found by a shift");

/* Sites with several targets: a table with this many items, one for each target; all 0 at first. */
#define SIM_TOWARDS_BITS 10
#define SIM_TOWARDS	 (1u << SIM_TOWARDS_BITS)

/* The state kept between exits. */
struct sim_trail {
	uint64_t seen[2]; /* values of the lanes that are included in the totals */
	struct sim_site *sites;
	struct sim_site *towards;			/* forget these together with their sites */
	struct sim_segment *(*segment_at)(uint64_t pc); /* returns NULL if there is none */
};

/*
 * The site of a segment's end that the graph knows. pc 0: any target. behind: the end of the
 * segment.
 */
struct sim_site sim_site_of(const struct sim_call_graph *g, struct sim_segment *left, uint64_t pc,
			    uint64_t behind);
/* Call this when segments may belong to other functions. */
static inline void sim_site_forget(struct sim_site *site)
{
	site->entered = 0;
	site->arc = 0;
}

/* Follow the exit. Updates the totals. */
void sim_call_graph_exit(struct sim_call_graph *g, struct sim_call_stack *s,
			 struct sim_totals *totals, struct sim_trail *trail,
			 const struct sim_exit *m);

/* Add the growth of the lanes to the totals. */
void sim_trail_take(struct sim_trail *trail, const uint64_t lane[2], struct sim_totals *totals);

/* The stack pointer for sim_call_graph_leave. */
static inline uint64_t sim_exit_sp(const struct sim_exit *m)
{
	return m->site & SIM_EXIT_RETURN ? m->sp - sizeof(uint64_t) : m->sp;
}

/* The segment was executed: set its node, if it has none yet. */
void sim_call_graph_place(struct sim_call_graph *g, struct sim_segment *segment);

#endif
