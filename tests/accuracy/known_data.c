/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data with misses known by construction, in a cache of 256 KB. Each round continues with each
 * structure where the previous round stopped, one access in each step; 50 rounds make a pass. A
 * round touches 13,109 new lines, three times what the cache holds.
 *
 *   small   8 KB, swept 39 times in a round: misses only at first, 128 times in 40,000 accesses
 *   lines   16 MB, one access in each line of 64 bytes: always misses
 *   dense   16 MB of 8 bytes each, in order: every eighth access misses
 *   calls   local to a function, 4 KB: misses 64 times in 10,000 accesses
 *   heap    a block of 16 MB, one access in every second line: always misses
 *
 * The argument is the number of passes, 12 by default.
 */
#include <stdio.h>
#include <stdlib.h>

#define PASS  50
#define LINES 262200
#define DENSE 2097200

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

static __attribute__((noinline)) volatile struct line *heap_new(void)
{
	return calloc(LINES, sizeof(struct line));
}

int main(int argc, char **argv)
{
	int passes = argc > 1 ? atoi(argv[1]) : 12;
	volatile struct line *heap = heap_new();

	if (heap == NULL)
		return 1;
	for (int round = 0; round < passes * PASS; round++) {
		int part = round % PASS;

		for (int i = 0; i < 40000; i++)
			small[i % 1024];
		for (int i = LINES / PASS * part; i < LINES / PASS * (part + 1); i++)
			lines[i].first;
		for (int i = DENSE / PASS * part; i < DENSE / PASS * (part + 1); i++)
			dense[i];
		for (int i = LINES / PASS * part; i < LINES / PASS * (part + 1); i += 2)
			heap[i].first;
		call(10000);
	}
	puts("done");
	return 0;
}
