/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A square matrix of doubles, summed row by row and then column by column: the
 * same additions in another order. `make demo` profiles it; the annotated
 * source shows which of the two loops waits for memory, and the curve shows
 * from which cache size on it would not.
 *
 *   column-walk [rows]
 */
#include <stdio.h>
#include <stdlib.h>

static double *matrix_new(size_t n)
{
	double *m = malloc(n * n * sizeof(*m));

	if (!m)
		return NULL;
	for (size_t i = 0; i < n * n; i++)
		m[i] = (double)(i % 7);
	return m;
}

/* Neighbours in a row are neighbours in memory: one new cache line for eight of them. */
__attribute__((noinline)) static double sum_by_rows(const double *m, size_t n)
{
	double sum = 0;

	for (size_t row = 0; row < n; row++)
		for (size_t column = 0; column < n; column++)
			sum += m[row * n + column];
	return sum;
}

/* Neighbours in a column are n * 8 bytes apart: a new cache line for each of them. */
__attribute__((noinline)) static double sum_by_columns(const double *m, size_t n)
{
	double sum = 0;

	for (size_t column = 0; column < n; column++)
		for (size_t row = 0; row < n; row++)
			sum += m[row * n + column];
	return sum;
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 2048;
	double *m;

	if (n == 0 || n > 20000 || !(m = matrix_new(n))) {
		fprintf(stderr, "usage: column-walk [rows]   (1 to 20000, and memory for it)\n");
		return 1;
	}
	for (int round = 0; round < 4; round++)
		printf("rows %.0f columns %.0f\n", sum_by_rows(m, n), sum_by_columns(m, n));
	free(m);
	return 0;
}
