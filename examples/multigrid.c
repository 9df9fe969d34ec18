/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A multigrid solver, V(2,2) cycles, for an elliptic equation with variable coefficients on a cube:
 * stencils of seven points, red-black Gauss-Seidel, full weighting, trilinear prolongation. After
 * table 2 of Weidendorfer, Kowarschik and Trinitis (2004), where padding and blocking halve the
 * misses.
 *
 *   multigrid standard|optimised [POINTS [CYCLES]]    POINTS along an edge: 2^k + 1, 129 by default
 *
 * `standard` walks all of a grid for each colour of each sweep, and once more for each step
 * between. `optimised` walks it once for two sweeps: the four half sweeps follow each other, a
 * plane apart, through blocks of rows; residuals are restricted while they are warm; and rows and
 * planes are padded, so that those in use lie in different sets. The arithmetic is the same, to the
 * last bit.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_LEVELS  12
#define HALF_SWEEPS 4 /* two sweeps of two colours */
#define BLOCK_ROWS \
	16 /* of a plane: those of HALF_SWEEPS + 2 planes of six arrays stay in the cache */
#define PAD_ROW	  3
#define PAD_PLANE 1096

/* One grid. East, north and up are the coefficients of the faces on those sides of each point. */
struct grid {
	long points;	 /* along an edge, both ends included */
	long row, plane; /* distances in memory, in elements */
	double *u, *f;	 /* the solution, and the right side times the square of the mesh width */
	double *centre, *east, *north, *up;
	double *residual; /* of the grid, or of three planes */
};

static struct grid grids[MAX_LEVELS];
static int levels;
static bool optimised;

static double *new_array(size_t elements)
{
	double *a = calloc(elements, sizeof(*a));

	if (a == NULL) {
		fprintf(stderr, "multigrid: no memory for %zu elements\n", elements);
		exit(1);
	}
	return a;
}

/* The coefficient of the equation, at a place of the unit cube. */
static double conductivity(double x, double y, double z)
{
	return 1 + x * (1 - y) + 0.25 * z;
}

static void new_grid(struct grid *g, long points)
{
	double h = 1.0 / (double)(points - 1);
	size_t elements;

	g->points = points;
	g->row = points + (optimised ? PAD_ROW : 0);
	g->plane = g->row * points + (optimised ? PAD_PLANE : 0);
	elements = (size_t)(g->plane * points);
	g->u = new_array(elements);
	g->f = new_array(elements);
	g->centre = new_array(elements);
	g->east = new_array(elements);
	g->north = new_array(elements);
	g->up = new_array(elements);
	g->residual = new_array(optimised ? (size_t)(3 * g->plane) : elements);
	for (long k = 0; k < points; k++)
		for (long j = 0; j < points; j++)
			for (long i = 0; i < points; i++) {
				long p = k * g->plane + j * g->row + i;
				double x = (double)i * h, y = (double)j * h, z = (double)k * h;

				g->east[p] = conductivity(x + h / 2, y, z);
				g->north[p] = conductivity(x, y + h / 2, z);
				g->up[p] = conductivity(x, y, z + h / 2);
			}
	for (long k = 1; k < points - 1; k++)
		for (long j = 1; j < points - 1; j++)
			for (long i = 1; i < points - 1; i++) {
				long p = k * g->plane + j * g->row + i;

				g->centre[p] = g->east[p] + g->east[p - 1] + g->north[p] +
					       g->north[p - g->row] + g->up[p] +
					       g->up[p - g->plane];
			}
}

static inline double neighbours(const struct grid *g, long p)
{
	const double *u = g->u;

	return g->east[p] * u[p + 1] + g->east[p - 1] * u[p - 1] + g->north[p] * u[p + g->row] +
	       g->north[p - g->row] * u[p - g->row] + g->up[p] * u[p + g->plane] +
	       g->up[p - g->plane] * u[p - g->plane];
}

/* Gauss-Seidel on the points of one colour in rows [first, end) of a plane. */
static void relax_rows(const struct grid *g, long plane, long first, long end, long colour)
{
	if (first < 1)
		first = 1;
	if (end > g->points - 1)
		end = g->points - 1;
	for (long j = first; j < end; j++)
		for (long i = 1 + ((plane + j + colour + 1) & 1); i < g->points - 1; i += 2) {
			long p = plane * g->plane + j * g->row + i;

			g->u[p] = (g->f[p] + neighbours(g, p)) / g->centre[p];
		}
}

__attribute__((noinline)) static void smooth(const struct grid *g)
{
	for (int half = 0; half < HALF_SWEEPS; half++)
		for (long k = 1; k < g->points - 1; k++)
			relax_rows(g, k, 1, g->points - 1, half & 1);
}

/*
 * The same points get the same values: before half sweep s comes to row j of plane k, s - 1 has
 * been to all rows next to it, and s + 1 to none.
 */
__attribute__((noinline)) static void smooth_blocked(const struct grid *g)
{
	for (long block = 0; block < g->points + HALF_SWEEPS; block += BLOCK_ROWS)
		for (long k = 1; k < g->points - 1 + HALF_SWEEPS; k++)
			for (long s = 0; s < HALF_SWEEPS; s++)
				if (k - s >= 1 && k - s < g->points - 1)
					relax_rows(g, k - s, block - s, block + BLOCK_ROWS - s,
						   s & 1);
}

static void residual_plane(const struct grid *g, long k, double *out)
{
	for (long j = 1; j < g->points - 1; j++)
		for (long i = 1; i < g->points - 1; i++) {
			long p = k * g->plane + j * g->row + i;

			out[j * g->row + i] = g->f[p] + neighbours(g, p) - g->centre[p] * g->u[p];
		}
}

static inline double weighted_row(const double *r)
{
	return 0.25 * r[-1] + 0.5 * r[0] + 0.25 * r[1];
}

static inline double weighted_plane(const double *r, long row)
{
	return 0.25 * weighted_row(r - row) + 0.5 * weighted_row(r) + 0.25 * weighted_row(r + row);
}

/*
 * Plane k of the coarse grid's right side, from three planes of residuals: 4 is the square of the
 * widths' ratio.
 */
static void restrict_plane(const struct grid *fine, const struct grid *coarse, long k,
			   const double *below, const double *middle, const double *above)
{
	for (long j = 1; j < coarse->points - 1; j++)
		for (long i = 1; i < coarse->points - 1; i++) {
			long p = 2 * j * fine->row + 2 * i;

			coarse->f[k * coarse->plane + j * coarse->row + i] =
				4 * (0.25 * weighted_plane(below + p, fine->row) +
				     0.5 * weighted_plane(middle + p, fine->row) +
				     0.25 * weighted_plane(above + p, fine->row));
		}
}

__attribute__((noinline)) static void restrict_residual(const struct grid *fine,
							const struct grid *coarse)
{
	for (long k = 1; k < fine->points - 1; k++)
		residual_plane(fine, k, fine->residual + k * fine->plane);
	for (long k = 1; k < coarse->points - 1; k++) {
		const double *r = fine->residual + 2 * k * fine->plane;

		restrict_plane(fine, coarse, k, r - fine->plane, r, r + fine->plane);
	}
}

/* Three planes of residuals are kept, the oldest is written over. */
__attribute__((noinline)) static void restrict_at_once(const struct grid *fine,
						       const struct grid *coarse)
{
	double *below = fine->residual, *middle = below + fine->plane,
	       *above = middle + fine->plane;

	residual_plane(fine, 1, below);
	for (long k = 1; k < coarse->points - 1; k++) {
		double *old = below;

		residual_plane(fine, 2 * k, middle);
		residual_plane(fine, 2 * k + 1, above);
		restrict_plane(fine, coarse, k, below, middle, above);
		below = above;
		above = old;
	}
}

__attribute__((noinline)) static void add_correction(const struct grid *fine,
						     const struct grid *coarse)
{
	for (long k = 1; k < fine->points - 1; k++)
		for (long j = 1; j < fine->points - 1; j++) {
			long k0 = k / 2 * coarse->plane, k1 = (k + 1) / 2 * coarse->plane;
			const double *a = coarse->u + k0 + j / 2 * coarse->row;
			const double *b = coarse->u + k0 + (j + 1) / 2 * coarse->row;
			const double *c = coarse->u + k1 + j / 2 * coarse->row;
			const double *d = coarse->u + k1 + (j + 1) / 2 * coarse->row;
			double *u = fine->u + k * fine->plane + j * fine->row;

			for (long i = 1; i < fine->points - 1; i++) {
				long w = i / 2, e = (i + 1) / 2;

				u[i] += 0.125 *
					(a[w] + a[e] + b[w] + b[e] + c[w] + c[e] + d[w] + d[e]);
			}
		}
}

static void cycle(int level)
{
	const struct grid *g = &grids[level], *coarse = g + 1;

	(optimised ? smooth_blocked : smooth)(g);
	if (level + 1 < levels) {
		(optimised ? restrict_at_once : restrict_residual)(g, coarse);
		memset(coarse->u, 0, (size_t)(coarse->plane * coarse->points) * sizeof(double));
		cycle(level + 1);
		add_correction(g, coarse);
	}
	(optimised ? smooth_blocked : smooth)(g);
}

static double residual_norm(const struct grid *g)
{
	double sum = 0;

	for (long k = 1; k < g->points - 1; k++) {
		residual_plane(g, k, g->residual);
		for (long j = 1; j < g->points - 1; j++)
			for (long i = 1; i < g->points - 1; i++)
				sum += g->residual[j * g->row + i] * g->residual[j * g->row + i];
	}
	return sqrt(sum);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int run(long points, int cycles)
{
	struct grid *g = &grids[0];
	double start, norm;

	for (long n = points; n >= 3; n = (n - 1) / 2 + 1)
		new_grid(&grids[levels++], n);
	for (long k = 1; k < points - 1; k++)
		for (long j = 1; j < points - 1; j++)
			for (long i = 1; i < points - 1; i++)
				g->f[k * g->plane + j * g->row + i] = (double)((i * j + k) % 7) - 3;
	norm = residual_norm(g);
	start = seconds();
	for (int i = 0; i < cycles; i++)
		cycle(0);
	start = seconds() - start;
	printf("residual %.6e, then %.6e\n", norm, residual_norm(g));
	fprintf(stderr, "%d cycles: %.3f s\n", cycles, start);
	return 0;
}

int main(int argc, char **argv)
{
	long points = argc > 2 ? atol(argv[2]) : 129;
	int cycles = argc > 3 ? atoi(argv[3]) : 2;

	optimised = argc > 1 && strcmp(argv[1], "optimised") == 0;
	if (argc < 2 || argc > 4 || (!optimised && strcmp(argv[1], "standard") != 0) ||
	    points < 5 || points > 1025 || ((points - 1) & (points - 2)) != 0 || cycles < 1) {
		fprintf(stderr, "usage: multigrid standard|optimised [POINTS [CYCLES]], POINTS is "
				"2^k + 1\n");
		return 2;
	}
	return run(points, cycles);
}
