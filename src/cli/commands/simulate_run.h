/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The variants of dwell simulate. */
#ifndef DWELL_CLI_COMMANDS_SIMULATE_RUN_H
#define DWELL_CLI_COMMANDS_SIMULATE_RUN_H

#include "cli/options.h"

/*
 * Simulate whole hierarchies while the command runs: without --curve and --trace. Returns dwell's
 * exit code; does not return if the command was killed.
 */
int simulate_run(struct options *o);

/* The same for exact curves (--curve), and for a file of accesses (--trace). */
int simulate_curve_run(struct options *o);
int simulate_trace(const struct options *o);

/* For these variants: print the summary on stderr after success. */
void simulate_summary(const struct options *o, uint64_t accesses, const char *output);
/* And the callback for the collector's messages. */
void simulate_notice(void *context, const char *line);

#endif
