/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables over libsmartcols. */
#include "report/table.h"

#include <libsmartcols/libsmartcols.h>
#include <stdlib.h>

struct table {
	struct libscols_table *table;
	size_t columns;
	bool failed;
};

struct table *table_new(const struct table_column *columns, size_t count, const struct display *d)
{
	struct table *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->table = scols_new_table();
	t->columns = count;
	if (t->table == NULL) {
		free(t);
		return NULL;
	}
	/* A width of our own choice, so that a table does not depend on where stdout goes. */
	scols_table_set_termforce(t->table, SCOLS_TERMFORCE_ALWAYS);
	scols_table_set_termwidth(t->table, d->width > 0 ? d->width : 100000);
	for (size_t i = 0; i < count; i++) {
		int flags = (columns[i].is_number ? SCOLS_FL_RIGHT : 0) |
			    (columns[i].may_cut && d->width > 0 ? SCOLS_FL_TRUNC : 0);

		if (scols_table_new_column(t->table, columns[i].title, 0, flags) == NULL)
			t->failed = true;
	}
	return t;
}

void table_free(struct table *t)
{
	if (t == NULL)
		return;
	scols_unref_table(t->table);
	free(t);
}

void table_row(struct table *t, const char *const *cells)
{
	struct libscols_line *line;

	if (t == NULL || t->failed)
		return;
	line = scols_table_new_line(t->table, NULL);
	if (line == NULL) {
		t->failed = true;
		return;
	}
	for (size_t i = 0; i < t->columns; i++)
		if (scols_line_set_data(line, i, cells[i] != NULL ? cells[i] : "") != 0)
			t->failed = true;
}

int table_print(struct table *t, struct text *out, struct err *err)
{
	char *data = NULL;

	if (t == NULL || t->failed || scols_print_table_to_string(t->table, &data) != 0) {
		free(data);
		return err_set(err, "not enough memory for a table");
	}
	if (data != NULL && data[0] != '\0')
		text_addf(out, "%s\n", data);
	free(data);
	return 0;
}
