/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time, in nanoseconds. */
#ifndef DWELL_BASE_CLOCK_H
#define DWELL_BASE_CLOCK_H

#include <stdint.h>

uint64_t clock_now_ns(void);		/* CLOCK_MONOTONIC, as in the channel's records */
uint64_t clock_self_cpu_ns(void);	/* CPU time of this process so far */
uint64_t clock_process_cpu_ns(int pid); /* of a running process; 0 if it does not exist */
/* CPU time of the children waited for, and of their children */
uint64_t clock_child_cpu_ns(void);
struct rusage;
/* The CPU time of the usage. */
uint64_t clock_usage_ns(const struct rusage *u);

#endif
