/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of figures left of source lines and instructions. */
#ifndef DWELL_VIEWS_LISTING_EVENT_GUTTER_H
#define DWELL_VIEWS_LISTING_EVENT_GUTTER_H

#include "answer/event_list.h"
#include "events/event_annotate.h"
#include "views/fit.h"

#define EVENT_SHARE_WIDTH 8 /* the first column: share of the event to sort by */

struct event_gutter {
	const struct event_annotation *a;
	struct event_made made; /* columns: the share, then events */
	size_t shown;		/* number of events */
	int widths[EVENT_COLUMNS + 1];
};

/* For lines [first, end) of a, which the caller owns. Each row continues with `used` characters. */
void event_gutter_init(struct event_gutter *g, const struct event_annotation *a, size_t first,
		       size_t end, const struct display *d, unsigned used);

/* Width of a row. */
size_t event_gutter_width(const struct event_gutter *g);

void event_gutter_heading(const struct event_gutter *g, const struct display *d, struct text *out);

/* Add the figures of a line, "." for none. NULL: only blanks. */
void event_gutter_row(const struct event_gutter *g, const struct event_line *line,
		      struct text *out);

/* Add the rest of a row with a call, after `used` columns: "=> name (5 x)". */
void event_gutter_call(const struct event_line *line, size_t used, const struct display *d,
		       struct text *out);

#endif
