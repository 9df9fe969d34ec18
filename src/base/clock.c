/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clocks, all in nanoseconds. */
#include "base/clock.h"

#include <sys/resource.h>
#include <time.h>

uint64_t clock_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t clock_usage_ns(const struct rusage *u)
{
	return ((uint64_t)u->ru_utime.tv_sec + (uint64_t)u->ru_stime.tv_sec) * 1000000000u +
	       ((uint64_t)u->ru_utime.tv_usec + (uint64_t)u->ru_stime.tv_usec) * 1000u;
}

static uint64_t usage_ns(int who)
{
	struct rusage u;

	return getrusage(who, &u) == 0 ? clock_usage_ns(&u) : 0;
}

uint64_t clock_self_cpu_ns(void)
{
	return usage_ns(RUSAGE_SELF);
}

uint64_t clock_child_cpu_ns(void)
{
	return usage_ns(RUSAGE_CHILDREN);
}

uint64_t clock_process_cpu_ns(int pid)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
		return 0;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
