/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The answer for one cache size: point, bounds, and the 95 % interval from the
 * scatter of the groups, which are independent looks at the run.
 */
#include <math.h>
#include <string.h>

#include "model/parts.h"

typedef void solver(const struct model *m, double lines, enum tail_kind kind, double *ratios);

static void solve_random(const struct model *m, double lines, enum tail_kind kind, double *ratios)
{
	random_solve(m, lines, kind, ratios, NULL);
}

static void solve_lru(const struct model *m, double lines, enum tail_kind kind, double *ratios)
{
	lru_solve(m, lines, kind, ratios, NULL);
}

static solver *const solvers[] = {
	[MODEL_RANDOM] = solve_random,
	[MODEL_LRU] = solve_lru,
};

/* Student's t, 97.5 %: exact where the series below is not good to three digits. */
static const double small_quantiles[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469};

double student_quantile(size_t df)
{
	const double z = 1.959964, n = (double)df;

	if (df <= sizeof(small_quantiles) / sizeof(small_quantiles[0]))
		return small_quantiles[df - 1];
	/* Cornish and Fisher's expansion around the normal quantile. */
	return z + (pow(z, 3) + z) / (4 * n) +
	       (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * n * n) +
	       (3 * pow(z, 7) + 19 * pow(z, 5) + 17 * pow(z, 3) - 15 * z) / (384 * n * n * n);
}

static double mean(const struct model *m, const double *ratios)
{
	double sum = 0;

	for (size_t g = 0; g < m->group_count; g++)
		sum += m->groups[g].share * ratios[g];
	return fmin(1, sum);
}

/*
 * Half the width that chance gives to the groups' mean; 1 when there is no telling. Each window
 * was a look of its own at the run, so that a group's distance from the mean is that of all its
 * windows: phases that last are met by about as many windows as they should be. How far the
 * windows of a group are apart is not known any more, but what the choice of samples does.
 */
static double half_width(const struct model *m, const double *ratios, double centre)
{
	double sum = 0, windows = 0;

	for (size_t g = 0; g < m->group_count; g++) {
		const struct group *group = &m->groups[g];
		double d = ratios[g] - centre, looks = fmax(1, (double)group->windows);
		double chance = ratios[g] * (1 - ratios[g]) / fmax(1, (double)group->count);

		windows += looks;
		sum += group->share * group->share * (d * d / looks + MODEL_CLUSTERS * chance);
	}
	if (windows < 2)
		return 1;
	return student_quantile((size_t)windows - 1) * sqrt(windows / (windows - 1) * sum);
}

void model_solve(struct model *m, enum model_policy policy, uint64_t lines, struct model_ratio *out)
{
	double *ratios = m->scratch, widen;

	*out = (struct model_ratio){.high = m->touches, .bound_high = m->touches};
	if (m->sample_count == 0)
		return;
	out->known = true;
	if (lines == 0) {
		*out = (struct model_ratio){m->touches, m->touches, m->touches,
					    m->touches, m->touches, true};
		return;
	}
	memset(ratios, 0, m->group_count * sizeof(*ratios));
	solvers[policy](m, (double)lines, TAIL_SPREAD, ratios);
	out->ratio = mean(m, ratios);
	solvers[policy](m, (double)lines, TAIL_NEAR, ratios);
	out->bound_low = mean(m, ratios);
	out->low = out->bound_low - half_width(m, ratios, out->bound_low);
	solvers[policy](m, (double)lines, TAIL_FAR, ratios);
	out->bound_high = mean(m, ratios);
	out->high = out->bound_high + half_width(m, ratios, out->bound_high);
	if (!m->has_footprint)
		out->ratio = (out->bound_low + out->bound_high) / 2;
	widen = fmax(MODEL_ERROR_ABSOLUTE, MODEL_ERROR_RELATIVE * out->ratio);
	out->low = m->touches * fmax(0, fmin(out->low, out->ratio) - widen);
	out->high = m->touches * fmin(1, fmax(out->high, out->ratio) + widen);
	out->ratio *= m->touches;
	out->bound_low *= m->touches;
	out->bound_high *= m->touches;
}

void model_resolve(const struct model *m, struct model_resolution *out)
{
	*out = (struct model_resolution){
		.distance = m->pool.end_x / m->touches,
		.lines = survival_integral(&m->pool),
		.unresolved = m->pool.left * m->touches,
		.cold = m->has_footprint ? m->tails[TAIL_SPREAD].cold * m->touches
					: m->pool.left * m->touches,
		.groups = m->sample_count > 0 ? m->group_count : 0,
	};
}
