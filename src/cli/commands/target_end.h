/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the commands that run a program end: as it did. */
#ifndef DWELL_CLI_COMMANDS_TARGET_END_H
#define DWELL_CLI_COMMANDS_TARGET_END_H

#include "collector/collector.h"

/*
 * End as the target did, whose wait status this is: returns its exit code, or dies of its signal,
 * so that our parent sees the same wait status; but there is no second core file.
 */
int target_end_alike(int wait_status);

/*
 * What the run had to do without, on stderr; `done`: what did not happen to processes that found no
 * place, "profiled", and `why` says of records that were lost what it means.
 */
void target_end_losses(const struct collector_result *r, const char *done, const char *why);

/* What was counted, where it is, and the command that shows it: a line on stderr. */
void target_end_summary(uint64_t accesses, const char *file, const char *view);

/* The exit code for a run that failed. */
int target_failure_code(enum collector_failure failure);

#endif
