/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the commands that show event profiles: the choice of events, and opening. */
#ifndef DWELL_CLI_EVENT_OPTIONS_H
#define DWELL_CLI_EVENT_OPTIONS_H

#include "cli/view.h"
#include "events/event_caches.h"
#include "views/event_figures.h"

/* The columns that the options name; without any, all. Returns 0, or -1 with *err set. */
int event_options_columns(const struct query *q, struct event_profile *p,
			  struct event_columns *columns, struct err *err);

/* Tell whether the options name events, or one to sort by. */
bool event_options_chosen(const struct options *o);

/*
 * Unless the options choose events, text begins with misses, the last level's first, by which rows
 * are sorted; other formats keep the order of the profile. Returns whether it is so.
 */
bool event_options_prefer_misses(const struct options *o, const struct event_profile *p,
				 const struct event_caches *caches, struct event_columns *c);

/*
 * Open the profile that the options name. Returns 0; 1 for a profile of samples; or -1, after
 * printing the reason, with the exit code in *code.
 */
int event_options_open(const struct options *o, struct event_profile *p, int *code);

/* A view of both kinds of profile. */
struct event_or_sample_view {
	const int *of_samples, *of_events; /* options that the other kind does not take; end in 0 */
	int (*samples)(const struct options *o, const struct profile *p);
	int (*events)(const struct options *o, struct event_profile *p);
};

/*
 * Show the profile that the options name, or refuse an option of the other kind. Returns the exit
 * code.
 */
int event_options_run(struct options *o, const struct event_or_sample_view *view);

/* The same for a kind of profile of which an answer has all (answer/answer.h), by its view. */
int event_options_answer(const struct options *o, const struct event_or_sample_view *v,
			 const char *view);

/* Keep only the thread that the query names, if any. Returns 0, or -1 with *err set. */
int event_options_thread(const struct query *q, struct event_profile *p, struct err *err);

#endif
