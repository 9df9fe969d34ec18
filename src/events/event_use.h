/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The use of some lines, chosen at random (dwell simulate --line-use). Each counts for those that
 * it stands for, so AcCost1 and the like are estimates without bias (Horvitz and Thompson 1952).
 * Lines are chosen independently; so an estimate's variance is estimated by a sum over them, too:
 * of squares, times w * (w - 1) of a line that stands for w. It is an event of its own, AcVar1.
 */
#ifndef DWELL_EVENTS_EVENT_USE_H
#define DWELL_EVENTS_EVENT_USE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define EVENT_USE_EVENTS 4

struct event_column;
struct event_profile;

struct event_use {
	uint64_t share; /* one in so many lines; 0: there is no line use, or it is exact */
	/* variance over estimate, in the whole run: that of a line with usual costs */
	double unit[EVENT_USE_EVENTS];
};

/*
 * When the profile's columns, costs and arcs have been read. If it has such estimates: sets p->use,
 * and the variances of arcs, which have none, as if their lines were usual ones.
 */
int event_use_apply(struct event_profile *p, struct err *err);

/* Add the bounds of estimates, "AcCost1.low" and "AcCost1.high", to the columns. */
int event_use_add_bounds(struct event_profile *p, struct err *err);

/*
 * The value of a column whose `variance` is set (events.h), from that of its formula, the estimate:
 * 95 %. Few lines are few events, so the interval is Wilson's for such. What brought no line in has
 * none; so costs are at most those of all lines, none of which is of use.
 */
double event_use_bound(const struct event_profile *p, const struct event_column *c,
		       const uint64_t *values, double value);

/* Is the column such an estimate, or a bound of one? */
bool event_use_is_estimate(const struct event_profile *p, size_t column);

/* Is the column a variance, of no interest to readers? */
bool event_use_is_variance(const struct event_profile *p, size_t column);

#endif
