/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The beginning of a report, in at most 20 lines of 80 columns: the command and its end, the miss
 * ratios of the machine's caches, the code and the data that miss most, a verdict, and the next
 * command. For samples and for counted events.
 */
#ifndef DWELL_VIEWS_SCREEN_FIRST_SCREEN_H
#define DWELL_VIEWS_SCREEN_FIRST_SCREEN_H

#include "base/err.h"
#include "views/fit.h"

#define SCREEN_FUNCTIONS 3
#define SCREEN_DATA	 2

struct event_caches;
struct event_report;
struct structures;
struct summary;

/*
 * `file`: the profile, for the next command. `caution`: sentences that replace the verdict; or
 * NULL.
 */
int first_screen_samples(const struct summary *s, const char *file, const char *caution,
			 const struct display *d, struct text *out, struct err *err);

/*
 * The report must be by function, sorted by the misses of the last cache. `data`: of one of its
 * processes, sorted by the same; NULL: they were not counted.
 */
int first_screen_events(const struct event_report *r, const struct event_caches *caches,
			const struct structures *data, const char *file, const struct display *d,
			struct text *out, struct err *err);

/* The command as a line, cut to the width of the display. */
void first_screen_command(const char *command, const struct display *d, struct text *out);

#endif
