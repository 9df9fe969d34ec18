/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "views/listing/event_gutter.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "views/event_figures.h"
#include "views/figures.h"
#include "views/fit.h"

#define LEAST_NAME 20 /* width of the callee's name */

void event_gutter_init(struct event_gutter *g, const struct event_annotation *a, size_t first,
		       size_t end, const struct display *d, unsigned used)
{
	char figure[FIGURE_BYTES];

	*g = (struct event_gutter){.a = a};
	g->shown = event_columns_that_fit(a->p, a->columns, d, EVENT_SHARE_WIDTH + used);
	for (size_t k = 0; k < g->shown; k++) {
		g->widths[k] = (int)strlen(a->p->columns[a->columns->items[k]].name);
		for (size_t i = first; i < end; i++) {
			double v = events_value(a->p, a->columns->items[k], a->lines[i].values);
			int width = (int)strlen(event_figure(v, figure));

			g->widths[k] = width > g->widths[k] ? width : g->widths[k];
		}
	}
}

size_t event_gutter_width(const struct event_gutter *g)
{
	size_t width = EVENT_SHARE_WIDTH;

	for (size_t k = 0; k < g->shown; k++)
		width += (size_t)g->widths[k] + 1;
	return width;
}

/* Put a title, right-aligned to `width` columns. */
static void put_title(const char *name, size_t width, const struct display *d, struct text *out)
{
	struct text title = {0}, shown = {0};
	size_t used;

	fit_add(&title, name, d);
	fit_words(&shown, text_get(&title), width, d);
	used = fit_width(text_get(&shown));
	text_addf(out, "%*s%s", used < width ? (int)(width - used) : 0, "", text_get(&shown));
	text_release(&title);
	text_release(&shown);
}

void event_gutter_heading(const struct event_gutter *g, const struct display *d, struct text *out)
{
	const struct event_annotation *a = g->a;

	put_title(a->p->columns[a->columns->sort].name, EVENT_SHARE_WIDTH, d, out);
	for (size_t k = 0; k < g->shown; k++) {
		text_add(out, " ");
		put_title(a->p->columns[a->columns->items[k]].name, (size_t)g->widths[k], d, out);
	}
}

void event_gutter_call(const struct event_line *line, size_t used, const struct display *d,
		       struct text *out)
{
	struct text name = {0}, calls = {0};
	char figure[FIGURE_BYTES];
	size_t room = SIZE_MAX;

	fit_add(&name, line->callee, d);
	text_addf(&calls, " (%s x)", event_figure((double)line->calls, figure));
	used += strlen("=> ") + calls.count;
	if (d->width > 0)
		room = d->width > used + LEAST_NAME ? d->width - used : LEAST_NAME;
	text_add(out, "=> ");
	fit_name(out, text_get(&name), room, d);
	text_addf(out, "%s\n", text_get(&calls));
	text_release(&name);
	text_release(&calls);
}

void event_gutter_row(const struct event_gutter *g, const struct event_line *line, struct text *out)
{
	const struct event_annotation *a = g->a;
	char figure[FIGURE_BYTES] = "";

	if (line != NULL)
		event_share(events_value(a->p, a->columns->sort, line->values), a->total, figure);
	text_addf(out, "%*s", EVENT_SHARE_WIDTH, figure);
	for (size_t k = 0; k < g->shown; k++) {
		figure[0] = '\0';
		if (line != NULL)
			event_figure(events_value(a->p, a->columns->items[k], line->values),
				     figure);
		if (strcmp(figure, "0") == 0)
			snprintf(figure, sizeof(figure), ".");
		text_addf(out, " %*s", g->widths[k], figure);
	}
}
