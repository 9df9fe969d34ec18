/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns of events: which these are, only the profile knows. */
#ifndef DWELL_ANSWER_EVENT_LIST_H
#define DWELL_ANSWER_EVENT_LIST_H

#include <jansson.h>

#include "answer/rows.h"
#include "events/event_columns.h"
#include "events/events.h"

/* What rows begin with that have such columns: the values of the measured events. */
struct event_cells {
	const struct event_profile *p;
	const uint64_t *self, *inclusive; /* NULL: not known */
};

enum event_cost { EVENT_SELF, EVENT_INCLUSIVE };

/* Such columns, made for rows that they outlive; zero before. */
struct event_made {
	struct column items[3 * EVENT_COLUMNS + 16];
	size_t count;
};

/* That of an event. */
struct column event_column(const struct event_profile *p, size_t column, enum event_cost cost);

/* Make a column, and show it: `in` and `less` as in struct shown. */
void event_made_show(struct event_made *m, struct column c, unsigned in, unsigned less,
		     struct rows *r);

/* Show all columns of c in these formats. */
void event_made_show_all(struct event_made *m, const struct event_profile *p,
			 const struct event_columns *c, unsigned in, struct rows *r);

/*
 * Show all columns of c that are not sorted by, in text. Unless the user chose them, narrow text
 * has only the first ones, as far as there is room. The ranks of all but two are below
 * EVENT_LESS_BELOW, and those of all below EVENT_LESS_ABOVE.
 */
#define EVENT_LESS_BELOW (EVENT_COLUMNS + 1)
#define EVENT_LESS_ABOVE (EVENT_COLUMNS + 100)
void event_made_show_others(struct event_made *m, const struct event_profile *p,
			    const struct event_columns *c, enum event_cost cost, struct rows *r);

/* An object with the value of each column. */
json_t *event_list_json(const struct event_profile *p, const struct event_columns *c,
			const uint64_t *values);

#endif
