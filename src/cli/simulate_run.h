/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of dwell simulate that simulates whole hierarchies while the command runs. */
#ifndef DWELL_CLI_SIMULATE_RUN_H
#define DWELL_CLI_SIMULATE_RUN_H

#include <argp.h>
#include <stdbool.h>

#include "channel/channel.h"
#include "cli/geometry_options.h"
#include "cli/record_control.h"
#include "cli/simulate_events.h"
#include "cli/simulate_graph.h"
#include "collector/collector.h"

struct simulate_run {
	struct collector_options run; /* command and output, NULL: the usual one */
	struct record_control control;
	struct simulate_graph graph;
	struct simulate_events events;
	const char *also[CHANNEL_MAX_GEOMETRIES]; /* further hierarchies, in text */
	unsigned also_count;
	bool no_filter, is_quiet;
	const char *first; /* of its own options that was given, or NULL; see simulate_run_first */
};

/* Its options: a child for the command's argp, whose input is a struct simulate_run, all zero. */
extern const struct argp simulate_run_argp;

/* An option that was given, for a sentence; NULL: none was. */
const char *simulate_run_first(const struct simulate_run *o);

/* Runs the command to its end. Returns what dwell is to exit with; does not return if it was killed. */
int simulate_run(struct simulate_run *o, const struct geometry_options *geometry);

#endif
