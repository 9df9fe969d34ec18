/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A miss-ratio curve of LRU caches from the accesses to a sample of lines, chosen by a hash: SHARDS
 * (Waldspurger, Park, Garthwaite, Ahmad, FAST 2015). Of one line in N, a stack distance among the
 * sampled lines is N times as large among all lines, and each access stands for N.
 *
 * Rules. An access belongs to the sample for each of its lines that does; if both do, it misses if
 * one of them misses (curve.h). Misses are set against all accesses of the process, which are
 * counted exactly, so that the accesses to very hot lines, sampled or not, change nothing
 * (SHARDS_adj, section 3.2: the difference between expected and seen accesses is hits).
 *
 * A cache of up to LINES_PROBED lines has too few sampled ones. Its misses come from probes: exact
 * stack distances of accesses that were chosen at random. Some of these end early, so they are
 * summed up as Kaplan and Meier do (1958): of the accesses that are known beyond a distance, the
 * part that ends there. The next larger caches have probes within a denser sample of lines.
 *
 * Where one source takes over from another, both know the misses of a cache. If the lines of the
 * sample have missed more or less there than all lines do, they will in larger caches: the
 * difference is taken off, times the slope of a regression over the groups (Cochran, Sampling
 * Techniques, 7.1). So a program that always misses has 100 %, whatever lines the sample has.
 *
 * With `most`, the sample is halved whenever it has more lines; N doubles for what comes then (the
 * fixed-size form, section 2.4, by halves instead of line by line).
 *
 * The interval is that of the jackknife over LINES_GROUPS parts of the lines, or of the probes.
 */
#ifndef DWELL_COLLECTOR_SIMULATION_LINE_SAMPLE_H
#define DWELL_COLLECTOR_SIMULATION_LINE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "channel/lines.h"
#include "sim/curve/lru_stack.h"

struct line_sample_config {
	uint32_t line_bytes;
	const uint64_t *size_bytes; /* ascending; borrowed */
	unsigned size_count;
	uint64_t one_in; /* 1: all lines, and an exact curve */
	uint64_t most;	 /* lines in the sample; 0: no limit */
	uint64_t seed;
};

struct line_sample {
	struct line_sample_config config;
	unsigned shift;
	uint64_t one_in, threshold; /* now */
	uint64_t accesses;	    /* of the process */
	struct sim_lru lru;
	uint64_t *size_lines;
	/* by group of lines and size: accesses that missed, each as all that it stands for */
	double *misses;
	uint64_t anchor;	       /* lines of the largest cache that another source knows */
	double anchored[LINES_GROUPS]; /* misses there */
	/* by level, group and lines: accesses with this stack distance, or not known beyond */
	double *found, *ended;
	double *far, *weights; /* by level and set of groups; after line_sample_solve */
	bool failed;
};

/* Miss ratios with their intervals of 95 %. */
struct line_ratio {
	double ratio, low, high;
};

/* Returns 0, or -1 without memory; call line_sample_release in both cases. */
int line_sample_init(struct line_sample *s, const struct line_sample_config *config);
void line_sample_release(struct line_sample *s);

/* One access to a line of the sample, perhaps. */
void line_sample_access(struct line_sample *s, uint64_t address, uint32_t bytes);
/* An entry of record_probes. */
void line_sample_probe(struct line_sample *s, unsigned level, uint32_t weight, uint64_t entry);

/* The end of the accesses. Returns 0, or -1 without memory. */
int line_sample_solve(struct line_sample *s);
/* Afterwards: the miss ratio in the cache of size k. */
struct line_ratio line_sample_ratio(const struct line_sample *s, unsigned k);
/* All lines that the process has touched, estimated. */
uint64_t line_sample_lines(const struct line_sample *s);

#endif
