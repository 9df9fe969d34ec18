/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several hierarchies in the filter variant. Its first levels are the fronts of sim/system/multi.h,
 * small caches that have nothing but what all first levels have. So code goes on by itself where
 * all of them hit. What misses in a front changes nothing that code looks at but the front: so the
 * line that came and the one that gave way are written down, and some thousand misses are looked at
 * together, in their order, which asks for the rows of caches of megabytes in advance.
 *
 * A miss belongs behind the steps that were written before it: where calls are followed a record
 * (sim/calls/call_records.h) says which misses lie between two steps. What came of a miss is a word
 * of bits, one for each event.
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_SEVERAL_H
#define DWELL_ENGINE_SIMULATE_FILTER_SEVERAL_H

/* struct filter_miss */
#define MISS_LINE   0
#define MISS_VICTIM 8
#define MISS_SITE   16
#define MISS_COLUMN 20
#define MISS_EVENTS 24
#define MISS_SHIFT  5
/* its flags, in the byte behind the column */
#define MISS_WITH_BEFORE 1 /* the access lies on the line before, too */
#define MISS_WITH_NEXT	 2 /* on the next one */
#define MISS_GOES_ON	 4 /* and that missed as well: it is what follows */
#define MISS_FLAGS_SHIFT 8
/* struct filter_misses */
#define Q_NEXT	0
#define Q_LAST	8
#define Q_FIRST 16

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct segment_insn;
struct sim_multi;

/* A line has come to a front. */
struct filter_miss {
	uint64_t line;
	/*
	 * the cell of the line that gave way; NULL, or that at FILTER_NOBODY: there was a free
	 * place
	 */
	const uint32_t *victim;
	uint32_t site;	/* whose access it is; 0: insn's */
	uint8_t column; /* of the events: 0 fetch, 1 read, 2 write */
	uint8_t flags;	/* MISS_WITH_BEFORE and others */
	uint8_t firsts; /* that missed */
	uint8_t unused;
	union {
		uint64_t events; /* filter_site_cell */
		struct segment_insn *insn;
	};
};

struct filter_misses {
	struct filter_miss *next; /* where the next one is written; NULL: there is one hierarchy */
	struct filter_miss *last; /* there is room for one there, and no more */
	struct filter_miss *first;
};
extern struct filter_misses filter_misses;

_Static_assert(sizeof(struct filter_miss) == 1 << MISS_SHIFT, "layout");
_Static_assert(offsetof(struct filter_miss, victim) == MISS_VICTIM, "layout");
_Static_assert(offsetof(struct filter_miss, site) == MISS_SITE, "layout");
_Static_assert(offsetof(struct filter_miss, column) == MISS_COLUMN, "layout");
_Static_assert(offsetof(struct filter_miss, flags) == MISS_COLUMN + MISS_FLAGS_SHIFT / 8, "layout");
_Static_assert(offsetof(struct filter_miss, events) == MISS_EVENTS, "layout");
_Static_assert(offsetof(struct filter_misses, last) == Q_LAST, "layout");
_Static_assert(offsetof(struct filter_misses, first) == Q_FIRST, "layout");

/* The filter variant has the fronts of these. False: there is no memory. Once. */
bool filter_multi_start(struct sim_multi *s);
static inline bool filter_multi_is_on(void)
{
	return filter_misses.next != 0;
}

/*
 * Write one down; where two are of one access, both are put in turn. There is room, after
 * filter_multi_make_room.
 */
void filter_multi_put(const struct filter_miss *miss);
/* For two, as an access has at most. */
void filter_multi_make_room(void);

/* How many are written down. */
uint32_t filter_multi_waiting(void);
/*
 * All of these are looked at and counted for their instructions; and a word of events for each.
 * They stay where they are.
 */
void filter_multi_count(void);
const uint64_t *filter_multi_events(void);
/* They have been counted for all. */
void filter_multi_forget(void);
/* All is counted, as far as nobody waits for the words. */
void filter_multi_settle(void);

/* glue, filter_vectors.S: call f, which may change vector registers 16 to 19 and masks 1 to 3. */
void filter_with_vectors(void (*f)(void));

#endif
#endif
