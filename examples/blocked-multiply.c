/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * x = y * z for square matrices of doubles, block by block. A block of z is used once for each row
 * of y, so it should fit in the cache: `dwell curve --object z_matrix` shows from which size on it
 * does, and that smaller blocks need less. After figure 7 of Berg and Hagersten (2005), with blocks
 * of 20 and 60.
 *
 *   blocked-multiply BLOCK [global|heap]
 *
 * `heap` takes the matrices from calloc: then they are named by the line that allocates them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 240 /* a multiple of the usual blocks: 450 KB a matrix */

static double x_matrix[N * N], y_matrix[N * N], z_matrix[N * N];

static void fill(double *m, unsigned step)
{
	for (unsigned i = 0; i < N * N; i++)
		m[i] = (double)(i % step);
}

__attribute__((noinline)) static void multiply(double *x, const double *y, const double *z,
					       unsigned block)
{
	for (unsigned jj = 0; jj < N; jj += block)
		for (unsigned kk = 0; kk < N; kk += block)
			for (unsigned i = 0; i < N; i++)
				for (unsigned j = jj; j < jj + block; j++) {
					double sum = 0;

					for (unsigned k = kk; k < kk + block; k++)
						sum += y[i * N + k] * z[k * N + j];
					x[i * N + j] += sum;
				}
}

static double run(double *x, double *y, double *z, unsigned block)
{
	double trace = 0;

	fill(y, 7);
	fill(z, 11);
	multiply(x, y, z, block);
	for (unsigned i = 0; i < N; i++)
		trace += x[i * N + i];
	return trace;
}

/* Each matrix has an allocation of its own, which is how Dwell tells them apart. */
static int run_in_heap(unsigned block, double *trace)
{
	double *x = calloc(N * N, sizeof(*x));
	double *y = calloc(N * N, sizeof(*y));
	double *z = calloc(N * N, sizeof(*z));
	int has_all = x != NULL && y != NULL && z != NULL;

	if (has_all)
		*trace = run(x, y, z, block);
	free(x);
	free(y);
	free(z);
	return has_all ? 0 : -1;
}

int main(int argc, char **argv)
{
	unsigned block = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
	int heap = argc > 2 && strcmp(argv[2], "heap") == 0;
	double trace;

	if (block == 0 || N % block != 0) {
		fprintf(stderr,
			"usage: blocked-multiply BLOCK [global|heap]   (BLOCK divides %d)\n", N);
		return 1;
	}
	if (heap) {
		if (run_in_heap(block, &trace) != 0) {
			fprintf(stderr, "blocked-multiply: no memory for the matrices\n");
			return 1;
		}
	} else {
		trace = run(x_matrix, y_matrix, z_matrix, block);
	}
	printf("trace %.0f\n", trace);
	return 0;
}
