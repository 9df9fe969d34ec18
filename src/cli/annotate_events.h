/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell annotate on an event profile. */
#ifndef DWELL_CLI_ANNOTATE_EVENTS_H
#define DWELL_CLI_ANNOTATE_EVENTS_H

#include "cli/event_options.h"

struct annotate_events {
	const struct event_options *events;
	const char *name; /* file or function; NULL: list functions */
	bool all;	  /* whole files */
	bool is_asm;	  /* machine code */
	uint64_t rows;	  /* of the list */
	enum view_format format;
};

/* Print it; returns the exit code. */
int annotate_events(const struct annotate_events *o, struct event_profile *p);

#endif
