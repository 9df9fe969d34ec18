/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of an event profile, chosen and sorted. */
#include "events/event_report.h"

#include <math.h>
#include <stdlib.h>

struct ranked {
	double key, second;
	size_t row;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->key != y->key)
		return x->key > y->key ? -1 : 1;
	if (x->second != y->second)
		return x->second > y->second ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

static bool is_chosen(const struct event_report *r, const struct event_row *row, double key)
{
	const struct event_choice *c = r->choice;

	return !(key < c->threshold * r->total) &&
	       (c->query == NULL ||
		query_shows(c->query, (const char *const[]){row->name, row->file, row->object}, 3));
}

static int rank(struct event_report *r, struct err *err)
{
	const struct event_choice *c = r->choice;
	struct ranked *ranked = malloc((r->rows.count + 1) * sizeof(*ranked));
	size_t i;

	r->order = malloc((r->rows.count + 1) * sizeof(*r->order));
	if (ranked == NULL || r->order == NULL) {
		free(ranked);
		return err_set(err, "out of memory");
	}
	for (i = 0; i < r->rows.count; i++) {
		const struct event_row *row = &r->rows.items[i];
		const uint64_t *values = c->is_inclusive ? row->inclusive : row->self;
		double key = events_value(r->p, c->columns.sort, values);
		double second = c->second != NULL ? events_value(r->p, *c->second, values) : 0;

		if (is_chosen(r, row, key))
			ranked[r->count++] =
				(struct ranked){isnan(key) ? -INFINITY : key, second, i};
	}
	qsort(ranked, r->count, sizeof(*ranked), compare_ranked);
	for (i = 0; i < r->count; i++)
		r->order[i] = ranked[i].row;
	free(ranked);
	return 0;
}

int event_report_init(struct event_report *r, const struct event_profile *p, enum event_by by,
		      const struct event_choice *choice, struct err *err)
{
	*r = (struct event_report){.p = p, .choice = choice, .by = by};
	r->total = events_value(p, choice->columns.sort, p->totals);
	if (event_rows_init(&r->rows, p, by, err) != 0)
		return -1;
	if (rank(r, err) == 0)
		return 0;
	event_report_release(r);
	return -1;
}

void event_report_release(struct event_report *r)
{
	event_rows_release(&r->rows);
	free(r->order);
}
