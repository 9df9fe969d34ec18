/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of dwell simulate that simulates whole hierarchies while the command runs. */
#ifndef DWELL_CLI_SIMULATE_RUN_H
#define DWELL_CLI_SIMULATE_RUN_H

#include <stdbool.h>

#include "collector/collector.h"

struct simulate_run {
	struct collector_options run; /* command, output (NULL: the usual one) and what to simulate */
	bool is_quiet;
};

/* Runs the command to its end. Returns what dwell is to exit with; does not return if it was killed. */
int simulate_run(struct simulate_run *o);

#endif
