/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers and headings of the views of event profiles. */
#include "views/event_figures.h"

#include <string.h>

#include "views/answer_print.h"

#define NAME_WIDTH 32 /* reserved for a function's name */

size_t event_columns_that_fit(const struct event_profile *p, const struct event_columns *c,
			      const struct display *d, unsigned used)
{
	char figure[FIGURE_BYTES];
	size_t i;

	if (d->width == 0 || !c->by_default)
		return c->count;
	for (i = 0; i < c->count; i++) {
		size_t width =
			strlen(event_figure(events_value(p, c->items[i], p->totals), figure));
		size_t title = strlen(p->columns[c->items[i]].name);

		used += (unsigned)(width > title ? width : title) + 1;
		if (used + NAME_WIDTH > d->width)
			break;
	}
	return i;
}

void event_heading(const struct event_profile *p, const struct event_columns *c, const char *what,
		   const struct display *d, struct text *out)
{
	struct text title = {0};

	event_title(p, c, what, &title);
	lines_text(&title, "", 0, d, out);
	text_add(out, "\n");
	text_release(&title);
}

void event_more_columns(const struct event_profile *p, const struct event_columns *c, size_t shown,
			const struct display *d, struct text *out)
{
	size_t from = out->count, i;

	if (shown >= c->count)
		return;
	text_add(out, "More events, with --event NAME:");
	for (i = shown; i < c->count; i++) {
		text_add(out, " ");
		fit_add(out, p->columns[c->items[i]].name, d);
	}
	text_add(out, "\n");
	fit_prose(out, from, 2, d);
}
