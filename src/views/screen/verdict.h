/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end of the first screen: a sentence about what limits the program, and the command that shows
 * more about it. Tables of rules derive both from figures, which may be estimated or counted.
 */
#ifndef DWELL_VIEWS_SCREEN_VERDICT_H
#define DWELL_VIEWS_SCREEN_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/cost.h"
#include "views/fit.h"

#define VERDICT_LARGE_SHARE 0.5 /* of the cost: one row has most of it */

struct verdict {
	struct cost cost;    /* of the data caches */
	uint64_t size_bytes; /* of the cache in whose misses rows are shown */
	bool is_exact;	     /* counted, not estimated */
	bool is_sampled;     /* counted in stretches, so with an interval */
	bool is_cold_known;  /* first touches are told from other misses */
	const char *caution; /* sentences about why there is no verdict; or NULL */
	/* The first code cache, with its misses per instruction; NULL: unknown. */
	const char *code_cache;
	double code_ratio;
	/* The rows that cost most, and their shares of the cost; NULL: none. */
	const char *function, *data;
	double function_share, data_share;
	bool has_bins;	 /* misses are also counted by function and data */
	bool has_fields; /* and by field of that data structure, whose type is known */

	const char *file; /* the profile */
	int64_t process;  /* chosen by the user; QUERY_ANY: none */
	bool has_thread;  /* the user chose one, too: of events only */
	int64_t thread;
	bool is_lru;	       /* the policy asked for; otherwise random replacement */
	uint64_t ways;	       /* the ways asked for; 0: fully associative */
	const char *caches;    /* the machine asked for, as --caches takes it; or NULL */
	const char *source_of; /* the first function with misses and known source; or NULL */
};

/* Put the sentence, and a line that begins with "Next: ". */
void verdict_put(const struct verdict *v, const struct display *d, struct text *out);

#endif
