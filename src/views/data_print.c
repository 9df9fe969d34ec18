/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data structures of samples in the report. */
#include "answer/objects.h"
#include "views/answer_print.h"
#include "views/parts.h"

int data_table(const struct data *d, size_t rows, const bool *marks, const struct display *display,
	       struct text *out, struct err *err)
{
	struct answer a = {0};
	int status = objects_of_samples(&a, d, marks, rows, err);

	if (status == 0)
		status = rows_text(&a.rows, a.usual_rows, display, out, err);
	answer_release(&a);
	return status;
}

void data_json_rows(const struct data *d, const bool *marks, json_t *object)
{
	struct answer a = {0};

	if (objects_of_samples(&a, d, marks, 0, NULL) == 0)
		rows_json(&a.rows, query_file_rows(d->query), object);
	answer_release(&a);
}
