/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of rows; see rows.h. */
#include "answer/rows.h"

#include <assert.h>

/* Add it if it has what the format calls it. */
static void add(struct rows_columns *to, const struct shown *s, const char *name)
{
	if (name == NULL)
		return;
	assert(to->count < ROWS_COLUMNS);
	to->items[to->count] = s->column;
	to->less[to->count++] = s->less;
}

void rows_show(struct rows *r, const struct shown *columns, size_t count, unsigned has, unsigned in)
{
	for (size_t i = 0; i < count; i++) {
		const struct shown *s = &columns[i];
		const unsigned formats = s->in != 0 ? s->in & in : in;

		if ((s->needs & has) != s->needs || (s->lacks & has) != 0)
			continue;
		if ((formats & IN_TEXT) != 0)
			add(&r->text, s, s->column->title);
		if ((formats & IN_CSV) != 0)
			add(&r->csv, s, s->column->key);
		if ((formats & IN_JSON) != 0)
			add(&r->json, s, s->column->key);
	}
}

const void *rows_at(const struct rows *r, size_t i)
{
	return (const char *)r->items + i * r->bytes_each;
}

size_t rows_shown(const struct rows *r, size_t most)
{
	return most > 0 && most < r->count && !r->is_chosen ? most : r->count;
}

struct column_list rows_list(const struct rows_columns *c)
{
	return (struct column_list){c->items, c->count};
}
