/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that windows slow down differently: they sweep, gather, or sleep often.
 *
 *   thread_shares speeds MILLIONS   one sweeps beside one that gathers, as many accesses each
 *   thread_shares sleeps MILLIONS   the same, four to one, beside two that sleep often
 *   thread_shares short MILLIONS    one gathers beside short-lived ones that sweep
 *
 * Thread 0 starts them. The first to start is thread 1, and so on.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WORDS (1u << 17) /* 1 MB */
#define BRIEF 50000	 /* accesses of a short-lived thread */

static uint64_t swept[WORDS], gathered[WORDS];

static void sweep(long loads)
{
	for (long i = 0; i < loads; i++)
		(void)*(volatile uint64_t *)&swept[i % WORDS];
}

/* Each address depends on what was loaded before. */
static void gather(long loads)
{
	uint64_t at = 1;

	for (long i = 0; i < loads; i++)
		at = at * 6364136223846793005u + 1 + *(volatile uint64_t *)&gathered[at >> 47];
}

static void *sweeper(void *loads)
{
	sweep((long)(intptr_t)loads);
	return NULL;
}

static void *gatherer(void *loads)
{
	gather((long)(intptr_t)loads);
	return NULL;
}

static void *work_and_sleep(void (*work)(long), long loads, long piece)
{
	const struct timespec rest = {0, 100000};

	for (; loads > 0; loads -= piece) {
		work(piece);
		nanosleep(&rest, NULL);
	}
	return NULL;
}

static void *sleepy_sweeper(void *loads)
{
	return work_and_sleep(sweep, (long)(intptr_t)loads, 20000);
}

static void *sleepy_gatherer(void *loads)
{
	return work_and_sleep(gather, (long)(intptr_t)loads, 5000);
}

static pthread_t start(void *(*f)(void *), long loads)
{
	pthread_t t;

	if (pthread_create(&t, NULL, f, (void *)(intptr_t)loads) != 0)
		exit(1);
	return t;
}

int main(int argc, char **argv)
{
	const long loads = argc == 3 ? atol(argv[2]) * 1000000 : 0;
	pthread_t t[4];
	int count = 0;

	if (loads > 0 && strcmp(argv[1], "speeds") == 0) {
		t[count++] = start(sweeper, loads);
		t[count++] = start(gatherer, loads);
	} else if (loads > 0 && strcmp(argv[1], "sleeps") == 0) {
		t[count++] = start(sweeper, 2 * loads);
		t[count++] = start(gatherer, loads / 2);
		t[count++] = start(sleepy_sweeper, loads / 4);
		t[count++] = start(sleepy_gatherer, loads / 4);
	} else if (loads > 0 && strcmp(argv[1], "short") == 0) {
		t[count++] = start(gatherer, loads);
		for (long left = loads; left > 0; left -= BRIEF)
			pthread_join(start(sweeper, BRIEF), NULL);
	} else {
		fprintf(stderr, "usage: thread_shares speeds|sleeps|short MILLIONS\n");
		return 2;
	}
	while (count > 0)
		pthread_join(t[--count], NULL);
	return 0;
}
