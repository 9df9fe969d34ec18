/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events that are known when they happen: misses of hierarchies other than two plain levels. Each
 * is noted (filter_notes.h) for the calls that are open then. Code notes those of
 * miss/filter_walked.h by site; with nodes (nodes.h) they are not counted otherwise, and with data
 * (bins.h) bins get them from here. C notes others, without a site, and has charged the
 * instruction; not with data.
 */
#ifndef DWELL_ENGINE_SIMULATE_ARCS_EVENTS_H
#define DWELL_ENGINE_SIMULATE_ARCS_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

/* Note that an event has happened so often. False: no note can say that. */
bool events_note(uint32_t event, int64_t amount);

/* All that is noted goes to the calls that were open; without a call graph, nowhere. */
void events_take(void);
/* Is there no room for another event? Then they must be taken first. */
bool events_are_full(void);

#endif
