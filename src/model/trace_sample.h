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
 * (src/engine/simulate/observe/dead.h), with d <= 1/2: those in the first half of stretches, except
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
 * Bounds of rho: what known misses stand for are misses; of the others in the second half, and of
 * as many in the first one, nobody knows. 0 and 1 if no miss is known.
 */
void trace_sample_range(const struct trace_sample *s, double *low, double *high);

/*
 * How far misses may be from the truth because only stretches were simulated. Stretches lie in
 * pairs, of one period and the next. `variance` is that of a ratio estimator (Cochran, Sampling
 * Techniques, chapter 6), with a correction for the part of the run that was simulated: phases of
 * the program are no error (successive differences: Wolter, Introduction to Variance Estimation,
 * chapter 8).
 *
 * Of all misses the differences themselves are known. Of parts, like those of a function, contrasts
 * are: sums of the differences with random signs (src/engine/simulate/observe/contrasts.h). The
 * mean of their squares is that of the sum of squared differences.
 */
#define TRACE_SAMPLE_CONTRASTS 16

/* Misses in some caches. */
struct trace_sample_bounds {
	double variance;      /* of all misses of the run */
	double quantile;      /* Student's, 95 %, of all; 0: fewer than two stretches */
	double part_quantile; /* of what has contrasts */
	double share;	      /* of the run that was simulated */
	double most;	      /* accesses of the run: no misses are more */
	/*
	 * Of a cache: by what part of the unknown references that count as misses, or as hits, the
	 * least and the most misses differ from the estimate.
	 */
	double less, more;
	/* All unknown references of the run, and the least and the most misses among them. */
	double unknown, unknown_low, unknown_high;
};

/* The accesses of stretches of a process, and their contrasts. */
struct trace_sample_lengths {
	double accesses, contrasts[TRACE_SAMPLE_CONTRASTS];
};

/* Contrasts of misses in stretches, known and unknown ones, which are `misses` with that rho. */
struct trace_sample_part {
	const int64_t *known, *unknown;
	double rho, misses;
};

/*
 * Add what the part differs by from as many misses in each access: contrasts of the whole run, of
 * which the stretches are 1 / scale.
 */
void trace_sample_add(double to[TRACE_SAMPLE_CONTRASTS], const struct trace_sample_part *x,
		      const struct trace_sample_lengths *l, double scale);
/* The variance that contrasts say. */
double trace_sample_variance(const struct trace_sample_bounds *b,
			     const double contrasts[TRACE_SAMPLE_CONTRASTS]);

/*
 * All lines that a run uses, of which `seen[i]` were seen by more than i stretches: as many as cold
 * misses. Each stretch sees what it uses, and the lines of one stretch only tell of those that none
 * has seen (Chao 1984: at least f1 f1 / 2 f2 are unseen, where f1 lines were seen once and f2
 * twice). A line that is used in one place only is seen with the probability `share`, and others
 * with a greater one. So at most f1 (1 - share) / share are unseen.
 */
struct trace_sample_lines {
	double lines, low, high;
};
struct trace_sample_lines trace_sample_lines(const double seen[3], double share);

/* Of n stretches that are the share `share` of the run; sets all but less and more of b. */
void trace_sample_bounds(struct trace_sample_bounds *b, const double *misses,
			 const double *accesses, size_t n, double share);

/* What a cache's unknown references are, and those behind one in the first level. */
struct trace_sample_rhos {
	double unknown, above;
};

/* Set less and more of b. */
void trace_sample_find_range(struct trace_sample_bounds *b, const struct trace_sample *s,
			     double rho);
/* The least and the most misses of a stretch, or of anything. */
double trace_sample_least(const struct trace_sample_bounds *b, const struct trace_sample_rhos *rho,
			  double known, double unknown, double above);
double trace_sample_most(const struct trace_sample_bounds *b, const struct trace_sample_rhos *rho,
			 double known, double unknown, double above);

/* Add unknown references of a cache, in the whole run. */
void trace_sample_add_unknown(struct trace_sample_bounds *b, const struct trace_sample_rhos *rho,
			      double unknown, double above);
/*
 * The least and the most misses of a part with so many unknown references. What is known of all of
 * them need not hold for the part: it may have all the misses, or all the hits.
 */
double trace_sample_part_least(const struct trace_sample_bounds *b, double unknown);
double trace_sample_part_most(const struct trace_sample_bounds *b, double unknown);

/*
 * The bounds, 95 %, of misses that are at least `low`, and at most `high`, for all that is unknown:
 * those numbers of misses from which the estimate is as far as its variance allows. It grows with
 * the number, as if misses came in equal lots (a score interval, as Wilson's): so they are not
 * below 0, and far apart where few stretches have all misses. b NULL: all accesses were simulated.
 */
double trace_sample_low(const struct trace_sample_bounds *b, double low, double variance,
			double quantile);
double trace_sample_high(const struct trace_sample_bounds *b, double high, double variance,
			 double quantile);

#endif
