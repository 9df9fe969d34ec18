/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The answer for one cache: point, bounds, and the 95 % interval. */
#include <math.h>
#include <string.h>

#include "model/parts.h"

#define BOOTSTRAP_SEED 1

/* Of the policy's cache, the miss ratio of each group. */
static void solve_random(struct model *m, const struct sets *sets, enum tail_kind kind,
			 double *ratios)
{
	double lines[MODEL_SETS_NODES], weight[MODEL_SETS_NODES];
	double *node = m->scratch + m->group_count;
	unsigned nodes;

	if (sets->sets <= 1) {
		random_solve(m, sets->ways, kind, ratios, NULL);
		return;
	}
	if (sets->ways <= 1) { /* nothing to choose */
		lru_solve(m, sets, kind, ratios, NULL);
		return;
	}
	nodes = sets_nodes(sets, lines, weight);
	for (size_t g = 0; g < m->group_count; g++) {
		node[g] = ratios[g];
		ratios[g] = 0;
	}
	for (unsigned k = 0; k < nodes; k++) {
		random_solve(m, lines[k], kind, node, NULL);
		for (size_t g = 0; g < m->group_count; g++)
			ratios[g] += weight[k] * node[g];
	}
}

static void solve_lru(struct model *m, const struct sets *sets, enum tail_kind kind, double *ratios)
{
	lru_solve(m, sets, kind, ratios, NULL);
}

static void (*const solvers[])(struct model *m, const struct sets *sets, enum tail_kind kind,
			       double *ratios) = {
	[MODEL_RANDOM] = solve_random,
	[MODEL_LRU] = solve_lru,
};

/* The lower or upper end of the interval around `centre`, the mean of the ratios. */
static double interval_end(const struct model *m, const double *ratios, double centre, bool upper)
{
	double low, high, half;

	if (m->interval == MODEL_BOOTSTRAP &&
	    bootstrap_interval(m, ratios, centre, BOOTSTRAP_SEED, &low, &high) == 0)
		return upper ? high : low;
	half = interval_half_width(m, ratios, centre);
	return upper ? centre + half : centre - half;
}

void model_set_interval(struct model *m, enum model_interval kind)
{
	m->interval = kind;
}

void model_solve(struct model *m, enum model_policy policy, uint64_t lines, struct model_ratio *out)
{
	model_solve_cache(m, policy, &(struct model_cache){lines, 0}, out);
}

void solve_init_sets(struct sets *s, const struct model_cache *cache)
{
	uint64_t whole = cache->ways > 0 && cache->ways < cache->lines ? cache->ways : cache->lines;

	sets_init(s, (double)cache->lines / (double)whole, (double)whole);
}

static double solve_tail(struct model *m, enum model_policy policy, const struct sets *sets,
			 enum tail_kind kind)
{
	solvers[policy](m, sets, kind, m->scratch);
	return interval_mean(m, m->scratch);
}

double solve_point(struct model *m, enum model_policy policy, const struct model_cache *cache)
{
	struct sets sets;

	solve_init_sets(&sets, cache);
	memset(m->scratch, 0, m->group_count * sizeof(*m->scratch));
	if (m->has_footprint)
		return solve_tail(m, policy, &sets, TAIL_SPREAD);
	return (solve_tail(m, policy, &sets, TAIL_NEAR) + solve_tail(m, policy, &sets, TAIL_FAR)) /
	       2;
}

static void multiply(struct model_ratio *r, double factor)
{
	r->ratio = fmin(1, r->ratio * factor);
	r->low = fmin(1, r->low * factor);
	r->high = fmin(1, r->high * factor);
	r->bound_low = fmin(1, r->bound_low * factor);
	r->bound_high = fmin(1, r->bound_high * factor);
}

void model_solve_cache(struct model *m, enum model_policy policy, const struct model_cache *cache,
		       struct model_ratio *out)
{
	struct sets sets;
	double *ratios = m->scratch, widen;

	*out = (struct model_ratio){.high = 1, .bound_high = 1};
	if (m->sample_count == 0)
		return;
	out->known = true;
	if (cache->lines == 0) {
		*out = (struct model_ratio){1, 1, 1, 1, 1, true};
		return;
	}
	solve_init_sets(&sets, cache);
	memset(ratios, 0, m->group_count * sizeof(*ratios));
	out->ratio = solve_tail(m, policy, &sets, TAIL_SPREAD);
	out->bound_low = solve_tail(m, policy, &sets, TAIL_NEAR);
	out->low = interval_end(m, ratios, out->bound_low, false);
	out->bound_high = solve_tail(m, policy, &sets, TAIL_FAR);
	out->high = interval_end(m, ratios, out->bound_high, true);
	if (!m->has_footprint)
		out->ratio = (out->bound_low + out->bound_high) / 2;
	multiply(out, yardstick_factor(m, policy, cache));
	widen = fmax(MODEL_ERROR_ABSOLUTE, MODEL_ERROR_RELATIVE * out->ratio);
	out->low = fmax(0, fmin(out->low, out->ratio) - widen);
	out->high = fmin(1, fmax(out->high, out->ratio) + widen);
}

void model_resolve(const struct model *m, struct model_resolution *out)
{
	*out = (struct model_resolution){
		.distance = m->pool.end_x / m->touches,
		.lines = survival_integral(&m->pool),
		.unresolved = m->pool.left,
		.cold = m->has_footprint ? m->tails[TAIL_SPREAD].cold : m->pool.left,
		.groups = m->sample_count > 0 ? m->group_count : 0,
	};
}
