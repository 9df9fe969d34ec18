/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of an event profile for dwell report: events by function, class, file, ... */
#ifndef DWELL_EVENTS_EVENT_REPORT_H
#define DWELL_EVENTS_EVENT_REPORT_H

#include "events/event_columns.h"
#include "events/event_rows.h"
#include "query/query.h"

/* Which rows to show, in which order. */
struct event_choice {
	struct event_columns columns;
	const size_t *second;	   /* a column that orders equal rows; or NULL */
	bool is_inclusive;	   /* sort by inclusive cost */
	double threshold;	   /* least part of the whole, as a fraction */
	const struct query *query; /* chooses rows by name, file or object; NULL: all */
};

struct event_report {
	const struct event_profile *p;
	const struct event_choice *choice;
	enum event_by by;
	struct event_rows rows;
	size_t *order; /* indices of rows, highest value first */
	size_t count;  /* number of rows to show */
	double total;  /* of the event to sort by */
};

/*
 * Release with event_report_release; the profile and the choice must outlive it. `by`: not data,
 * which have rows of their own (estimate/counted).
 */
int event_report_init(struct event_report *r, const struct event_profile *p, enum event_by by,
		      const struct event_choice *choice, struct err *err);
void event_report_release(struct event_report *r);

#endif
