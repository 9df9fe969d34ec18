/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The points of a miss-ratio curve, as CSV and JSON. The plot is plot.c. */
#include "report/curve.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "report/json.h"

/* More than any plot can show; a range of sizes from 1 byte on at 100 points an octave. */
#define MAX_POINTS 10000

/* The k-th size of the row, in whole lines. */
static uint64_t nth_size(const struct profile *p, uint64_t low, unsigned k, unsigned per_octave)
{
	double exact = (double)low * exp2((double)k / per_octave);
	uint64_t line = p->line_bytes;

	if (exact >= 9e18)
		return UINT64_MAX / line * line;
	return (uint64_t)(exact / (double)line + 0.5) * line;
}

int curve_compute(const struct profile *p, enum model_policy policy, uint64_t low, uint64_t high,
		  unsigned per_octave, struct curve *out, struct err *err)
{
	*out = (struct curve){.policy = policy};
	if (profile_check_size(p, low, err) != 0)
		return -1;
	out->points = calloc(MAX_POINTS, sizeof(*out->points));
	if (out->points == NULL)
		return err_set(err, "not enough memory for a curve");
	for (unsigned k = 0; out->count < MAX_POINTS; k++) {
		uint64_t size = nth_size(p, low, k, per_octave);
		struct curve_point *point = &out->points[out->count];

		if (size >= high)
			size = high / p->line_bytes * p->line_bytes;
		if (out->count > 0 && size == point[-1].size_bytes && size < high)
			continue;
		point->size_bytes = size;
		profile_solve(p, policy, size, &point->ratio);
		out->count++;
		if (size + p->line_bytes > high)
			return 0;
	}
	curve_release(out);
	return err_set(err, "more than %d points: ask for fewer in an octave", MAX_POINTS);
}

void curve_release(struct curve *c)
{
	free(c->points);
	*c = (struct curve){0};
}

void curve_csv(const struct curve *c, struct text *out)
{
	text_add(out, "size_bytes,miss_ratio,low,high\n");
	for (size_t i = 0; i < c->count; i++) {
		const struct model_ratio *r = &c->points[i].ratio;

		if (r->known)
			text_addf(out, "%" PRIu64 ",%.8g,%.8g,%.8g\n", c->points[i].size_bytes,
				  r->ratio, r->low, r->high);
		else
			text_addf(out, "%" PRIu64 ",,0,1\n", c->points[i].size_bytes);
	}
}

int curve_json(const struct curve *c, const struct profile *p, struct text *out, struct err *err)
{
	json_t *points = json_array(), *root;

	for (size_t i = 0; i < c->count; i++) {
		json_t *point =
			json_pack("{s:I}", "size_bytes", (json_int_t)c->points[i].size_bytes);

		json_put_ratio(point, &c->points[i].ratio);
		json_array_append_new(points, point);
	}
	root = json_pack("{s:I, s:o, s:i, s:s, s:o}", "process", (json_int_t)p->process->id,
			 "command", json_text(p->process->command), "line_bytes",
			 (int)p->line_bytes, "policy", c->policy == MODEL_LRU ? "lru" : "random",
			 "points", points);
	return json_print(root, out, err);
}
