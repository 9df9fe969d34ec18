/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A mesh whose nodes have small pieces of memory of their own, like equake: with an allocation for
 * each, most of every line are gaps (8 bytes take 32); the cure is an allocator that packs
 * them. `dwell spatial` shows it: lines of 16 and 32 bytes miss the pieces as often as lines of 8.
 * After section 5.3 and figure 12 of Berg and Hagersten (2005).
 *
 *   mesh spread    an allocation for each node
 *   mesh packed    all nodes from one piece of memory
 *   mesh time      both, and how long they take
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NODES	(1u << 20)
#define PASSES	16
#define REPEATS 5 /* of the measurement; the best counts */

static double *nodes[NODES];

static void fail(void)
{
	fprintf(stderr, "mesh: no memory for the nodes\n");
	exit(1);
}

static void allocate_spread(void)
{
	for (unsigned i = 0; i < NODES; i++)
		if ((nodes[i] = malloc(sizeof(double))) == NULL)
			fail();
}

static double *allocate_packed(void)
{
	double *pool = malloc(NODES * sizeof(*pool));

	if (pool == NULL)
		fail();
	for (unsigned i = 0; i < NODES; i++)
		nodes[i] = pool + i;
	return pool;
}

/* Each node moves half of its way to the middle. */
__attribute__((noinline)) static void relax(void)
{
	for (unsigned i = 0; i < NODES; i++)
		*nodes[i] = 0.5 * (*nodes[i] + 6);
}

static double run_passes(void)
{
	for (unsigned i = 0; i < NODES; i++)
		*nodes[i] = i % 13;
	for (int pass = 0; pass < PASSES; pass++)
		relax();
	return *nodes[NODES / 2];
}

static double run(int packed)
{
	double *pool = NULL, result;

	if (packed)
		pool = allocate_packed();
	else
		allocate_spread();
	result = run_passes();
	for (unsigned i = 0; !packed && i < NODES; i++)
		free(nodes[i]);
	free(pool);
	return result;
}

/* Milliseconds of the passes, the best of some. */
static double measure(int packed)
{
	double best = 1e9, *pool = NULL;

	if (packed)
		pool = allocate_packed();
	else
		allocate_spread();
	for (int i = 0; i < REPEATS; i++) {
		struct timespec start, end;
		double ms;

		clock_gettime(CLOCK_MONOTONIC, &start);
		run_passes();
		clock_gettime(CLOCK_MONOTONIC, &end);
		ms = (double)(end.tv_sec - start.tv_sec) * 1e3 +
		     (double)(end.tv_nsec - start.tv_nsec) / 1e6;
		best = ms < best ? ms : best;
	}
	for (unsigned i = 0; !packed && i < NODES; i++)
		free(nodes[i]);
	free(pool);
	return best;
}

int main(int argc, char **argv)
{
	const char *mode = argc == 2 ? argv[1] : "";

	if (strcmp(mode, "spread") == 0 || strcmp(mode, "packed") == 0) {
		printf("node %.6f\n", run(mode[0] == 'p'));
		return 0;
	}
	if (strcmp(mode, "time") == 0) {
		double spread = measure(0), packed = measure(1);

		printf("spread %.1f ms, packed %.1f ms: %.2f times as fast\n", spread, packed,
		       spread / packed);
		return 0;
	}
	fprintf(stderr, "usage: mesh spread|packed|time\n");
	return 1;
}
