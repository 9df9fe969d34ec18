/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the views of event profiles: the choice of columns, numbers, headings. */
#ifndef DWELL_VIEWS_EVENT_FIGURES_H
#define DWELL_VIEWS_EVENT_FIGURES_H

#include "answer/event_title.h"
#include "answer/figures.h"
#include "base/text.h"
#include "events/event_columns.h"
#include "events/events.h"
#include "views/table.h"

/*
 * The number of columns that fit beside others of `used` characters. All if there is no terminal,
 * or the user chose them. A column is as wide as its total.
 */
size_t event_columns_that_fit(const struct event_profile *p, const struct event_columns *c,
			      const struct display *d, unsigned used);

/* Add the lines of event_title, and an empty one. */
void event_heading(const struct event_profile *p, const struct event_columns *c, const char *what,
		   const struct display *d, struct text *out);

/* Tell how to see the columns after the first `shown`. */
void event_more_columns(const struct event_profile *p, const struct event_columns *c, size_t shown,
			const struct display *d, struct text *out);

#endif
