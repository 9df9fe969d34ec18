/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The points of a miss-ratio curve. */
#include "estimate/curve.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/size.h"

/* More than any plot can show; a range of sizes from 1 byte on at 100 points an octave. */
#define MAX_POINTS 10000

/* The k-th size of the row, in whole sets. */
static uint64_t nth_size(uint64_t set_bytes, uint64_t low, unsigned k, unsigned per_octave)
{
	double exact = (double)low * exp2((double)k / per_octave);

	if (exact >= 9e18)
		return UINT64_MAX / set_bytes * set_bytes;
	return (uint64_t)(exact / (double)set_bytes + 0.5) * set_bytes;
}

static int check_sets(const struct profile *p, uint64_t ways, uint64_t low, struct err *err)
{
	char size[SIZE_TEXT_BYTES];

	if (low >= ways * p->line_bytes)
		return 0;
	return err_set(err,
		       "a cache of %s could not hold a set of %" PRIu64 " lines of %" PRIu32
		       " bytes: give larger --sizes",
		       size_format(low, size), ways, p->line_bytes);
}

int curve_compute(const struct profile *p, enum model_policy policy, uint64_t ways, uint64_t low,
		  uint64_t high, unsigned per_octave, struct curve *out, struct err *err)
{
	uint64_t set_bytes = (ways > 0 ? ways : 1) * p->line_bytes;
	struct profile_cache caches[PROFILE_CACHES];

	*out = (struct curve){
		.profile = p, .policy = policy, .ways = ways, .samples = p->sample_count};
	if (profile_check_size(p, low, err) != 0 || check_sets(p, ways, low, err) != 0)
		return -1;
	out->points = calloc(MAX_POINTS, sizeof(*out->points));
	if (out->points == NULL)
		return err_set(err, "not enough memory for a curve");
	profile_caches(p, caches);
	for (size_t i = 0; i < PROFILE_CACHES; i++) {
		out->caches[i].size_bytes = caches[i].size_bytes;
		if (caches[i].size_bytes > 0)
			profile_solve_ways(p, policy, caches[i].size_bytes, ways,
					   &out->caches[i].ratio);
	}
	for (unsigned k = 0; out->count < MAX_POINTS; k++) {
		uint64_t size = nth_size(set_bytes, low, k, per_octave);
		struct curve_point *point = &out->points[out->count];

		if (size >= high)
			size = high / set_bytes * set_bytes;
		if (out->count > 0 && size == point[-1].size_bytes && size < high)
			continue;
		point->size_bytes = size;
		profile_solve_ways(p, policy, size, ways, &point->ratio);
		out->count++;
		if (size + set_bytes > high)
			return 0;
	}
	curve_release(out);
	return err_set(err, "more than %d points: ask for fewer in an octave", MAX_POINTS);
}

void curve_release(struct curve *c)
{
	free(c->points);
	free(c->label);
	*c = (struct curve){0};
}
