/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two event profiles side by side, as of two builds or two inputs: rows are matched by name. Of
 * files and objects only the last part of the path counts, so that what was built in another
 * folder matches; the program itself matches whatever it is called, and a function that moved to
 * another file if its object has no other one of this name.
 */
#ifndef DWELL_REPORT_DIFF_H
#define DWELL_REPORT_DIFF_H

#include "report/event_figures.h"
#include "report/event_rows.h"
#include "report/table.h"

struct diff_side {
	const char *path; /* of the profile */
	struct event_profile *profile;
	size_t columns[EVENT_COLUMNS]; /* of the profile, in the order of the diff's */
	struct event_rows rows;
};

struct diff_row {
	const struct event_row *shown; /* B's, or A's where B has none */
	const uint64_t *a, *b;	       /* measured events of each side's profile; never NULL */
};

struct diff {
	struct diff_side a, b;
	size_t columns; /* how many */
	size_t sort;	/* one of these */
	enum event_by by;
	bool is_inclusive;
	struct diff_row *rows; /* largest change first */
	size_t count;
	uint64_t *values; /* of the rows */
};

/* What has changed of a number: b - a, and that as a part of a; infinite from 0, 0 where both are 0. */
double diff_change(double a, double b);
double diff_relative(double a, double b);

/*
 * Choose the columns: `names` are events or "NAME = FORMULA" which both profiles must have; none:
 * all events that both have. `sort` NULL: the first. Returns -1 with a sentence.
 */
int diff_columns(struct diff *d, const char *const *names, size_t count, const char *sort,
		 struct err *err);

/* Match the rows; the profiles must outlive *d. Release with diff_release. */
int diff_rows(struct diff *d, enum event_by by, bool is_inclusive, struct err *err);
void diff_release(struct diff *d);

/* The value of a column on one side, from measured events; and that of the whole profile. */
double diff_value(const struct diff_side *s, size_t column, const uint64_t *values);
double diff_total(const struct diff_side *s, size_t column);
const char *diff_name(const struct diff *d, size_t column);

/* ---- Conditions ---- */

/*
 * "D1mr > +2%", "main:Ir > +1000", "CEst <= 5000000": an event of the whole or of a function; more or less;
 * and a change in percent, a change (with a sign), or a value of the second profile.
 */
struct diff_condition {
	const char *text; /* the caller's */
	bool holds;
	double a, b;
};

/* Of an event profile. Returns -1 with a sentence when it cannot be understood. */
int diff_check(struct diff *d, struct diff_condition *c, struct err *err);

enum diff_limit { DIFF_VALUE, DIFF_CHANGE, DIFF_PERCENT };

struct diff_test {
	char subject[256]; /* what stands in front of the sign */
	bool is_less, or_equal;
	enum diff_limit limit_is;
	double limit;
};

/* The parts of a condition's text, and what it says of two numbers. */
int diff_parse_test(struct diff_test *t, const char *text, struct err *err);
bool diff_test_holds(const struct diff_test *t, double a, double b);

/* "D1mr > +2%: 1,200, before 1,000 (+20.00 %)", for a condition that holds. */
void diff_explain(const struct diff_condition *c, struct text *out);

/* ---- Output ---- */

/* `top`: rows at most; the other formats have all. All append to `out`; -1 when memory runs out. */
int diff_text(const struct diff *d, size_t top, const struct display *display, struct text *out,
	      struct err *err);
void diff_csv(const struct diff *d, struct text *out);
int diff_json(const struct diff *d, const struct diff_condition *conditions, size_t count,
	      struct text *out, struct err *err);

/* "+1,234", "-0.01"; and "+5.22 %", "new" from 0. Return buf. */
char *diff_figure(double change, char buf[FIGURE_BYTES]);
char *diff_percent(double a, double b, char buf[FIGURE_BYTES]);

/* A list of what the conditions said. */
json_t *diff_json_conditions(const struct diff_condition *conditions, size_t count);

#endif
