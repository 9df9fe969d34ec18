/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs that go through arrays, tables, grids and matrices; see workloads.h. */
#include "workloads.h"

/* Goes on round an array of `words` from *at. */
static uint64_t round_and_round(const volatile uint64_t *array, uint64_t words, uint64_t *at,
				uint64_t accesses)
{
	uint64_t sum = 0, i = *at;

	while (accesses-- > 0) {
		sum += array[i];
		if (++i == words)
			i = 0;
	}
	*at = i;
	return sum;
}

/* A loop over 16 KB and rounds over 160 KB in turn, with accesses in each turn, and turns. */
static uint64_t phases(uint64_t accesses, uint64_t turns)
{
	enum { SMALL = 2048, LARGE = 20480 };
	uint64_t *small = allocate_zeros(SMALL * sizeof(*small)), sum = 0;
	uint64_t *large = allocate_zeros(LARGE * sizeof(*large)), at_small = 0, at_large = 0;

	for (uint64_t turn = 0; turn < turns; turn++)
		sum += turn % 2 ? round_and_round(large, LARGE, &at_large, accesses)
				: round_and_round(small, SMALL, &at_small, accesses);
	return sum;
}

/* Three arrays of 32 KB, 1 MB and 5 MB; each turn of one is a tenth longer than the last. */
static uint64_t longer_phases(uint64_t first_turn, uint64_t turns)
{
	static const uint64_t words[] = {4096, 131072, 655360};
	uint64_t *arrays[3], at[3] = {0}, sum = 0;

	for (int i = 0; i < 3; i++)
		arrays[i] = allocate_zeros(words[i] * sizeof(uint64_t));
	for (uint64_t turn = 0; turn < turns; turn++) {
		sum += round_and_round(arrays[turn % 3], words[turn % 3], &at[turn % 3],
				       first_turn);
		first_turn += first_turn / 10;
	}
	return sum;
}

/* A table that is looked at and stays zero, and flags in it that are cleared again. */
static uint64_t zeros(uint64_t megabytes, uint64_t rounds)
{
	enum { SMALL = 32768 };
	uint64_t words = megabytes << 17, sum = 0;
	volatile uint64_t *table = allocate_zeros(words * 8), *small = allocate_zeros(SMALL * 8);

	for (uint64_t round = 0; round < rounds; round++) {
		for (uint64_t i = 0; i < words / 4; i++) {
			sum += table[(i * 4 + round) % words] + small[i % 4096];
			small[i * 7 % 4096] = sum;
		}
		for (uint64_t i = 0; i < words / 4; i++) {
			uint64_t at = random_below(words);

			table[at] = 1;
			sum += table[at] + small[at % SMALL];
			table[at] = 0;
		}
	}
	return sum;
}

/* Structures of a line, of which one half is used: MB of them, rounds. */
static uint64_t halves(uint64_t megabytes, uint64_t rounds)
{
	struct half {
		uint64_t a, b, c, d, unused[4];
	};
	enum { SMALL = 4096 };
	uint64_t count = megabytes << 14, sum = 0;
	volatile struct half *all = checked(aligned_alloc(64, count * sizeof(*all)));
	volatile uint64_t *small = allocate_zeros(SMALL * sizeof(*small));

	for (uint64_t i = 0; i < count; i++) {
		all[i].a = i;
		all[i].b = random_below(count);
		all[i].d = 0;
	}
	for (uint64_t round = 0; round < rounds; round++) {
		for (uint64_t i = 0; i < count; i++) {
			sum += all[i].a + all[i].b;
			all[i].c = sum;
			for (uint64_t k = 0; k < 16; k++)
				sum += small[(i * 8 + k * 31) % SMALL];
			if (i % 4 == 0)
				all[random_below(count)].d += sum;
		}
	}
	return sum;
}

enum { GRIDS = 7 };

struct grid {
	int n; /* points of a side, without the edge */
	double *u, *right;
};

#define AT(grid, i, j) ((uint64_t)(i) * ((grid)->n + 2) + (j))

static void relax(const struct grid *g)
{
	for (int colour = 0; colour < 2; colour++)
		for (int i = 1; i <= g->n; i++)
			for (int j = 1 + ((i + colour) & 1); j <= g->n; j += 2)
				g->u[AT(g, i, j)] =
					0.25 * (g->u[AT(g, i - 1, j)] + g->u[AT(g, i + 1, j)] +
						g->u[AT(g, i, j - 1)] + g->u[AT(g, i, j + 1)] -
						g->right[AT(g, i, j)]);
}

static double residual(const struct grid *g, int i, int j)
{
	return g->right[AT(g, i, j)] -
	       (g->u[AT(g, i - 1, j)] + g->u[AT(g, i + 1, j)] + g->u[AT(g, i, j - 1)] +
		g->u[AT(g, i, j + 1)] - 4 * g->u[AT(g, i, j)]);
}

static void v_cycle(const struct grid *fine, int levels)
{
	const struct grid *coarse = fine + 1;

	relax(fine);
	if (levels > 1) {
		for (int i = 1; i <= coarse->n; i++)
			for (int j = 1; j <= coarse->n; j++) {
				coarse->right[AT(coarse, i, j)] =
					residual(fine, 2 * i - 1, 2 * j - 1) +
					residual(fine, 2 * i, 2 * j);
				coarse->u[AT(coarse, i, j)] = 0;
			}
		v_cycle(coarse, levels - 1);
		for (int i = 1; i <= fine->n; i++)
			for (int j = 1; j <= fine->n; j++)
				fine->u[AT(fine, i, j)] +=
					coarse->u[AT(coarse, (i + 1) / 2, (j + 1) / 2)];
	}
	relax(fine);
}

/* A multigrid solver: points of a side of the finest grid, cycles. */
static uint64_t multigrid(uint64_t points, uint64_t cycles)
{
	struct grid grids[GRIDS];

	for (int k = 0; k < GRIDS; k++) {
		struct grid *g = &grids[k];
		uint64_t cells;

		g->n = (int)(points >> k);
		cells = AT(g, g->n + 2, 0);
		g->u = allocate_zeros(cells * sizeof(double));
		g->right = allocate_zeros(cells * sizeof(double));
	}
	for (uint64_t i = 0; i < AT(grids, grids->n + 2, 0); i++)
		grids->right[i] = (double)(i % 17);
	for (uint64_t cycle = 0; cycle < cycles; cycle++)
		v_cycle(grids, GRIDS);
	return (uint64_t)(1000 * grids->u[AT(grids, grids->n / 2, grids->n / 2)]);
}

static int32_t larger(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

/* Scores of the alignment of two sequences, in blocks of 16 x 16 along diagonals: length, times. */
static uint64_t alignment(uint64_t length, uint64_t times)
{
	uint64_t w = length + 1, blocks = length / 16;
	int32_t *scores = allocate_zeros(w * w * 4), *costs = allocate(w * w * 4);

	for (uint64_t i = 0; i < w * w; i++)
		costs[i] = (int32_t)(i * 7919 % 15) - 4;
	while (times-- > 0)
		for (uint64_t d = 0; d < 2 * blocks - 1; d++)
			for (uint64_t b = d < blocks ? 0 : d - blocks + 1; b < blocks && b <= d;
			     b++)
				for (uint64_t k = 0; k < 256; k++) {
					uint64_t row = b * 16 + k / 16 + 1,
						 at = row * w + (d - b) * 16 + k % 16 + 1;

					scores[at] =
						larger(scores[at - w - 1] + costs[at],
						       larger(scores[at - 1], scores[at - w]) - 10);
				}
	return (uint32_t)scores[w * w - 1];
}

/* Products of matrices of doubles: size, kind (0: row by column, 1: in blocks of 32). */
static uint64_t product(uint64_t n, uint64_t in_blocks)
{
	double *a = allocate(n * n * 8), *b = allocate(n * n * 8), *c = allocate_zeros(n * n * 8);
	uint64_t step = in_blocks ? 32 : n;

	for (uint64_t i = 0; i < n * n; i++) {
		a[i] = (double)(i % 7);
		b[i] = (double)(i % 5);
	}
	for (uint64_t jj = 0; jj < n; jj += step)
		for (uint64_t kk = 0; kk < n; kk += step)
			for (uint64_t i = 0; i < n; i++)
				for (uint64_t j = jj; j < n && j < jj + step; j++) {
					double sum = c[i * n + j];

					for (uint64_t k = kk; k < n && k < kk + step; k++)
						sum += a[i * n + k] * b[k * n + j];
					c[i * n + j] = sum;
				}
	return (uint64_t)c[n + 1];
}

/* A sparse matrix times a vector: rows of 12 entries, ten near the diagonal, and times. */
static uint64_t sparse(uint64_t rows, uint64_t times)
{
	uint32_t *columns = allocate(rows * 12 * 4);
	double *entries = allocate(rows * 12 * 8), *x = allocate_zeros(rows * 8),
	       *y = allocate(rows * 8);

	for (uint64_t i = 0; i < rows * 12; i++) {
		uint64_t near = i / 12 + random_below(400);

		columns[i] = (uint32_t)(i % 12 < 10 ? near % rows : random_below(rows));
		entries[i] = 0.08;
	}
	x[1] = 1000;
	while (times-- > 0) {
		double *old = x;

		for (uint64_t i = 0; i < rows; i++) {
			double sum = 0;

			for (uint64_t k = i * 12; k < i * 12 + 12; k++)
				sum += entries[k] * x[columns[k]];
			y[i] = sum;
		}
		x = y;
		y = old;
	}
	return (uint64_t)(x[1] * 1000);
}

/* Merge sort, from the bottom up: numbers, times. */
static uint64_t merge_sort(uint64_t count, uint64_t times)
{
	uint64_t *from = allocate_zeros(count * 8), *to = allocate(count * 8), sum = 0;

	while (times-- > 0) {
		for (uint64_t i = 0; i < count; i++)
			from[i] = random_below(count);
		for (uint64_t width = 1; width < count; width *= 2) {
			uint64_t *old = from;

			for (uint64_t low = 0; low < count; low += 2 * width) {
				uint64_t middle = low + width < count ? low + width : count;
				uint64_t high = low + 2 * width < count ? low + 2 * width : count;

				for (uint64_t i = low, j = middle, k = low; k < high; k++)
					to[k] = i < middle && (j >= high || from[i] <= from[j])
							? from[i++]
							: from[j++];
			}
			from = to;
			to = old;
		}
		sum += from[count / 2];
	}
	return sum;
}

/* Heat in a cube: points of a side, steps. */
static uint64_t heat(uint64_t n, uint64_t steps)
{
	double *from = allocate_zeros(n * n * n * 8), *to = allocate_zeros(n * n * n * 8);

	from[(n / 2 * n + n / 2) * n + n / 2] = 1e9;
	while (steps-- > 0) {
		double *old = from;

		for (uint64_t x = 1; x < n - 1; x++)
			for (uint64_t y = 1; y < n - 1; y++)
				for (uint64_t z = 1; z < n - 1; z++) {
					uint64_t at = (x * n + y) * n + z;

					to[at] = 0.4 * from[at] +
						 0.1 * (from[at - 1] + from[at + 1] + from[at - n] +
							from[at + n] + from[at - n * n] +
							from[at + n * n]);
				}
		from = to;
		to = old;
	}
	return (uint64_t)from[(n / 2 * n + n / 2) * n + n / 2];
}

/* Fourier transforms without multiplications by roots: 2^first complex numbers, times. */
static uint64_t butterflies(uint64_t bits, uint64_t times)
{
	uint64_t n = 1ull << bits;
	double *re = allocate_zeros(n * 8), *im = allocate_zeros(n * 8);

	re[1] = 1e6;
	while (times-- > 0)
		for (uint64_t half = 1; half < n; half *= 2)
			for (uint64_t low = 0; low < n; low += 2 * half)
				for (uint64_t i = low; i < low + half; i++) {
					double x = re[i + half], y = im[i + half];

					re[i + half] = (re[i] - x) * 0.7;
					im[i + half] = (im[i] - y) * 0.7;
					re[i] = (re[i] + x) * 0.7;
					im[i] = (im[i] + y) * 0.7;
				}
	return (uint64_t)re[n / 2];
}

int main(int argc, char **argv)
{
	static const struct workload all[] = {
		{"phases", phases},
		{"longer_phases", longer_phases},
		{"zeros", zeros},
		{"halves", halves},
		{"multigrid", multigrid},
		{"alignment", alignment},
		{"product", product},
		{"sparse", sparse},
		{"merge_sort", merge_sort},
		{"heat", heat},
		{"butterflies", butterflies},
	};

	return run_workload(all, sizeof(all) / sizeof(all[0]), argc, argv);
}
