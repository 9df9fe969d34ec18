/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Synthetic traces of cache lines, exactly simulated, and sampled as the engine does, in growing
 * windows that end their watches. The models are compared with these. The simulators and the
 * sampler are as simple as possible, so that they can be trusted.
 */
#ifndef DWELL_TESTS_UNIT_TRACES_H
#define DWELL_TESTS_UNIT_TRACES_H

#include <stddef.h>
#include <stdint.h>

#include "model/model.h"

#define TRACE_ACCESSES 10000000u

struct trace {
	uint32_t *line; /* per access, below `lines` */
	uint32_t *next; /* index of the next access to the same line, or UINT32_MAX */
	size_t count;
	uint32_t lines;
};

/* The line of access t. */
typedef uint32_t trace_pattern(uint64_t t, uint64_t *random);

/* How to sample; the words are those of the engine's configuration. */
struct trace_sampling {
	uint64_t window_min, window_max, window_divisor;
	double duty;
	double samples_per_window;
};

/* The default design, its shortest window a tenth of the real one: the trace is short. */
extern const struct trace_sampling trace_default_sampling;

struct trace_kind {
	const char *name;
	trace_pattern *pattern;
	uint32_t lines; /* all that it touches are below */
};

extern const struct trace_kind trace_kinds[];
#define TRACE_KINDS 7

/* Zeroed; never NULL. */
void *trace_allocate(size_t bytes);

uint64_t trace_random(uint64_t *state);
uint32_t trace_below(uint64_t *state, uint32_t limit);

/* A trace of TRACE_ACCESSES. Release with trace_release. */
void trace_make(struct trace *t, const struct trace_kind *kind, uint64_t seed);
void trace_release(struct trace *t);

/* Misses per access of a fully associative cache. */
double trace_exact(const struct trace *t, enum model_policy policy, uint32_t cache_lines,
		   uint64_t seed);

/*
 * The same of a cache of sets of `ways` lines, which lines fall into by a hash of their number, another
 * one for each seed.
 */
double trace_exact_sets(const struct trace *t, enum model_policy policy, uint32_t cache_lines,
			uint32_t ways, uint64_t seed);

/* What sampling the trace tells a model. Release with trace_input_release. */
void trace_sample(const struct trace *t, const struct trace_sampling *how, uint64_t seed,
		  struct model_input *input);
void trace_input_release(struct model_input *input);

#endif
