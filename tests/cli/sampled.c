/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses whose miss ratio is known. "sweep": an array of 64 KB is read again and again, by eight
 * bytes. "threads": two threads do so. "wait": it is read, and then the program sleeps. "dying N": the
 * lines of 16 KB are read again and again, 32 times each; N of them, in another 16 KB, too.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CELLS = 8192, ROUNDS = 1000 };

enum { DYING_ROUNDS = 800, LINES = 256, LINE_CELLS = 8, VISIT = 32 };

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
	} else if (argc == 3 && strcmp(argv[1], "dying") == 0) {
		printf("%f\n", let_die(array, atoi(argv[2])));
	} else {
		printf("%f\n", sweep(array));
	}
	if (strcmp(argv[1], "wait") == 0) {
		fflush(stdout);
		sleep(100);
	}
	free(array);
	return 0;
}
