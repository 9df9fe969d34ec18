/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model, step by step. Once for a process:
 *
 *	axis      the windows side by side, in cells, and what ends in each
 *	weights   how many accesses each reuse stands for; first touches behind gaps
 *	spread    near reuses, few, over the cells around them
 *	between   the lines between the touches of near reuses
 *
 * and for each cache:
 *
 *	random, lru   P(miss) of each reuse; sets: caches that are not fully associative
 *	interval      how well it is known
 *
 * Attribution is the same, told for each reuse.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/parts.h"

/* Of the reuses whose last touch no window saw, and that are taken to hit: those that may miss. */
#define MAY_MISS 0.5

static int check(const struct model_input *in, struct err *err)
{
	if (in->line_bytes == 0 || (in->line_bytes & (in->line_bytes - 1)) != 0)
		return err_set(err, "a line of %u bytes: must be a power of two", in->line_bytes);
	for (size_t i = 0; i < in->near_count; i++)
		if (in->near[i].window >= in->window_count)
			return err_set(err, "a sample of window %u, which is not there",
				       in->near[i].window);
	for (size_t i = 0; i < in->far_count; i++)
		if (in->far[i].window >= in->window_count)
			return err_set(err, "a far reuse of window %u, which is not there",
				       in->far[i].window);
	return 0;
}

struct model *model_new(const struct model_input *in, struct err *err)
{
	struct model *m;

	if (check(in, err) != 0)
		return NULL;
	m = calloc(1, sizeof(*m));
	if (m == NULL || axis_place(m, in) != 0) {
		err_set(err, "out of memory");
		model_free(m);
		return NULL;
	}
	weights_scale(m, in);
	if (spread_near(m) != 0 || between_measure(m, in) != 0 ||
	    (m->has_touches && bursts_new(m) != 0)) {
		err_set(err, "out of memory");
		model_free(m);
		return NULL;
	}
	return m;
}

void model_free(struct model *m)
{
	if (m == NULL)
		return;
	free(m->windows);
	free(m->reuses);
	free(m->cell_first);
	free(m->begins);
	free(m->between);
	free(m->spread.near);
	free(m->spread.weight);
	free(m->spread.nodes);
	free(m->close.near);
	free(m->close.weight);
	free(m->close.nodes);
	free(m->near_misses);
	free(m->short_misses);
	free(m->expected);
	free(m->met);
	free(m->near_miss);
	free(m->miss);
	free(m->chance);
	free(m->misses);
	free(m->passed);
	free(m->sums);
	free(m);
}

static void sum_up(struct model *m)
{
	for (size_t i = 0; i < m->window_count; i++)
		m->sums[i].misses = 0;
	for (size_t i = 0; i < m->reuse_count; i++)
		m->sums[m->reuses[i].cell / MODEL_CELLS].misses += m->reuses[i].weight * m->miss[i];
}

static double ratio_of(const struct model *m)
{
	double sum = 0;

	for (size_t i = 0; i < m->window_count; i++)
		sum += m->windows[i].scale * m->sums[i].misses;
	return fmin(1, sum / m->accesses);
}

/* Fills m->miss and m->sums. */
static double solve(struct model *m, enum model_policy policy, double lines, double ways)
{
	double of[MODEL_SETS_NODES] = {lines}, share[MODEL_SETS_NODES] = {1};
	struct sets sets;
	unsigned nodes = 1;

	sets_init(&sets, lines / ways, ways);
	memset(m->miss, 0, m->reuse_count * sizeof(*m->miss));
	for (size_t i = 0; i < m->window_count; i++)
		m->sums[i].elastic = 0;
	if (policy == MODEL_LRU) {
		lru_solve(m, &sets);
	} else {
		if (sets.sets > 1)
			nodes = sets_nodes(&sets, of, share);
		for (unsigned i = 0; i < nodes; i++)
			random_solve(m, of[i], share[i]);
	}
	sum_up(m);
	return ratio_of(m);
}

static double ways_of(const struct model_cache *cache)
{
	return (double)(cache->ways == 0 || cache->ways > cache->lines ? cache->lines
								       : cache->ways);
}

/* Misses of reuses whose last touch no window saw, and all of these: shares of the accesses. */
static double hidden_part(const struct model *m, double *misses)
{
	double all = 0;

	*misses = 0;
	for (size_t i = 0; i < m->reuse_count; i++) {
		const struct reuse *r = &m->reuses[i];
		const struct window *w = reuse_window(m, r);

		if (r->kind != REUSE_FIRST)
			continue;
		all += w->scale * w->hidden * r->weight;
		*misses += w->scale * r->weight * (m->miss[i] - (1 - w->hidden));
	}
	*misses /= m->accesses;
	return all / m->accesses;
}

/* As well as the number of lines between far touches is known. */
static void widen_lru(const struct model *m, double lines, double ways, struct model_ratio *out)
{
	const double off = exp(2 * lru_error(m, lines));
	struct sets sets;
	double far;

	sets_init(&sets, lines / ways, ways);
	far = lru_far(m, &sets, 1);
	out->low = fmax(0, out->low + lru_far(m, &sets, 1 / off) - far);
	out->high = fmin(1, out->high + lru_far(m, &sets, off) - far);
}

void model_solve(struct model *m, enum model_policy policy, const struct model_cache *cache,
		 struct model_ratio *out)
{
	double hidden, hidden_misses;

	*out = (struct model_ratio){.high = 1, .bound_high = 1};
	if (m->accesses <= 0)
		return;
	out->known = true;
	if (cache->lines == 0) {
		*out = (struct model_ratio){1, 1, 1, 1, 1, true};
		return;
	}
	out->ratio = solve(m, policy, (double)cache->lines, ways_of(cache));
	interval_fill(m, out);
	hidden = hidden_part(m, &hidden_misses);
	if (policy == MODEL_LRU)
		widen_lru(m, (double)cache->lines, ways_of(cache), out);
	out->high = fmin(1, out->high + MAY_MISS * (hidden - hidden_misses));
	out->bound_low = fmax(0, out->low - hidden_misses);
	out->bound_high = fmin(1, out->high + (1 - MAY_MISS) * (hidden - hidden_misses));
}

/*
 * What windows see through, where there are gaps: the shortest one behind a gap, and the lines that
 * its accesses touch on average.
 */
static void resolve_gaps(const struct model *m, struct model_resolution *out)
{
	for (size_t i = 0; i < m->window_count; i++)
		if (m->windows[i].hidden > 0)
			out->distance = fmin(out->distance, m->windows[i].length);
	if (out->distance < m->accesses)
		out->lines = expected_lines(&m->touched, out->distance);
}

void model_resolve(const struct model *m, struct model_resolution *out)
{
	*out = (struct model_resolution){
		.distance = m->accesses, .lines = m->accesses, .windows = m->window_count};
	for (size_t i = 0; i < m->reuse_count; i++) {
		const struct reuse *r = &m->reuses[i];
		const struct window *w = reuse_window(m, r);

		if (r->kind == REUSE_FIRST) {
			out->unresolved += w->scale * r->weight / m->accesses * w->hidden;
			out->cold += w->scale * r->weight / m->accesses * (1 - w->hidden);
		}
	}
	resolve_gaps(m, out);
}

int model_attribute(struct model *m, enum model_policy policy, const struct model_cache *cache,
		    struct model_share *near, struct model_share *far, struct err *err)
{
	(void)err;
	for (size_t i = 0; i < m->near_count; i++)
		near[i] = (struct model_share){.begins = m->begins[i]};
	for (size_t i = 0; i < m->far_count; i++)
		far[i] = (struct model_share){0};
	if (m->accesses <= 0)
		return 0;
	if (cache->lines > 0)
		solve(m, policy, (double)cache->lines, ways_of(cache));
	for (size_t i = 0; i < m->reuse_count; i++) {
		const struct reuse *r = &m->reuses[i];
		struct model_share *to = r->kind <= REUSE_NEAR ? &near[r->source] : &far[r->source];

		to->accesses = reuse_window(m, r)->scale * r->weight / m->accesses;
		to->misses = to->accesses * (cache->lines > 0 ? m->miss[i] : 1);
	}
	return 0;
}
