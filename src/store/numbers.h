/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON arrays of numbers, as text; most are arrays of arrays of integers. SQLite takes 2.5 us to
 * insert a row: one row per sample would be most of the collector's time. So a row holds a list of
 * many items, and views of the schema show the items as rows.
 */
#ifndef DWELL_STORE_NUMBERS_H
#define DWELL_STORE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define NUMBERS_MAX 160 /* in one of the inner arrays */

/* Append one array. */
void numbers_array(struct text *to, const int64_t *numbers, size_t count);
/* Append an array to the list; the first one opens the list, numbers_end closes it. */
void numbers_add(struct text *list, const int64_t *numbers, size_t count);
void numbers_end(struct text *list);

/*
 * The same for numbers that are not negative, to three digits after the point. Reading returns
 * false for anything but such an array of at most `room` numbers.
 */
void numbers_reals(struct text *to, const double *numbers, size_t count);
bool numbers_read_reals(const char *array, double *numbers, size_t room, size_t *count);

/* The state of reading a list. */
struct numbers {
	const char *at;
	int64_t items[NUMBERS_MAX]; /* the current array */
	size_t count;
	bool is_bad; /* set when numbers_next returns false: the list is invalid */
};

struct numbers numbers_read(const char *list); /* NULL is an invalid list */
bool numbers_next(struct numbers *n);

#endif
