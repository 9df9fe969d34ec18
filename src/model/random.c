/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * StatCache: the miss ratio R of a fully associative cache of L lines with
 * random replacement. A line survives n misses with (1 - 1/L)^n, and a reuse
 * distance of d accesses contains d R misses, so
 *
 *	R = cold + sum over reuses of mass * f(d R),   f(n) = 1 - (1 - 1/L)^n
 *
 * which is solved per group. What a group did not see itself is taken from the
 * pool: distances beyond its own end x_g, passed at the group's miss ratio up to
 * x_g and at the pool's from there on.
 */
#include "model/parts.h"

#include <math.h>

#define MAX_STEPS 60
#define START_MIN 1e-3 /* nearer to 0, which can be a root itself, rounding would decide */

/* a + sum of mass_i (1 - exp(-rate x_i R)) + one more such piece, as a function of R. */
struct equation {
	const double *x, *mass;
	size_t count;
	double rate;
	double constant;
	double extra_x, extra_mass;
};

double random_rate(double lines)
{
	/* A single line survives nothing: so steep that any positive number is infinite. */
	if (lines <= 1)
		return 1e200;
	return -log1p(-1 / lines);
}

/* Value and slope at ratio. */
static double evaluate(const struct equation *e, double ratio, double *slope)
{
	double k = e->rate * ratio, sum = e->constant, steep = 0;

	for (size_t i = 0; i < e->count; i++) {
		double kept = e->mass[i] * exp(-k * e->x[i]);

		sum += e->mass[i] - kept;
		steep += kept * e->x[i];
	}
	if (e->extra_mass > 0) {
		double kept = e->extra_mass * exp(-k * e->extra_x);

		sum += e->extra_mass - kept;
		steep += kept * e->extra_x;
	}
	*slope = e->rate * steep;
	return sum;
}

/* The slope at 0 decides whether there is a root above 0 when 0 is one itself. */
static bool only_root_is_zero(const struct equation *e)
{
	double steep = e->extra_mass * e->extra_x;

	if (e->constant > 0)
		return false;
	for (size_t i = 0; i < e->count; i++)
		steep += e->mass[i] * e->x[i];
	return e->rate * steep <= 1;
}

/*
 * The largest root of e(R) = R in [0, 1]. The difference is concave, so Newton
 * steps from the right of the root stay there and only fall. A start on its left
 * is carried over to the right by its first step, or begins again at 1.
 */
static double solve(const struct equation *e, double start)
{
	double ratio = fmax(start, START_MIN);

	if (only_root_is_zero(e))
		return 0;
	for (int i = 0; i < MAX_STEPS; i++) {
		double slope, excess = evaluate(e, ratio, &slope) - ratio, next;

		if (i == 0 && excess > 0 && slope > 0.9) {
			ratio = 1;
			continue;
		}
		if (slope >= 1)
			return ratio; /* rounding alone brings us here: at the double root */
		next = fmin(1, fmax(0, ratio + excess / (1 - slope)));
		if (fabs(next - ratio) <= 1e-10 * next + 1e-15)
			return next;
		ratio = next;
	}
	return ratio;
}

/* The pool's pieces and tail as one rising list. Returns its length. */
static size_t join_tail(const struct model *m, const struct tail *t, double *x, double *mass)
{
	size_t n = m->pool.count;

	for (size_t i = 0; i < n; i++) {
		x[i] = m->pool.x[i];
		mass[i] = m->pool.mass[i];
	}
	for (size_t i = 0; i < t->count; i++, n++) {
		x[n] = t->x[i];
		mass[n] = t->mass;
	}
	return n;
}

static double solve_pool(const struct model *m, enum tail_kind kind, double rate)
{
	double x[MODEL_PIECES], mass[MODEL_PIECES];
	const struct tail *t = &m->tails[kind];
	struct equation e = {.x = x, .mass = mass, .rate = rate, .constant = t->cold};

	e.count = join_tail(m, t, x, mass);
	return solve(&e, 1);
}

/*
 * What lies beyond each place of the joined list, passed at the pool's ratio:
 * kept[i] = sum over j >= i of mass_j exp(-rate (x_j - x_i) R_pool), beyond[i] =
 * sum of mass_j. Backwards, so that neither factor can overflow.
 */
struct beyond {
	double x[MODEL_PIECES], mass[MODEL_PIECES + 1], kept[MODEL_PIECES + 1];
	size_t count, pool_count;
	double rate; /* times R_pool */
};

static void beyond_init(struct beyond *b, const struct model *m, const struct tail *t, double rate)
{
	double piece[MODEL_PIECES];

	b->pool_count = m->pool.count;
	b->count = join_tail(m, t, b->x, piece);
	b->rate = rate;
	b->mass[b->count] = 0;
	b->kept[b->count] = 0;
	for (size_t i = b->count; i-- > 0;) {
		double step = i + 1 < b->count ? b->x[i + 1] - b->x[i] : 0;

		b->mass[i] = b->mass[i + 1] + piece[i];
		b->kept[i] = piece[i] + b->kept[i + 1] * exp(-rate * step);
	}
}

/* First piece of the pool beyond x; the tail is beyond any x. */
static size_t beyond_find(const struct beyond *b, double x)
{
	size_t low = 0, high = b->pool_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (b->x[middle] > x)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* The mass beyond x; *kept: what is still cached of it after passing from x at the pool's ratio. */
static double beyond_from(const struct beyond *b, double x, double *kept)
{
	size_t i = beyond_find(b, x);
	double mass = b->mass[i];

	*kept = 0;
	/* A group may have seen farther than the pool: tail pieces before x lie at x. */
	for (; i < b->count && b->x[i] <= x; i++)
		*kept += b->mass[i] - b->mass[i + 1];
	if (i < b->count)
		*kept += b->kept[i] * exp(-b->rate * (b->x[i] - x));
	return mass;
}

void random_solve(const struct model *m, double lines, enum tail_kind kind, double *ratios,
		  double *unresolved)
{
	double rate = random_rate(lines);
	double pool = solve_pool(m, kind == TAIL_NEAR ? TAIL_NEAR : TAIL_FAR, rate);
	struct beyond b;

	beyond_init(&b, m, &m->tails[kind], rate * pool);
	for (size_t g = 0; g < m->group_count; g++) {
		const struct survival *own = &m->groups[g].own;
		struct equation e = {own->x, own->mass, own->count, rate, 0, own->end_x, 0};

		if (own->left > 0) {
			double kept, mass = beyond_from(&b, own->end_x, &kept);
			double total = mass + m->tails[kind].cold;

			if (total <= 0) /* the pool knows of nothing so far away */
				kept = total = 1;
			e.constant = own->left * (total - kept) / total;
			e.extra_mass = own->left * kept / total;
		}
		ratios[g] = solve(&e, ratios[g] > 0 ? ratios[g] : pool);
		if (unresolved != NULL)
			unresolved[g] =
				e.constant + e.extra_mass * -expm1(-rate * e.extra_x * ratios[g]);
	}
}
