/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several hierarchies in the filter variant. Its first levels are the fronts of sim/system/multi.h:
 * small caches of lines that all first levels have. So code continues by itself where all of them
 * hit.
 *
 * A miss in a front changes only the front at once. The line that came and the one that was evicted
 * are noted. Some thousand misses are looked up together, in order, so that rows of megabytes can
 * be prefetched.
 *
 * The result of a miss is a word with a bit for each event. For the call graph a miss is a note
 * (arcs.h).
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_MULTI_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_MULTI_H

/* struct filter_miss */
#define MISS_LINE   0
#define MISS_VICTIM 8
#define MISS_SITE   16
#define MISS_COLUMN 20
#define MISS_EVENTS 24
#define MISS_SHIFT  5
/* flags of a miss, in the byte behind the column */
#define MISS_WITH_BEFORE 1 /* the access lies on the line before, too */
#define MISS_WITH_NEXT	 2 /* on the next one */
#define MISS_GOES_ON	 4 /* on the next one, which missed too: the next miss */
#define MISS_FLAGS_SHIFT 8
/* struct filter_misses */
#define Q_NEXT	0
#define Q_LAST	8
#define Q_FIRST 16

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_multi;

/* A miss in a front. */
struct filter_miss {
	uint64_t line;
	/* the cell of the evicted line; NULL, or the one at FILTER_NOBODY: a place was free */
	const uint32_t *victim;
	uint32_t site;	/* of the access; 0: it counts in *number */
	uint8_t column; /* of the events: 0 fetch, 1 read, 2 write */
	uint8_t flags;	/* MISS_WITH_BEFORE and others */
	uint8_t firsts; /* first levels that missed, as bits */
	uint8_t unused;
	union {
		/* of a site: filter_site_cell; with nodes (nodes.h) A_NODE */
		uint64_t events;
		uint32_t *number; /* of a cell */
	};
};

struct filter_misses {
	struct filter_miss *next; /* the next free entry; NULL: there is one hierarchy */
	struct filter_miss *last; /* the last entry */
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

/* Use the fronts of s in the filter variant. False: there is no memory. Called once. */
bool filter_multi_start(struct sim_multi *s);
/*
 * Note the n misses, one or two, of an access to the bytes first .. last. Their members are set,
 * except flags.
 */
void filter_multi_put(struct filter_miss m[], uint32_t n, uint64_t first, uint64_t last);

/* Look up all noted misses, charge them to their instructions and calls, and drop them. */
void filter_multi_settle(void);

/*
 * filter_vectors.S: call f, which may change vector registers 16 to 19 and masks 1 to 3; restore
 * them.
 */
void filter_with_vectors(void (*f)(void));

#endif
#endif
