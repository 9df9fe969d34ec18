/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions that refer to several data structures, each a known number of times: one loop adds
 * up 2 KB, 8 times, and 8 KB of the next part of 1 MB, in turns. The argument is their number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 256, LARGE = 131072, PART = 1024, TIMES = 8 };

static __attribute__((noinline)) double add_up(const double *part, int n)
{
	double sum = 0;

	__asm__ volatile("" ::: "memory"); /* each call anew */
	for (int i = 0; i < n; i++)
		sum += part[i];
	return sum;
}

/* By a string instruction, whatever the C library takes. */
static void set_zeros(void *at, size_t bytes)
{
	__asm__ volatile("rep stosb" : "+D"(at), "+c"(bytes) : "a"(0) : "memory");
}

static double share(int turns)
{
	double *small = aligned_alloc(4096, SMALL * sizeof(*small));
	double *large = aligned_alloc(4096, LARGE * sizeof(*large));
	double sum = 0;

	memset(small, 0, SMALL * sizeof(*small));
	set_zeros(large, LARGE * sizeof(*large));
	for (int turn = 0; turn < turns; turn++) {
		for (int i = 0; i < TIMES; i++)
			sum += add_up(small, SMALL);
		sum += add_up(large + (size_t)turn * PART % LARGE, PART);
	}
	free(small);
	free(large);
	return sum;
}

int main(int argc, char **argv)
{
	printf("%g\n", share(argc > 1 ? atoi(argv[1]) : 1000));
	return 0;
}
