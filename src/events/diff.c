/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Matches the rows of two event profiles; see diff.h. */
#include "events/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/condition.h"
#include "base/text.h"

/* ---- Columns ---- */

static int find_on(struct diff_side *s, const char *text, size_t *column, struct err *err)
{
	if (events_column(s->profile, text, column, err) == 0)
		return 0;
	return err_prefix(err, "%s: ", s->path);
}

static int add_column(struct diff *d, const char *text, struct err *err)
{
	if (d->columns == EVENT_COLUMNS)
		return err_set(err, "up to %d events can be compared at once", EVENT_COLUMNS);
	if (find_on(&d->a, text, &d->a.columns[d->columns], err) != 0 ||
	    find_on(&d->b, text, &d->b.columns[d->columns], err) != 0)
		return -1;
	d->columns++;
	return 0;
}

static int add_common(struct diff *d, struct err *err)
{
	size_t column;

	for (size_t i = 0; i < d->a.profile->column_count; i++) {
		const char *name = d->a.profile->columns[i].name;

		if (name[0] == '\0' || event_use_is_variance(d->a.profile, i) ||
		    events_column(d->b.profile, name, &column, NULL) != 0)
			continue;
		if (add_column(d, name, err) != 0)
			return -1;
	}
	if (d->columns == 0)
		return err_set(err, "'%.200s' and '%.200s' have no event in common", d->a.path,
			       d->b.path);
	return 0;
}

/* Find a column by name or formula; after its first use a formula is found by its name. */
static size_t find_name(const struct diff *d, const char *text)
{
	size_t length = formula_name_length(text), i;

	for (i = 0; i < d->columns; i++)
		if (strlen(diff_name(d, i)) == length &&
		    strncmp(diff_name(d, i), text, length) == 0)
			break;
	return i;
}

int diff_columns(struct diff *d, const struct query *q, struct err *err)
{
	for (size_t i = 0; i < q->metric_count; i++)
		if (add_column(d, q->metrics[i], err) != 0)
			return -1;
	if (q->metric_count == 0 && add_common(d, err) != 0)
		return -1;
	if (q->sort == NULL)
		return 0;
	d->sort = find_name(d, q->sort);
	if (d->sort < d->columns || add_column(d, q->sort, err) == 0)
		return 0;
	d->sort = 0;
	return q->is_sort_usual ? 0 : -1;
}

double diff_value(const struct diff_side *s, size_t column, const uint64_t *values)
{
	return events_value(s->profile, s->columns[column], values);
}

double diff_total(const struct diff_side *s, size_t column)
{
	return diff_value(s, column, s->profile->totals);
}

const char *diff_name(const struct diff *d, size_t column)
{
	return d->b.profile->columns[d->b.columns[column]].name;
}

/* ---- Rows ---- */

/* A row of one side, with its key for matching. */
struct entry {
	const struct event_row *row;
	const char *name, *file, *object;
	bool is_b;
};

/* The last part of a path; "" for the program itself, and for an unknown object. */
static const char *object_name(const struct diff_side *s, const char *object)
{
	const struct event_profile *p = s->profile;
	const char *name = object != NULL ? path_basename(object) : "";

	for (size_t i = 0; i < p->process_count; i++) {
		const char *command = path_basename(p->processes[i].exe);
		size_t length = strlen(command);

		if (length == 0) {
			/* Unknown: use the command up to the first blank. */
			length = strcspn(p->processes[i].command, " ");
			command = p->processes[i].command + length;
			while (command > p->processes[i].command && command[-1] != '/')
				command--;
			length = strcspn(command, " ");
		}
		if (length > 0 && strlen(name) == length && strncmp(name, command, length) == 0)
			return "";
	}
	return name;
}

static struct entry make_entry(const struct diff *d, const struct diff_side *s,
			       const struct event_row *row)
{
	struct entry e = {
		.row = row,
		.name = row->name,
		.file = row->file != NULL ? path_basename(row->file) : "",
		.object = object_name(s, row->object),
		.is_b = s == &d->b,
	};

	if (d->by == EVENT_BY_FILE)
		e.name = path_basename(row->name);
	else if (d->by == EVENT_BY_OBJECT)
		e.name = object_name(s, row->name);
	return e;
}

static int compare_keys(const struct entry *x, const struct entry *y)
{
	int order = strcmp(x->name, y->name);

	if (order == 0)
		order = strcmp(x->object, y->object);
	if (order == 0)
		order = strcmp(x->file, y->file);
	if (order == 0)
		order = x->row->line < y->row->line ? -1 : x->row->line > y->row->line;
	return order;
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = compare_keys(x, y);

	return order != 0 ? order : x->is_b - y->is_b;
}

/*
 * Tell whether an entry belongs to the same row as the previous one. Their names are equal, or a
 * function moved to another file, and each side has only one of this name.
 */
static bool is_same_row(const struct diff *d, const struct entry *entries, size_t i, size_t count)
{
	size_t others = 0;

	if (i == 0)
		return false;
	if (compare_keys(&entries[i - 1], &entries[i]) == 0)
		return true;
	if (d->by != EVENT_BY_FUNCTION || entries[i - 1].is_b == entries[i].is_b)
		return false;
	for (size_t k = i > 1 ? i - 2 : 0; k < count && k < i + 2; k++)
		others += strcmp(entries[k].name, entries[i].name) == 0 &&
			  strcmp(entries[k].object, entries[i].object) == 0;
	return others == 2 && strcmp(entries[i - 1].name, entries[i].name) == 0 &&
	       strcmp(entries[i - 1].object, entries[i].object) == 0;
}

static void add_values(const struct diff *d, const struct diff_side *s, const struct event_row *row,
		       uint64_t *sums)
{
	const uint64_t *values = d->is_inclusive ? row->inclusive : row->self;

	for (size_t i = 0; i < s->profile->width; i++)
		sums[i] += values[i];
}

static void match(struct diff *d, const struct entry *entries, size_t count)
{
	size_t in_a = d->a.profile->width, in_b = d->b.profile->width;
	uint64_t *at = d->values - in_a - in_b;

	for (size_t i = 0; i < count; i++) {
		const struct entry *e = &entries[i];

		if (!is_same_row(d, entries, i, count)) {
			at += in_a + in_b;
			d->rows[d->count++] =
				(struct diff_row){.shown = e->row, .a = at, .b = at + in_a};
		}
		*(e->is_b ? &d->rows[d->count - 1].form_b : &d->rows[d->count - 1].form_a) =
			e->row->form;
		add_values(d, e->is_b ? &d->b : &d->a, e->row, e->is_b ? at + in_a : at);
		if (e->is_b)
			d->rows[d->count - 1].shown = e->row;
	}
}

static double size_of_change(const struct diff *d, const struct diff_row *r)
{
	double change = condition_change(diff_value(&d->a, d->sort, r->a),
					 diff_value(&d->b, d->sort, r->b));

	return isnan(change) ? -1 : fabs(change);
}

static int compare_changes(const void *a, const void *b, void *context)
{
	const struct diff_row *x = a, *y = b;
	double p = size_of_change(context, x), q = size_of_change(context, y);

	if (p != q)
		return p > q ? -1 : 1;
	return strcmp(x->shown->name, y->shown->name);
}

static void keep_shown(struct diff *d, const struct query *q)
{
	size_t kept = 0;

	for (size_t i = 0; i < d->count; i++) {
		const struct event_row *r = d->rows[i].shown;

		if (query_shows(q, (const char *const[]){r->name, r->file, r->object}, 3))
			d->rows[kept++] = d->rows[i];
	}
	d->count = kept;
}

int diff_rows(struct diff *d, const struct query *q, enum event_by by, bool is_inclusive,
	      struct err *err)
{
	struct entry *entries = NULL;
	size_t count = 0, most;

	d->by = by;
	d->query = q;
	d->is_inclusive = is_inclusive;
	if (event_rows_init(&d->a.rows, d->a.profile, by, err) != 0 ||
	    event_rows_init(&d->b.rows, d->b.profile, by, err) != 0)
		return -1;
	most = d->a.rows.count + d->b.rows.count;
	entries = calloc(most + 1, sizeof(*entries));
	d->rows = calloc(most + 1, sizeof(*d->rows));
	d->values =
		calloc(most * (d->a.profile->width + d->b.profile->width) + 1, sizeof(*d->values));
	if (entries == NULL || d->rows == NULL || d->values == NULL) {
		free(entries);
		return err_set(err, "not enough memory for %zu rows", most);
	}
	for (size_t i = 0; i < d->a.rows.count; i++)
		entries[count++] = make_entry(d, &d->a, &d->a.rows.items[i]);
	for (size_t i = 0; i < d->b.rows.count; i++)
		entries[count++] = make_entry(d, &d->b, &d->b.rows.items[i]);
	qsort(entries, count, sizeof(*entries), compare_entries);
	match(d, entries, count);
	keep_shown(d, q);
	free(entries);
	qsort_r(d->rows, d->count, sizeof(*d->rows), compare_changes, d);
	return 0;
}

int diff_note_geometry(const struct diff *d, struct text *notes, struct err *err)
{
	struct store_geometry *a = NULL, *b = NULL;
	size_t in_a = 0, in_b = 0;
	int status = -1;

	if (store_read_geometry(d->a.profile->store, &a, &in_a, err) == 0 &&
	    store_read_geometry(d->b.profile->store, &b, &in_b, err) == 0)
		status = 0;
	for (size_t i = 0; status == 0 && i < in_a; i++)
		for (size_t k = 0; k < in_b; k++)
			if (strcmp(a[i].name, b[k].name) == 0 &&
			    strcmp(a[i].value, b[k].value) != 0)
				text_addf(notes, "%s is not the same: '%s' in A, '%s' in B\n",
					  a[i].name, a[i].value, b[k].value);
	free(a);
	free(b);
	return status;
}

void diff_release(struct diff *d)
{
	event_rows_release(&d->a.rows);
	event_rows_release(&d->b.rows);
	free(d->rows);
	free(d->values);
	*d = (struct diff){0};
}
