/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data structures of a simulation as an event profile, so that what compares and sums up the
 * events of functions does so with them. Each data structure is a node; its file and object are
 * those of its allocation or declaration. The events are, for each level, its misses and their
 * causes ("L1m", "L1m_cold", "L1m_self", "L1m_others"), and the derived event "Cost", the cycles
 * that accesses wait. Nodes have the forms of their data structures.
 */
#ifndef DWELL_VIEWS_COUNTED_DATA_EVENTS_H
#define DWELL_VIEWS_COUNTED_DATA_EVENTS_H

#include "estimate/data.h"
#include "events/events.h"

/*
 * Of one process; STORE_NONE: the one with the most accesses. `by` tells blocks apart. Returns 0,
 * or -1 with *err; *p owns nothing then. Release with events_close.
 */
int data_events_open(struct event_profile *p, const char *path, int64_t process, enum data_by by,
		     struct err *err);

#endif
