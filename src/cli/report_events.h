/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell report on an event profile. */
#ifndef DWELL_CLI_REPORT_EVENTS_H
#define DWELL_CLI_REPORT_EVENTS_H

#include "cli/event_options.h"
#include "events/event_report.h"

struct report_events {
	struct event_options events;
	enum event_by by;
	struct event_choice choice;
	regex_t focus, ignore; /* compiled where choice points to them */
	bool is_given;	       /* any of the options that are not in `events` */
};

/* The options of event profiles; its input is a struct report_events. */
extern const struct argp report_events_argp;

/* Whether any was given. */
bool report_events_given(const struct report_events *o);

/* Print the report; returns the exit code. Changes o->choice. */
int report_events_print(struct report_events *o, struct event_profile *p, enum view_format format,
			uint64_t rows);
void report_events_release(struct report_events *o);

#endif
