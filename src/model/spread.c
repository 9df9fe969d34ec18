/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Near reuses, spread over the cells around them. A sample stands for thousands of accesses, which
 * were made around it; heaped up where it lies they would evict each other. In each cell they are
 * taken together at distances that grow by sqrt(2), each shared by the two next to it. So are far
 * reuses that begin and end in one cell; these stay there.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/parts.h"

#define SAMPLES 20 /* under each triangle, on average */

/* The distance as a node. */
static struct node place(double distance)
{
	double node = fmin(MODEL_NODES - 2, floor(2 * log2(fmax(1, distance))));
	double below = exp2(node / 2), over = (distance - below) / (below * (M_SQRT2 - 1));

	return (struct node){(uint32_t)node, (float)fmin(1, fmax(0, over))};
}

/* Part of what lies in cell `from` that is taken to lie in `to`: a triangle around it. */
struct triangle {
	size_t first, end, around;
	double sum;
};

static double height(size_t around, size_t from, size_t to)
{
	return (double)(around + 1 - (from > to ? from - to : to - from));
}

/* The ends of the run end it. */
static struct triangle triangle_of(const struct model *m, const struct reuse *r)
{
	size_t cells = m->window_count * MODEL_CELLS, cell = r->cell;
	size_t around = r->kind <= REUSE_NEAR ? m->cells_around : 0;
	struct triangle t = {cell > around ? cell - around : 0,
			     cell + around < cells ? cell + around + 1 : cells, around, 0};

	if (t.end - t.first == 2 * around + 1) {
		t.sum = (double)((around + 1) * (around + 1));
		return t;
	}
	for (size_t to = t.first; to < t.end; to++)
		t.sum += height(around, cell, to);
	return t;
}

/* Of all near reuses, or of those that bursts.c leaves out. */
static void fill(const struct model *m, bool all, struct spread *to)
{
	for (size_t i = 0; i < m->reuse_count; i++) {
		const struct reuse *r = &m->reuses[i];
		struct triangle t;

		if ((r->kind > REUSE_NEAR && !spread_in_cell(r)) || r->distance < 1 ||
		    (r->kind == REUSE_NEAR && !all))
			continue;
		t = triangle_of(m, r);
		for (size_t cell = t.first; cell < t.end; cell++) {
			double weight = r->weight * height(t.around, r->cell, cell) / t.sum;
			double *near = &to->near[cell * MODEL_NODES + r->node.below];

			near[0] += weight * (1 - (double)r->node.over);
			near[1] += weight * (double)r->node.over;
			to->weight[cell] += weight;
			if (to->nodes[cell] < r->node.below + 2)
				to->nodes[cell] = (uint8_t)(r->node.below + 2);
		}
	}
}

void spread_add(const struct model *m, size_t i, double *cells)
{
	const struct reuse *r = &m->reuses[i];
	struct triangle t = triangle_of(m, r);
	double misses = r->weight * m->chance[i] / t.sum;

	for (size_t cell = t.first; cell < t.end; cell++)
		cells[cell] += misses * height(t.around, r->cell, cell);
}

static int spread_new(struct spread *s, size_t cells)
{
	s->near = calloc(cells * MODEL_NODES + 1, sizeof(*s->near));
	s->weight = calloc(cells + 1, sizeof(*s->weight));
	s->nodes = calloc(cells + 1, sizeof(*s->nodes));
	return s->near != NULL && s->weight != NULL && s->nodes != NULL ? 0 : -1;
}

int spread_near(struct model *m)
{
	size_t cells = m->window_count * MODEL_CELLS;
	double near = (double)(m->reuse_count - m->far_count);

	m->cells_around = near > 0 ? (size_t)(SAMPLES * (double)cells / near) : 0;
	m->near_miss = calloc(cells * MODEL_NODES + 1, sizeof(*m->near_miss));
	if (m->near_miss == NULL || spread_new(&m->spread, cells) != 0 ||
	    spread_new(&m->close, cells) != 0)
		return -1;
	for (size_t i = 0; i < m->reuse_count; i++) {
		struct reuse *r = &m->reuses[i];

		if (r->kind > REUSE_NEAR && !spread_in_cell(r))
			random_place(r);
		else
			r->node = place(r->distance);
	}
	fill(m, true, &m->spread);
	if (m->has_touches)
		fill(m, false, &m->close);
	return 0;
}

double spread_miss(const struct model *m, const struct reuse *r)
{
	struct triangle t;
	double sum = 0;

	if (r->distance < 1)
		return 0;
	t = triangle_of(m, r);
	for (size_t cell = t.first; cell < t.end; cell++) {
		const double *miss = &m->near_miss[cell * MODEL_NODES + r->node.below];

		sum += height(t.around, r->cell, cell) / t.sum *
		       (miss[0] * (1 - (double)r->node.over) + miss[1] * (double)r->node.over);
	}
	return sum;
}
