/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of dwell simulate that simulates whole hierarchies while the command runs. */
#ifndef DWELL_CLI_SIMULATE_RUN_H
#define DWELL_CLI_SIMULATE_RUN_H

#include "cli/options.h"

/* Runs the command to its end. Returns what dwell is to exit with; does not return if it was killed. */
int simulate_run(struct options *o);

#endif
