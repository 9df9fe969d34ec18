/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the misses of each instruction spread over the stretches of a sampled simulation, as values
 * of its costs: so any sum of costs has bounds (model/trace_sample.h). A part of event_sample.h.
 */
#ifndef DWELL_EVENTS_EVENT_CONTRASTS_H
#define DWELL_EVENTS_EVENT_CONTRASTS_H

#include "events/event_sample.h"

#define EVENT_SAMPLE_KINDS 3 /* of events: fetches, loads and stores */

/* By the letter in events: the names of the caches of data, and of code. */
struct event_sample_level {
	char letter;
	const char *data, *code;
};
extern const struct event_sample_level event_sample_levels[EVENT_SAMPLE_LEVELS];

/* The columns of one kind of misses in one level, and what to make of them. */
struct event_sample_part {
	size_t misses, unknown, above; /* SIZE_MAX: there is none */
	double rho, rho_above;
	double less, more; /* see struct trace_sample_bounds */
};
struct event_sample_part event_sample_part(const struct event_profile *p, size_t level,
					   size_t kind);

/*
 * Add contrasts to the costs, which become longer, before estimates take the place of what was
 * counted. scale: of accesses.
 */
int event_contrasts_add(struct event_profile *p, double scale, struct err *err);

/* Of values of costs in a level that has contrasts: their variance, and unknown references. */
double event_contrasts_variance(const struct event_profile *p, size_t level,
				const uint64_t *values);
double event_contrasts_unknown(const struct event_profile *p, size_t level, const uint64_t *values);

#endif
