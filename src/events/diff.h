/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two event profiles side by side, as of two builds or two inputs: rows are matched by name. Of
 * files and objects only the last part of the path counts, so that what was built in another
 * folder matches; the program itself matches whatever it is called, and a function that moved to
 * another file if its object has no other one of this name.
 */
#ifndef DWELL_EVENTS_DIFF_H
#define DWELL_EVENTS_DIFF_H

#include "base/condition.h"
#include "events/event_columns.h"
#include "events/event_rows.h"
#include "query/query.h"

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

/*
 * Choose the columns: the query's metrics are events or "NAME = FORMULA" which both profiles must
 * have; none: all events that both have. Its order is the first. Returns -1 with a sentence.
 */
int diff_columns(struct diff *d, const struct query *q, struct err *err);

/* Match the rows that the query shows; the profiles must outlive *d. Release with diff_release. */
int diff_rows(struct diff *d, const struct query *q, enum event_by by, bool is_inclusive,
	      struct err *err);
void diff_release(struct diff *d);

/* The value of a column on one side, from measured events; and that of the whole profile. */
double diff_value(const struct diff_side *s, size_t column, const uint64_t *values);
double diff_total(const struct diff_side *s, size_t column);
const char *diff_name(const struct diff *d, size_t column);

/* A line in `notes` for each cache that both profiles simulated, and not the same. */
int diff_note_geometry(const struct diff *d, struct text *notes, struct err *err);

/* A condition on an event profile. Returns -1 with a sentence when it cannot be understood. */
int diff_check(struct diff *d, struct condition *c, struct err *err);

#endif
