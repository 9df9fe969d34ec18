/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What workloads_arrays.c and workloads_links.c have in common. curve_set.py compares their sampled
 * miss-ratio curves with exact ones: each is of a kind whose reuses are hard to estimate from
 * samples. Accesses are the same in each run, up to the addresses of memory.
 *
 *   workloads_arrays NAME FIRST SECOND    what the two numbers mean stands above each function
 */
#ifndef ACCURACY_WORKLOADS_H
#define ACCURACY_WORKLOADS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* xorshift64* (Marsaglia, Vigna), scaled to 0..limit-1. */
static inline uint64_t random_below(uint64_t limit)
{
	static uint64_t state = 88172645463325252u;

	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint64_t)((unsigned __int128)(state * 0x2545f4914f6cdd1dull) * limit >> 64);
}

/* A program of which a part is missing must not look like one that ran. */
static inline void *checked(void *memory)
{
	if (memory == NULL) {
		fprintf(stderr, "workloads: out of memory\n");
		exit(1);
	}
	return memory;
}

static inline void *allocate(uint64_t bytes)
{
	return checked(malloc(bytes));
}

static inline void *allocate_zeros(uint64_t bytes)
{
	return checked(calloc(bytes, 1));
}

struct workload {
	const char *name;
	uint64_t (*run)(uint64_t first, uint64_t second);
};

/* What main() returns. The result is printed, so that the compiler leaves out nothing. */
static inline int run_workload(const struct workload *all, size_t count, int argc, char **argv)
{
	for (size_t i = 0; argc == 4 && i < count; i++) {
		if (strcmp(argv[1], all[i].name) != 0)
			continue;
		printf("%s %llu\n", argv[1],
		       (unsigned long long)all[i].run(strtoull(argv[2], NULL, 10),
						      strtoull(argv[3], NULL, 10)));
		return 0;
	}
	fprintf(stderr, "usage: NAME FIRST SECOND, where NAME is one of:");
	for (size_t i = 0; i < count; i++)
		fprintf(stderr, " %s", all[i].name);
	fprintf(stderr, "\n");
	return 2;
}

#endif
