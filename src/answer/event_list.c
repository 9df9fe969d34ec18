/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns of events; see event_list.h. */
#include "answer/event_list.h"

#include <assert.h>

#include "answer/json.h"

static void put_value(const struct event_cells *c, const uint64_t *values, struct value *v)
{
	v->is_missing = values == NULL;
	if (values != NULL)
		v->real = events_value(c->p, v->number, values);
}

static void get_self(const void *row, struct value *v)
{
	const struct event_cells *c = row;

	put_value(c, c->self, v);
}

static void get_inclusive(const void *row, struct value *v)
{
	const struct event_cells *c = row;

	put_value(c, c->inclusive, v);
}

struct column event_column(const struct event_profile *p, size_t column, enum event_cost cost)
{
	return (struct column){.title = p->columns[column].name,
			       .key = p->columns[column].name,
			       .unit = UNIT_EVENT,
			       .get = cost == EVENT_SELF ? get_self : get_inclusive,
			       .number = column,
			       .adds_up = cost == EVENT_SELF && column < p->measured};
}

void event_made_show(struct event_made *m, struct column c, unsigned in, unsigned less,
		     struct rows *r)
{
	const struct shown one = {.column = &m->items[m->count], .less = less, .in = in};

	assert(m->count < sizeof(m->items) / sizeof(m->items[0]));
	m->items[m->count++] = c;
	rows_show(r, &one, 1, 0, IN_TEXT | IN_FILES);
}

void event_made_show_all(struct event_made *m, const struct event_profile *p,
			 const struct event_columns *c, unsigned in, struct rows *r)
{
	for (size_t i = 0; i < c->count; i++)
		event_made_show(m, event_column(p, c->items[i], EVENT_SELF), in, 0, r);
}

void event_made_show_others(struct event_made *m, const struct event_profile *p,
			    const struct event_columns *c, enum event_cost cost, struct rows *r)
{
	unsigned shown = 0;

	for (size_t i = 0; i < c->count; i++) {
		if (c->items[i] == c->sort)
			continue;
		event_made_show(m, event_column(p, c->items[i], cost), IN_TEXT,
				!c->by_default ? 0
				: ++shown > 2  ? (unsigned)(c->count - i)
					       : EVENT_LESS_ABOVE - shown,
				r);
	}
}

json_t *event_list_json(const struct event_profile *p, const struct event_columns *c,
			const uint64_t *values)
{
	json_t *o = json_object();

	for (size_t i = 0; i < c->count; i++)
		json_object_set_new(o, p->columns[c->items[i]].name,
				    event_json(events_value(p, c->items[i], values)));
	return o;
}
