/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits the inclusive costs of source lines in several functions, so that nothing counts twice.
 * For event_rows.c.
 */
#ifndef DWELL_EVENTS_EVENT_LINES_H
#define DWELL_EVENTS_EVENT_LINES_H

#include "events/event_rows.h"

/*
 * `inclusive` has p->measured numbers for each of rows->items: a line's own events and those of its
 * calls. Calls that lead back to the line are already part of the outer calls. Where that may
 * happen, rows become estimates, and none keeps more than the sum over its functions. line_of_cost,
 * line_of_arc: the row of each cost and arc, SIZE_MAX for arcs that are not calls. Returns 0, or -1
 * when memory ran out.
 */
int event_lines_limit(struct event_rows *rows, const struct event_profile *p,
		      const size_t *line_of_cost, const size_t *line_of_arc, uint64_t *inclusive,
		      struct err *err);

#endif
