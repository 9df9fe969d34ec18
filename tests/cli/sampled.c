/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses whose miss ratio is known. "sweep": an array of 64 KB is read again and again, by eight
 * bytes. "threads": two threads do so. "wait": it is read, and then the program sleeps.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CELLS = 8192, ROUNDS = 1000 };

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

	(void)argc;
	for (int i = 0; i < CELLS; i++) /* not by one long string instruction */
		array[i] = 0;
	if (strcmp(argv[1], "threads") == 0) {
		pthread_create(&other, NULL, run, array);
		run(array);
		pthread_join(other, NULL);
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
