/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/event_gutter.h"

#include <stdio.h>
#include <string.h>

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

void event_gutter_heading(const struct event_gutter *g, struct text *out)
{
	const struct event_annotation *a = g->a;

	text_addf(out, "%*.*s", EVENT_SHARE_WIDTH, EVENT_SHARE_WIDTH,
		  a->p->columns[a->columns->sort].name);
	for (size_t k = 0; k < g->shown; k++)
		text_addf(out, " %*s", g->widths[k], a->p->columns[a->columns->items[k]].name);
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
			event_figure(events_value(a->p, a->columns->items[k], line->values), figure);
		if (strcmp(figure, "0") == 0)
			snprintf(figure, sizeof(figure), ".");
		text_addf(out, " %*s", g->widths[k], figure);
	}
}
