/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program for sanitizer builds: threads, locks, heap, globals, stack, strings and signals without
 * a fault, or with the one that the argument names. What it prints does not depend on time or
 * addresses.
 */
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, ROUNDS = 400, CELLS = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;
static int racy;
static int table[CELLS];
static volatile sig_atomic_t signals;

static void on_signal(int number)
{
	signals += number == SIGUSR1;
}

static void *work(void *argument)
{
	const long seed = (long)argument;
	char text[64];

	for (int i = 0; i < ROUNDS; i++) {
		int *cells = malloc(CELLS * sizeof *cells);
		char *copy;
		long sum = 0;

		for (int k = 0; k < CELLS; k++)
			cells[k] = (int)((seed * 31 + i * 7 + k * 13) % 1009);
		for (int k = 0; k < CELLS; k++)
			sum += cells[(k * 5) % CELLS] + table[k];
		snprintf(text, sizeof text, "%ld", sum);
		copy = strdup(text);
		pthread_mutex_lock(&lock);
		total += atol(copy) + (long)strlen(copy);
		pthread_mutex_unlock(&lock);
		free(copy);
		free(cells);
	}
	return 0;
}

static void *race(void *argument)
{
	for (int i = 0; i < 1000; i++)
		racy += argument != 0;
	return 0;
}

static void run(void *(*of)(void *))
{
	pthread_t thread[THREADS];

	for (long i = 0; i < THREADS; i++)
		pthread_create(&thread[i], 0, of, (void *)(i + 1));
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], 0);
}

__attribute__((noinline)) static int fault(const char *which, int n)
{
	char *volatile p = malloc(10);
	int local[4] = {0};

	memset(p, 1, 10);
	if (!strcmp(which, "overflow"))
		return p[n + 9];
	if (!strcmp(which, "stack"))
		return local[n + 3];
	if (!strcmp(which, "global"))
		return table[CELLS - 1 + n];
	if (!strcmp(which, "freed")) {
		free(p);
		return p[n];
	}
	if (!strcmp(which, "leak")) {
		p = 0;
		return 0;
	}
	if (!strcmp(which, "undefined")) {
		free(p);
		return INT_MAX - 1 + n * 2 < 0;
	}
	if (!strcmp(which, "uninit")) {
		free(p);
		p = malloc(10);
		if (p[n])
			puts("set");
	}
	free(p);
	return 0;
}

int main(int argc, char **argv)
{
	signal(SIGUSR1, on_signal);
	for (int i = 0; i < CELLS; i++)
		table[i] = i * i;
	run(work);
	raise(SIGUSR1);
	printf("%ld %d\n", total, (int)signals);
	fflush(stdout);
	if (argc > 1 && !strcmp(argv[1], "race"))
		run(race);
	else if (argc > 1)
		return fault(argv[1], argc - 1) & 64;
	return 0;
}
