/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the commands that show event profiles have in common: which events, and opening. */
#ifndef DWELL_CLI_EVENT_OPTIONS_H
#define DWELL_CLI_EVENT_OPTIONS_H

#include "cli/view.h"
#include "views/event_figures.h"

/* The columns that the options name; without any, all. Returns 0, or -1 with *err set. */
int event_options_columns(const struct query *q, struct event_profile *p,
			  struct event_columns *columns, struct err *err);

/*
 * Open the profile that the options name. Returns 0; 1 when it is one of samples; or -1,
 * after saying why, with the exit code in *code.
 */
int event_options_open(const struct options *o, struct event_profile *p, int *code);

/* A view of either kind of profile. */
struct event_or_sample_view {
	const int *of_samples, *of_events; /* options that the other kind does not take; end in 0 */
	int (*samples)(const struct options *o, const struct profile *p);
	int (*events)(const struct options *o, struct event_profile *p);
};

/* Show the profile that the options name, or refuse an option of the other kind. The exit code. */
int event_options_run(struct options *o, const struct event_or_sample_view *view);

/*
 * What the profile holds where event_options_open returned 1: "samples", or "counts" of a run
 * without samples.
 */
const char *event_options_instead(const struct options *o);

#endif
