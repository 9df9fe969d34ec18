/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the samples of one process to the miss ratio of a cache. Pure: no files, no globals, no
 * output. docs/sampling.md has the method; pipeline.c has its steps.
 *
 * The run is seen as its windows, put side by side: every position and distance is in accesses
 * inside windows, except where a comment says otherwise. What happens in a window counts as often
 * as the accesses that the window stands for exceed its own.
 *
 * Two kinds of data say what happened. Near samples are accesses chosen at random; the distance to
 * the next touch of their line is known if it is less than MODEL_FAR. Far reuses are touches of
 * chosen lines that were last touched longer ago, or never.
 */
#ifndef DWELL_MODEL_MODEL_H
#define DWELL_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define MODEL_FAR 16384u /* accesses; the least distance of a far reuse */

/*
 * Touches of counted lines, a fair choice of lines of 64 bytes, by the time since their last touch:
 * class c from MODEL_TOUCHED * 4^c accesses on, the last but one all later ones, the last one first
 * touches.
 */
#define MODEL_TOUCHED 1024u
#define MODEL_TOUCHES 7
#define MODEL_CLOSE   64u /* accesses; near samples closer than this are kept by a coin */

enum model_policy {
	MODEL_RANDOM = 0,
	MODEL_LRU = 1,
};

/* One sampling window, in the order of the run. */
struct model_window {
	uint64_t start;	     /* accesses inside the windows before it */
	uint64_t length;     /* accesses inside it */
	uint64_t stands_for; /* accesses of the run for which it stands, its own included */
	uint64_t touches[MODEL_TOUCHES];
};

/* An access chosen at random, and how soon its line was touched again. */
struct model_near {
	uint64_t position;		/* of the next touch; if is_far, of the chosen access */
	uint64_t distance;		/* accesses strictly between; if is_far, not used */
	double weight;			/* accesses of its window that it stands for */
	uint32_t window;		/* index into the windows */
	uint16_t touches;		/* lines that the access touches, at least 1 */
	bool is_far;			/* not touched again within MODEL_FAR accesses */
	uint8_t between[MODEL_TOUCHES]; /* of counted lines; 0 if closer than MODEL_CLOSE */
};

/* A touch of a line whose last touch was MODEL_FAR or more accesses ago, or its first touch. */
struct model_far {
	uint64_t position; /* of the touch */
	uint64_t distance; /* accesses strictly between; not used if is_first */
	uint64_t lines;	   /* other lines touched in between, an estimate; not used if is_first */
	double weight;	   /* such touches in its window that it stands for */
	uint32_t window;
	bool is_first; /* no earlier touch was seen */
};

/* A near reuse whose lines in between were counted: of a fair choice among those of a distance. */
struct model_stack {
	uint32_t window;
	uint64_t distance; /* accesses strictly between */
	uint64_t lines;	   /* that they touch */
};

struct model_input {
	const struct model_window *windows;
	size_t window_count;
	const struct model_near *near;
	size_t near_count;
	const struct model_far *far;
	size_t far_count;
	const struct model_stack *stacks;
	size_t stack_count;
	uint64_t accesses; /* of the run; 0: what the windows stand for */
	/* distinct lines among those watched: the errors of far weights and of `lines` go by it */
	uint64_t far_lines;
	double far_line_weight; /* lines that each of them stands for */
	uint32_t line_bytes;	/* a power of two */
	/*
	 * Lines that an access touches on average, at least 1. Where it is more, all that the input
	 * counts in accesses is in touches of lines instead, and so are ratios: as the lines that
	 * one access touches mostly miss together, that is the share of the accesses that miss.
	 */
	double touches;
};

/*
 * Miss ratio: misses per access, in [0, 1]. Without any sample nothing is
 * known: ratio 0 in [0, 1], known = false.
 */
struct model_ratio {
	double ratio;
	double low, high;	      /* 95 % interval: sampling, choice of lines, model error */
	double bound_low, bound_high; /* reuses whose distance is not known all hit, or all miss */
	bool known;
};

/* What a run can tell and what it cannot. */
struct model_resolution {
	double distance;   /* accesses of the run; reuses up to here were seen */
	double lines;	   /* caches up to here are resolved; beyond, bounds only */
	double unresolved; /* share of accesses reused later than that, as gaps hid their line */
	double cold;	   /* share of accesses that are first touches */
	size_t windows;	   /* that the interval goes by */
};

/*
 * The part of one item of the input in the run, as shares of all accesses. Over all near samples
 * and far reuses, accesses add up to 1 and misses to the miss ratio. Those of a far sample
 * (is_far) are 0, as far reuses stand for their ends. `begins`, of near samples only: what the
 * sampled access itself stands for; 1 over all.
 */
struct model_share {
	double accesses;
	double misses;
	double begins;
};

struct model;

/*
 * Build a model; the input is copied as far as needed. Returns NULL with the reason in *err when
 * memory runs out or the input contradicts itself (a window that is not there, a bad line size).
 * Owned by the caller: model_free().
 */
struct model *model_new(const struct model_input *input, struct err *err);
void model_free(struct model *m);

/* A cache of lines / ways sets, into which lines fall at random. */
struct model_cache {
	uint64_t lines;
	uint64_t ways; /* 0, or as many as there are lines: fully associative */
};

/*
 * The miss ratio of a cache. A cache of no lines misses always. One call at a time: the model lends
 * its scratch memory.
 */
void model_solve(struct model *m, enum model_policy policy, const struct model_cache *cache,
		 struct model_ratio *out);

void model_resolve(const struct model *m, struct model_resolution *out);

/*
 * Share out the accesses and the misses of a cache: near[i] for near sample i of the input, far[i]
 * for far reuse i. Returns 0, or -1 with *err when memory runs out.
 */
int model_attribute(struct model *m, enum model_policy policy, const struct model_cache *cache,
		    struct model_share *near, struct model_share *far, struct err *err);

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

/* 97.5 % quantile of Student's t with df >= 1 degrees of freedom. */
double model_student_quantile(size_t df);

#endif
