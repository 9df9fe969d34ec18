/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ratio estimation: what a choice of the samples says, by what is known of all of them. */
#include <math.h>

#include "model/parts.h"

#define MOST  2.0  /* the luck of a choice is not that large */
#define LEAST 1e-6 /* ratios below say nothing about luck */

void model_set_yardstick(struct model *m, struct model *all, struct model *chosen,
			 double line_ratio, double trust)
{
	m->all = all;
	m->chosen = chosen;
	m->line_ratio = line_ratio;
	m->trust = trust;
}

/*
 * The cache of as many bytes and ways, of the yardstick's lines; one set of all lines stays that.
 */
static struct model_cache same_bytes(const struct model *m, const struct model_cache *cache)
{
	double lines = fmax(1, nearbyint((double)cache->lines / m->line_ratio));

	return (struct model_cache){(uint64_t)lines, cache->ways < cache->lines ? cache->ways : 0};
}

double yardstick_factor(const struct model *m, enum model_policy policy,
			const struct model_cache *cache)
{
	struct model_cache same;
	double all, chosen;

	if (m->all == NULL || cache->lines == 0 || m->all->sample_count == 0 ||
	    m->chosen->sample_count == 0)
		return 1;
	same = same_bytes(m, cache);
	all = solve_point(m->all, policy, &same);
	chosen = solve_point(m->chosen, policy, &same);
	if (all < LEAST || chosen < LEAST)
		return 1;
	return pow(fmin(MOST, fmax(1 / MOST, all / chosen)), m->trust);
}
