/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Miss-ratio curves for files; see curves.h. */
#include "answer/curves.h"

#include "answer/cost_columns.h"
#include "answer/json.h"

struct row {
	struct ratio_row ratio;
	const struct curve *curve;
	uint64_t misses; /* of an exact curve */
};

static void get_misses(const void *row, struct value *v)
{
	v->whole = ((const struct row *)row)->misses;
	v->is_missing = !((const struct row *)row)->curve->is_exact;
}

static void get_policy(const void *row, struct value *v)
{
	v->text = policy_word(((const struct row *)row)->curve->policy);
}

static void get_ways(const void *row, struct value *v)
{
	v->whole = ((const struct row *)row)->curve->ways;
}

enum { MISSES_OF_ALL, POLICY, WAYS };

static const struct column columns[] = {
	[MISSES_OF_ALL] = {NULL, "misses", UNIT_COUNT, get_misses, .is_optional = true},
	[POLICY] = {NULL, "policy", UNIT_TEXT, get_policy},
	[WAYS] = {NULL, "ways", UNIT_NUMBER, get_ways, .zero_is_missing = true},
};

enum { LABELS = ROWS_OF_VIEW };

/* In JSON, points are in the object of their curve. */
static const struct shown shown[] = {
	{RATIO(CURVE), .needs = LABELS, .in = IN_CSV},
	{RATIO(SIZE)},
	{RATIO(MISSES)},
	{RATIO(LOW)},
	{RATIO(HIGH)},
	{&columns[MISSES_OF_ALL], .in = IN_JSON},
	{&columns[POLICY], .in = IN_CSV},
	{&columns[WAYS], .in = IN_CSV},
};

static json_t *curve_json(const struct curve *c, const struct column_list *list,
			  const struct row *rows)
{
	const struct profile *p = c->profile;
	json_t *points = json_array(), *curve;

	for (size_t i = 0; i < c->count; i++)
		json_array_append_new(points, columns_json(list, &rows[i]));
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

static void put_json(struct answer *a, const struct curve *curves, size_t count, bool is_plain)
{
	const struct column_list list = rows_list(&a->rows.json);
	const struct row *rows = a->rows.items;
	json_t *all = json_array();

	for (size_t i = 0; i < count; i++) {
		const struct curve *c = &curves[i];
		json_t *curve = curve_json(c, &list, rows);

		rows += c->count;
		json_array_append_new(all, curve);
		if (is_plain)
			continue;
		json_object_set_new(curve, "curve", json_text(c->label));
		if (!c->is_exact)
			json_object_set_new(curve, "samples", json_integer((json_int_t)c->samples));
	}
	a->head =
		is_plain ? json_incref(json_array_get(all, 0)) : json_pack("{s:O}", "curves", all);
	json_decref(all);
}

int curves_shown(struct answer *a, const struct curve *curves, size_t count, struct err *err)
{
	const bool is_plain = count == 1 && curves[0].label == NULL;
	struct row *rows;
	size_t points = 0;

	for (size_t i = 0; i < count; i++)
		points += curves[i].count;
	rows = answer_hold(a, (points + 1) * sizeof(*rows), err);
	if (rows == NULL)
		return -1;
	a->rows = (struct rows){.items = rows, .bytes_each = sizeof(*rows)};
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < curves[i].count; k++) {
			const struct curve_point *x = &curves[i].points[k];

			rows[a->rows.count++] = (struct row){
				{.name = curves[i].label != NULL ? curves[i].label : "",
				 .size_bytes = x->size_bytes,
				 .ratio = &x->ratio},
				&curves[i],
				x->misses};
		}
	rows_show(&a->rows, shown, sizeof(shown) / sizeof(shown[0]), is_plain ? 0 : LABELS,
		  IN_FILES);
	put_json(a, curves, count, is_plain);
	return 0;
}
