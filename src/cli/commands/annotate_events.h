/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell annotate on an event profile. */
#ifndef DWELL_CLI_COMMANDS_ANNOTATE_EVENTS_H
#define DWELL_CLI_COMMANDS_ANNOTATE_EVENTS_H

#include "cli/event_options.h"

/* Print the view. Returns the exit code. */
int annotate_events(const struct options *o, struct event_profile *p);

#endif
