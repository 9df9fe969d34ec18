/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One picture of a run that goes on: a head of three lines and a table. */
#ifndef DWELL_REPORT_TOP_H
#define DWELL_REPORT_TOP_H

#include "report/profile.h"
#include "report/table.h"

enum top_view {
	TOP_PROCESSES,
	TOP_FUNCTIONS, /* of the profile's chosen process */
	TOP_LINES,
};

/*
 * Append the picture: at most `rows` rows of the table. Functions and lines are ranked by their misses
 * in a cache of size_bytes, 0: the machine's L2.
 */
int top_text(const struct profile *p, enum top_view view, uint64_t size_bytes, size_t rows,
	     const struct display *d, struct text *out, struct err *err);

#endif
