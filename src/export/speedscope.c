/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * speedscope's file format, https://www.speedscope.app/file-format-schema.json: a list of frames,
 * and for each event a profile of the type "sampled". A sample is a stack of frames, outermost
 * first, and its weight is its cost. Samples are sorted, so that the time-ordered view shows each
 * stack, and common parts of stacks, in one piece.
 */
#include <jansson.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "answer/json.h"
#include "export/formats.h"
#include "export/functions.h"

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

/* ---- Stacks of functions ---- */

/* A stack as functions, outermost first. Several stacks of nodes may have the same functions. */
struct path {
	const size_t *functions;
	size_t depth;
	size_t stack;
};

struct paths {
	struct path *items; /* sorted, so that equal stacks and common beginnings are adjacent */
	size_t count;
	size_t *memory;
};

static int compare_paths(const void *a, const void *b)
{
	const struct path *x = a, *y = b;

	for (size_t i = 0; i < x->depth && i < y->depth; i++)
		if (x->functions[i] != y->functions[i])
			return x->functions[i] < y->functions[i] ? -1 : 1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	/* Makes the order, and so the rounding of sums, reproducible. */
	return (x->stack > y->stack) - (x->stack < y->stack);
}

static bool is_same(const struct path *x, const struct path *y)
{
	return x->depth == y->depth &&
	       memcmp(x->functions, y->functions, x->depth * sizeof(*x->functions)) == 0;
}

static size_t depth_of(const struct stacks *s, size_t at)
{
	size_t depth = 0;

	for (; at != STACKS_NONE; at = s->items[at].parent)
		depth++;
	return depth;
}

static int paths_init(struct paths *p, const struct stacks *s, const struct export_functions *f)
{
	size_t all = 0, *next;

	for (size_t i = 0; i < s->count; i++)
		all += depth_of(s, i);
	*p = (struct paths){
		.items = calloc(s->count + 1, sizeof(*p->items)),
		.count = s->count,
		.memory = calloc(all + 1, sizeof(*p->memory)),
	};
	if (p->items == NULL || p->memory == NULL)
		return -1;
	next = p->memory;
	for (size_t i = 0; i < s->count; i++) {
		size_t depth = depth_of(s, i), at = i;

		p->items[i] = (struct path){next, depth, i};
		next += depth;
		for (size_t k = 1; k <= depth; k++, at = s->items[at].parent)
			next[-(ptrdiff_t)k] = f->of_node[s->items[at].node];
	}
	if (p->count > 0)
		qsort(p->items, p->count, sizeof(*p->items), compare_paths);
	return 0;
}

static void paths_release(struct paths *p)
{
	free(p->items);
	free(p->memory);
}

/* ---- Profiles ---- */

static json_t *json_stack(const struct path *x)
{
	json_t *frames = json_array();

	for (size_t i = 0; i < x->depth; i++)
		json_array_append_new(frames, json_integer((json_int_t)x->functions[i]));
	return frames;
}

static json_t *json_profile(const struct export_columns *c, const struct stacks *s,
			    const struct paths *p, size_t column)
{
	struct stacks_rounding rounding = {0};
	json_t *samples = json_array(), *weights = json_array();
	double total = 0, value = 0;

	for (size_t i = 0; i < p->count; i++) {
		value += stacks_value(s, &s->items[p->items[i].stack], column);
		if (i + 1 < p->count && is_same(&p->items[i], &p->items[i + 1]))
			continue;
		value = stacks_round(&rounding, value);
		if (value > 0) {
			json_array_append_new(samples, json_stack(&p->items[i]));
			json_array_append_new(weights, json_integer((json_int_t)value));
			total += value;
		}
		value = 0;
	}
	return json_pack("{s:s, s:s, s:s, s:i, s:I, s:o, s:o}", "type", "sampled", "name",
			 c->items[column].name, "unit", "none", "startValue", 0, "endValue",
			 (json_int_t)total, "samples", samples, "weights", weights);
}

static json_t *json_frames(const struct export_functions *f)
{
	json_t *frames = json_array();

	for (size_t i = 0; i < f->count; i++)
		json_array_append_new(frames, json_frame(&f->items[i]));
	return frames;
}

static json_t *json_profiles(const struct export_columns *c, const struct stacks *s,
			     const struct paths *p)
{
	json_t *profiles = json_array();

	for (size_t i = 0; i < c->count; i++)
		json_array_append_new(profiles, json_profile(c, s, p, i));
	return profiles;
}

/* The index of the profile that is shown first. */
static size_t active_profile(const struct export_data *d, const struct export_columns *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (strcmp(c->items[i].name, d->p.columns[d->primary].name) == 0)
			return i;
	return 0;
}

int export_speedscope(struct export_job *j, struct err *err)
{
	const struct export_data *d = &j->data;
	const struct export_columns *c = &j->columns;
	const struct stacks *s = &j->stacks;
	struct export_functions f;
	struct paths p = {0};
	int status;

	if (export_functions_init(&f, d, false, err) != 0)
		return -1;
	if (paths_init(&p, s, &f) != 0)
		status = err_set(err, "not enough memory for %zu stacks", s->count);
	else
		status = json_print_compact(
			json_pack("{s:s, s:s, s:o, s:I, s:{s:o}, s:o}", "$schema", SCHEMA,
				  "exporter", "dwell " DWELL_VERSION, "name", json_text(d->command),
				  "activeProfileIndex", (json_int_t)active_profile(d, c), "shared",
				  "frames", json_frames(&f), "profiles", json_profiles(c, s, &p)),
			&j->out, err);
	paths_release(&p);
	export_functions_release(&f);
	return status;
}
