/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Derived events that dwell simulate writes into the profile, for all views of it. */
#ifndef DWELL_CLI_COMMANDS_SIMULATE_EVENTS_H
#define DWELL_CLI_COMMANDS_SIMULATE_EVENTS_H

#include <stddef.h>

#include "base/err.h"
#include "collector/collector.h"
#include "store/events.h"

#define SIMULATE_EVENTS_MOST 16

struct simulate_events {
	const char *const *texts; /* as given; there are `count` */
	struct store_event events[SIMULATE_EVENTS_MOST];
	char *names[SIMULATE_EVENTS_MOST];
	size_t count;
};

/*
 * Have the run store the events; its caches must be known by now. Returns 0, or -1 with the reason.
 * *o must outlive the run; release with simulate_events_release.
 */
int simulate_events_take(struct simulate_events *o, struct collector_options *run, struct err *err);
void simulate_events_release(struct simulate_events *o);

#endif
