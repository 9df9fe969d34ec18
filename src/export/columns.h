/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events to export: columns of the profile, and formulas over them. */
#ifndef DWELL_EXPORT_COLUMNS_H
#define DWELL_EXPORT_COLUMNS_H

#include "export/data.h"

struct export_column {
	const struct event_profile *profile;
	size_t index; /* of the profile's columns */
	const char *name;
	const char *title; /* or NULL */
	bool is_measured;
	/*
	 * For a derived column that is a sum: the factor of each measured event. NULL: it is not a
	 * sum, such as a ratio, and callees' values do not add up to their callers'.
	 */
	const double *factors;
};

struct export_columns {
	struct export_column *items;
	size_t count;
};

/*
 * `asked`: names of events, or "NAME = FORMULA"; none: all events of the profile. Strings are owned
 * by d or the caller. Returns -1 with a sentence that lists the events. Release with
 * export_columns_release; d must outlive it.
 */
int export_columns_init(struct export_columns *c, struct export_data *d, const char *const *asked,
			size_t count, struct err *err);
/* Remove columns that are not sums of events, with a line in notes for each. */
void export_columns_keep_sums(struct export_columns *c, struct text *notes);
void export_columns_release(struct export_columns *c);

/* A column's value, from those of the measured events; NAN if undefined. */
double export_value(const struct export_column *c, const uint64_t *values);

#endif
