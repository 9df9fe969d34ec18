/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that compute until told to stop: something for a profiler to interrupt. */
#ifndef DWELL_TESTS_BUSY_H
#define DWELL_TESTS_BUSY_H

#include "check.h"

#define WORDS 65536

static volatile uint64_t table[WORDS];
static volatile int stop;

static void compute(uint64_t steps)
{
	static __thread uint64_t at = 88172645463325252u;

	for (uint64_t i = 0; i < steps; i++)
		table[check_random(&at) % WORDS] += i;
}

static void *busy(void *arg)
{
	while (!stop)
		compute(10000);
	return arg;
}

#endif
