/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell report on an event profile: which functions, classes, files, ... have how many events. */
#ifndef DWELL_EVENTS_EVENT_REPORT_H
#define DWELL_EVENTS_EVENT_REPORT_H

#include <regex.h>

#include "events/event_columns.h"
#include "events/event_rows.h"

/* Which rows to show, and in which order. */
struct event_choice {
	struct event_columns columns;
	const size_t *second;  /* a column: sort equal rows by it; or NULL */
	bool is_inclusive;     /* sort by inclusive costs */
	double threshold;      /* rows with less of the whole, as a fraction, are left out */
	const regex_t *focus;  /* only rows whose name, file or object matches; or NULL */
	const regex_t *ignore; /* without those; or NULL */
};

struct event_report {
	const struct event_profile *p;
	const struct event_choice *choice;
	enum event_by by;
	struct event_rows rows;
	size_t *order; /* indices of rows, most events first */
	size_t count;  /* those that are shown */
	double total;  /* of the event to sort by */
};

/* Release with event_report_release; the profile and the choice must outlive it. */
int event_report_init(struct event_report *r, const struct event_profile *p, enum event_by by,
		      const struct event_choice *choice, struct err *err);
void event_report_release(struct event_report *r);

#endif
