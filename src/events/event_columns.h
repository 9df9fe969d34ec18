/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events that a query selects from an event profile. */
#ifndef DWELL_EVENTS_EVENT_COLUMNS_H
#define DWELL_EVENTS_EVENT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#define EVENT_COLUMNS 96 /* the most columns of a view */

/* Columns of the profile: those to show, and the one to sort by. */
struct event_columns {
	size_t items[EVENT_COLUMNS];
	size_t count;
	size_t sort;
	bool by_default; /* the query names none: show those that fit */
};

#endif
