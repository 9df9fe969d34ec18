/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The points of a miss-ratio curve. */
#include "estimate/curve.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"

/* More than any plot shows: sizes from 1 byte on, at 100 points per octave. */
#define MAX_POINTS 10000

/* The k-th size, in whole sets. */
static uint64_t nth_size(uint64_t set_bytes, uint64_t low, unsigned k, unsigned per_octave)
{
	double exact = (double)low * exp2((double)k / per_octave);

	if (exact >= 9e18)
		return UINT64_MAX / set_bytes * set_bytes;
	return (uint64_t)(exact / (double)set_bytes + 0.5) * set_bytes;
}

static void solve(const struct profile *p, const struct query *q, struct curve_point *point)
{
	const struct query at = query_at(q, point->size_bytes);

	profile_solve(p, &at, &point->ratio);
}

int curve_compute(const struct profile *p, const struct query *q, uint64_t low, uint64_t high,
		  unsigned per_octave, struct curve *out, struct err *err)
{
	uint64_t set_bytes = (q->ways > 0 ? q->ways : 1) * p->line_bytes;
	struct profile_cache caches[PROFILE_CACHES];

	*out = (struct curve){.profile = p,
			      .query = q,
			      .policy = profile_policy(q),
			      .ways = q->ways,
			      .samples = p->end_count,
			      .line_bytes = p->line_bytes};
	if (profile_check_size(p, low, err) != 0 || profile_check_ways(p, q, low, err) != 0)
		return -1;
	out->points = calloc(MAX_POINTS, sizeof(*out->points));
	if (out->points == NULL)
		return err_set(err, "not enough memory for a curve");
	profile_caches(p, caches);
	for (size_t i = 0; i < PROFILE_CACHES; i++) {
		out->caches[i].size_bytes = caches[i].size_bytes;
		if (caches[i].size_bytes > 0)
			solve(p, q, &out->caches[i]);
	}
	for (unsigned k = 0; out->count < MAX_POINTS; k++) {
		uint64_t size = nth_size(set_bytes, low, k, per_octave);
		struct curve_point *point = &out->points[out->count];

		if (size >= high)
			size = high / set_bytes * set_bytes;
		if (out->count > 0 && size == point[-1].size_bytes && size < high)
			continue;
		point->size_bytes = size;
		solve(p, q, point);
		out->count++;
		if (size + set_bytes > high)
			return 0;
	}
	curve_release(out);
	return err_set(err, "more than %d points: ask for fewer in an octave", MAX_POINTS);
}

static enum model_policy policy_of(const struct store_curve *c)
{
	return strcmp(c->policy, "lru") == 0 ? MODEL_LRU : MODEL_RANDOM;
}

static bool is_chosen(const struct store_curve *c, const struct curve_choice *choice)
{
	return (!choice->has_policy || policy_of(c) == choice->policy) &&
	       (choice->line_bytes == 0 || c->line_bytes == choice->line_bytes) &&
	       c->size_bytes >= choice->low && c->size_bytes <= choice->high;
}

static void add_point(struct curve *out, const struct store_curve *c)
{
	const double all = c->accesses > 0 ? (double)c->accesses : 1;

	out->points[out->count++] = (struct curve_point){c->size_bytes,
							 {.ratio = (double)c->misses / all,
							  .low = (double)c->low / all,
							  .high = (double)c->high / all,
							  .known = c->accesses > 0},
							 c->misses};
}

/* Set the machine's caches whose ratios were simulated. */
static void find_caches(struct curve *c)
{
	struct profile_cache caches[PROFILE_CACHES];

	profile_caches(c->profile, caches);
	for (size_t i = 0; i < PROFILE_CACHES; i++) {
		c->caches[i].size_bytes = caches[i].size_bytes;
		for (size_t k = 0; k < c->count; k++)
			if (c->points[k].size_bytes == caches[i].size_bytes)
				c->caches[i] = c->points[k];
	}
}

int curve_exact(const struct profile *p, const struct curve_choice *choice, struct curve *out,
		size_t room, size_t *count, struct err *err)
{
	const struct store_curve *last = NULL;

	*count = 0;
	for (size_t i = 0; i < p->curve_count; i++) {
		const struct store_curve *c = &p->curves[i];

		if (!is_chosen(c, choice))
			continue;
		if (last == NULL || last->line_bytes != c->line_bytes ||
		    policy_of(last) != policy_of(c)) {
			if (*count == room)
				return err_set(err,
					       "more than %zu curves: ask for fewer with "
					       "--policy or --line",
					       room);
			out[*count] = (struct curve){.profile = p,
						     .policy = policy_of(c),
						     .samples = c->accesses,
						     .is_exact = true,
						     .one_in = p->lines_one_in,
						     .line_bytes = c->line_bytes,
						     .lines = c->lines};
			out[*count].points = calloc(p->curve_count, sizeof(*out->points));
			if (out[(*count)++].points == NULL)
				return err_set(err, "not enough memory for a curve");
		}
		add_point(&out[*count - 1], c);
		last = c;
	}
	for (size_t i = 0; i < *count; i++)
		find_caches(&out[i]);
	if (*count > 0)
		return 0;
	return err_set(err,
		       "process %" PRId64 " of the run has no exact curve of such caches: "
		       "'dwell curve' alone shows all",
		       p->process->id);
}

void curve_release(struct curve *c)
{
	free(c->points);
	free(c->label);
	*c = (struct curve){0};
}
