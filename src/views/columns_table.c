/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows as a table; see columns_table.h. */
#include "views/columns_table.h"

#include <assert.h>

#include "base/text.h"

#define MOST_CELLS 128 /* in a table */

struct table *columns_table(const struct column_list *l, const struct display *d)
{
	struct table_column columns[MOST_CELLS];

	assert(l->count <= MOST_CELLS);
	for (size_t i = 0; i < l->count; i++) {
		const struct column *c = l->items[i];

		bool is_word = c->unit == UNIT_TEXT || c->unit == UNIT_TRUTH;

		columns[i] = (struct table_column){c->title, !is_word || c->to_right, c->may_cut};
	}
	return table_new(columns, l->count, d);
}

void columns_table_row(const struct column_list *l, struct table *t, const void *row)
{
	char figures[MOST_CELLS][FIGURE_BYTES];
	const char *cells[MOST_CELLS];
	struct text made[MOST_CELLS] = {0};

	for (size_t i = 0; i < l->count; i++)
		cells[i] = column_words(l->items[i], row, &made[i], figures[i]);
	table_row(t, cells);
	for (size_t i = 0; i < l->count; i++)
		text_release(&made[i]);
}
