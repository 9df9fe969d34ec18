/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of tracking allocations: a target that times its own calls, in nanoseconds of its CPU
 * time. Compare `dwell record --no-objects` with `dwell record`:
 *
 *   dwell record -q -o FILE [--no-objects] -- bench_alloc [FRAMES]
 *
 * FRAMES more frames are on the stack above each call. There are ten million pairs of malloc and
 * free of one block; then a million blocks that stay; then pairs that free one of these at random.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PAIRS  10000000u
#define LIVE   1000000u
#define RANDOM 3000000u

static void *blocks[LIVE];

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static __attribute__((noinline)) void *allocate(int frames, size_t bytes)
{
	void *p = frames > 0 ? allocate(frames - 1, bytes) : malloc(bytes);

	__asm__ volatile("" : "+r"(p) : : "memory"); /* no tail call, and the block is wanted */
	return p;
}

int main(int argc, char **argv)
{
	int frames = argc > 1 ? atoi(argv[1]) : 0;
	uint64_t x = 1;
	double start = cpu_ns();
	uint32_t i, k;

	for (i = 0; i < PAIRS; i++)
		free(allocate(frames, 40));
	printf("a pair, one block live:        %6.1f ns\n", (cpu_ns() - start) / PAIRS);
	start = cpu_ns();
	for (i = 0; i < LIVE; i++)
		blocks[i] = allocate(frames, 16 + i % 32 * 8);
	printf("one of the first million:      %6.1f ns\n", (cpu_ns() - start) / LIVE);
	start = cpu_ns();
	for (i = 0; i < RANDOM; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		k = (uint32_t)(x >> 32) % LIVE;
		free(blocks[k]);
		blocks[k] = allocate(frames, 16 + (x & 15) * 16);
	}
	printf("a pair, a million blocks live: %6.1f ns\n", (cpu_ns() - start) / RANDOM);
	return 0;
}
