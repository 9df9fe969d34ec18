/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of rows; see rows.h. */
#include "answer/rows.h"

#include <assert.h>

static bool exists(const struct shown *s, unsigned has)
{
	return (s->needs & has) == s->needs && (s->lacks & has) == 0;
}

static void add(struct rows_columns *to, const struct shown *s)
{
	assert(to->count < ROWS_COLUMNS);
	to->items[to->count] = s->column;
	to->less[to->count++] = s->less;
}

void rows_show_text(struct rows *r, const struct shown *columns, size_t count, unsigned has)
{
	for (size_t i = 0; i < count; i++)
		if (exists(&columns[i], has))
			add(&r->text, &columns[i]);
}

void rows_show_files(struct rows *r, const struct shown *columns, size_t count, unsigned has)
{
	for (size_t i = 0; i < count; i++) {
		if (exists(&columns[i], has) && columns[i].in != IN_JSON)
			add(&r->csv, &columns[i]);
		if (exists(&columns[i], has) && columns[i].in != IN_CSV)
			add(&r->json, &columns[i]);
	}
}

const void *rows_at(const struct rows *r, size_t i)
{
	return (const char *)r->items + i * r->bytes_each;
}

size_t rows_shown(const struct rows *r, size_t most)
{
	return most > 0 && most < r->count ? most : r->count;
}

struct column_list rows_list(const struct rows_columns *c)
{
	return (struct column_list){c->items, c->count};
}
