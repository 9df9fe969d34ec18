/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of dwell simulate; whole hierarchies while the command runs, without --curve and
 * --trace.
 */
#ifndef DWELL_CLI_COMMANDS_SIMULATE_RUN_H
#define DWELL_CLI_COMMANDS_SIMULATE_RUN_H

#include "cli/options.h"

/*
 * Runs the command to its end. Returns what dwell is to exit with; does not return if it was
 * killed.
 */
int simulate_run(struct options *o);

/* The same for exact curves, --curve; and for the accesses that a file holds, --trace. */
int simulate_curve_run(struct options *o);
int simulate_trace(const struct options *o);

/* For those: what they print when all went well, a line on stderr. */
void simulate_summary(const struct options *o, uint64_t accesses, const char *output);
/* And what the collector tells. */
void simulate_notice(void *context, const char *line);

#endif
