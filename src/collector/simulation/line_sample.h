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
 * Of an access that covers several lines only a part counts, as each of them may have brought it
 * into the sample. The number of all lines is known (record_lines.touched), and so how many lines
 * each of the sample stands for: somewhat more or less than N. First touches are told from other
 * misses. line_estimate.h makes a curve of it.
 *
 * A cache of up to LINES_PROBED lines has too few sampled ones. Its misses come from probes: exact
 * stack distances of accesses that were chosen at random. Some of these end early, so they are
 * summed up as Kaplan and Meier do (1958): of the accesses that are known beyond a distance, the
 * part that ends there. Some stand for others from a distance on: they enter late. The next larger
 * caches have probes within a denser sample of lines.
 *
 * With `most`, the sample is halved whenever it has more lines; N doubles for what comes then (the
 * fixed-size form, section 2.4, by halves instead of line by line).
 */
#ifndef DWELL_COLLECTOR_SIMULATION_LINE_SAMPLE_H
#define DWELL_COLLECTOR_SIMULATION_LINE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "channel/lines.h"
#include "collector/simulation/line_estimate.h"
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
	double scale;		    /* lines that one of the sample stands for, now */
	uint64_t accesses;	    /* of the process */
	double lines, level_lines;  /* touched so far: all, and of level 1's sample */
	struct sim_lru lru;
	uint64_t anchor;  /* lines of the largest cache that another source knows */
	uint64_t *points; /* sizes in lines, ascending */
	unsigned point_count;
	/* by group of lines and point: accesses that missed, each as all that it stands for */
	double *misses;
	double first_touches;  /* accesses that touch a new line */
	uint64_t new_accesses; /* the same of the sample */
	/*
	 * By level, group and lines: accesses with this stack distance, or not known beyond, less
	 * those that join.
	 */
	double *found, *ended;
	uint64_t probes[LINES_LEVELS];
	struct line_estimate estimate;
};

/* Returns 0, or -1 without memory; call line_sample_release in both cases. */
int line_sample_init(struct line_sample *s, const struct line_sample_config *config);
void line_sample_release(struct line_sample *s);

/* What record_lines says of the lines touched so far. */
void line_sample_touched(struct line_sample *s, const struct record_lines *r);
/* One access to a line of the sample, perhaps. */
void line_sample_access(struct line_sample *s, uint64_t address, uint32_t bytes);
/* An entry of record_probes. */
void line_sample_probe(struct line_sample *s, unsigned level, uint32_t weight, uint64_t entry);

/* Are all lines in the sample, so that the curve is exact? */
bool line_sample_is_whole(const struct line_sample *s);
/* All lines that the process has touched, estimated. */
uint64_t line_sample_lines(const struct line_sample *s);

#endif
