/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A JSON array of arrays of integers, as text. A row of a table of its own costs SQLite 2.5 us,
 * which would be most of what the collector does in a run; so what comes in thousands
 * is kept as such lists, many things to a row, and views of the schema show them as rows.
 */
#ifndef DWELL_STORE_NUMBERS_H
#define DWELL_STORE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define NUMBERS_MAX 160 /* in one of the inner arrays */

/* One array, as text. */
void numbers_array(struct text *to, const int64_t *numbers, size_t count);
/* Add an array to the list, which begins with the first; numbers_end makes it complete. */
void numbers_add(struct text *list, const int64_t *numbers, size_t count);
void numbers_end(struct text *list);

/* A list being read. */
struct numbers {
	const char *at;
	int64_t items[NUMBERS_MAX]; /* the current array */
	size_t count;
	bool is_bad; /* once numbers_next returned false: the text is no such list */
};

struct numbers numbers_read(const char *list); /* NULL is a bad list */
bool numbers_next(struct numbers *n);

#endif
