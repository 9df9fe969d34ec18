/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the lines between the touches of reuses scatter around those expected. Of some samples the
 * engine counted them; each tells how many times as many they were as its kind expects at its
 * distance. A piece of a survival misses in a cache as often as the nearest of these say: of a
 * sweep across a matrix some reuses of one distance have half as many lines again in between as the
 * others, since a step goes on to the next line of each column. A kind's own are believed the more
 * the more of them there are.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/parts.h"

#define NODES_OCTAVE 8	 /* equal parts of one: bits of a distance tell which */
#define MOST	     64	 /* for a node, with those beyond its bounds */
#define LEAST	     16	 /* with fewer nothing is known */
#define REACH	     1.0 /* octaves: farther ones tell nothing */
/*
 * so many of a kind's own weigh as much as those of all kinds; of 1, 3, 6 and 12 no one is better
 */
#define OTHERS	  6.0
#define SET_PARTS 4 /* with sets, where they matter less, as many stand for all */

/* One that was counted. */
struct one {
	uint32_t kind;
	double octaves; /* log2 of its distance */
	double factor;
};

static int by_kind(const void *a, const void *b)
{
	const struct one *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (x->octaves > y->octaves) - (x->octaves < y->octaves);
}

static int by_distance(const void *a, const void *b)
{
	double x = ((const struct one *)a)->octaves, y = ((const struct one *)b)->octaves;

	return (x > y) - (x < y);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Lines that the kind expects at that distance: straight between its pieces; 0: not known. */
static double lines_expected(const struct kind *k, double distance)
{
	const struct survival *own = &k->own;
	size_t low = survival_find(own, distance);
	double part;

	if (own->count == 0 || distance <= 0)
		return 0;
	if (low == own->count)
		return k->lines[low - 1] + own->left * (distance - own->x[low - 1]);
	if (low == 0)
		return k->lines[0] * distance / own->x[0];
	part = (distance - own->x[low - 1]) / (own->x[low] - own->x[low - 1]);
	return k->lines[low - 1] + part * (k->lines[low] - k->lines[low - 1]);
}

/* All that were counted, by kind and then by distance. Returns how many. */
static size_t gather(const struct model *m, const struct model_input *in, struct one *out)
{
	size_t count = 0;

	for (size_t i = 0; i < in->stack_count; i++) {
		const struct model_stack *s = &in->stacks[i];
		uint32_t kind = m->groups[m->group_of[s->window]].kind;
		double lines = lines_expected(&m->kinds[kind], (double)s->distance);

		if (lines > 0)
			out[count++] = (struct one){kind, log2((double)s->distance),
						    (double)s->lines / lines};
	}
	qsort(out, count, sizeof(*out), by_kind);
	return count;
}

struct range {
	size_t first, end;
};

static uint64_t node_of(double distance)
{
	return (model_number_bits(fmax(1, distance)) >> 49) - 1023ull * NODES_OCTAVE;
}

/* Where the node begins, in octaves. */
static double node_begin(unsigned node)
{
	return node / NODES_OCTAVE + log2(1 + (double)(node % NODES_OCTAVE) / NODES_OCTAVE);
}

/*
 * Those between the node's bounds, and the nearest to its middle until there are enough. `at` lies
 * before the middle.
 */
static struct range nearest(const struct one *c, size_t count, unsigned node, size_t at)
{
	double middle = (node_begin(node) + node_begin(node + 1)) / 2,
	       half = node_begin(node + 1) - middle;
	struct range r;

	while (at < count && c[at].octaves < middle)
		at++;
	r = (struct range){at, at};
	for (;;) {
		double below = r.first > 0 ? middle - c[r.first - 1].octaves : INFINITY;
		double above = r.end < count ? c[r.end].octaves - middle : INFINITY;

		if (fmin(below, above) > (r.end - r.first < MOST ? REACH : half))
			return r;
		if (below < above)
			r.first--;
		else
			r.end++;
	}
}

/*
 * Fills nodes from these, which are by distance; their factors go to m->factors, of which *used and
 * *room are known.
 */
static int fill_nodes(struct model *m, const struct one *c, size_t count,
		      struct counted_node *nodes, size_t *used, size_t *room)
{
	size_t at = 0;

	for (unsigned node = 0; node < COUNTED_NODES; node++) {
		struct range r = nearest(c, count, node, at);
		size_t n = r.end - r.first;

		at = r.first;
		if (*used + n > *room) {
			size_t wanted = 2 * (*used + n);
			double *factors = realloc(m->factors, wanted * sizeof(*factors));

			if (factors == NULL)
				return -1;
			m->factors = factors;
			*room = wanted;
		}
		for (size_t i = 0; i < n; i++)
			m->factors[*used + i] = c[r.first + i].factor;
		if (n > 1)
			qsort(m->factors + *used, n, sizeof(*m->factors), by_size);
		nodes[node] = (struct counted_node){*used, n};
		*used += n;
	}
	return 0;
}

int counted_measure(struct model *m, const struct model_input *in)
{
	struct one *all = calloc(in->stack_count + 1, sizeof(*all));
	size_t count, used = 0, room = 0;
	int ret = -1;

	m->counted = calloc((m->kind_count + 1) * COUNTED_NODES, sizeof(*m->counted));
	if (all == NULL || m->counted == NULL)
		goto out;
	count = gather(m, in, all);
	for (size_t k = 0, first = 0, end = 0; k < m->kind_count; k++, first = end) {
		m->kinds[k].counted = m->counted + (k + 1) * COUNTED_NODES;
		while (end < count && all[end].kind == k)
			end++;
		if (fill_nodes(m, all + first, end - first, m->kinds[k].counted, &used, &room) != 0)
			goto out;
	}
	qsort(all, count, sizeof(*all), by_distance);
	ret = fill_nodes(m, all, count, m->counted, &used, &room);
out:
	free(all);
	return ret;
}

struct counted counted_at(const struct model *m, const struct kind *k, double distance)
{
	uint64_t node = node_of(distance);
	const struct counted_node *own, *all;

	if (m->counted == NULL || node >= COUNTED_NODES || m->counted[node].count < LEAST)
		return (struct counted){0};
	own = &k->counted[node];
	all = &m->counted[node];
	return (struct counted){m->factors + own->first, m->factors + all->first, own->count,
				all->count};
}

/* The share of the factors that are `least` or more. */
static double share_from(const double *factors, size_t count, double least)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (factors[middle] < least)
			low = middle + 1;
		else
			high = middle;
	}
	return count > 0 ? (double)(count - low) / (double)count : 0;
}

/* A kind's own beside all. */
static double blend(const struct counted *c, double own, double all)
{
	double count = (double)c->own_count;

	return (count * own + OTHERS * all) / (count + OTHERS);
}

double counted_miss(const struct counted *c, double ways, double lines)
{
	double least = ways / lines;

	return blend(c, share_from(c->own, c->own_count, least),
		     share_from(c->all, c->all_count, least));
}

static double mean_miss(const double *factors, size_t count, const struct sets_table *sets,
			double lines)
{
	size_t parts = count < SET_PARTS ? count : SET_PARTS;
	double sum = 0;

	for (size_t i = 0; i < parts; i++)
		sum += sets_table_miss(sets, lines * factors[(2 * i + 1) * count / (2 * parts)]);
	return parts > 0 ? sum / (double)parts : 0;
}

double counted_sets_miss(const struct counted *c, const struct sets_table *sets, double lines)
{
	if (c->all_count == 0)
		return sets_table_miss(sets, lines);
	return blend(c, mean_miss(c->own, c->own_count, sets, lines),
		     mean_miss(c->all, c->all_count, sets, lines));
}
