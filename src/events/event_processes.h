/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All processes of an event profile, with their miss ratios in the simulated caches. */
#ifndef DWELL_EVENTS_EVENT_PROCESSES_H
#define DWELL_EVENTS_EVENT_PROCESSES_H

#include "events/event_caches.h"
#include "query/query.h"

struct event_process {
	struct store_process process;
	double share; /* of the accesses of all; NAN: none are known */
	uint64_t stretches;
	struct event_caches caches; /* none: nothing of it was simulated */
	double rank;
};

struct event_processes {
	struct event_process *rows; /* by the order of the query, or by accesses; most first */
	size_t count;
	struct event_caches caches; /* of all processes together */
	const struct event_sample *sample;
};

/*
 * The profile at `path`, which `all` has read for all processes, and which must outlive the answer.
 * Returns 0, or -1 with *err set: rows have no such order, memory is short, or the profile is
 * damaged. Release with event_processes_release.
 */
int event_processes_init(struct event_processes *s, const struct event_profile *all,
			 const char *path, const struct query *q, struct err *err);
void event_processes_release(struct event_processes *s);

#endif
