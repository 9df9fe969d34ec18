/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of figures to the left of source lines and instructions. */
#ifndef DWELL_VIEWS_LISTING_EVENT_GUTTER_H
#define DWELL_VIEWS_LISTING_EVENT_GUTTER_H

#include "events/event_annotate.h"
#include "views/fit.h"

#define EVENT_SHARE_WIDTH 8 /* the first column: the share of the event to sort by */

struct event_gutter {
	const struct event_annotation *a;
	size_t shown; /* columns behind that one */
	int widths[EVENT_COLUMNS];
};

/*
 * For lines [first, end) of a, which stays the caller's, where `used` characters follow in each
 * row.
 */
void event_gutter_init(struct event_gutter *g, const struct event_annotation *a, size_t first,
		       size_t end, const struct display *d, unsigned used);

/* Characters of a row. */
size_t event_gutter_width(const struct event_gutter *g);

void event_gutter_heading(const struct event_gutter *g, const struct display *d, struct text *out);

/* The figures of a line, "." for none; of NULL only their room. */
void event_gutter_row(const struct event_gutter *g, const struct event_line *line,
		      struct text *out);

/* The rest of a row that is a call, behind `used` columns: "=> name (5 x)". */
void event_gutter_call(const struct event_line *line, size_t used, const struct display *d,
		       struct text *out);

#endif
