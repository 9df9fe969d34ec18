/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formulas over the columns of an event profile: "Ir + 10*L1m + 100*LLm".
 *
 *	sum	= product { ("+" | "-") product }
 *	product	= factor { ("*" | "/" | nothing, behind a number) factor }
 *	factor	= number | name | "(" sum ")" | "-" factor
 *
 * "10 L1m" is a product, as Callgrind's files have it. A name is of letters, digits, '_' and '.'.
 */
#ifndef DWELL_EVENTS_FORMULA_H
#define DWELL_EVENTS_FORMULA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct formula_step;

/* All zero is a formula without steps, whose value is 0. */
struct formula {
	struct formula_step *items;
	size_t count, room;
};

/* Set *column to the index of the column with this name. Returns false if there is none. */
typedef bool formula_lookup(const void *context, const char *name, size_t length, size_t *column);

/* Returns 0, or -1 with the error and its position; then *f owns nothing. */
int formula_parse(struct formula *f, const char *text, formula_lookup *lookup, const void *context,
		  struct err *err);
void formula_release(struct formula *f);

typedef double formula_column(const void *context, size_t column);

/* Returns NAN for a division by 0. */
double formula_value(const struct formula *f, formula_column *column, const void *context);

typedef size_t formula_weigher(const void *context, size_t column);

/* The work to evaluate the formula: its steps, plus the weights of its columns. */
size_t formula_weight(const struct formula *f, formula_weigher *weigh, const void *context);

/* The length of the name at the beginning of the text; 0: none. */
size_t formula_name_length(const char *text);

#endif
