/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two event profiles side by side, for example of two builds or two inputs. Rows are matched by
 * name. Only the last part of the paths of files and objects counts, so that builds in different
 * folders match. The program itself matches whatever its name is. A function that moved to another
 * file matches if its object has no other one of this name.
 */
#ifndef DWELL_EVENTS_DIFF_H
#define DWELL_EVENTS_DIFF_H

#include "base/condition.h"
#include "events/event_columns.h"
#include "events/event_rows.h"
#include "query/query.h"

struct diff_side {
	const char *path; /* path of the profile */
	struct event_profile *profile;
	size_t columns[EVENT_COLUMNS]; /* columns of the profile, in the order of the diff's */
	struct event_rows rows;
};

struct diff_row {
	const struct event_row *shown; /* B's row, or A's if B has none */
	const uint64_t *a, *b;	       /* counts of measured events of each side; never NULL */
	struct event_form form_a, form_b;
};

struct diff {
	struct diff_side a, b;
	size_t columns; /* number of columns */
	size_t sort;	/* index of the column to sort by */
	enum event_by by;
	bool is_inclusive;
	struct diff_row *rows; /* largest change first */
	size_t count;
	const struct query *query;
	uint64_t *values; /* memory for the counts of all rows */
};

/*
 * Choose the columns: the query's metrics, events or "NAME = FORMULA", which both profiles must
 * have; or without metrics all common events. The query's sort, else the first column, becomes
 * d->sort. Returns -1 with *err.
 */
int diff_columns(struct diff *d, const struct query *q, struct err *err);

/* Match the rows that the query shows; the profiles must outlive *d. Release with diff_release. */
int diff_rows(struct diff *d, const struct query *q, enum event_by by, bool is_inclusive,
	      struct err *err);
void diff_release(struct diff *d);

/*
 * The value of a column on one side, from counts of measured events; and that of the whole profile.
 */
double diff_value(const struct diff_side *s, size_t column, const uint64_t *values);
double diff_total(const struct diff_side *s, size_t column);
const char *diff_name(const struct diff *d, size_t column);

/* Add a line to `notes` for each cache that both profiles simulated with different geometries. */
int diff_note_geometry(const struct diff *d, struct text *notes, struct err *err);

/* Evaluate a condition. Returns -1 with *err if it cannot be understood. */
int diff_check(struct diff *d, struct condition *c, struct err *err);

#endif
