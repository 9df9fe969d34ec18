/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Misses by function and data structure, as a simulation has counted them (MemSpy, section 3). */
#ifndef DWELL_ESTIMATE_COUNTED_BINS_H
#define DWELL_ESTIMATE_COUNTED_BINS_H

#include "estimate/counted/counted.h"
#include "estimate/counted/references.h"

/* The key comes first. `structure` is NULL of a function that runs, but misses on nothing. */
struct bins_row {
	const char *function; /* "[unknown]" without a name */
	const char *file;     /* of the function's code, or NULL */
	const char *data;     /* as data_row.name; "[code]" of fetches */
	const struct data_row *structure;
	struct counted_misses first, last; /* in the first level of data or code; in LL */
	uint64_t instructions;		   /* at the function's code, in the bin or not */
	double cost;			   /* share of what all misses cost */
	/* of the function, shares of all cycles: one an instruction; those that accesses wait */
	double compute, wait;
	/* by lower bounds, for the order of estimates: cycles of the bin, and of its function */
	double sure, sure_of_function;
	bool is_first_of_function; /* in the order of the rows */
	struct references_sum sum;
	struct references_count references; /* hits too; 0 of fetches */
	struct model_ratio ratio;	    /* first-level misses per reference */
};

struct bins {
	struct counted names;
	struct references references;
	/*
	 * Functions with most cycles first, each with its bins, most cost first; of estimates by
	 * their lower bounds. Those shown.
	 */
	struct bins_row *rows;
	size_t count;
	uint64_t first, last;  /* misses of the process */
	uint64_t instructions; /* all */
};

/*
 * The bins of a profile that was opened for its bins, which must outlive them. `word`: as in
 * counted_init. Release with bins_release. Returns -1 with *err: memory ran out, or no row has the
 * name.
 */
int bins_init(struct bins *b, const struct profile *p, const struct query *q, const char *word,
	      struct err *err);
void bins_release(struct bins *b);

#endif
