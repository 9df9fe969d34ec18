/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two allocations that use the same memory in turn. The first one is touched three times as often
 * as the second, and both end before a thread's buffer of accesses is full.
 */
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 300000
#define WORDS  32

static volatile long *places[2]; /* of the blocks: the same one is expected */
static long moved;

static void touch(volatile long *block, int passes)
{
	for (int i = 0; i < passes * WORDS; i++)
		block[i % WORDS] = i;
}

static __attribute__((noinline)) volatile long *first_owner(void)
{
	return malloc(WORDS * sizeof(long));
}

static __attribute__((noinline)) volatile long *second_owner(void)
{
	return malloc(WORDS * sizeof(long));
}

int main(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		places[0] = first_owner();
		touch(places[0], 6);
		free((void *)places[0]);
		places[1] = second_owner();
		touch(places[1], 2);
		free((void *)places[1]);
		moved += places[0] != places[1];
	}
	printf("%ld of %d rounds moved\n", moved, ROUNDS);
	return moved > ROUNDS / 100;
}
