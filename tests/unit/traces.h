/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Synthetic programs as traces of cache lines, exactly simulated, and seen as the engine sees them:
 * windows, samples, far lines. The model is compared with these. The simulators are as simple as
 * possible, so that they can be trusted.
 */
#ifndef DWELL_TESTS_UNIT_TRACES_H
#define DWELL_TESTS_UNIT_TRACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"

struct trace {
	uint32_t *line; /* per access, below `lines` */
	size_t count, room;
	uint32_t lines;
	uint64_t random; /* state */
};

struct trace_program {
	const char *name;
	void (*run)(struct trace *t); /* until the trace is full */
	size_t accesses;	      /* with which it is tried at length */
};

extern const struct trace_program trace_programs[];
extern const size_t trace_program_count;

/* Zeroed; never NULL. */
void *trace_allocate(size_t bytes);

uint64_t trace_random(uint64_t *state);
uint32_t trace_below(uint64_t *state, uint32_t limit);
double trace_unit(uint64_t *state); /* between 0 and 1 */

/* The first accesses of a program, 0: as many as it is tried with. Release with trace_release. */
void trace_make(struct trace *t, const struct trace_program *program, size_t accesses);
void trace_release(struct trace *t);
const struct trace_program *trace_find(const char *name); /* NULL: there is none */

/*
 * Misses per access of a cache of `lines`, in sets of `ways` that lines fall into by a hash; 0
 * ways: fully associative.
 */
double trace_exact(const struct trace *t, enum model_policy policy, uint32_t lines, uint32_t ways);

/* LRU, fully associative, of `count` sizes that double from `lines` on, in one go. */
void trace_exact_lru(const struct trace *t, uint32_t lines, size_t count, double *ratios);

/* How the engine looks at a run. */
struct trace_sampling {
	uint64_t dense;	     /* accesses in windows side by side; behind these there are gaps */
	uint32_t doubling;   /* windows for each doubling behind these */
	uint32_t window_min; /* accesses */
	uint32_t window_max;
	double samples;	 /* kept in a window */
	double far;	 /* far reuses kept in a window */
	uint32_t one_in; /* slots of far lines */
};

extern const struct trace_sampling trace_default_sampling;

/* What a model is told of the trace. Release with trace_input_release. */
void trace_sample(const struct trace *t, const struct trace_sampling *how, uint64_t seed,
		  struct model_input *input);
void trace_input_release(struct model_input *input);

#endif
