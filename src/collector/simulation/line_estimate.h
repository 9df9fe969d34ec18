/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The estimate of a curve from a sample of lines (line_sample.h), and its intervals.
 *
 * All ratios are of the accesses. First touches miss in each cache, and their number is known.
 * Three sources know the others, each up to some size:
 *
 *	probes of all lines	caches of up to LINES_PROBED lines; exact stack distances
 *	probes of level 1	up to LINES_FARTHEST_1 lines
 *	the sample		larger ones
 *
 * A source whose lines happen to miss often, or seldom, is wrong by the same factor in all caches.
 * So only its shape is taken: the part of what misses at its anchor, the largest cache that the
 * source below knows, that misses in a larger cache, too. The level at the anchor is the mean of
 * what both say, weighted by their variances. So the estimate never rises with the size, and never
 * leaves what misses at the anchor.
 *
 * Intervals are of 95 %. Vertically: the jackknife over LINES_GROUPS parts of the lines, or probes.
 * Horizontally: a distance of D lines is known to that of the binomial distribution of its sampled
 * lines, so the bounds are those of larger and of smaller caches.
 */
#ifndef DWELL_COLLECTOR_SIMULATION_LINE_ESTIMATE_H
#define DWELL_COLLECTOR_SIMULATION_LINE_ESTIMATE_H

#include <stdint.h>

#include "channel/lines.h"

struct line_sample;

#define LINES_PLACES	   (LINES_PROBED + 1) /* of probes, by lines */
#define LINES_LEVEL_PLACES ((size_t)LINES_GROUPS * LINES_PLACES)
/*
 * Lines up to which level 1 is used: half of what its probes know, as those that go so far are few.
 */
#define LINES_FARTHEST_1 ((uint64_t)LINES_PROBED / 2 * LINES_LEVEL_ONE_IN)

enum line_source { LINES_BY_PROBES, LINES_BY_LEVEL_1, LINES_BY_SAMPLE, LINES_SOURCES };

/* What line_estimate_solve computes. */
struct line_estimate {
	/*
	 * By level, set of groups and lines: the part of the accesses with a stack distance of at
	 * least so many. Those that have met all that is known end like the others that got there;
	 * known_far: at once.
	 */
	double *far, *known_far;
	double *weights;	     /* by level and set of groups: of all probes */
	double first;		     /* touches */
	double trust[LINES_SOURCES]; /* the weight of the source below, at the anchor */
};

/* Miss ratios with their intervals of 95 %. */
struct line_ratio {
	double ratio, low, high;
};

/* After the last access. Returns 0, or -1 without memory. */
int line_estimate_solve(struct line_sample *s);
void line_estimate_release(struct line_estimate *e);
/* The miss ratio in a cache of so many lines, one of the sizes. */
struct line_ratio line_estimate_ratio(const struct line_sample *s, uint64_t lines);

#endif
