/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random replacement in a fully associative cache of L lines, along the run.
 *
 * M(t) is the number of misses up to the moment t of the axis. Each evicts a given line with
 * probability 1/L, so a reuse from t1 to t2 misses with
 *
 *	p = 1 - (1 - 1/L)^(max(M(t2), L) - max(M(t1), L))
 *
 * (Berg and Hagersten, StatCache, where M is a straight line): the first L misses fill the cache,
 * and evict nothing. Inside a cell M is a straight line. When a cell's turn comes all that began
 * before it is known, and its misses x are those of the reuses that end in it, which is concave in
 * x: of the solutions the largest is found, as a cache that has begun to miss goes on, by Newton's
 * method from above.
 *
 * Reuses that began before the cell are taken together by the part of it that they see: at parts of
 * 1, 1/2, 1/4 .. 1/32, each shared by the two next to it. Those that began in it are in spread.c.
 */
#include <math.h>
#include <string.h>

#include "model/parts.h"

#define STEPS	50   /* Newton takes 3 to 8; filling cells, without it, more */
#define PRECISE 1e-4 /* of a cell's misses */
#define ALL	40.0 /* exponent from which on nothing survives, as in a cache of one line */
#define HALVES	6u   /* parts of the cell */

struct cell {
	size_t first, end; /* its reuses */
	size_t index;
	double length;
	const double *near; /* weights, at each node's distance */
	double near_weight; /* their sum */
	unsigned nodes;	    /* that are in use */
	double *near_miss;
	double before; /* misses up to its begin */
	double room;   /* misses in it that only fill the cache */
	double rate;   /* -ln(1 - 1/L) */
	double lines;
	double sure; /* what misses whatever happens in the cell */
	double far;  /* weight of the reuses from before */
	/* what of it is there as the cell begins, by the part that they see, 1/32 first */
	double halves[HALVES + 1];
};

static double filled(double misses, double lines)
{
	return fmax(misses, lines);
}

/* The greatest node up to its part of the cell; `over` goes to the one above. */
void random_place(struct reuse *r)
{
	double at = 1;

	r->node.below = HALVES - 1;
	while (r->node.below > 0 && at > r->part) {
		r->node.below--;
		at /= 2;
	}
	r->node.over = (float)fmin(1, fmax(0, r->part / at - 1));
}

/* P(still there as the cell begins), of reuses that end in it and whose last touch none saw. */
static double hidden_passes(const struct model *m, const struct cell *c)
{
	const struct window *w = &m->windows[c->index / MODEL_CELLS];
	double begin = w->start + c->length * (double)(c->index % MODEL_CELLS);
	double middle = begin + c->length / 2, there = 0, all = 0;

	for (unsigned bin = hidden_bin(m, middle - w->start); bin <= m->hidden_most; bin++) {
		double at = middle - hidden_distance(bin), since = 0, part;

		if (m->hidden[bin] <= 0)
			continue;
		if (at > 0) {
			uint32_t cell =
				axis_cell(m, c->index / MODEL_CELLS, fmin(at, begin), &part);

			since = sum_at(m->misses, cell, part);
		}
		there += m->hidden[bin] *
			 exp(-c->rate * (filled(c->before, c->lines) - filled(since, c->lines)));
		all += m->hidden[bin];
	}
	return there / all;
}

/* P(still there as the cell begins), for each reuse that began before; in m->passed. */
static double enter(struct model *m, struct cell *c)
{
	double hidden = m->windows[c->index / MODEL_CELLS].hidden > 0 ? hidden_passes(m, c) : 0;

	c->far = 0;
	memset(c->halves, 0, sizeof(c->halves));
	for (size_t i = c->first; i < c->end; i++) {
		const struct reuse *r = &m->reuses[i];
		double weight = r->weight;

		if (r->kind <= REUSE_NEAR || spread_in_cell(r))
			continue;
		if (r->kind == REUSE_FIRST) {
			weight *= reuse_window(m, r)->hidden;
			c->sure += r->weight - weight;
			m->passed[i] = hidden;
		} else {
			double since = sum_at(m->misses, r->begin_cell, r->begin_part);

			m->passed[i] = exp(-c->rate *
					   (filled(c->before, c->lines) - filled(since, c->lines)));
		}
		c->far += weight;
		weight *= m->passed[i];
		c->halves[r->node.below] += weight * (1 - (double)r->node.over);
		c->halves[r->node.below + 1] += weight * (double)r->node.over;
	}
	return fmin(c->length, c->sure + c->far + c->near_weight);
}

/* The misses of the cell's reuses if it has x; *slope gets the derivative. */
static double misses_of(const struct cell *c, double x, double *slope)
{
	const double evicting = c->rate * fmax(0, x - c->room);
	const double one = fmin(ALL, evicting / c->length), step = c->rate / c->length;
	double kept[2] = {exp(-one), exp(-one * M_SQRT2)}, distance[2] = {1, M_SQRT2};
	double part = 1 / (double)(1u << (HALVES - 1)), stays = exp(-fmin(ALL, evicting * part));
	double sum = c->sure + c->far, rise = 0;

	for (unsigned node = 0; node < HALVES; node++) {
		double there = c->halves[node] * stays;

		sum -= there;
		rise += there * c->rate * part;
		stays *= stays;
		part *= 2;
	}
	for (unsigned node = 0; node < c->nodes; node++) {
		double *k = &kept[node % 2], *d = &distance[node % 2];

		sum += c->near[node] * (1 - *k);
		rise += c->near[node] * *k * step * *d;
		*k *= *k;
		*d *= 2;
	}
	*slope = rise;
	return sum;
}

static double solve_cell(const struct cell *c, double x, double *slope)
{
	for (int step = 0; step < STEPS; step++) {
		double next = misses_of(c, x, slope);

		if (c->room <= 0 && *slope < 1)
			next = x + (next - x) / (1 - *slope);
		next = fmax(c->sure, fmin(x, next));
		if (x - next <= PRECISE * x)
			return next;
		x = next;
	}
	return x;
}

/* The chances of the cell's reuses, now that it is known to have x misses. */
static void leave(struct model *m, const struct cell *c, double x)
{
	const double evicting = c->rate * fmax(0, x - c->room);
	const double one = fmin(ALL, evicting / c->length);
	double stays[HALVES + 1], kept[2] = {exp(-one), exp(-one * M_SQRT2)};

	stays[0] = exp(-fmin(ALL, evicting / (1u << (HALVES - 1))));
	for (unsigned node = 1; node <= HALVES; node++)
		stays[node] = stays[node - 1] * stays[node - 1];
	for (unsigned node = 0; node < c->nodes; node++) {
		c->near_miss[node] = 1 - kept[node % 2];
		kept[node % 2] *= kept[node % 2];
	}
	for (size_t i = c->first; i < c->end; i++) {
		const struct reuse *r = &m->reuses[i];
		double hidden = r->kind == REUSE_FIRST ? reuse_window(m, r)->hidden : 1, there;

		if (r->kind <= REUSE_NEAR || spread_in_cell(r))
			continue;
		there = stays[r->node.below] * (1 - (double)r->node.over) +
			stays[r->node.below + 1] * (double)r->node.over;
		m->chance[i] = 1 - hidden * m->passed[i] * there;
	}
}

/*
 * All cells, one by one; fills m->misses, m->near_miss, and m->chance. `again`: near reuses miss as
 * bursts.c has it.
 */
static void solve_cells(struct model *m, double lines, double rate, bool again)
{
	const struct spread *spread = again ? &m->close : &m->spread;
	struct cell c = {.lines = lines, .rate = rate};

	m->misses[0] = 0;
	for (c.index = 0; c.index < m->window_count * MODEL_CELLS; c.index++) {
		struct window_sum *sum = &m->sums[c.index / MODEL_CELLS];
		double x, slope;

		c.length = m->windows[c.index / MODEL_CELLS].length / MODEL_CELLS;
		c.first = m->cell_first[c.index];
		c.end = m->cell_first[c.index + 1];
		c.near = &spread->near[c.index * MODEL_NODES];
		c.near_weight = spread->weight[c.index];
		c.nodes = spread->nodes[c.index];
		c.near_miss = &m->near_miss[c.index * MODEL_NODES];
		c.before = m->misses[c.index];
		c.room = fmax(0, lines - c.before);
		c.sure = again ? m->near_misses[c.index] : 0;
		x = solve_cell(&c, enter(m, &c), &slope);
		m->misses[c.index + 1] = c.before + x;
		leave(m, &c, x);
		if (!again)
			sum->slope = (c.index % MODEL_CELLS ? sum->slope : 0) +
				     fmin(1, slope) / MODEL_CELLS;
	}
	for (size_t i = 0; i < m->reuse_count; i++) {
		const struct reuse *r = &m->reuses[i];

		if (r->kind == REUSE_CLOSE || (r->kind == REUSE_NEAR && !again) ||
		    spread_in_cell(r))
			m->chance[i] = spread_miss(m, r);
	}
}

/* m->misses from the chances that there are. */
static void sum_cells(struct model *m)
{
	for (size_t cell = 0; cell < m->window_count * MODEL_CELLS; cell++) {
		double x = m->near_misses[cell];

		for (size_t i = m->cell_first[cell]; i < m->cell_first[cell + 1]; i++)
			if (m->reuses[i].kind != REUSE_NEAR)
				x += m->reuses[i].weight * m->chance[i];
		m->misses[cell + 1] = m->misses[cell] + x;
	}
}

/* Bursts change M(t), and M(t) them: after two turns they hardly do. */
void random_solve(struct model *m, double lines, double share)
{
	const double rate = lines > 1 ? fmin(ALL, -log1p(-1 / lines)) : ALL;

	solve_cells(m, lines, rate, false);
	if (m->has_touches) {
		bursts_solve(m, rate);
		sum_cells(m);
		bursts_solve(m, rate);
		solve_cells(m, lines, rate, true);
	}
	for (size_t i = 0; i < m->reuse_count; i++)
		m->miss[i] += share * m->chance[i];
	for (size_t i = 0; i < m->window_count; i++)
		m->sums[i].elastic += share * m->sums[i].slope;
}
