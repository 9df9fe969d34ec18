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
 * How stretches spread around sum(part) / sum(whole), all zero if there is no error: the ratio
 * estimator (Cochran, Sampling Techniques, chapter 6), with a correction for the part of the run
 * that was simulated.
 */
struct trace_sample_spread {
	double sum;	 /* of the part, in the whole run */
	double variance; /* of the sum, relative to its square */
	double one_in;	 /* the same of a single stretch that has all of something or nothing */
	double quantile; /* Student's, 95 %; 0: fewer than two stretches, which say nothing */
	double most;	 /* of the whole, in the whole run: no sum is greater */
};

/* Of n stretches that are the share `share` of the run. */
void trace_sample_spread(struct trace_sample_spread *s, const double *part, const double *whole,
			 size_t n, double share);

/*
 * The half of the interval of `part` of s->sum; INFINITY: not known. Nobody has counted in which
 * stretches it lies. At worst some have nothing else, and the others none of it: no numbers between
 * 0 and the sum of a stretch vary more (Bhatia and Davis 2000). With the share p the relative
 * variance is then variance / p + one_in * (1 - p) / p.
 */
double trace_sample_reach(const struct trace_sample_spread *s, double part);

/* Of misses in some caches: bounds that hold both what is unknown and what was not simulated. */
struct trace_sample_bounds {
	struct trace_sample_spread known, all; /* with unknown references as hits; as misses */
};

/* Arrays of n stretches: known misses, all misses, accesses. */
void trace_sample_bounds(struct trace_sample_bounds *b, const double *known, const double *all,
			 const double *accesses, size_t n, double share);

/*
 * The bounds of misses of which `known` are known and `all` may be, scaled to the whole run. b
 * NULL: all accesses were simulated.
 */
double trace_sample_low(const struct trace_sample_bounds *b, double known);
double trace_sample_high(const struct trace_sample_bounds *b, double all);

#endif
