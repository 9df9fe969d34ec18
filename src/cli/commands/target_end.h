/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of a command that ran a program: it exits as the program did. */
#ifndef DWELL_CLI_COMMANDS_TARGET_END_H
#define DWELL_CLI_COMMANDS_TARGET_END_H

#include "collector/collector.h"

/*
 * Exit as the target did: returns its exit code, or dies of the same signal, so that our parent
 * sees the same wait status. There is no second core file.
 */
int target_end_alike(int wait_status);

/*
 * Report losses on stderr. `done`: what was not done to processes without a slot, such as
 * "profiled". `why`: the cause, or the effect, of lost records.
 */
void target_end_losses(const struct collector_result *r, const char *done, const char *why);

/* Print the number of accesses, the file, and the command that shows it, on stderr. */
void target_end_summary(uint64_t accesses, const char *file, const char *view);

/* The exit code for a run that failed. */
int target_failure_code(enum collector_failure failure);

#endif
