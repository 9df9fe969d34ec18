/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sharing out a miss ratio among the samples behind it. The mass that a
 * product-limit estimate gives to a bin belongs to the reuses in it; what is left
 * at its end belongs to the watches that ended before, each with the chance that
 * its reuse lies beyond the end (of the group, and by its place: places.c), and to the few
 * samples past it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/parts.h"

struct split {
	const struct model *m;
	const struct group *group;
	const struct group_result *result;
	double factor; /* of this pass */
	struct model_share *shares;
};

/* Samples of the group from `at` on that are in one bin; *reused gets the weight of the reuses. */
static size_t bin_end(const struct split *s, size_t at, double *reused)
{
	const struct model *m = s->m;
	const uint32_t *sorted = m->sorted + s->group->first;
	size_t end = at;

	*reused = 0;
	for (; end < s->group->count && m->bin[sorted[end]] == m->bin[sorted[at]]; end++)
		if (m->reused[sorted[end]])
			*reused += m->weight[sorted[end]];
	return end;
}

/* Hand a piece of the group's survival to the reuses of its bin. */
static void share_piece(struct split *s, size_t from, size_t to, double mass, double reused)
{
	const struct model *m = s->m;
	const uint32_t *sorted = m->sorted + s->group->first;
	double x = m->bin_x[m->bin[sorted[from]]];
	double miss = group_miss(s->result, x);

	for (size_t i = from; i < to; i++) {
		double share;

		if (!m->reused[sorted[i]])
			continue;
		share = s->factor * s->group->share * mass * m->weight[sorted[i]] / reused;
		s->shares[sorted[i]].accesses += share;
		s->shares[sorted[i]].misses += share * miss;
	}
}

/* One group. `chance` has room for its samples. */
static void share_group(struct split *s, double *chance)
{
	const struct model *m = s->m;
	const struct survival *own = &s->group->own;
	const uint32_t *sorted = m->sorted + s->group->first;
	double left = 1, total = 0, weight = s->group->weight;
	size_t piece = 0;

	for (size_t i = 0; i < s->group->count; i++)
		s->shares[sorted[i]].begins +=
			s->factor * s->group->share * m->weight[sorted[i]] / weight;
	for (size_t at = 0, end; at < s->group->count; at = end) {
		double reused, x = m->bin_x[m->bin[sorted[at]]];
		bool seen = x <= own->end_x && (own->end_x > 0 || own->count > 0);

		end = bin_end(s, at, &reused);
		if (seen && reused > 0 && piece < own->count) {
			share_piece(s, at, end, own->mass[piece], reused);
			left -= own->mass[piece++];
		}
		for (size_t i = at; i < end; i++) {
			bool open = !seen || !m->reused[sorted[i]];

			chance[i] = open ? m->weight[sorted[i]] / fmax(left, own->left) : 0;
			if (seen)
				chance[i] *= m->open_weight[sorted[i]];
			total += chance[i];
		}
	}
	if (own->left <= 0 || total <= 0)
		return;
	for (size_t i = 0; i < s->group->count; i++) {
		double share = s->factor * s->group->share * chance[i] / total;

		s->shares[sorted[i]].accesses += share * own->left;
		s->shares[sorted[i]].misses += share * s->result->unresolved;
	}
}

static int share_all(const struct model *m, enum model_policy policy, double lines,
		     enum tail_kind kind, double factor, struct model_share *shares)
{
	double *ratios = calloc(m->group_count + m->sample_count + 1, sizeof(*ratios));
	struct group_result *results = calloc(m->group_count + 1, sizeof(*results));
	struct sets one;
	int ret = -1;

	if (ratios == NULL || results == NULL)
		goto out;
	sets_init(&one, 1, lines);
	if (policy == MODEL_LRU)
		lru_solve(m, &one, kind, ratios, results);
	else
		random_solve(m, lines, kind, ratios, results);
	for (size_t g = 0; g < m->group_count; g++) {
		struct split s = {m, &m->groups[g], &results[g], factor, shares};

		share_group(&s, ratios + m->group_count);
	}
	ret = 0;
out:
	free(ratios);
	free(results);
	return ret;
}

int model_attribute_policy(const struct model *m, enum model_policy policy, uint64_t lines,
			   struct model_share *shares, struct err *err)
{
	double factor;
	int ret;

	if (m->sample_count == 0)
		return 0;
	memset(shares, 0, m->sample_count * sizeof(*shares));
	if (lines == 0)
		lines = 1;
	if (m->has_footprint)
		ret = share_all(m, policy, (double)lines, TAIL_SPREAD, 1, shares);
	else if ((ret = share_all(m, policy, (double)lines, TAIL_NEAR, 0.5, shares)) == 0)
		ret = share_all(m, policy, (double)lines, TAIL_FAR, 0.5, shares);
	if (ret != 0)
		return err_set(err, "not enough memory for %zu samples", m->sample_count);
	factor = yardstick_factor(m, policy, &(struct model_cache){lines, 0});
	/* So far of touches; of an access that makes several they are the accesses' part. */
	for (size_t i = 0; i < m->sample_count; i++) {
		shares[i].misses *= m->touches / m->lines[i];
		shares[i].accesses *= m->touches / m->lines[i];
		shares[i].misses = fmin(shares[i].accesses, factor * shares[i].misses);
		shares[i].begins *= m->touches / m->lines[i];
	}
	return 0;
}

int model_attribute(const struct model *m, uint64_t lines, struct model_share *shares,
		    struct err *err)
{
	return model_attribute_policy(m, MODEL_RANDOM, lines, shares, err);
}
