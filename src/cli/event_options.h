/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the commands that show event profiles have in common: which events, and opening. */
#ifndef DWELL_CLI_EVENT_OPTIONS_H
#define DWELL_CLI_EVENT_OPTIONS_H

#include <argp.h>

#include "cli/view.h"
#include "views/event_figures.h"

#define EVENT_OPTIONS_MOST 32

struct event_options {
	const char *events[EVENT_OPTIONS_MOST]; /* "NAME" or "NAME = FORMULA" */
	size_t event_count;
	const char *sort; /* or NULL */
};

/* --event and --sort; its input is a struct event_options. */
extern const struct argp event_argp;

/* Whether any was given: a command that shows samples, too, refuses them there. */
bool event_options_given(const struct event_options *o);

/* The columns that the options name; without any, all. Returns 0, or -1 with *err set. */
int event_options_columns(const struct event_options *o, struct event_profile *p,
			  struct event_columns *columns, struct err *err);

/*
 * Open the profile that the options name. Returns 0; 1 when it is one of samples; or -1,
 * after saying why, with the exit code in *code.
 */
int event_options_open(const struct view *v, struct event_profile *p, int *code);

/* What the profile has where event_options_open returned 1: "samples", or "counts" of a run that took none. */
const char *event_options_instead(const struct view *v);

/* A percentage from 0 to 100, as a fraction; a usage error ends the program. */
double event_parse_percent(const char *name, const char *text, struct argp_state *state);

#endif
