/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The miss-ratio curve of a process: its points, and the three ways to show them. */
#ifndef DWELL_REPORT_CURVE_H
#define DWELL_REPORT_CURVE_H

#include "report/profile.h"
#include "report/table.h"

struct curve_point {
	uint64_t size_bytes;
	struct model_ratio ratio;
};

struct curve {
	struct curve_point *points;
	size_t count;
	enum model_policy policy;
};

/*
 * Points from low to high, both included, `per_octave` of them in each doubling,
 * in whole lines. Release with curve_release.
 */
int curve_compute(const struct profile *p, enum model_policy policy, uint64_t low, uint64_t high,
		  unsigned per_octave, struct curve *out, struct err *err);
void curve_release(struct curve *c);

/* size_bytes,miss_ratio,low,high */
void curve_csv(const struct curve *c, struct text *out);
int curve_json(const struct curve *c, const struct profile *p, struct text *out, struct err *err);

/* A plot for the terminal, with title, axes and the machine's caches. */
int curve_plot(const struct curve *c, const struct profile *p, const struct display *d,
	       struct text *out, struct err *err);

#endif
