/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An event profile of a sampled simulation: estimates for the whole run, from the accesses that
 * were simulated (trace sampling; MemSpy, section 4.2).
 *
 * Of an access that missed in an empty place nobody knows whether it was a hit: it is unknown. The
 * number of misses is m + rho * u, of m known misses and u unknown references. rho is estimated for
 * each cache; with 0 and 1 the number is a lower and an upper bound. An access that also missed
 * below a cache where it was unknown counts there with the product of both rho.
 */
#ifndef DWELL_EVENTS_EVENT_SAMPLE_H
#define DWELL_EVENTS_EVENT_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/trace_sample.h"

#define EVENT_SAMPLE_CACHES 6
#define EVENT_SAMPLE_LEVELS 5
#define EVENT_SAMPLE_SUMS   3  /* levels whose misses have bounds */
#define EVENT_SAMPLE_FEW    50 /* stretches: with fewer, single ones decide */

struct event_profile;

/* What a cache has told in all stretches. */
struct event_sample_cache {
	const char *name; /* "L1d", "L1i", "LL" */
	double rho;	  /* used for the estimates */
	struct trace_sample_bounds bounds;
};

struct event_sample {
	bool is_sampled;    /* else only `sets` is set */
	uint64_t accesses;  /* of the run */
	uint64_t simulated; /* of them */
	size_t stretches;
	uint64_t sets; /* one of so many parts of the sets was simulated; 1: all */
	struct event_sample_cache caches[EVENT_SAMPLE_CACHES];
	size_t cache_count;
	/* of misses in a level, by data and code */
	struct trace_sample_bounds levels[EVENT_SAMPLE_LEVELS];
	/* 1 + the index of the level's first contrast in values of costs; 0: it has none */
	size_t contrasts[EVENT_SAMPLE_LEVELS];
	uint64_t *values; /* those of all costs, if they were made longer */
};

/*
 * To be called when the profile's columns and costs have been read. If it is of a sampled
 * simulation: turn its costs into estimates for the whole run, and set p->sample. by_row: costs get
 * contrasts, for bounds of their own.
 */
int event_sample_apply(struct event_profile *p, bool by_row, struct err *err);

/* Add the bounds of misses, "LLm.low" and "LLm.high", to the columns, behind all others. */
int event_sample_add_bounds(struct event_profile *p, struct err *err);

/*
 * The bounds of all estimated misses of data, or of fetches, in the level with this letter in the
 * names of its events.
 */
void event_sample_bounds(const struct event_profile *p, char letter, bool is_code, double misses,
			 double *low, double *high);

/*
 * The value of a column whose `bound` is set (events.h), from that of its formula, which is without
 * what was not simulated; `values`: as in events_value.
 */
double event_sample_bound(const struct event_profile *p, unsigned bound, double value,
			  const uint64_t *values);

#endif
