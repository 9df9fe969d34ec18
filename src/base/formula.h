/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arithmetic over named values, "Ir + 10*L1m + 100*LLm": decimal numbers, names, + - * / and parentheses.
 * A number in front of a name or a parenthesis multiplies it also without a sign, "10 L1m".
 */
#ifndef DWELL_BASE_FORMULA_H
#define DWELL_BASE_FORMULA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* A name that formulas may use: a value, or a formula over other names, which come earlier or later. */
struct formula_name {
	const char *name;
	const char *formula; /* or NULL: it is a value */
	size_t index;	     /* of a value, in the array given to formula_value */
};

struct formula;

/*
 * NULL with one sentence in *err, which names what is unknown or where reading stopped, or says that
 * a formula leads back to itself. Nothing of the names is kept. formula_free().
 */
struct formula *formula_parse(const char *text, const struct formula_name *names, size_t count,
			      struct err *err);
void formula_free(struct formula *f);

/* What is divided by 0 counts as 0: there was nothing to take a ratio of. */
double formula_value(const struct formula *f, const uint64_t *values);

/* The same over numbers that are no counts. */
double formula_value_of(const struct formula *f, const double *values);

/*
 * Whether the formula is a sum in which each of `count` values is multiplied by a constant: then
 * what holds for parts holds for their sum. Sets factors[], the constants.
 */
bool formula_is_sum(const struct formula *f, double *factors, size_t count);

/* How many characters at s are a name of an event or of a value: a letter or _, then digits, too. */
size_t formula_name_length(const char *s);

#endif
