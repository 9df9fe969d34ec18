/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The points of a miss-ratio curve, as CSV and JSON. The plot is plot.c. */
#include "report/curve.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/size.h"
#include "report/figures.h"
#include "report/json.h"

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

static void csv_points(const struct curve *c, const char *label, struct text *out)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct model_ratio *r = &c->points[i].ratio;

		if (label != NULL) {
			csv_field(out, label);
			text_add(out, ",");
		}
		if (r->known)
			text_addf(out, "%" PRIu64 ",%.8g,%.8g,%.8g\n", c->points[i].size_bytes,
				  r->ratio, r->low, r->high);
		else
			text_addf(out, "%" PRIu64 ",,0,1\n", c->points[i].size_bytes);
	}
}

void curve_csv(const struct curve *c, struct text *out)
{
	text_add(out, "size_bytes,miss_ratio,low,high\n");
	csv_points(c, NULL, out);
}

void curves_csv(const struct curve *curves, size_t count, struct text *out)
{
	text_add(out, "curve,size_bytes,miss_ratio,low,high\n");
	for (size_t i = 0; i < count; i++)
		csv_points(&curves[i], curves[i].label != NULL ? curves[i].label : "", out);
}

static json_t *json_curve(const struct curve *c)
{
	const struct profile *p = c->profile;
	json_t *points = json_array();

	for (size_t i = 0; i < c->count; i++) {
		json_t *point =
			json_pack("{s:I}", "size_bytes", (json_int_t)c->points[i].size_bytes);

		json_put_ratio(point, &c->points[i].ratio);
		json_array_append_new(points, point);
	}
	return json_pack("{s:I, s:o, s:i, s:s, s:o, s:o}", "process", (json_int_t)p->process->id,
			 "command", json_text(p->process->command), "line_bytes",
			 (int)p->line_bytes, "policy", c->policy == MODEL_LRU ? "lru" : "random",
			 "ways", c->ways > 0 ? json_integer((json_int_t)c->ways) : json_null(),
			 "points", points);
}

int curve_json(const struct curve *c, struct text *out, struct err *err)
{
	return json_print(json_curve(c), out, err);
}

int curves_json(const struct curve *curves, size_t count, struct text *out, struct err *err)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++) {
		json_t *curve = json_curve(&curves[i]);

		json_object_set_new(curve, "curve", json_text(curves[i].label));
		json_object_set_new(curve, "samples", json_integer((json_int_t)curves[i].samples));
		json_array_append_new(list, curve);
	}
	return json_print(json_pack("{s:o}", "curves", list), out, err);
}
