/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The caches that an event profile has misses of, the smallest first, with their miss ratios. */
#ifndef DWELL_EVENTS_EVENT_CACHES_H
#define DWELL_EVENTS_EVENT_CACHES_H

#include "events/events.h"

#define EVENT_CACHES_MOST 6

struct event_cache {
	const char *name;    /* "L1i", "L1d", "L2", "L3", "L4", "LL" */
	uint64_t size_bytes; /* 0: the profile does not say */
	uint64_t ways;	     /* the same */
	bool is_code;	     /* its accesses are instructions; else loads and stores */
	double accesses, misses;
	size_t column; /* of the profile: all misses of this level; SIZE_MAX: none */
};

struct event_caches {
	struct event_cache items[EVENT_CACHES_MOST];
	size_t count;
};

/*
 * Of the first hierarchy where several were simulated. None where the profile counts no misses.
 * Returns 0, or -1 with *err.
 */
int event_caches_read(struct event_caches *c, const struct event_profile *p, struct err *err);

/* The last level whose misses a column counts; NULL: none. */
const struct event_cache *event_caches_last(const struct event_caches *c);

#endif
