/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * StatCache: the miss ratio R of a fully associative cache of L lines with
 * random replacement. A line survives n evictions with (1 - 1/L)^n, and a reuse
 * distance of d accesses contains d R misses, so
 *
 *	R = cold + sum over reuses of mass * f(d R),   f(n) = 1 - (1 - 1/L)^n
 *
 * which is solved per group, in the order of the run. For what a group did not see
 * itself: in any stretch of accesses as many have no predecessor as have no successor,
 * namely one for each line in it. So the mass that a group leaves unresolved looking
 * forward is that of the accesses that come from before looking back: some of them are
 * first touches, which the growth of the footprint tells; the others are reuses from far,
 * with the distances of the pool, and the misses on their way are known by then. The
 * first L misses fill the cache and evict nothing.
 */
#include "model/parts.h"

#include <math.h>

#define MAX_STEPS    60
#define MAX_FILLINGS 6	  /* of a cache that becomes full within a group */
#define START_MIN    1e-3 /* nearer to 0, which can be a root itself, rounding would decide */

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
		if (fabs(next - ratio) <= 1e-7 * next + 1e-15)
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

/*
 * What has happened up to the group that is being solved. Misses by the end of each
 * group; a cache that is not full yet evicts nothing, so evictions are what of them goes
 * beyond the cache's lines.
 */
struct past {
	const struct model *m;
	double *evictions; /* group_count + 1, by the beginning of each group */
	double misses;
};

static double group_length(const struct model *m, size_t g)
{
	return m->groups[g].weight * m->accesses;
}

/* Evictions before `position`, which lies before group *g; *g moves back, for the next call. */
static double evictions_before(const struct past *p, double position, size_t *g)
{
	const struct group *group;
	double share;

	if (position <= 0)
		return 0;
	while (*g > 0 && position < p->m->groups[*g].start)
		--*g;
	group = &p->m->groups[*g];
	share = (position - group->start) / fmax(1, group_length(p->m, *g));
	return p->evictions[*g] + fmin(1, share) * (p->evictions[*g + 1] - p->evictions[*g]);
}

/* All that lies beyond what a group has seen: the pool's pieces, the tail, what never comes back. */
struct beyond {
	double x[MODEL_PIECES], mass[MODEL_PIECES];
	size_t count, pool_count;
	double cold;
};

static size_t find_beyond(const struct beyond *b, double x)
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

/* The equation of one group, own pieces and those beyond. */
struct system {
	double x[2 * MODEL_PIECES], mass[2 * MODEL_PIECES];
	struct equation e;
};

static void add_piece(struct system *s, double x, double mass)
{
	s->x[s->e.count] = x;
	s->mass[s->e.count++] = mass;
}

/*
 * The group's `far` mass: reuses that come from before what it has seen, in the shares of
 * the pool. Of their distance, the part in this group passes at its own ratio; what they
 * met before is known. None can come from before the run.
 */
static void add_far(struct system *s, const struct beyond *b, const struct past *p, size_t g,
		    double rate, double far)
{
	const struct group *group = &p->m->groups[g];
	double end = group->own.end_x, total = b->cold, kept = 0;
	double here = fmax(end, group_length(p->m, g) / 2), before = group->start + here;
	size_t first = find_beyond(b, end), last = first, at = g;

	while (last < b->count && (last == first || b->x[last] < before))
		total += b->mass[last++];
	if (total <= 0) { /* the pool knows of nothing so far away */
		add_piece(s, end, far);
		return;
	}
	far /= total;
	s->e.constant += far * b->cold;
	for (; first < last && b->x[first] < here; first++)
		/* A group may have seen farther than the pool: tail pieces before its end lie there. */
		add_piece(s, fmax(end, b->x[first]), far * b->mass[first]);
	for (; first < last; first++) {
		double met = p->evictions[g] - evictions_before(p, before - b->x[first], &at);

		kept += b->mass[first] * exp(-rate * met);
		s->e.constant += far * b->mass[first];
	}
	s->e.constant -= far * kept;
	s->e.extra_x = here;
	s->e.extra_mass = far * kept;
}

/* Of `misses` in a group, the share that evicts. A hair of slack, for the rounding of sums. */
static double evicting(const struct past *p, double misses, double lines)
{
	double full = p->misses + misses - lines;

	if (p->misses > lines * (1 + 1e-9))
		return 1;
	return full > lines * 1e-9 ? full / misses : 0;
}

/*
 * A cache may become full within the group. One that holds all of the program never is, and
 * has no misses but first touches, though the equation may have a root farther up.
 */
static double solve_group(struct system *s, const struct past *p, size_t g, double lines,
			  double rate, double start)
{
	double length = group_length(p->m, g), share = -1;
	bool fits = p->m->has_footprint && p->m->last_lines <= lines;
	double ratio = fits ? s->e.constant : 1;

	for (int i = 0; i < MAX_FILLINGS; i++) {
		double now = evicting(p, ratio * length, lines);

		if (fabs(now - share) < 1e-3)
			break;
		share = now;
		s->e.rate = rate * share;
		ratio = solve(&s->e, i == 0 && start > 0 ? start : 1);
	}
	return ratio;
}

void random_solve(const struct model *m, double lines, enum tail_kind kind, double *ratios,
		  struct group_result *results)
{
	const struct tail *tail = &m->tails[kind];
	struct past p = {m, m->evictions, 0};
	struct beyond b = {.pool_count = m->pool.count};
	double rate = random_rate(lines);
	struct system s;

	b.count = join_tail(m, tail, b.x, b.mass);
	b.cold = m->has_footprint ? 0 : tail->cold;
	p.evictions[0] = 0;
	for (size_t g = 0; g < m->group_count; g++) {
		const struct survival *own = &m->groups[g].own;

		s.e = (struct equation){
			.x = s.x, .mass = s.mass, .constant = m->groups[g].first_touches};
		for (size_t i = 0; i < own->count; i++)
			add_piece(&s, own->x[i], own->mass[i]);
		if (own->left > s.e.constant)
			add_far(&s, &b, &p, g, rate, own->left - s.e.constant);
		ratios[g] = solve_group(&s, &p, g, lines, rate, ratios[g]);
		p.misses += ratios[g] * group_length(m, g);
		p.evictions[g + 1] = fmax(0, p.misses - lines);
		if (results == NULL)
			continue;
		results[g] = (struct group_result){s.e.rate * ratios[g], ratios[g]};
		for (size_t i = 0; i < own->count; i++)
			results[g].unresolved -=
				own->mass[i] * -expm1(-results[g].rate * own->x[i]);
	}
}
