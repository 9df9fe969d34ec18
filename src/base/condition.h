/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conditions on the difference of two profiles, for tests that guard a program's cost. */
#ifndef DWELL_BASE_CONDITION_H
#define DWELL_BASE_CONDITION_H

#include <stdbool.h>

#include "base/err.h"

/* The change b - a, and the same relative to |a|: infinite if only a is 0, 0 if both are. */
double condition_change(double a, double b);
double condition_relative(double a, double b);

/*
 * "D1mr > +2%", "main:Ir > +1000", "CEst <= 5000000": an event, of the whole program or of a
 * function, compared with a change in percent, a change (with a sign), or a value of the second
 * profile.
 */
struct condition {
	const char *text; /* owned by the caller */
	bool holds;
	double a, b;
};

enum condition_limit { CONDITION_VALUE, CONDITION_CHANGE, CONDITION_PERCENT };

struct condition_test {
	char subject[256]; /* the text before the sign */
	bool is_less, or_equal;
	enum condition_limit limit_is;
	double limit;
};

/* Parse a condition's text; evaluate it for two numbers. */
int condition_parse(struct condition_test *t, const char *text, struct err *err);
bool condition_holds(const struct condition_test *t, double a, double b);

#endif
