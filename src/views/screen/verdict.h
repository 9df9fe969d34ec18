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

#include "views/fit.h"

#define VERDICT_CACHES	    6
#define VERDICT_FITS_BELOW  0.01 /* miss ratio below which a program fits into a cache */
#define VERDICT_LARGE_SHARE 0.5	 /* of the misses: one row has most of them */
#define VERDICT_SIZE_OTHER  SIZE_MAX

struct verdict_cache {
	const char *name; /* "L2" */
	uint64_t size_bytes;
	double ratio, low, high; /* misses per access; equal if counted */
};

struct verdict {
	struct verdict_cache caches[VERDICT_CACHES]; /* smallest first */
	size_t cache_count;
	/*
	 * The cache by which functions and data are ranked; VERDICT_SIZE_OTHER: not one of the
	 * caches.
	 */
	size_t ranked;
	uint64_t size_bytes; /* size of that cache */
	double ratio;	     /* its misses per access */
	double cold; /* first touches of lines per access, which miss in any cache; 0: unknown */
	bool is_exact;
	const char *caution; /* sentences about why there is no verdict; or NULL */
	/* The first code cache, with its misses per instruction; NULL: unknown. */
	const char *code_cache;
	double code_ratio;
	/* The rows with the most misses, and their shares; NULL: none. */
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
	const char *source_of; /* the first function with misses and known source; or NULL */
};

/* Put the sentence, and a line that begins with "Next: ". */
void verdict_put(const struct verdict *v, const struct display *d, struct text *out);

#endif
