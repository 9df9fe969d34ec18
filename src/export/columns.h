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
	 * Of a derived one that is a sum: what each measured event counts for. NULL: it is a ratio
	 * or the like, and those of functions do not add up to that of their callers.
	 */
	const double *factors;
};

struct export_columns {
	struct export_column *items;
	size_t count;
};

/*
 * `asked`: names of events, or "NAME = FORMULA"; none: all events of the profile. Strings are d's
 * or the caller's. Returns -1 with a sentence that says which events there are. Release with
 * export_columns_release; d must outlive it.
 */
int export_columns_init(struct export_columns *c, struct export_data *d, const char *const *asked,
			size_t count, struct err *err);
/* Leave out what is no sum of events, and say so in notes. */
void export_columns_keep_sums(struct export_columns *c, struct text *notes);
void export_columns_release(struct export_columns *c);

/* A column's value, from those of the measured events; NAN where it is not defined. */
double export_value(const struct export_column *c, const uint64_t *values);

#endif
