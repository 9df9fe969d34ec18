/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decides which rows are one data structure, and numbers several calls of one name. */
#ifndef DWELL_ESTIMATE_DATA_CALLS_H
#define DWELL_ESTIMATE_DATA_CALLS_H

#include "estimate/data.h"

/* A row with its place, for sorting. */
struct data_placed_row {
	struct data_row row;
	size_t place;
};

/*
 * Tells apart the calls of one name: the place of the call in `f`, a frame of the site's path, or
 * its line. 0: unknown.
 */
uint64_t data_call_of(const struct profile *p, const struct store_site *s,
		      const struct store_frame *f, enum data_by by);

/* Compare rows like strcmp, by their key; 0: the same row. */
int data_compare_rows(const struct data_row *x, const struct data_row *y);

/* For qsort: by row, then by call. */
int data_compare_placed(const void *a, const void *b);

/*
 * Several arrays may be allocated on one line. For equal rows, sorted in this way, add the number
 * of the call to the name, "malloc in main (a.c:4) [2 of 3]"; or with DATA_BY_ORDER "[2]", and
 * nothing for the first, as other versions of a program may have more or fewer. A line with very
 * many calls is an inlined function or an unrolled loop, whose blocks remain one data structure.
 * Of a function without lines, the calls with the most weight are told apart, and the others are
 * one: "malloc in main [other 4 of 12]". weights: misses, by place. d owns the names. Returns 0, or
 * -1 when memory ran out.
 */
int data_number_calls(struct data *d, struct data_placed_row *rows, size_t n, enum data_by by,
		      const double *weights);

#endif
