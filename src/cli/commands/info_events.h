/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell info on an event profile: its events with their sums, and what was simulated. */
#ifndef DWELL_CLI_COMMANDS_INFO_EVENTS_H
#define DWELL_CLI_COMMANDS_INFO_EVENTS_H

#include <jansson.h>

#include "store/events.h"
#include "views/fit.h"

#define INFO_LABEL_WIDTH 26

struct info_events {
	struct store_event *events; /* none: not an event profile */
	size_t event_count;
	struct store_geometry *geometry;
	size_t geometry_count;
	uint64_t totals[STORE_MAX_COLUMNS]; /* of the measured events, which are the first ones */
	size_t nodes, locations, arcs, jumps;
};

/* Returns 0, or -1 with *err set. Release with info_events_release. */
int info_events_read(struct info_events *e, struct store *s, struct err *err);
void info_events_release(struct info_events *e);

/* Lines of a label, INFO_LABEL_WIDTH columns wide, and its value. */
void info_events_text(const struct info_events *e, const struct display *d, struct text *out);
void info_events_json(const struct info_events *e, json_t *root);

#endif
