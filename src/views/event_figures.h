/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the views of event profiles share: the columns they show, numbers, headings. */
#ifndef DWELL_VIEWS_EVENT_FIGURES_H
#define DWELL_VIEWS_EVENT_FIGURES_H

#include <jansson.h>

#include "base/text.h"
#include "events/event_columns.h"
#include "events/events.h"
#include "views/figures.h"
#include "views/table.h"

/* "1,326,305"; what is no whole number "0.01234"; "-" for NAN. Returns buf. */
char *event_figure(double value, char buf[FIGURE_BYTES]);

/* The same with "~" behind it, where it is an estimate. */
char *event_figure_of(double value, bool is_estimate, char buf[FIGURE_BYTES]);

/* A share of a whole for a column, "12.30 %"; "" where there is none. */
char *event_share(double part, double whole, char buf[FIGURE_BYTES]);

/* "name=value", or NULL for NAN. */
json_t *event_json(double value);

/* A value in CSV; nothing for NAN. */
void event_csv(struct text *out, double value);

/*
 * How many of the columns fit beside others of `used` characters: all where there is no terminal,
 * or they were asked for. The widest value of a column is its total.
 */
size_t event_columns_that_fit(const struct event_profile *p, const struct event_columns *c,
			      const struct display *d, unsigned used);

/* The command, how many processes, and which other tool counted; not fitted. */
void event_put_command(const struct event_profile *p, struct text *out);

/* How the run ended and after how long, without a line's end; nothing where that is not known. */
void event_put_end(const struct event_profile *p, struct text *out);

/* "Events by function: ./prog ..." and the totals. */
void event_heading(const struct event_profile *p, const struct event_columns *c, const char *what,
		   const struct display *d, struct text *out);

/* The columns that are not among the first `shown`: how to see them. */
void event_more_columns(const struct event_profile *p, const struct event_columns *c, size_t shown,
			const struct display *d, struct text *out);

#endif
