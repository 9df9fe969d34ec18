/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell report on an event profile. */
#ifndef DWELL_CLI_COMMANDS_REPORT_EVENTS_H
#define DWELL_CLI_COMMANDS_REPORT_EVENTS_H

#include "cli/event_options.h"
#include "events/event_report.h"

/* Print the report; returns the exit code. */
int report_events_print(const struct options *o, struct event_profile *p);

#endif
