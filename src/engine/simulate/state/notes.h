/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Room for notes of misses, which code of several rooms writes and reads: of one hierarchy
 * (miss/filter_notes.h), or of several (miss/filter_multi.h).
 */
#ifndef DWELL_ENGINE_SIMULATE_STATE_NOTES_H
#define DWELL_ENGINE_SIMULATE_STATE_NOTES_H

#include "engine/simulate/state/filter_sites.h"

#define NOTE_LINE   0
#define NOTE_SITE   8 /* its number, and the bytes from SITE_REG on */
#define NOTE_FLAGS  (NOTE_SITE + SITE_FLAGS - SITE_NUMBER)
#define NOTE_EVENT  (NOTE_SITE + SITE_EVENT - SITE_NUMBER)
#define NOTE_RECORD 16 /* with arcs (arcs.h): what the notes before it have counted */
/* If all levels are looked up at once (calls/events.h): what was counted; the line is not used. */
#define NOTE_COUNTED	      20	 /* u32: the event's position in a cell, and how often */
#define NOTE_ONCE	      0x100	 /* from this bit on */
#define NOTE_AND_WRITTEN_BACK 0x80000000 /* and one write-back of the first level */
#define NOTE_BYTES	      24
#define NOTES		      256 /* 6 KB */
/*
 * What follows with data (bins.h); then 96 notes have room. An access on two lines may evict two in
 * each level: FILTER_SITE_PAIR says so, and NOTE_LINE is the second one.
 */
#define NOTE_ADDRESS	   24 /* of the access, if it is one to data; see filter_notes.c */
#define NOTE_VICTIM	   32 /* the cell of the line that the first level evicted; 0: none */
#define NOTE_LAST	   40 /* the same of LL; 0: the line was in LL */
#define NOTE_VICTIM_BEFORE 48 /* the same for the first of two lines */
#define NOTE_LAST_BEFORE   56
#define NOTE_DATA_BYTES	   64

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

#endif
#endif
