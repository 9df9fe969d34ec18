/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * triangular scattered|banded: solves a sparse triangular system L x = b by rows, again and again,
 * as TRI of MemSpy's paper.
 *
 * The fault: the columns of a row are anywhere before it, so its elements of x are gathered from
 * all of x, which is larger than the cache. `dwell bins` has x first, in solve. The cure, "banded":
 * rows and columns are numbered so that those of a row lie near it, as a matrix of a mesh allows.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 400000, EACH = 6, BAND = 1500, SOLVES = 5 };

static double *values, *x, *b;
static uint32_t *columns;

static uint32_t draw(uint32_t limit)
{
	static uint64_t s = 88172645463325252;

	s ^= s << 13;
	s ^= s >> 7;
	s ^= s << 17;
	return (uint32_t)((s >> 32) * limit >> 32);
}

/* The diagonal is 1. */
__attribute__((noinline)) static void solve(void)
{
	for (uint32_t row = 0; row < ROWS; row++) {
		double sum = b[row];

		for (uint32_t k = row * EACH; k < (row + 1) * EACH; k++)
			sum -= values[k] * x[columns[k]];
		x[row] = sum;
	}
}

__attribute__((noinline)) static void make(uint32_t band)
{
	values = malloc(ROWS * EACH * sizeof(*values));
	columns = malloc(ROWS * EACH * sizeof(*columns));
	x = malloc(ROWS * sizeof(*x));
	b = malloc(ROWS * sizeof(*b));
	for (uint32_t row = 0; row < ROWS; row++) {
		const uint32_t before = row < band ? row : band;

		b[row] = draw(100);
		x[row] = 0;
		for (uint32_t k = row * EACH; k < (row + 1) * EACH; k++) {
			columns[k] = row > 0 ? row - 1 - draw(before) : 0;
			values[k] = row > 0 ? 0.1 : 0;
		}
	}
}

int main(int argc, char **argv)
{
	double sum = 0;

	if (argc != 2 || (strcmp(argv[1], "scattered") != 0 && strcmp(argv[1], "banded") != 0)) {
		fprintf(stderr, "usage: triangular scattered|banded\n");
		return 2;
	}
	make(strcmp(argv[1], "banded") == 0 ? BAND : ROWS);
	for (int i = 0; i < SOLVES; i++) {
		solve();
		b[i] += x[ROWS - 1]; /* each solution depends on the one before */
	}
	for (uint32_t row = 0; row < ROWS; row++)
		sum += x[row];
	printf("%.6g\n", sum);
	return 0;
}
