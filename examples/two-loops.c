/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One loop makes data and another uses it. Does it survive in the cache from the one to the other?
 * `dwell reuse` tells: apart, what the second loop takes from the first has left; in one loop it
 * has not. After section 3.10 and figure 8 of Berg and Hagersten (2005).
 *
 *   two-loops apart|fused
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT (1u << 20) /* 8 MB */
#define STEPS 10

static double force[COUNT];

__attribute__((noinline)) static double step_apart(double time)
{
	double energy = 0;

	for (unsigned i = 0; i < COUNT; i++)
		force[i] = time * (i % 17);
	for (unsigned i = 0; i < COUNT; i++)
		energy += force[i] * force[COUNT - 1 - i];
	return energy;
}

/* The halves of the pairs are made together, as they are used. */
__attribute__((noinline)) static double step_fused(double time)
{
	double energy = 0;

	for (unsigned i = 0; i < COUNT / 2; i++) {
		force[i] = time * (i % 17);
		force[COUNT - 1 - i] = time * ((COUNT - 1 - i) % 17);
		energy += 2 * force[i] * force[COUNT - 1 - i];
	}
	return energy;
}

int main(int argc, char **argv)
{
	int fused = argc == 2 && strcmp(argv[1], "fused") == 0;
	double energy = 0;

	if (!fused && (argc != 2 || strcmp(argv[1], "apart") != 0)) {
		fprintf(stderr, "usage: two-loops apart|fused\n");
		return 1;
	}
	for (int step = 1; step <= STEPS; step++)
		energy += fused ? step_fused(step) : step_apart(step);
	printf("energy %.0f\n", energy);
	return 0;
}
