/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts in a table at random, and half way maps memory where a simulation has its tables, which
 * then goes on without them.
 */
#define _GNU_SOURCE
#include "check.h"
#include <sys/mman.h>

#define WANTED	 ((void *)0x60000000)
#define COUNTERS (1u << 16)
#define TIMES	 100000u

static uint32_t counter[COUNTERS];

static void count(uint32_t *number)
{
	for (uint32_t i = 0; i < TIMES; i++) {
		*number = *number * 1664525u + 1013904223u;
		counter[*number >> 16]++;
	}
}

int main(void)
{
	uint32_t number = 1, sum = 0;
	char *wanted;

	count(&number);
	wanted = mmap(WANTED, 1 << 20, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	NEED(wanted == WANTED);
	memset(wanted, 1, 100);
	count(&number);
	for (uint32_t i = 0; i < COUNTERS; i++)
		sum += counter[i];
	CHECK_EQ(sum, 2 * TIMES);
	return check_end();
}
