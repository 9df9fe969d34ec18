/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads, one after the other, with variables of their own, on data that they share. */
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define CELLS 512

static long shared[CELLS];
static __thread long own[CELLS];

static void *work(void *argument)
{
	const long seed = *(const long *)argument;
	long *block = malloc(CELLS * sizeof(long)), sum = 0;
	volatile long room[64] = {0};

	for (long i = 0; i < CELLS; i++) {
		own[i] = seed * i;
		block[i * 37 % CELLS] = own[i * 11 % CELLS];
		room[i % 64] += i;
	}
	for (long i = 0; i < CELLS; i++)
		sum += shared[i] += block[i] + room[i % 64];
	free(block);
	return (void *)sum;
}

int main(void)
{
	long seeds[2] = {3, 5}, sum = 0;

	mallopt(M_ARENA_MAX, 1);
	for (int i = 0; i < 2; i++) {
		pthread_t thread;
		void *result;

		pthread_create(&thread, 0, work, &seeds[i]);
		pthread_join(thread, &result);
		sum += (long)result;
	}
	printf("%ld\n", sum);
	return 0;
}
