/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Views that are one table; see rows.h. */
#include "views/rows.h"

#include "views/figures.h"
#include "views/json.h"

static const void *nth(const struct rows *r, size_t i)
{
	return (const char *)r->items + i * r->bytes_each;
}

int rows_text(const struct rows *r, size_t most, const struct display *d, struct text *out,
	      struct err *err)
{
	struct table *t;
	size_t shown = most > 0 && most < r->count ? most : r->count;
	int status;

	if (r->count == 0 && r->none != NULL) {
		text_addf(out, "%s\n", r->none);
		return 0;
	}
	t = columns_table(r->text, d);
	table_may_leave_out(t, r->least_important, r->least_count);
	for (size_t i = 0; i < shown; i++)
		columns_table_row(r->text, t, nth(r, i));
	status = table_print(t, out, err);
	table_free(t);
	if (status == 0 && shown < r->count)
		figure_more(out, r->count - shown, "");
	return status;
}

void rows_csv(const struct rows *r, struct text *out)
{
	columns_csv_head(r->csv, out);
	for (size_t i = 0; i < r->count; i++)
		columns_csv_row(r->csv, nth(r, i), out);
}

int rows_json(const struct rows *r, struct text *out, struct err *err)
{
	json_t *root = json_object(), *list = json_array();

	for (size_t i = 0; i < r->count; i++)
		json_array_append_new(list, columns_json(r->json, nth(r, i)));
	json_object_set_new(root, r->key, list);
	if (r->around != NULL) {
		json_object_update(root, r->around);
		json_decref(r->around);
	}
	if (r->about != NULL)
		columns_json_put(r->about, NULL, root);
	return json_print(root, out, err);
}
