/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses whose miss ratio is known. "sweep": an array of 64 KB is read again and again, by eight
 * bytes. "threads": two threads do so. "wait": so thirty times, and then it sleeps. "dying N":
 * the lines of 16 KB are read again and again, 32 times each; N of them, in another 16 KB, too.
 * "steps": functions miss in steps that are chosen at random. "strings": string instructions write
 * 12 KB each, and then copy a megabyte at a time, by bytes.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CELLS = 8192, ROUNDS = 1000 };

enum { SHORT = 12288, SHORTS = 800, LONG = 1 << 20, LONGS = 5, APART = 4096 };

enum { DYING_ROUNDS = 800, LINES = 256, LINE_CELLS = 8, VISIT = 32 };

enum { STEPS = 1000, STEP = 8000 };

static double visit(const volatile double *line)
{
	double sum = 0;

	for (int i = 0; i < VISIT; i++)
		sum += line[i % LINE_CELLS];
	return sum;
}

static double let_die(const double *array, int dying)
{
	double sum = 0;

	for (int round = 0; round < DYING_ROUNDS; round++) {
		for (int i = 0; i < LINES; i++)
			sum += visit(array + i * LINE_CELLS);
		for (int i = LINES - dying; i < LINES; i++)
			sum += visit(array + (LINES + i) * LINE_CELLS);
	}
	return sum;
}

static double sweep(const double *array)
{
	double sum = 0;

	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < CELLS; i++)
			sum += array[i];
	return sum;
}

static void clear(char *to, size_t bytes)
{
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(0) : "memory");
}

static void copy(char *to, const char *from, size_t bytes)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

static void use_strings(void)
{
	char *rows = malloc(2 * LONG + APART);

	for (int i = 0; i < SHORTS; i++)
		clear(rows + i * SHORT % LONG, SHORT);
	for (int i = 0; i < LONGS; i++)
		copy(rows + LONG + APART, rows, LONG);
	free(rows);
}

/* Each step is chosen at random: all lines of 16 KB miss, some do, or the step reads 4 KB only. */
static __attribute__((noinline)) double step_often(const double *array, int step)
{
	double sum = 0;

	for (int i = 0; i < STEP; i++)
		sum += array[(step + i) * LINE_CELLS % CELLS];
	return sum;
}

static __attribute__((noinline)) double step_seldom(const double *array, int step)
{
	double sum = 0;

	for (int i = 0; i < STEP; i++)
		sum += array[i % 8 ? i % 256 : (step + i) * LINE_CELLS % CELLS];
	return sum;
}

static double step_by_chance(const double *array)
{
	unsigned chance = 1;
	double sum = 0;

	for (int step = 0; step < STEPS; step++) {
		chance = chance * 1664525u + 1013904223u;
		if (chance >> 30 == 0)
			sum += step_often(array, step);
		else if (chance >> 30 == 1)
			sum += step_seldom(array, step);
		else
			for (int i = 0; i < STEP; i++)
				sum += array[i % 512];
	}
	return sum;
}

static void *run(void *array)
{
	return sweep(array) < 0 ? array : NULL;
}

int main(int argc, char **argv)
{
	double *array = aligned_alloc(65536, CELLS * sizeof(*array));
	pthread_t other;

	for (int i = 0; i < CELLS; i++) /* not by one long string instruction */
		array[i] = 0;
	if (strcmp(argv[1], "threads") == 0) {
		pthread_create(&other, NULL, run, array);
		run(array);
		pthread_join(other, NULL);
	} else if (strcmp(argv[1], "strings") == 0) {
		use_strings();
	} else if (argc == 3 && strcmp(argv[1], "dying") == 0) {
		printf("%f\n", let_die(array, atoi(argv[2])));
	} else if (strcmp(argv[1], "steps") == 0) {
		printf("%f\n", step_by_chance(array));
	} else {
		/* Longer than what a thread reports before a wait may be apart. */
		for (int i = strcmp(argv[1], "wait") == 0 ? 30 : 1; i > 0; i--)
			printf("%f\n", sweep(array));
	}
	if (strcmp(argv[1], "wait") == 0) {
		fflush(stdout);
		sleep(100);
	}
	free(array);
	return 0;
}
