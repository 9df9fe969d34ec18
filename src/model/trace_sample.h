/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace sampling: what stretches of a run, each begun with empty caches, say about all of it
 * (Martonosi, Gupta and Anderson 1993; Wood, Hill and Kessler 1991).
 */
#ifndef DWELL_MODEL_TRACE_SAMPLE_H
#define DWELL_MODEL_TRACE_SAMPLE_H

#include <stddef.h>

/* The share of misses among unknown references, if nothing tells more (MemSpy, section 4.2). */
#define TRACE_SAMPLE_RHO 0.5
/* From this gauge on Wood's estimate is used: a generation for each place (section 6.4). */
#define TRACE_SAMPLE_GAUGE 1.0

/* Sums over stretches, of a cache. */
struct trace_sample {
	double stretches;
	double places; /* of the cache */
	double filled; /* places that held a line at the end, summed over stretches */
	double generations, generation_time, dead_time;
};

/*
 * Wood's estimate of rho. A place holds a dead line with a chance d: dead time by generation time.
 * So `places` * (1 - d) places hold live lines at the beginning. These are used again, as that is
 * what makes a line live. Where a stretch uses F places, the other F - live unknown references are
 * misses. Returns NAN if no generation has ended.
 */
double trace_sample_wood(const struct trace_sample *s);
/* Generations for each place and stretch (section 6.4). */
double trace_sample_gauge(const struct trace_sample *s);
/* The rho to use. */
double trace_sample_rho(const struct trace_sample *s);

/*
 * The half of the 95 % interval of a ratio, sum(part) / sum(whole), of n stretches that are the
 * share `share` of the run (Cochran, Sampling Techniques, chapter 6). NAN: fewer than two.
 */
double trace_sample_half(const double *part, const double *whole, size_t n, double share);

#endif
