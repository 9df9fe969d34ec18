/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Miss-ratio curves, of a process or a part of it: their points, and the ways to show them. */
#ifndef DWELL_REPORT_CURVE_H
#define DWELL_REPORT_CURVE_H

#include "report/profile.h"
#include "report/table.h"

#define CURVE_MOST 12 /* curves shown together */

struct curve_point {
	uint64_t size_bytes;
	struct model_ratio ratio;
};

struct curve {
	const struct profile *profile; /* must outlive the curve */
	char *label;		       /* what it is of; NULL: the whole process */
	struct curve_point *points;
	size_t count;
	struct curve_point caches[PROFILE_CACHES]; /* of the machine; size 0: not known */
	uint64_t samples;			   /* behind it */
	enum model_policy policy;
	uint64_t ways; /* lines of a set; 0: fully associative */
};

/*
 * Points from low to high, both included, `per_octave` of them in each doubling,
 * in whole sets of `ways` lines; 0: fully associative, in whole lines. Release with curve_release.
 */
int curve_compute(const struct profile *p, enum model_policy policy, uint64_t ways, uint64_t low,
		  uint64_t high, unsigned per_octave, struct curve *out, struct err *err);
void curve_release(struct curve *c);

/* Of one process: size_bytes,miss_ratio,low,high; of several curves, the label in front. */
void curve_csv(const struct curve *c, struct text *out);
void curves_csv(const struct curve *curves, size_t count, struct text *out);
int curve_json(const struct curve *c, struct text *out, struct err *err);
int curves_json(const struct curve *curves, size_t count, struct text *out, struct err *err);

/*
 * A plot for the terminal, with title, axes, the machine's caches, and with several curves (at least
 * one, at most CURVE_MOST) a legend.
 */
int curve_plot(const struct curve *curves, size_t count, const struct display *d, struct text *out,
	       struct err *err);

#endif
