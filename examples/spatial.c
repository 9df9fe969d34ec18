/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two programs in one, to compare by the size of a cache line (`dwell spatial`).
 *
 *   spatial stencil    like swim: sweeps over three fields, each element next to the last one used.
 *                      Twice the line, half the misses.
 *   spatial gather     like art: single elements of a large table, here and there. Whatever the
 *                      line, each element is a miss, and most of each line is fetched for nothing.
 *
 * After section 5.1, figure 10 and table 2 of Berg and Hagersten (2005).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS	 700
#define COLUMNS	 700 /* doubles: 3.9 MB a field */
#define SWEEPS	 8
#define ELEMENTS (4u << 20) /* doubles: 32 MB */
#define READS	 (8u << 20)

static double u[ROWS][COLUMNS], v[ROWS][COLUMNS], p[ROWS][COLUMNS];
static double table[ELEMENTS];

__attribute__((noinline)) static void update_flow(void)
{
	for (int i = 1; i < ROWS; i++)
		for (int j = 1; j < COLUMNS; j++)
			u[i][j] += 0.5 * (v[i][j] - p[i][j]);
}

__attribute__((noinline)) static void update_pressure(void)
{
	for (int i = 1; i < ROWS; i++)
		for (int j = 1; j < COLUMNS; j++)
			p[i][j] = v[i][j] - 0.25 * u[i][j];
}

static double stencil(void)
{
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++)
			v[i][j] = (i * 31 + j * 17) % 101;
	for (int sweep = 0; sweep < SWEEPS; sweep++) {
		update_flow();
		update_pressure();
	}
	return p[ROWS / 2][COLUMNS / 2];
}

__attribute__((noinline)) static double gather_elements(uint64_t random)
{
	double sum = 0;

	for (unsigned i = 0; i < READS; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		sum += table[(random >> 33) % ELEMENTS];
	}
	return sum;
}

static double gather(void)
{
	for (unsigned i = 0; i < ELEMENTS; i += 512)
		table[i] = i;
	return gather_elements(88172645463325252u);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "stencil") == 0) {
		printf("stencil %.6g\n", stencil());
		return 0;
	}
	if (argc == 2 && strcmp(argv[1], "gather") == 0) {
		printf("gather %.6g\n", gather());
		return 0;
	}
	fprintf(stderr, "usage: spatial stencil|gather\n");
	return 1;
}
