/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The 95 % interval from the scatter of the groups, which are independent looks at the run. */
#include <math.h>

#include "model/parts.h"

/*
 * with 1, traces of two phases were covered a percent less often than without kinds; with this, two
 * more
 */
#define HIDDEN 2.0

/* Student's t, 97.5 %: exact where the series below is not good to three digits. */
static const double small_quantiles[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469};

double model_student_quantile(size_t df)
{
	const double z = 1.959964, n = (double)df;

	if (df <= sizeof(small_quantiles) / sizeof(small_quantiles[0]))
		return small_quantiles[df - 1];
	/* Cornish and Fisher's expansion around the normal quantile. */
	return z + (pow(z, 3) + z) / (4 * n) +
	       (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * n * n) +
	       (3 * pow(z, 7) + 19 * pow(z, 5) + 17 * pow(z, 3) - 15 * z) / (384 * n * n * n);
}

/*
 * Groups of a kind have one survival, so that their distances from the mean no longer show what the
 * luck of the samples, and the equation next to a cliff, did to each.
 */
double interval_chance(const struct group *group, double ratio)
{
	return (group->has_kin ? HIDDEN : 1) * MODEL_CLUSTERS * ratio * (1 - ratio) /
	       fmax(1, (double)group->count);
}

double interval_mean(const struct model *m, const double *ratios)
{
	double sum = 0;

	for (size_t g = 0; g < m->group_count; g++)
		sum += m->groups[g].share * ratios[g];
	return fmin(1, sum);
}

/*
 * Each window was a look of its own at the run, so that a group's distance from the mean is that
 * of all its windows: phases that last are met by about as many windows as they should be. How far
 * the windows of a group are apart is not known any more, but what the choice of samples does.
 * What lies inside of windows was seen, and no other windows would have shown it otherwise: chance
 * is in the rest alone (the finite population correction of survey sampling).
 */
double interval_half_width(const struct model *m, const double *ratios, double centre)
{
	double sum = 0, windows = 0;

	for (size_t g = 0; g < m->group_count; g++) {
		const struct group *group = &m->groups[g];
		double d = ratios[g] - centre, looks = fmax(1, (double)group->windows);

		windows += looks;
		sum += group->share * group->share *
		       (d * d / looks * group->outside + interval_chance(group, ratios[g]));
	}
	if (windows < 2)
		return 1;
	return model_student_quantile((size_t)windows - 1) * sqrt(windows / (windows - 1) * sum);
}
