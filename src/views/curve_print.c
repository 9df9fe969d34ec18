/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Miss-ratio curves as CSV and JSON. plot.c draws them. */
#include <jansson.h>

#include "answer/cost_columns.h"
#include "answer/figures.h"
#include "answer/json.h"
#include "base/text.h"
#include "estimate/curve.h"
#include "views/views.h"

static struct ratio_row row_of(const struct curve *c, size_t i)
{
	return (struct ratio_row){c->label != NULL ? c->label : "", c->points[i].size_bytes,
				  &c->points[i].ratio};
}

/* `is_one`: its label need not be told. */
static void csv_points(const struct curve *c, bool is_one, bool has_head, struct text *out)
{
	const struct assumed assumed = assumed_of(c->policy, c->ways);
	const struct column_list *columns =
		is_one ? COLUMN_LIST(RATIO(SIZE), RATIO_LIMITS, ASSUMED(assumed))
		       : COLUMN_LIST(RATIO(CURVE), RATIO(SIZE), RATIO_LIMITS, ASSUMED(assumed));

	if (has_head)
		columns_csv_head(columns, out);
	for (size_t i = 0; i < c->count; i++) {
		struct ratio_row row = row_of(c, i);

		columns_csv_row(columns, &row, out);
	}
}

void curve_csv(const struct curve *c, struct text *out)
{
	csv_points(c, true, true, out);
}

void curves_csv(const struct curve *curves, size_t count, struct text *out)
{
	for (size_t i = 0; i < count; i++)
		csv_points(&curves[i], false, i == 0, out);
}

static json_t *json_curve(const struct curve *c)
{
	const struct profile *p = c->profile;
	json_t *points = json_array(), *point, *curve;

	for (size_t i = 0; i < c->count; i++) {
		struct ratio_row row = row_of(c, i);

		point = columns_json(COLUMN_LIST(RATIO(SIZE), RATIO_LIMITS), &row);
		if (c->is_exact)
			json_object_set_new(point, "misses",
					    json_integer((json_int_t)c->points[i].misses));
		json_array_append_new(points, point);
	}
	curve = json_pack("{s:I, s:o, s:i, s:s, s:o, s:o}", "process", (json_int_t)p->process->id,
			  "command", json_text(p->process->command), "line_bytes",
			  (int)c->line_bytes, "policy", policy_word(c->policy), "ways",
			  c->ways > 0 ? json_integer((json_int_t)c->ways) : json_null(), "points",
			  points);
	if (!c->is_exact)
		return curve;
	json_object_set_new(curve, "exact", json_boolean(c->one_in <= 1));
	if (c->one_in > 1)
		json_object_set_new(curve, "lines_one_in", json_integer((json_int_t)c->one_in));
	json_object_set_new(curve, "accesses", json_integer((json_int_t)c->samples));
	json_object_set_new(curve, "lines", json_integer((json_int_t)c->lines));
	return curve;
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
		if (!curves[i].is_exact)
			json_object_set_new(curve, "samples",
					    json_integer((json_int_t)curves[i].samples));
		json_array_append_new(list, curve);
	}
	return json_print(json_pack("{s:o}", "curves", list), out, err);
}
