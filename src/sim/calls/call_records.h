/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way of a thread through its call graph as code writes it down that simulates by itself: a
 * record for each end of a segment that leaves its function, or may, with the sums of what has been
 * counted so far. What is the same each time is in the site of that end: 64 bytes, so that most
 * calls and jumps look at nothing but their record, site and arc, and returns not even at a site:
 * their frame knows where they lead to.
 *
 * Only for graphs that take steps (call_steps.h). Nodes of segments that records do not enter are
 * not known: sim_call_graph_place.
 */
#ifndef DWELL_SIM_CALLS_CALL_RECORDS_H
#define DWELL_SIM_CALLS_CALL_RECORDS_H

#include "sim/calls/call_graph.h"

/*
 * Records that are none of an end: of what is entered first, and of events: so many more of each;
 * one more of each whose bit is set in some words of the trail; or what the trail holds. Other
 * numbers are those of sites.
 */
#define SIM_RECORD_EVENTS 0u
#define SIM_RECORD_ENTERS 1u
#define SIM_RECORD_WORDS  2u
#define SIM_RECORD_HELD	  3u
#define SIM_FIRST_SITE	  4u
#define SIM_RECORD_RETURN (1u << 31) /* is set in the number where the end is a return */

#define SIM_RECORD_EVENT_COUNT 9u

/*
 * Lane 0 has the sums of loads and, from bit 32 on, stores; lane 1 of instructions and, from this
 * bit on, modifies.
 */
#define SIM_RECORD_MODIFIES 34

struct sim_record {
	union {
		struct {
			uint32_t site; /* its number */
			uint32_t unused;
			uint64_t pc; /* that it leads to, where that may be anywhere */
			uint64_t lane[2];
			uint64_t
				/* of a call, once it has pushed; of a return, once it has popped */
				sp;
		};
		struct {
			uint32_t no_site;
			int32_t events[SIM_RECORD_EVENT_COUNT]; /* of each event so many more */
		};
		struct {
			uint32_t no_site_either;
			uint32_t first_word, words; /* of the trail */
		};
	};
};

_Static_assert(sizeof(struct sim_record) == 40, "nothing between them");

struct sim_site {
	struct sim_segment *left;
	/* Where it last led to; NULL: not known yet. */
	struct sim_segment *entered;
	uint64_t pc; /* of that; where is_fixed, always */
	/*
	 * Of a call: the address behind it, if that is in its function. Of a jump: where its
	 * function begins.
	 */
	uint64_t back;
	struct sim_arc *arc; /* to there, or NULL */
	uint32_t function;   /* of entered */
	uint32_t node;	     /* of that */
	uint32_t span;	     /* of a jump: bytes of its function, if they are known */
	bool is_fixed;
	bool is_call;
	uint64_t unused; /* a cache line */
};

_Static_assert(sizeof(struct sim_site) == 64, "sites are found by a shift");

/* Sites that lead to several places, one for each of these: a table of so many, all 0 at first. */
#define SIM_TOWARDS_BITS 10
#define SIM_TOWARDS	 (1u << SIM_TOWARDS_BITS)

/* The state kept from one row of records to the next. */
struct sim_trail {
	uint64_t seen[2]; /* the lanes, as far as the totals have them */
	struct sim_site *sites;
	struct sim_site *towards; /* to be forgotten with the sites that it is of */
	struct sim_segment *(*segment_at)(uint64_t pc); /* NULL: there is none */
	const uint64_t *words; /* a bit for each event that happened, bit 0 for number SIM_OFTEN */
	bool is_wide;	       /* as sim/base/event_bits.h wants it */
	uint64_t held[SIM_GRAPH_EVENTS]; /* of each event so many more: 0 once they are counted */
};

static inline bool sim_record_is_of_events(const struct sim_record *r)
{
	return r->site < SIM_FIRST_SITE && r->site != SIM_RECORD_ENTERS;
}

/*
 * A site for an end of a segment that the graph knows; pc 0: it may lead anywhere. behind: where
 * the segment ends.
 */
struct sim_site sim_site_of(const struct sim_call_graph *g, struct sim_segment *left, uint64_t pc,
			    uint64_t behind);
/* Segments may now belong to other functions. */
static inline void sim_site_forget(struct sim_site *site)
{
	site->entered = 0;
	site->arc = 0;
}

/* Follow the records from `r` up to `end`. Updates the totals. */
void sim_call_graph_records(struct sim_call_graph *g, struct sim_call_stack *s,
			    struct sim_totals *totals, struct sim_trail *trail,
			    const struct sim_record *r, const struct sim_record *end);

/* The trail holds the events of a record: it is not followed. */
void sim_trail_hold(struct sim_trail *trail, const struct sim_record *r);

/* Add to the totals what the lanes have grown by. */
void sim_trail_take(struct sim_trail *trail, const uint64_t lane[2], struct sim_totals *totals);

/* The stack's place as sim_call_graph_leave wants it. */
static inline uint64_t sim_record_sp(const struct sim_record *r)
{
	return r->site & SIM_RECORD_RETURN ? r->sp - sizeof(uint64_t) : r->sp;
}

/* The segment was executed: assign the node of its function, if it has none yet. */
void sim_call_graph_place(struct sim_call_graph *g, struct sim_segment *segment);

#endif
