/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `dwell simulate` is asked for, and whether that can be (sim/plan). */
#ifndef DWELL_CLI_COMMANDS_SIMULATE_PLAN_H
#define DWELL_CLI_COMMANDS_SIMULATE_PLAN_H

#include "cli/options.h"

/*
 * Read what the options ask for, and the caches, into o->run.config. Returns -1, with the reason,
 * if they contradict each other, or no way of simulation can do all of it.
 */
int simulate_plan(struct options *o, struct err *err);

/* dwell simulate --plan: print it. Returns the exit status. */
int simulate_show_plan(struct options *o);

#endif
