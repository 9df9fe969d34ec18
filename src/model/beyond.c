/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a group has not seen itself. In any stretch of accesses as many have no predecessor as have
 * no successor, namely one for each line in it. So the mass that a group leaves unresolved looking
 * forward is that of the accesses that come from before looking back: some of them are
 * first touches, which the growth of the footprint tells; the others are reuses from far,
 * with the distances of the pool.
 */
#include "model/beyond.h"

#include <math.h>
#include <string.h>

void pieces_add(struct pieces *p, double x, double mass)
{
	uint64_t quarter = model_number_bits(x) >> 50;
	size_t last = p->count - 1;

	if (p->count == 0 || quarter != p->last_quarter || x < 16) {
		p->last_quarter = quarter;
		p->x[p->count] = x;
		p->mass[p->count++] = mass;
		return;
	}
	p->mass[last] += mass;
	p->x[last] += (x - p->x[last]) * mass / p->mass[last];
}

void pieces_join(const struct survival *own, double *x, double *mass, struct survival *out)
{
	struct pieces p = {.count = 0};

	for (size_t i = 0; i < own->count; i++)
		pieces_add(&p, own->x[i], own->mass[i]);
	memcpy(x, p.x, p.count * sizeof(*x));
	memcpy(mass, p.mass, p.count * sizeof(*mass));
	*out = *own;
	out->x = x;
	out->mass = mass;
	out->count = p.count;
}

void beyond_set_up(const struct model *m, const struct tail *t, bool apart, struct beyond *b)
{
	b->p.count = 0;
	for (size_t i = 0; i < m->pool.count; i++)
		pieces_add(&b->p, m->pool.x[i], m->pool.mass[i]);
	b->pool_count = b->p.count;
	for (size_t i = 0; i < t->count; i++) {
		if (i == 0 || apart)
			b->p.last_quarter = 0;
		pieces_add(&b->p, t->x[i], t->mass);
	}
	b->cold = m->has_footprint ? 0 : t->cold;
}

/* The first piece beyond x. */
static size_t find(const struct beyond *b, double x)
{
	size_t low = 0, high = b->pool_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (b->p.x[middle] > x)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

struct far beyond_group(const struct beyond *b, const struct group *group, double before)
{
	struct far f = {.end = group->own.end_x, .total = b->cold};

	f.first = f.last = find(b, f.end);
	while (f.last < b->p.count && (f.last == f.first || far_place(b, &f, f.last) < before))
		f.total += b->p.mass[f.last++];
	return f;
}

double group_reach(const struct model *m, size_t g)
{
	const struct group *group = &m->groups[g];
	double between = 1 - 0.5 / (double)group->windows;

	return fmax(group->own.end_x, between * group_length(m, g) / 2);
}
