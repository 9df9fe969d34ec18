/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An answer as text, CSV and JSON. All append to `out`. */
#ifndef DWELL_VIEWS_ANSWER_PRINT_H
#define DWELL_VIEWS_ANSWER_PRINT_H

#include "answer/answer.h"
#include "views/fit.h"

/*
 * At most `most` rows, 0: all; the others are named: in text by their number, in CSV by a last row,
 * in JSON as "others", with the sums of columns that add up. Return -1 with *err when memory runs
 * out.
 */
int answer_text(const struct answer *a, size_t most, const struct display *d, struct text *out,
		struct err *err);
void answer_csv(const struct answer *a, size_t most, struct text *out);
int answer_json(const struct answer *a, size_t most, struct text *out, struct err *err);

/* Its lines for people, each with `before` in front of it; what continues one is indented. */
void lines_text(const struct text *lines, const char *before, size_t indent,
		const struct display *d, struct text *out);

void bars_text(const struct bars *b, const struct display *d, struct text *out);

/* Its table alone; and its rows in an object. */
int rows_text(const struct rows *r, size_t most, const struct display *d, struct text *out,
	      struct err *err);
void rows_json(const struct rows *r, size_t most, json_t *root);

#endif
