/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Near reuses, spread over the cells around them. A sample stands for thousands of accesses, which
 * were made around it; heaped up where it lies they would evict each other. In each cell they are
 * taken together at distances that grow by sqrt(2), each shared by the two next to it. So are far
 * reuses that begin and end in one cell; these stay there.
 */
#include <math.h>
#include <stdlib.h>

#include "model/parts.h"

#define SAMPLES 20 /* under each triangle, on average */

/* The node below a distance of 1 or more; `over` goes to the next. */
static void place(struct reuse *r)
{
	double node = fmin(MODEL_NODES - 2, floor(2 * log2(r->distance))), below = exp2(node / 2);

	r->node = (uint32_t)node;
	r->over = fmin(1, fmax(0, (r->distance - below) / (below * (M_SQRT2 - 1))));
}

/* Part of what lies in cell `from` that is taken to lie in `to`: a triangle around it. */
struct triangle {
	size_t first, end, spread;
	double sum;
};

static double height(size_t spread, size_t from, size_t to)
{
	return (double)(spread + 1 - (from > to ? from - to : to - from));
}

/* The ends of the run end it. */
static struct triangle around(const struct model *m, size_t cell, bool is_near)
{
	size_t cells = m->window_count * MODEL_CELLS;
	size_t spread = is_near ? m->spread : 0;
	struct triangle t = {cell > spread ? cell - spread : 0,
			     cell + spread < cells ? cell + spread + 1 : cells, spread, 0};

	if (t.end - t.first == 2 * spread + 1) {
		t.sum = (double)((spread + 1) * (spread + 1));
		return t;
	}
	for (size_t to = t.first; to < t.end; to++)
		t.sum += height(spread, cell, to);
	return t;
}

int spread_near(struct model *m)
{
	size_t cells = m->window_count * MODEL_CELLS, size = cells * MODEL_NODES + 1;
	double near = (double)(m->reuse_count - m->far_count);

	m->spread = near > 0 ? (size_t)(SAMPLES * (double)cells / near) : 0;
	m->near = calloc(size, sizeof(*m->near));
	m->near_miss = calloc(size, sizeof(*m->near_miss));
	m->near_weight = calloc(cells + 1, sizeof(*m->near_weight));
	if (m->near == NULL || m->near_miss == NULL || m->near_weight == NULL)
		return -1;
	for (size_t i = 0; i < m->reuse_count; i++) {
		struct reuse *r = &m->reuses[i];
		struct triangle t;

		if (r->kind > REUSE_NEAR && !spread_in_cell(r)) {
			random_place(r);
			continue;
		}
		if (r->distance < 1)
			continue;
		place(r);
		t = around(m, r->cell, r->kind <= REUSE_NEAR);
		for (size_t cell = t.first; cell < t.end; cell++) {
			double weight = r->weight * height(t.spread, r->cell, cell) / t.sum;

			m->near[cell * MODEL_NODES + r->node] += weight * (1 - r->over);
			m->near[cell * MODEL_NODES + r->node + 1] += weight * r->over;
			m->near_weight[cell] += weight;
		}
	}
	return 0;
}

double spread_miss(const struct model *m, const struct reuse *r)
{
	struct triangle t;
	double sum = 0;

	if (r->distance < 1)
		return 0;
	t = around(m, r->cell, r->kind <= REUSE_NEAR);
	for (size_t cell = t.first; cell < t.end; cell++) {
		const double *miss = &m->near_miss[cell * MODEL_NODES + r->node];

		sum += height(t.spread, r->cell, cell) / t.sum *
		       (miss[0] * (1 - r->over) + miss[1] * r->over);
	}
	return sum;
}
