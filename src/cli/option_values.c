/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of all commands: defaults, the values of views, and derived members. */
#include "cli/option_values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/size.h"
#include "cli/options.h"
#include "profile/machines.h"

void options_init(struct options *o)
{
	*o = (struct options){.to = -1, .tree = -1, .exact = SIMULATE_CURVE_DEFAULTS};
	query_init(&o->query);
}

void options_release(struct options *o)
{
	query_release(&o->query);
	option_release(&o->state);
}

void options_complete(struct options *o)
{
	o->input = o->input_count > 0 ? o->inputs[o->input_count - 1] : DEFAULT_PROFILE;
	if (o->process_count > 0)
		o->query.process = o->processes[o->process_count - 1];
	if (o->size_count > 0)
		o->query.size_bytes = o->sizes[o->size_count - 1];
	if (o->query.thread != QUERY_ANY && o->part_count < CURVE_MOST) {
		snprintf(o->thread, sizeof(o->thread), "%" PRId64, o->query.thread);
		o->parts_of[o->part_count++] = (struct option_part){SUBSET_THREAD, o->thread};
	}
	if (options_set(o, OPTION_ROWS))
		o->query.file_limit = o->query.limit;
	o->query.is_sort_usual = !options_given(o, OPTION_SORT);
}

bool options_given(const struct options *o, enum option_id id)
{
	return option_given(&o->state, (int)id);
}

bool options_set(const struct options *o, enum option_id id)
{
	return option_set(&o->state, (int)id);
}

const char *options_first(const struct options *o, const int *ids)
{
	int id = option_first(&o->state, ids);

	return id != 0 ? option_table.rows[id].name : NULL;
}

/* ---- Values ---- */

static int add_part(struct options *o, enum subset_kind kind, const char *name, struct err *err)
{
	if (o->part_count == CURVE_MOST)
		return err_set(err, "more than %d curves: ask for fewer at a time", CURVE_MOST);
	o->parts_of[o->part_count++] = (struct option_part){kind, name};
	return 0;
}

int options_take_function(void *options, const char *text, struct err *err)
{
	return add_part(options, SUBSET_FUNCTION, text, err);
}

int options_take_object(void *options, const char *text, struct err *err)
{
	return add_part(options, SUBSET_OBJECT, text, err);
}

int options_take_line_at(void *options, const char *text, struct err *err)
{
	return add_part(options, SUBSET_LINE, text, err);
}

int options_take_focus(void *options, const char *text, struct err *err)
{
	struct options *o = options;

	return query_set_focus(&o->query, text, err);
}

int options_take_ignore(void *options, const char *text, struct err *err)
{
	struct options *o = options;

	return query_set_ignore(&o->query, text, err);
}

int options_take_sizes(void *options, const char *text, struct err *err)
{
	struct options *o = options;

	return size_parse_range(text, &o->low, &o->high, err);
}

int options_take_caches(void *options, const char *text, struct err *err)
{
	struct options *o = options;

	o->query.machine = text;
	return machine_caches(text, o->caches, err);
}
