/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cells of rows in words, in CSV and in JSON, by unit; see columns.h. */
#include "answer/columns.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "answer/figures.h"
#include "answer/json.h"
#include "base/size.h"
#include "base/text.h"

#define PRECISE 8 /* digits in CSV by default */

/* ---- Units ---- */

static void whole_text(const struct value *v, char buf[FIGURE_BYTES])
{
	snprintf(buf, FIGURE_BYTES, "%" PRIu64, v->whole);
}

static void count_text(const struct value *v, char buf[FIGURE_BYTES])
{
	figure_count(v->whole, buf);
}

static void bytes_text(const struct value *v, char buf[FIGURE_BYTES])
{
	char size[SIZE_TEXT_BYTES];

	snprintf(buf, FIGURE_BYTES, "%s", size_format(v->whole, size));
}

static void share_text(const struct value *v, char buf[FIGURE_BYTES])
{
	figure_share(v->real, buf);
}

static void ratio_text(const struct value *v, char buf[FIGURE_BYTES])
{
	figure_percent(v->real, buf);
}

static void misses_text(const struct value *v, char buf[FIGURE_BYTES])
{
	snprintf(buf, FIGURE_BYTES, "%.3f %%", v->real * 100);
}

static void points_text(const struct value *v, char buf[FIGURE_BYTES])
{
	snprintf(buf, FIGURE_BYTES, "%+.3f %%", v->real * 100);
}

static void factor_text(const struct value *v, char buf[FIGURE_BYTES])
{
	snprintf(buf, FIGURE_BYTES, "%.2f", v->real);
}

static void traffic_text(const struct value *v, char buf[FIGURE_BYTES])
{
	snprintf(buf, FIGURE_BYTES, "%.3g B", v->real);
}

static void interval_text(const struct value *v, char buf[FIGURE_BYTES])
{
	figure_interval(v->ratio, buf);
}

static void event_text(const struct value *v, char buf[FIGURE_BYTES])
{
	event_figure(v->real, buf);
}

static void change_text(const struct value *v, char buf[FIGURE_BYTES])
{
	event_change(v->real, buf);
}

static void growth_text(const struct value *v, char buf[FIGURE_BYTES])
{
	event_growth(v->real, buf);
}

static void truth_text(const struct value *v, char buf[FIGURE_BYTES])
{
	snprintf(buf, FIGURE_BYTES, "%s", v->truth ? "yes" : "no");
}

static void address_text(const struct value *v, char buf[FIGURE_BYTES])
{
	snprintf(buf, FIGURE_BYTES, "0x%" PRIx64, v->whole);
}

static json_t *words_json(const struct value *v)
{
	return json_text(v->text);
}

static json_t *whole_json(const struct value *v)
{
	return json_integer((json_int_t)v->whole);
}

static json_t *real_json(const struct value *v)
{
	return json_real(v->real);
}

static json_t *events_json(const struct value *v)
{
	return event_json(v->real);
}

static json_t *truth_json(const struct value *v)
{
	return json_boolean(v->truth);
}

static json_t *list_json(const struct value *v)
{
	return v->list;
}

static void words_csv(const struct column *c, const struct value *v, struct text *out)
{
	(void)c;
	csv_field(out, v->text);
}

static void whole_csv(const struct column *c, const struct value *v, struct text *out)
{
	(void)c;
	text_addf(out, "%" PRIu64, v->whole);
}

static void real_csv(const struct column *c, const struct value *v, struct text *out)
{
	text_addf(out, "%.*g", c->precise > 0 ? (int)c->precise : PRECISE, v->real);
}

static void events_csv(const struct column *c, const struct value *v, struct text *out)
{
	(void)c;
	event_csv(out, v->real);
}

static void address_csv(const struct column *c, const struct value *v, struct text *out)
{
	(void)c;
	text_addf(out, "0x%" PRIx64, v->whole);
}

static void truth_csv(const struct column *c, const struct value *v, struct text *out)
{
	(void)c;
	text_addf(out, "%d", v->truth);
}

/* What the union of a value holds; EVENT: a real number that may be no number. */
enum kind { KIND_TEXT, KIND_WHOLE, KIND_REAL, KIND_EVENT, KIND_TRUTH, KIND_OTHER };

static const struct {
	enum kind kind;
	void (*text)(const struct value *v, char buf[FIGURE_BYTES]); /* NULL: the text itself */
	void (*csv)(const struct column *c, const struct value *v, struct text *out);
	json_t *(*json)(const struct value *v);
} units[UNITS] = {
	[UNIT_TEXT] = {KIND_TEXT, NULL, words_csv, words_json},
	[UNIT_COUNT] = {KIND_WHOLE, count_text, whole_csv, whole_json},
	[UNIT_NUMBER] = {KIND_WHOLE, whole_text, whole_csv, whole_json},
	[UNIT_BYTES] = {KIND_WHOLE, bytes_text, whole_csv, whole_json},
	[UNIT_SHARE] = {KIND_REAL, share_text, real_csv, real_json},
	[UNIT_RATIO] = {KIND_REAL, ratio_text, real_csv, real_json},
	[UNIT_MISSES] = {KIND_REAL, misses_text, real_csv, real_json},
	[UNIT_POINTS] = {KIND_REAL, points_text, real_csv, real_json},
	[UNIT_FACTOR] = {KIND_REAL, factor_text, real_csv, real_json},
	[UNIT_TRAFFIC] = {KIND_REAL, traffic_text, real_csv, real_json},
	[UNIT_INTERVAL] = {KIND_OTHER, interval_text, NULL, NULL},
	[UNIT_EVENT] = {KIND_EVENT, event_text, events_csv, events_json},
	[UNIT_CHANGE] = {KIND_EVENT, change_text, events_csv, events_json},
	[UNIT_GROWTH] = {KIND_EVENT, growth_text, events_csv, events_json},
	[UNIT_ADDRESS] = {KIND_WHOLE, address_text, address_csv, whole_json},
	[UNIT_TRUTH] = {KIND_TRUTH, truth_text, truth_csv, truth_json},
	[UNIT_LIST] = {KIND_OTHER, NULL, NULL, list_json},
};

/* ---- Reading a row ---- */

static const struct column *nth(const struct column_list *l, size_t i)
{
	return l->items[i];
}

static void get_member(const struct column *c, const void *row, struct value *v)
{
	const void *at = (const char *)row + c->offset;

	switch (units[c->unit].kind) {
	case KIND_TEXT:
		memcpy(&v->text, at, sizeof(v->text));
		break;
	case KIND_REAL:
	case KIND_EVENT:
		memcpy(&v->real, at, sizeof(v->real));
		break;
	case KIND_TRUTH:
		memcpy(&v->truth, at, sizeof(v->truth));
		break;
	default:
		memcpy(&v->whole, at, c->bytes); /* the first bytes are the low ones */
	}
}

bool column_is_whole(const struct column *c)
{
	return units[c->unit].kind == KIND_WHOLE;
}

struct value column_value(const struct column *c, const void *row, struct text *made)
{
	struct value v = {.made = made, .number = c->number};

	made->count = 0;
	if (c->get != NULL)
		c->get(row, &v);
	else
		get_member(c, row, &v);
	if (units[c->unit].kind == KIND_TEXT)
		v.is_missing |= v.text == NULL;
	if (units[c->unit].kind == KIND_REAL)
		v.is_missing |= isnan(v.real);
	if (c->zero_is_missing)
		v.is_missing |= v.whole == 0;
	return v;
}

/* ---- Text ---- */

const char *column_words(const struct column *c, const void *row, struct text *made,
			 char figure[FIGURE_BYTES])
{
	struct value v = column_value(c, row, made);
	size_t length;

	if (v.is_missing)
		return c->missing;
	if (units[c->unit].text == NULL)
		return v.text;
	units[c->unit].text(&v, figure);
	length = strlen(figure);
	if (v.is_estimate && length + 1 < FIGURE_BYTES)
		memcpy(figure + length, "~", 2);
	return figure;
}

void columns_cell(const struct column *c, const void *row, struct text *out)
{
	char figure[FIGURE_BYTES];
	struct text made = {0};
	const char *cell = column_words(c, row, &made, figure);

	text_add(out, cell != NULL ? cell : "");
	text_release(&made);
}

void value_csv(const struct column *c, const struct value *v, struct text *out)
{
	units[c->unit].csv(c, v, out);
}

/* ---- CSV ---- */

void columns_csv_head(const struct column_list *l, struct text *out)
{
	for (size_t i = 0; i < l->count; i++) {
		const struct column *c = nth(l, i);

		text_addf(out, "%s%s%s", i > 0 ? "," : "", c->prefix != NULL ? c->prefix : "",
			  c->key);
	}
	text_add(out, "\n");
}

void columns_csv_row(const struct column_list *l, const void *row, struct text *out)
{
	struct text made = {0};

	for (size_t i = 0; i < l->count; i++) {
		const struct column *c = nth(l, i);
		struct value v = column_value(c, row, &made);

		if (i > 0)
			text_add(out, ",");
		if (!v.is_missing)
			units[c->unit].csv(c, &v, out);
	}
	text_add(out, "\n");
	text_release(&made);
}

/* ---- JSON ---- */

/* Set a value, which is taken over, in the object or in its group there. */
static void set(const struct column *c, json_t *value, json_t *object)
{
	json_t *group = c->group != NULL ? json_object_get(object, c->group) : object;

	if (group == NULL) {
		group = json_object();
		json_object_set_new(object, c->group, group);
	}
	json_object_set_new(group, c->key, value);
}

void value_json(const struct column *c, const struct value *v, json_t *object)
{
	set(c, units[c->unit].json(v), object);
}

void columns_json_put(const struct column_list *l, const void *row, json_t *object)
{
	struct text made = {0};

	for (size_t i = 0; i < l->count; i++) {
		const struct column *c = nth(l, i);
		struct value v = column_value(c, row, &made);

		if (v.is_missing && c->is_optional)
			continue;
		set(c, v.is_missing ? json_null() : units[c->unit].json(&v), object);
	}
	text_release(&made);
}

json_t *columns_json(const struct column_list *l, const void *row)
{
	json_t *object = json_object();

	columns_json_put(l, row, object);
	return object;
}
