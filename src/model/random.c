/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * StatCache: the miss ratio R of a fully associative cache of L lines with
 * random replacement. A line survives n evictions with (1 - 1/L)^n, and a reuse
 * distance of d accesses contains d R misses, so
 *
 *	R = cold + sum over reuses of mass * f(d R),   f(n) = 1 - (1 - 1/L)^n
 *
 * which is solved per group, in the order of the run. What a group did not see itself are first
 * touches, and reuses from far (beyond.c): the misses on their way are known by then. The
 * first L misses fill the cache and evict nothing.
 */
#include "model/beyond.h"

#include <math.h>
#include <string.h>

#define MAX_STEPS    60
#define MAX_FILLINGS 6 /* of a cache that becomes full within a group */
#define BURST_STEPS  4
#define BURST_CLOSE  0.01
#define NO_SCATTER   0.01
#define SELDOM	     1e-3 /* miss: what they meet makes nothing of it */
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

/* The equation of one group: its own pieces first, then those beyond. */
struct system {
	struct pieces p;
	size_t own_count;
	const double *own_x; /* before anything is made of them */
	struct equation e;
};

/*
 * The group's `far` mass: reuses that come from before what it has seen, in the shares of
 * the pool. Of their distance, the part in this group passes at its own ratio; what they
 * met before is known. None can come from before the run.
 */
static void add_far(struct system *s, const struct beyond *b, const struct past *p, size_t g,
		    double rate, double far)
{
	const struct group *group = &p->m->groups[g];
	double here = group_reach(p->m, g), before = group->start + here, kept = 0;
	struct far f = beyond_group(b, group, before);
	size_t i = f.first, at = g;

	if (f.total <= 0) {
		pieces_add(&s->p, f.end, far);
		return;
	}
	far /= f.total;
	s->e.constant += far * b->cold;
	for (; i < f.last && far_place(b, &f, i) < here; i++)
		pieces_add(&s->p, far_place(b, &f, i), far * b->p.mass[i]);
	for (; i < f.last; i++) {
		double from = before - far_place(b, &f, i);
		double met = p->evictions[g] - evictions_before(p, from, &at);

		kept += b->p.mass[i] * exp(-rate * met);
		s->e.constant += far * b->p.mass[i];
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

/* What random_solve knows of all groups. */
struct solver {
	const struct model *m;
	struct beyond beyond;
	struct past past;
	double lines, rate;
};

static void set_up(const struct solver *v, size_t g, struct system *s)
{
	const struct group *group = &v->m->groups[g];
	const struct survival *joined = &v->m->kinds[group->kind].joined;

	s->e = (struct equation){.x = s->p.x, .mass = s->p.mass, .constant = group->first_touches};
	memcpy(s->p.x, joined->x, joined->count * sizeof(*joined->x));
	memcpy(s->p.mass, joined->mass, joined->count * sizeof(*joined->mass));
	s->p.count = s->own_count = joined->count;
	s->own_x = joined->x;
	s->p.last_quarter = 0; /* what lies beyond stays apart */
	if (group->own.left > s->e.constant)
		add_far(s, &v->beyond, &v->past, g, v->rate, group->own.left - s->e.constant);
	s->e.count = s->p.count;
}

/* A group's reuses by octaves of their distance: how many, and how many of them miss. */
struct octaves {
	unsigned first, end; /* those there are */
	double mass[MODEL_OCTAVES], miss[MODEL_OCTAVES];
	double far; /* miss ratio of what comes from farther than the group has seen */
	double far_mass;
};

static void sum_octaves(const struct system *s, double ratio, struct octaves *o)
{
	double far = ratio, left = 1;

	*o = (struct octaves){.far = 1};
	if (s->own_count == 0)
		return;
	o->first = model_octave(s->own_x[0]);
	o->end = model_octave(s->own_x[s->own_count - 1]) + 1;
	for (size_t i = 0; i < s->own_count; i++) {
		unsigned a = model_octave(s->own_x[i]);
		double miss = s->p.mass[i] * -expm1(-s->e.rate * ratio * s->p.x[i]);

		o->mass[a] += s->p.mass[i];
		o->miss[a] += miss;
		far -= miss;
		left -= s->p.mass[i];
	}
	o->far_mass = fmax(0, left);
	if (left > 1e-6)
		o->far = fmin(1, fmax(0, far / left));
}

/*
 * What of a reuse that meets n misses on average, in units of what replaces a line, misses itself:
 * as ln P(hit).
 */
static double scattered(double n, double scatter)
{
	/* They are gamma distributed: P(hit) = (1 + n scatter)^(-1 / scatter). */
	return n * scatter > NO_SCATTER ? log1p(n * scatter) / scatter : n;
}

/* What reuses of each octave meet on their way. */
static void look_on_the_way(const struct scatter *s, const struct octaves *o,
			    struct group_result *r)
{
	double from[MODEL_OCTAVES + 1], miss[MODEL_OCTAVES + 1];

	from[o->end] = o->far_mass;
	miss[o->end] = o->far;
	for (unsigned a = o->end; a-- > 0;) {
		from[a] = from[a + 1] + o->mass[a];
		miss[a] = o->mass[a] > 0 ? o->miss[a] / o->mass[a] : 0;
	}
	for (unsigned a = o->first; a < o->end; a++) {
		struct between b = {1, 0};

		if (miss[a] > SELDOM)
			b = scatter_between(s, a, from, miss, o->end);
		r->on_the_way[a] = b.share;
		r->scatter[a] = b.scatter;
	}
}

/* Whether the group's own misses lie as the equation takes them to lie. */
static bool lie_evenly(const struct octaves *o, const struct group_result *r)
{
	for (unsigned a = o->first; a < o->end; a++)
		if (r->on_the_way[a] <= 1 - BURST_CLOSE || r->scatter[a] > NO_SCATTER)
			return false;
	return true;
}

/*
 * Solve again with the misses that reuses meet where these come in bursts. r gets what they meet.
 */
static double solve_bursts(const struct solver *v, size_t g, struct system *s, double ratio,
			   struct group_result *r)
{
	for (unsigned a = 0; a < MODEL_OCTAVES; a++) {
		r->on_the_way[a] = 1;
		r->scatter[a] = 0;
	}
	for (int step = 0; step < BURST_STEPS && ratio > 0; step++) {
		struct octaves o;
		double before = ratio, n = s->e.rate * ratio;

		sum_octaves(s, ratio, &o);
		look_on_the_way(&v->m->scatter, &o, r);
		if (step == 0 && lie_evenly(&o, r))
			break;
		for (size_t i = 0; i < s->own_count; i++) {
			unsigned a = model_octave(s->own_x[i]);
			double met = n * s->own_x[i] * r->on_the_way[a];

			s->p.x[i] = n > 0 ? scattered(met, r->scatter[a]) / n : s->own_x[i];
		}
		ratio = solve_group(s, &v->past, g, v->lines, v->rate, ratio);
		if (fabs(ratio - before) < BURST_CLOSE * before)
			break;
	}
	return ratio;
}

double group_miss(const struct group_result *r, double x)
{
	unsigned octave = model_octave(x);
	double miss;

	miss = -expm1(-scattered(r->rate * r->on_the_way[octave] * x, r->scatter[octave]));
	return miss + r->steeper * miss * (1 - miss);
}

/*
 * r->on_the_way and r->scatter are set. The equation has near distances as one, the shares are of
 * each: what they differ by goes to those that may miss or not, so that the sum is the group's
 * ratio.
 */
static void report_group(const struct group *g, const struct system *s, double ratio,
			 struct group_result *r)
{
	double joined = 0, apart = 0, open = 0;

	r->is_lru = false;
	r->steeper = 0;
	r->rate = s->e.rate * ratio;
	for (size_t i = 0; i < s->own_count; i++)
		joined += s->p.mass[i] * -expm1(-r->rate * s->p.x[i]);
	for (size_t i = 0; i < g->own.count; i++) {
		double miss = group_miss(r, g->own.x[i]);

		apart += g->own.mass[i] * miss;
		open += g->own.mass[i] * miss * (1 - miss);
	}
	r->unresolved = fmin(g->own.left, fmax(0, ratio - joined));
	if (open > 0)
		r->steeper = fmin(1, fmax(-1, (ratio - r->unresolved - apart) / open));
}

void random_solve(const struct model *m, double lines, enum tail_kind kind, double *ratios,
		  struct group_result *results)
{
	struct solver v = {
		.m = m, .past = {m, m->evictions, 0}, .lines = lines, .rate = random_rate(lines)};
	struct system s;

	beyond_set_up(m, &m->tails[kind], false, &v.beyond);
	m->evictions[0] = 0;
	for (size_t g = 0; g < m->group_count; g++) {
		struct group_result r;

		set_up(&v, g, &s);
		ratios[g] = solve_group(&s, &v.past, g, lines, v.rate, ratios[g]);
		ratios[g] = solve_bursts(&v, g, &s, ratios[g], &r);
		v.past.misses += ratios[g] * group_length(m, g);
		m->evictions[g + 1] = fmax(0, v.past.misses - lines);
		if (results == NULL)
			continue;
		report_group(&m->groups[g], &s, ratios[g], &r);
		results[g] = r;
	}
}
