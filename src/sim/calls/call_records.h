/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The path of a thread through its call graph, as self-simulating code records it: a record for
 * each end of a segment that leaves its function, or may do so, with the sums of counts so far. The
 * constant data of an end are in its site, of 64 bytes. So most calls and jumps access only their
 * record, site and arc. Returns do not even access a site: their frame knows the return address.
 *
 * Graphs that take no steps (call_steps.h) follow each record by the slow rules. The nodes of
 * segments that records do not enter are unknown: see sim_call_graph_place.
 */
#ifndef DWELL_SIM_CALLS_CALL_RECORDS_H
#define DWELL_SIM_CALLS_CALL_RECORDS_H

#include "sim/calls/call_graph.h"

/*
 * Records that are not ends. ENTERS: the first segment. EVENTS: counts to add to each event. WORDS:
 * one for each set bit in some words of the trail. HELD: counts that the trail holds. Other numbers
 * are those of sites.
 */
#define SIM_RECORD_EVENTS 0u
#define SIM_RECORD_ENTERS 1u
#define SIM_RECORD_WORDS  2u
#define SIM_RECORD_HELD	  3u
#define SIM_FIRST_SITE	  4u
#define SIM_RECORD_RETURN (1u << 31) /* set in the number if the end is a return */

#define SIM_RECORD_EVENT_COUNT 9u

/*
 * Lane 0 has the sums of loads and, from bit 32 on, stores. Lane 1 has those of instructions and,
 * from this bit on, modifies.
 */
#define SIM_RECORD_MODIFIES 34

struct sim_record {
	union {
		struct {
			uint32_t site; /* number of the site */
			uint32_t unused;
			uint64_t pc; /* the target, if it may be anywhere */
			uint64_t lane[2];
			uint64_t
				/* of a call, after pushing; of a return, after popping */
				sp;
		};
		struct {
			uint32_t no_site;
			int32_t events[SIM_RECORD_EVENT_COUNT]; /* counts to add to each event */
		};
		struct {
			uint32_t no_site_either;
			uint32_t first_word, words; /* in the trail */
		};
	};
};

_Static_assert(sizeof(struct sim_record) == 40, "nothing between them");

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
	uint64_t lines; /* the owner's, see arcs_lines.h */
};

_Static_assert(sizeof(struct sim_site) == 64, "sites are found by a shift");

/* Sites with several targets: a table with this many items, one for each target; all 0 at first. */
#define SIM_TOWARDS_BITS 10
#define SIM_TOWARDS	 (1u << SIM_TOWARDS_BITS)

/* The state kept between rows of records. */
struct sim_trail {
	uint64_t seen[2]; /* values of the lanes that are included in the totals */
	struct sim_site *sites;
	struct sim_site *towards;			/* forget these together with their sites */
	struct sim_segment *(*segment_at)(uint64_t pc); /* returns NULL if there is none */
	const uint64_t *words; /* a bit for each event that happened; bit 0 is event SIM_OFTEN */
	bool is_wide;	       /* see sim/base/event_bits.h */
	uint64_t held[SIM_GRAPH_EVENTS]; /* to add to each event; 0 once counted */
};

static inline bool sim_record_is_of_events(const struct sim_record *r)
{
	return r->site < SIM_FIRST_SITE && r->site != SIM_RECORD_ENTERS;
}

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

/* Follow the records from `r` up to `end`. Updates the totals. */
void sim_call_graph_records(struct sim_call_graph *g, struct sim_call_stack *s,
			    struct sim_totals *totals, struct sim_trail *trail,
			    const struct sim_record *r, const struct sim_record *end);

/* Keep the events of a record in the trail: the record is not followed. */
void sim_trail_hold(struct sim_trail *trail, const struct sim_record *r);

/* Add the growth of the lanes to the totals. */
void sim_trail_take(struct sim_trail *trail, const uint64_t lane[2], struct sim_totals *totals);

/* The stack pointer for sim_call_graph_leave. */
static inline uint64_t sim_record_sp(const struct sim_record *r)
{
	return r->site & SIM_RECORD_RETURN ? r->sp - sizeof(uint64_t) : r->sp;
}

/* The segment was executed: set its node, if it has none yet. */
void sim_call_graph_place(struct sim_call_graph *g, struct sim_segment *segment);

#endif
