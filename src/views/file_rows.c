/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows for files; see file_rows.h. */
#include "views/file_rows.h"

#include <assert.h>
#include <math.h>

#include "base/text.h"

#define OTHERS "[others]"

static void add_value(const struct column *c, const struct value *v, struct value *sum)
{
	sum->is_missing |= v->is_missing;
	if (column_is_whole(c))
		sum->whole += v->whole;
	else
		sum->real += v->real;
}

static void leave(struct file_rows *f, const void *row)
{
	struct text made = {0};

	assert(f->list->count <= FILE_ROWS_COLUMNS);
	for (size_t i = 0; i < f->list->count; i++) {
		const struct column *c = f->list->items[i];
		struct value v;

		if (!c->is_kind && (!c->adds_up || f->others != NULL))
			continue;
		v = column_value(c, row, &made);
		if (c->adds_up) {
			add_value(c, &v, &f->sums[i]);
		} else {
			f->kind.count = 0;
			text_add(&f->kind, v.is_missing ? "" : v.text);
		}
	}
	text_release(&made);
	f->left++;
}

json_t *file_rows_put(struct file_rows *f, const void *row)
{
	json_t *object;

	if (f->most > 0 && f->shown == f->most) {
		leave(f, row);
		return NULL;
	}
	f->shown++;
	if (f->csv != NULL) {
		columns_csv_row(f->list, row, f->csv);
		return NULL;
	}
	object = columns_json(f->list, row);
	json_array_append_new(f->array, object);
	return object;
}

/* Whether the others have a sum of this column, in f->sums. */
static bool has_sum(struct file_rows *f, size_t i)
{
	const struct column *c = f->list->items[i];
	struct text made = {0};

	if (c->adds_up && f->others != NULL)
		f->sums[i] = column_value(c, f->others, &made);
	text_release(&made);
	return c->adds_up && !f->sums[i].is_missing &&
	       (column_is_whole(c) || c->unit == UNIT_LIST || isfinite(f->sums[i].real));
}

/* The first text names the row, behind the kind of its section. */
static void put_csv(struct file_rows *f)
{
	bool is_named = false;

	for (size_t i = 0; i < f->list->count; i++) {
		const struct column *c = f->list->items[i];

		if (i > 0)
			text_add(f->csv, ",");
		if (c->is_kind) {
			csv_field(f->csv, text_get(&f->kind));
		} else if (c->unit == UNIT_TEXT && !is_named) {
			text_add(f->csv, OTHERS);
			is_named = true;
		} else if (has_sum(f, i)) {
			value_csv(c, &f->sums[i], f->csv);
		}
	}
	text_add(f->csv, "\n");
}

static void begin_again(struct file_rows *f)
{
	text_release(&f->kind);
	*f = (struct file_rows){.list = f->list, .most = f->most, .csv = f->csv};
}

void file_rows_end_csv(struct file_rows *f)
{
	if (f->left > 0)
		put_csv(f);
	begin_again(f);
}

json_t *file_rows_end_json(struct file_rows *f, const char *key, json_t *object)
{
	json_t *all, *others = NULL;

	json_object_set_new(object, key, f->array);
	if (f->left > 0) {
		others = json_pack("{s:I}", "rows", (json_int_t)f->left);
		for (size_t i = 0; i < f->list->count; i++)
			if (has_sum(f, i))
				value_json(f->list->items[i], &f->sums[i], others);
		all = json_object_get(object, "others");
		if (all == NULL) {
			all = json_object();
			json_object_set_new(object, "others", all);
		}
		json_object_set_new(all, key, others);
	}
	begin_again(f);
	return others;
}
