/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the samples of one process to the miss ratio of a cache: StatCache
 * (random replacement) and StatStack (LRU), fully associative or of sets,
 * both from sampled reuse distances. Pure: no files, no globals, no output.
 *
 * A model is built once from all samples (they are binned) and then asked for
 * any number of cache sizes. How the numbers come about:
 *
 *   windows -> groups    consecutive windows with at least 100 samples
 *   groups -> kinds      groups that look alike, anywhere in the run
 *   samples -> survival  P(reuse distance > x), by Kaplan and Meier's product
 *                        limit, per kind and for the whole run (the pool)
 *   survival -> ratio    the fixed point of StatCache's equation per group
 *   groups -> interval   the groups' scatter, Student's t
 *
 * Reuse distances that no window was long enough to see are bounded by the
 * number of lines the program held: see model_new().
 */
#ifndef DWELL_MODEL_MODEL_H
#define DWELL_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum model_policy {
	MODEL_RANDOM = 0,
	MODEL_LRU = 1,
};

/* One sampling window, in the order of the run. */
struct model_window {
	uint64_t start;	     /* accesses of the process when it opened */
	uint64_t length;     /* accesses inside it */
	uint64_t stands_for; /* accesses of its period, in which its place was chosen by chance */
	uint64_t footprint_pages; /* 4096-byte pages the program held; 0: unknown */
	/* accesses whose kind is known, and those that load; 0: the samples' */
	uint64_t chosen, chosen_loads;
};

struct model_sample {
	uint64_t distance; /* accesses strictly between, or watched in vain */
	uint32_t window;   /* index into the windows */
	bool reused;	   /* false: the watch ended first, the distance is a lower bound */
	uint64_t position; /* accesses of the process at the sampled access; 0: not known */
	bool load;	   /* it loads and does not store */
	/* it speaks for so many as others of its window, times weight_one; 0: 1 */
	uint32_t weight;
	uint16_t touches; /* lines that the access touches; 0: 1 */
	/* any number for the instruction, so that like samples are known; 0: none */
	uint32_t place;
};

/*
 * What became of a sample that its window left unresolved: its line was watched on in
 * later windows of the thread, until the first touch or to the end.
 */
struct model_follow {
	uint32_t window;   /* of the sample */
	uint64_t watched;  /* accesses inside windows, the sample's own included */
	bool touched;	   /* false: not even then */
	uint32_t weight;   /* as in a sample */
	uint64_t position; /* of the sample, accesses of the run; 0: not known */
};

/* A sample whose lines until its reuse were counted. */
struct model_stack {
	uint32_t window;   /* index into the windows */
	uint64_t distance; /* accesses strictly between */
	uint64_t lines;	   /* that they touch */
};

struct model_input {
	const struct model_window *windows;
	size_t window_count;
	const struct model_sample *samples;
	size_t sample_count;
	uint64_t accesses;		    /* of the whole run; 0: what the windows stand for */
	uint64_t footprint_pages;	    /* the most of the run; 0: what the windows say */
	uint32_t line_bytes;		    /* the line that was watched, a power of two */
	const struct model_follow *follows; /* of a fair choice among the unresolved samples */
	size_t follow_count;
	const struct model_stack *stacks; /* of a fair choice among the samples of a distance */
	size_t stack_count;
	/*
	 * Lines that an access touches on average; 0: 1. Where it is more, all that the input
	 * counts in accesses, and the sizes of distances, are in touches of lines instead, and so
	 * are ratios: as the lines that one access touches mostly miss together, that is the
	 * share of the accesses that miss.
	 */
	double touches;
	uint64_t loads; /* of the accesses of the run, those that do not store; 0: not known */
	/*
	 * Samples of which these are a choice, with weights that make up for its luck: their groups
	 * are of so many fewer. 0: they are no choice.
	 */
	size_t chosen_from;
	/*
	 * Their model, or NULL: how misses come in bursts, what lies between two touches and how
	 * far unseen reuses are, all samples show better. Read by model_new only.
	 */
	const struct model *all;
	uint32_t weight_one; /* the weight of a sample that speaks for itself; 0: 1 */
	/* share of the lines in the footprint's pages that are ever touched; 0: all */
	double line_made;
	double line_use; /* the same, without those that are only made, and left alone then */
};

/*
 * Miss ratio: misses per access, in [0, 1]. Without any sample nothing is
 * known: ratio 0 in [0, 1], known = false.
 */
struct model_ratio {
	double ratio;
	double low, high;	      /* 95 % interval: sampling, unresolved reuses, model error */
	double bound_low, bound_high; /* unresolved reuses placed as near, as far as can be */
	bool known;
};

/* What a run can tell and what it cannot. */
struct model_resolution {
	double distance;   /* accesses; reuses up to here were seen */
	double lines;	   /* LRU caches up to here are resolved; beyond, bounds only */
	double unresolved; /* share of accesses reused later than that, or never again */
	double cold;	   /* the part of it that is taken as first touches, at most */
	size_t groups;	   /* independent pieces behind the interval */
};

/*
 * A sample's part in the run, as shares of all accesses: with a reuse, both are
 * due to the reusing access; without, to nobody known: the row of what was not
 * resolved. Summed over all samples, accesses is 1 and misses the point ratio.
 * `begins` is what the sampled access itself stands for, however its watch ended: 1 over all.
 */
struct model_share {
	double accesses;
	double misses;
	double begins;
};

struct model;

/*
 * Build a model. The samples are read once, nothing of the input is kept.
 * Returns NULL with the reason in *err when memory runs out or the input
 * contradicts itself (a sample of a window that is not there, a bad line size).
 * Owned by the caller: model_free().
 *
 * The footprint F(t) bounds what the windows could not see. At most F(N)/N of
 * the N accesses are first touches; and the mean of min(distance, N - t) over
 * all accesses equals the mean of F over the run, which fixes how far away, on
 * average, the unresolved reuses lie. Without footprints, unresolved reuses are
 * taken as just out of sight and as misses, and the point lies halfway.
 */
struct model *model_new(const struct model_input *input, struct err *err);
void model_free(struct model *m);

/*
 * The miss ratio of a cache of `lines` lines. A cache of no lines misses
 * always; one of a single line misses whenever another line came in between.
 * One call at a time: the model lends its scratch memory.
 */
void model_solve(struct model *m, enum model_policy policy, uint64_t lines,
		 struct model_ratio *out);

/*
 * Ratio estimation (Cochran, "Sampling techniques", 1977, chapter 6), for a model of samples that
 * were chosen from more and are seen with lines of another size. `all` is the model of those they
 * were chosen from, `chosen` that of the same choice, both with lines of the same size;
 * `line_ratio` of m's make one of theirs. From now on answers and shares of m are multiplied by
 * what `all` says over what `chosen` says of a cache of as many bytes, to the power of `trust`, in
 * [0, 1]: what the luck of the choice did to one size of line it did to the other. The two are used
 * at each call, and not owned.
 */
void model_set_yardstick(struct model *m, struct model *all, struct model *chosen,
			 double line_ratio, double trust);

/* A cache of lines / ways sets, into which lines fall at random. */
struct model_cache {
	uint64_t lines;
	uint64_t ways; /* 0, or as many as there are lines: fully associative */
};

/*
 * The same for a cache of sets. LRU: Hill and Smith 1989, with the expected stack distance. Random
 * replacement: the fully associative ratio averaged over how many lines it takes to fill a
 * set, see sets.c; with a single way there is nothing to choose, and it is the same as LRU.
 */
void model_solve_cache(struct model *m, enum model_policy policy, const struct model_cache *cache,
		       struct model_ratio *out);

/* How the sampling part of the interval comes about. */
enum model_interval {
	MODEL_STUDENT = 0,   /* Student's t over the groups: the default */
	MODEL_BOOTSTRAP = 1, /* BCa over the windows, seeded; some milliseconds for each answer */
};

/* From now on model_solve and model_solve_cache answer with this one. */
void model_set_interval(struct model *m, enum model_interval kind);

void model_resolve(const struct model *m, struct model_resolution *out);

/*
 * Share out the misses of a cache with random replacement among the samples:
 * `shares` has one entry for each sample of the input, in its order. They add up to all accesses,
 * and to the misses of model_solve. Returns 0, or -1 when memory runs out.
 */
int model_attribute(const struct model *m, uint64_t lines, struct model_share *shares,
		    struct err *err);
/*
 * The same for any policy, and for sets: with LRU a reuse misses from a distance on, which is its
 * group's.
 */
int model_attribute_cache(const struct model *m, enum model_policy policy,
			  const struct model_cache *cache, struct model_share *shares,
			  struct err *err);

/* What one window knows of a part of the accesses, as shares of all accesses of the run. */
struct model_sums {
	double accesses, misses;
	uint64_t samples; /* of the part, in the window */
};

/*
 * The miss ratio of a part of the accesses (those of a function, a data structure): its misses
 * over its accesses, from the windows that have any of it, and a 95 % interval. That is the
 * percentile interval of a bootstrap which draws windows with replacement (200 rounds, the same
 * ones at each call), or Wilson's for the number of samples where that is wider, as with few
 * windows it is; and wider still by what the model itself may err.
 * Without accesses nothing is known. The bounds are the interval's.
 */
void model_part(const struct model_sums *windows, size_t count, struct model_ratio *out);

/*
 * Widen a part's interval by what is not known of reuses beyond sight: between the bounds of the
 * whole run, of which the part has the share `open` of all that was not resolved. `accesses` is its
 * share of the accesses, above 0.
 */
void model_part_widen(struct model_ratio *part, const struct model_ratio *whole, double open,
		      double accesses);

/* 97.5 % quantile of Student's t with df >= 1 degrees of freedom. */
double model_student_quantile(size_t df);

#endif
