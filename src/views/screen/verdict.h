/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end of the first screen: a sentence that says what limits the program, and the command that
 * shows more of it. Both follow from figures by a table of rules; the figures may be estimated or
 * counted.
 */
#ifndef DWELL_VIEWS_SCREEN_VERDICT_H
#define DWELL_VIEWS_SCREEN_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "views/fit.h"

#define VERDICT_CACHES	    6
#define VERDICT_FITS_BELOW  0.01 /* miss ratio: with less a program fits in a cache */
#define VERDICT_LARGE_SHARE 0.5	 /* of the misses: one row makes most of them */
#define VERDICT_SIZE_OTHER  SIZE_MAX

struct verdict_cache {
	const char *name; /* "L2" */
	uint64_t size_bytes;
	double ratio, low, high; /* misses per access; counted ones are equal */
};

struct verdict {
	struct verdict_cache caches[VERDICT_CACHES]; /* the smallest first */
	size_t cache_count;
	/* Whose misses functions and data are ranked by; VERDICT_SIZE_OTHER: none of the caches. */
	size_t ranked;
	uint64_t size_bytes; /* of that one */
	double ratio;	     /* and its misses per access */
	double cold; /* first touches of lines per access, which miss everywhere; 0: not known */
	bool is_exact;
	const char *caution; /* why there is no verdict, as sentences; or NULL */
	/* Of the first cache of code, misses per instruction; NULL: not known. */
	const char *code_cache;
	double code_ratio;
	/* The row with the most misses, and its share of them; NULL: none. */
	const char *function, *data;
	double function_share, data_share;

	const char *file; /* the profile */
	int64_t process;  /* that the user asked for; QUERY_ANY: none */
	bool is_lru;	  /* the policy asked for; else random replacement */
	uint64_t ways;	  /* the ways asked for; 0: fully associative */
	const char
		*source_of; /* a function whose source is known, the first with misses; or NULL */
};

/* The sentence, and a line that begins with "Next: ". */
void verdict_put(const struct verdict *v, const struct display *d, struct text *out);

#endif
