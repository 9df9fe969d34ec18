/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * speedscope's file format, https://www.speedscope.app/file-format-schema.json: frames once, and
 * for each event a profile of the type "sampled", in which a sample is a stack of frames, the
 * outermost first, and its weight is what it costs.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "export/formats.h"
#include "export/functions.h"
#include "views/json.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

static json_t *json_frame(const struct export_function *f)
{
	json_t *o = json_object();

	json_object_set_new(o, "name", json_text(f->name->function));
	if (f->name->file != NULL)
		json_object_set_new(o, "file", json_text(f->name->file));
	if (f->line != 0)
		json_object_set_new(o, "line", json_integer(f->line));
	return o;
}

static json_t *json_stack(const struct stacks *s, const struct export_functions *f, size_t at)
{
	json_t *frames = json_array();

	for (size_t i = at; i != STACKS_NONE; i = s->items[i].parent)
		json_array_insert_new(frames, 0,
				      json_integer((json_int_t)f->of_node[s->items[i].node]));
	return frames;
}

static json_t *json_profile(const struct export_columns *c, const struct stacks *s,
			    const struct export_functions *f, size_t column)
{
	struct stacks_rounding rounding = {0};
	json_t *samples = json_array(), *weights = json_array();
	double total = 0;

	for (size_t i = 0; i < s->count; i++) {
		double value = stacks_round(&rounding, stacks_value(s, &s->items[i], column));

		if (value <= 0)
			continue;
		json_array_append_new(samples, json_stack(s, f, i));
		json_array_append_new(weights, json_integer((json_int_t)value));
		total += value;
	}
	return json_pack("{s:s, s:s, s:s, s:i, s:I, s:o, s:o}", "type", "sampled", "name",
			 c->items[column].name, "unit", "none", "startValue", 0, "endValue",
			 (json_int_t)total, "samples", samples, "weights", weights);
}

int export_speedscope(const struct export_data *d, const struct export_columns *c,
		      const struct stacks *s, struct text *out, struct err *err)
{
	json_t *frames = json_array(), *profiles = json_array();
	struct export_functions f;
	size_t active = 0;

	if (export_functions_init(&f, d, false, err) != 0) {
		json_decref(frames);
		json_decref(profiles);
		return -1;
	}
	for (size_t i = 0; i < f.count; i++)
		json_array_append_new(frames, json_frame(&f.items[i]));
	for (size_t i = 0; i < c->count; i++) {
		json_array_append_new(profiles, json_profile(c, s, &f, i));
		if (strcmp(c->items[i].name, d->p.columns[d->primary].name) == 0)
			active = i;
	}
	export_functions_release(&f);
	return json_print_compact(json_pack("{s:s, s:s, s:o, s:I, s:{s:o}, s:o}", "$schema", SCHEMA,
					    "exporter", "dwell " DWELL_VERSION, "name",
					    json_text(d->command), "activeProfileIndex",
					    (json_int_t)active, "shared", "frames", frames,
					    "profiles", profiles),
				  out, err);
}
