/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The caches whose misses an event profile counts, smallest first, with their miss ratios. */
#ifndef DWELL_EVENTS_EVENT_CACHES_H
#define DWELL_EVENTS_EVENT_CACHES_H

#include "events/events.h"

#define EVENT_CACHES_MOST 6

struct event_cache {
	const char *name;    /* "L1i", "L1d", "L2", "L3", "L4", "LL" */
	uint64_t size_bytes; /* 0: unknown */
	uint64_t ways;	     /* 0: unknown */
	bool is_code;	     /* accessed by instructions, not by loads and stores */
	double accesses, misses;
	/* Of a sampled simulation: the bounds of misses; else as misses. */
	double low, high;
	size_t column; /* column of the profile with all misses of this level; SIZE_MAX: none */
};

struct event_caches {
	struct event_cache items[EVENT_CACHES_MOST];
	size_t count;
};

/*
 * Read the caches of the first simulated hierarchy; none if the profile counts no misses. Returns
 * 0, or -1 with *err.
 */
int event_caches_read(struct event_caches *c, const struct event_profile *p, struct err *err);

/* The last level with a column of misses; NULL: none. */
const struct event_cache *event_caches_last(const struct event_caches *c);

#endif
