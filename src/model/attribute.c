/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sharing out a miss ratio among the samples behind it. The mass that a
 * product-limit estimate gives to a bin belongs to the reuses in it; what is left
 * at its end belongs to the watches that ended before, each with the chance that
 * its reuse lies beyond the end (of its kind, and by its place: places.c), and to the few
 * samples past it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/parts.h"

#define CAP_TURNS 20
#define NOTHING	  1e-9 /* of all misses */
#define HAIR	  1e-9 /* lines are the sum of many steps that are whole in theory */

struct split {
	const struct model *m;
	const struct kind *kind;
	const struct group_result *results; /* of all groups */
	const struct sets_table *sets;	    /* with LRU; NULL: fully associative */
	double factor;			    /* of this pass */
	struct model_share *shares;
	double *chance; /* of each of the kind's samples, see share_open */
};

/*
 * What a sample counts for among those of its kind: a group's share may differ from its samples'.
 */
static double weight_of(const struct split *s, uint32_t sample)
{
	const struct group *g = &s->m->groups[s->m->group_at[sample]];

	return g->weight > 0 ? s->m->weight[sample] * g->share / g->weight : 0;
}

/* Samples of the kind from `at` on that are in one bin. */
static size_t bin_end(const struct split *s, size_t at)
{
	const struct model *m = s->m;
	const uint32_t *sorted = m->sorted + s->kind->first;
	size_t end = at;

	while (end < s->kind->count && m->bin[sorted[end]] == m->bin[sorted[at]])
		end++;
	return end;
}

/* P(miss) of the reuses of one of the kind's pieces, at a distance of x, in one of its groups. */
static double piece_miss(const struct split *s, const struct group_result *r, size_t piece,
			 double x)
{
	const struct kind *k = s->kind;
	struct counted c;

	if (!r->is_lru)
		return group_miss(r, x);
	if (piece >= r->sure)
		return 1;
	c = counted_at(s->m, k, k->own.x[piece]);
	if (s->sets != NULL)
		return counted_sets_miss(&c, s->sets, k->lines[piece] * (1 + HAIR));
	return lru_miss(&c, r->ways, k->lines[piece], k->own.mass[piece]);
}

/*
 * Hand a piece of the survival, its mass of the accesses of each of the kind's groups, to the
 * reuses of its bin, all alike: the groups have what they are in common.
 */
static void share_piece(struct split *s, size_t from, size_t to, size_t piece)
{
	const struct model *m = s->m;
	const uint32_t *sorted = m->sorted + s->kind->first;
	double x = m->bin_x[m->bin[sorted[from]]];
	double accesses = 0, misses = 0, weight = 0, mass = s->kind->own.mass[piece];

	for (size_t i = 0; i < s->kind->group_count; i++) {
		uint32_t g = m->members[s->kind->first_group + i];

		accesses += mass * m->groups[g].share;
		misses += mass * m->groups[g].share * piece_miss(s, &s->results[g], piece, x);
	}
	for (size_t i = from; i < to; i++)
		weight += m->reused[sorted[i]] ? weight_of(s, sorted[i]) : 0;
	for (size_t i = from; i < to && weight > 0; i++) {
		double part = s->factor * weight_of(s, sorted[i]) / weight;

		if (!m->reused[sorted[i]])
			continue;
		s->shares[sorted[i]].accesses += part * accesses;
		s->shares[sorted[i]].misses += part * misses;
	}
}

/* What no sample saw touched again, by the chance that each is one of these. */
static void share_open(struct split *s)
{
	const struct model *m = s->m;
	const uint32_t *sorted = m->sorted + s->kind->first;
	double accesses = 0, misses = 0, total = 0;

	for (size_t i = 0; i < s->kind->group_count; i++) {
		uint32_t g = m->members[s->kind->first_group + i];

		accesses += m->groups[g].share * s->kind->own.left;
		misses += m->groups[g].share * s->results[g].unresolved;
	}
	for (size_t i = 0; i < s->kind->count; i++)
		total += s->chance[i];
	for (size_t i = 0; i < s->kind->count && s->kind->own.left > 0 && total > 0; i++) {
		double part = s->factor * s->chance[i] / total;

		s->shares[sorted[i]].accesses += part * accesses;
		s->shares[sorted[i]].misses += part * misses;
	}
}

static void share_kind(struct split *s)
{
	const struct model *m = s->m;
	const struct survival *own = &s->kind->own;
	const uint32_t *sorted = m->sorted + s->kind->first;
	double left = 1;
	size_t piece = 0;

	for (size_t i = 0; i < s->kind->count; i++)
		s->shares[sorted[i]].begins += s->factor * weight_of(s, sorted[i]);
	for (size_t at = 0, end; at < s->kind->count; at = end) {
		double x = m->bin_x[m->bin[sorted[at]]];
		bool seen = x <= own->end_x && (own->end_x > 0 || own->count > 0), reused = false;

		end = bin_end(s, at);
		for (size_t i = at; i < end; i++)
			reused |= m->reused[sorted[i]] && m->weight[sorted[i]] > 0;
		if (seen && reused && piece < own->count) {
			share_piece(s, at, end, piece);
			left -= own->mass[piece++];
		}
		for (size_t i = at; i < end; i++) {
			bool open = !seen || !m->reused[sorted[i]];

			s->chance[i] = open ? weight_of(s, sorted[i]) / fmax(left, own->left) : 0;
			if (seen)
				s->chance[i] *= m->open_weight[sorted[i]];
		}
	}
	share_open(s);
}

/* With random replacement `sets` is one, or of one way, in which there is nothing to choose. */
static int share_solved(const struct model *m, enum model_policy policy, const struct sets *sets,
			enum tail_kind kind, double factor, struct model_share *shares)
{
	double *ratios = calloc(m->group_count + m->sample_count + 1, sizeof(*ratios));
	struct group_result *results = calloc(m->group_count + 1, sizeof(*results));
	const bool is_lru = policy == MODEL_LRU || sets->sets > 1;
	struct sets_table table;
	int ret = -1;

	if (ratios == NULL || results == NULL)
		goto out;
	if (is_lru)
		lru_solve(m, sets, kind, ratios, results);
	else
		random_solve(m, sets->ways, kind, ratios, results);
	sets_table_init(&table, sets);
	for (size_t k = 0; k < m->kind_count; k++) {
		struct split s = {m,
				  &m->kinds[k],
				  results,
				  is_lru && sets->sets > 1 ? &table : NULL,
				  factor,
				  shares,
				  ratios + m->group_count};

		share_kind(&s);
	}
	ret = 0;
out:
	free(ratios);
	free(results);
	return ret;
}

/* Random replacement in sets is that in fully associative caches of several sizes: see sets.c. */
static int share_all(const struct model *m, enum model_policy policy, const struct sets *sets,
		     enum tail_kind kind, double factor, struct model_share *shares)
{
	double lines[MODEL_SETS_NODES], weight[MODEL_SETS_NODES];
	int status = 0;
	unsigned nodes;

	if (policy == MODEL_LRU || sets->sets <= 1 || sets->ways <= 1)
		return share_solved(m, policy, sets, kind, factor, shares);
	nodes = sets_nodes(sets, lines, weight);
	for (unsigned k = 0; status == 0 && k < nodes; k++) {
		struct sets one;

		sets_init(&one, 1, lines[k]);
		status = share_solved(m, policy, &one, kind, factor * weight[k], shares);
	}
	return status;
}

/* The sums over all samples. */
static struct model_share sum_of(const struct model *m, const struct model_share *shares)
{
	struct model_share sum = {0};

	for (size_t i = 0; i < m->sample_count; i++) {
		sum.accesses += shares[i].accesses;
		sum.misses += shares[i].misses;
		sum.begins += shares[i].begins;
	}
	return sum;
}

/*
 * Nobody misses more often than he accesses: what is too much for some is shared among the others.
 */
static void share_misses(const struct model *m, double misses, struct model_share *shares)
{
	for (int turn = 0; turn < CAP_TURNS; turn++) {
		double capped = 0, others = 0, scale;

		for (size_t i = 0; i < m->sample_count; i++) {
			if (shares[i].misses < shares[i].accesses)
				others += shares[i].misses;
			else
				capped += shares[i].misses = shares[i].accesses;
		}
		if (others <= 0 || fabs(misses - capped - others) <= NOTHING * misses)
			return;
		scale = fmax(0, misses - capped) / others;
		for (size_t i = 0; i < m->sample_count; i++)
			if (shares[i].misses < shares[i].accesses)
				shares[i].misses =
					fmin(shares[i].accesses, scale * shares[i].misses);
	}
}

/*
 * So far the shares are of touches; of an access that makes several they become the accesses' part.
 * Together they stay all accesses and the misses that the model tells of them: of a few samples the
 * parts are not just what they are on average.
 */
static void settle(const struct model *m, double factor, struct model_share *shares)
{
	struct model_share of_touches = sum_of(m, shares), sum;

	for (size_t i = 0; i < m->sample_count; i++) {
		shares[i].misses *= m->touches / m->lines[i];
		shares[i].accesses *= m->touches / m->lines[i];
		shares[i].begins *= m->touches / m->lines[i];
	}
	sum = sum_of(m, shares);
	for (size_t i = 0; i < m->sample_count; i++) {
		shares[i].accesses *= sum.accesses > 0 ? of_touches.accesses / sum.accesses : 1;
		shares[i].begins *= sum.begins > 0 ? of_touches.begins / sum.begins : 1;
		shares[i].misses *= factor;
	}
	share_misses(m, fmin(of_touches.accesses, factor * of_touches.misses), shares);
}

int model_attribute_cache(const struct model *m, enum model_policy policy,
			  const struct model_cache *cache, struct model_share *shares,
			  struct err *err)
{
	const struct model_cache some = {cache->lines > 0 ? cache->lines : 1, cache->ways};
	struct sets sets;
	int ret;

	if (m->sample_count == 0)
		return 0;
	memset(shares, 0, m->sample_count * sizeof(*shares));
	solve_init_sets(&sets, &some);
	if (m->has_footprint)
		ret = share_all(m, policy, &sets, TAIL_SPREAD, 1, shares);
	else if ((ret = share_all(m, policy, &sets, TAIL_NEAR, 0.5, shares)) == 0)
		ret = share_all(m, policy, &sets, TAIL_FAR, 0.5, shares);
	if (ret != 0)
		return err_set(err, "not enough memory for %zu samples", m->sample_count);
	settle(m, yardstick_factor(m, policy, &some), shares);
	return 0;
}

int model_attribute(const struct model *m, uint64_t lines, struct model_share *shares,
		    struct err *err)
{
	return model_attribute_cache(m, MODEL_RANDOM, &(struct model_cache){lines, 0}, shares, err);
}
