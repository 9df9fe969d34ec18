/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Miss-ratio curves as CSV and JSON. The plot is plot.c. */
#include <inttypes.h>
#include <jansson.h>

#include "base/text.h"
#include "estimate/curve.h"
#include "views/figures.h"
#include "views/json.h"
#include "views/views.h"

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
