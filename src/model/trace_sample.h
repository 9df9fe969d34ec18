/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace sampling: what stretches of a run, each begun with empty caches, say about all of it
 * (Martonosi, Gupta and Anderson 1993; Wood, Hill and Kessler 1991).
 */
#ifndef DWELL_MODEL_TRACE_SAMPLE_H
#define DWELL_MODEL_TRACE_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

/* The share of misses among unknown references, if nothing tells more (MemSpy, section 4.2). */
#define TRACE_SAMPLE_RHO 0.5

/* Sums over stretches, of a cache. */
struct trace_sample {
	uint64_t misses; /* those of the next two among them */
	uint64_t unknown, above;
	uint64_t late, half; /* of these two: after an eighth of a stretch, after half */
	uint64_t timed;	     /* of the known misses: those that the next two are about */
	uint64_t dead;	     /* the unknown misses that they stand for, in units of 2^-16 */
	uint64_t dead_late;  /* the same, had the stretches begun after an eighth */
	uint64_t ways;	     /* of the cache */
};

/*
 * rho, after Wood, Hill and Kessler. A place is dead from the last use of its line until the miss
 * that evicts it. Unknown references to dead places miss.
 *
 * A known miss with the dead time d, as a part of a stretch, stands for d / (1 - d) unknown ones
 * (src/engine/simulate/sampled/dead.h), with d <= 1/2: those in the first half of stretches, except
 * of places that stay unused for longer. These also have an unknown reference in the second half,
 * as often. So of H unknown references there, with the share r of misses, and D that known misses
 * stand for, D + 2 r H are misses.
 *
 * r is that of places that were unused for long. In a stretch from an eighth on, known references,
 * hits too, stand for L - 7/4 H unknown ones, of L there: the half is 4/7 of that. Known misses
 * stand for dead_late of them. That is so in direct-mapped caches. Where a set has several ways, a
 * line is evicted when all have got other lines. If that takes longer than a stretch no known miss
 * tells of it, though hits do: then r is TRACE_SAMPLE_RHO.
 *
 * TRACE_SAMPLE_RHO if there are known misses, but the dead time of none is known.
 */
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
