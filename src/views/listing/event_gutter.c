/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "views/listing/event_gutter.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "answer/figures.h"
#include "base/text.h"
#include "views/event_figures.h"
#include "views/fit.h"

#define LEAST_NAME 20 /* width of the callee's name */

struct row {
	struct event_cells events;
	double share;
};

static struct row row_of(const struct event_gutter *g, const struct event_line *line)
{
	const struct event_annotation *a = g->a;
	double value = events_value(a->p, a->columns->sort, line->values);

	return (struct row){.events = {a->p, line->values, NULL},
			    .share = a->total > 0 ? value / a->total : NAN};
}

static void add_columns(struct event_gutter *g)
{
	const struct event_annotation *a = g->a;

	g->made.count = 0;
	g->made.items[g->made.count++] =
		(struct column){.title = a->p->columns[a->columns->sort].name,
				.unit = UNIT_SHARE,
				.offset = offsetof(struct row, share)};
	for (size_t k = 0; k < g->shown; k++)
		g->made.items[g->made.count++] =
			event_column(a->p, a->columns->items[k], EVENT_SELF);
}

void event_gutter_init(struct event_gutter *g, const struct event_annotation *a, size_t first,
		       size_t end, const struct display *d, unsigned used)
{
	struct text cell = {0};

	g->a = a;
	g->shown = event_columns_that_fit(a->p, a->columns, d, EVENT_SHARE_WIDTH + used);
	add_columns(g);
	g->widths[0] = EVENT_SHARE_WIDTH;
	for (size_t k = 1; k <= g->shown; k++) {
		g->widths[k] = (int)strlen(g->made.items[k].title);
		for (size_t i = first; i < end; i++) {
			const struct row row = row_of(g, &a->lines[i]);

			cell.count = 0;
			columns_cell(&g->made.items[k], &row, &cell);
			if ((int)cell.count > g->widths[k])
				g->widths[k] = (int)cell.count;
		}
	}
	text_release(&cell);
}

size_t event_gutter_width(const struct event_gutter *g)
{
	size_t width = EVENT_SHARE_WIDTH;

	for (size_t k = 1; k <= g->shown; k++)
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
	for (size_t k = 0; k <= g->shown; k++) {
		text_add(out, k > 0 ? " " : "");
		put_title(g->made.items[k].title, (size_t)g->widths[k], d, out);
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
	struct text cell = {0};

	for (size_t k = 0; k <= g->shown; k++) {
		cell.count = 0;
		if (line != NULL) {
			const struct row row = row_of(g, line);

			columns_cell(&g->made.items[k], &row, &cell);
		}
		text_addf(out, "%s%*s", k > 0 ? " " : "", g->widths[k],
			  cell.count == 0		      ? ""
			  : strcmp(text_get(&cell), "0") == 0 ? "."
							      : text_get(&cell));
	}
	text_release(&cell);
}
