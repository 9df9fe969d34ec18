/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Variables whose misses are known by construction, in a cache that holds `small` and none of the
 * others. In each round, one access in each step:
 *
 *	small	8 KB, swept again and again: stays in the cache, misses never
 *	lines	16 MB, one access in each line of 64 bytes: misses always
 *	dense	16 MB of 8 bytes each, in order: misses with every eighth access
 *	calls	local to a function, 4 KB: misses never
 */
#include <stdio.h>

#define LINES 262144
#define DENSE 2097152

struct line {
	long first;
	long rest[7];
};

static volatile long small[1024];
volatile struct line lines[LINES];
volatile double dense[DENSE];

static __attribute__((noinline)) void call(int times)
{
	static volatile long calls[512];

	for (int i = 0; i < times; i++)
		calls[i % 512];
}

int main(void)
{
	for (int round = 0; round < 12; round++) {
		for (int i = 0; i < 2000000; i++)
			small[i % 1024];
		for (int i = 0; i < LINES; i++)
			lines[i].first;
		for (int i = 0; i < DENSE; i++)
			dense[i];
		call(500000);
	}
	puts("done");
	return 0;
}
