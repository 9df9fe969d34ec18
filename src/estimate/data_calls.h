/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which rows are one data structure, and several calls of one line told apart. */
#ifndef DWELL_ESTIMATE_DATA_CALLS_H
#define DWELL_ESTIMATE_DATA_CALLS_H

#include "estimate/data.h"

/* A row and where it comes from, while rows are sorted. */
struct data_placed_row {
	struct data_row row;
	size_t place;
};

/* As strcmp, by what makes a row; 0: they are one row. */
int data_compare_rows(const struct data_row *x, const struct data_row *y);

/* For qsort: by row, and those alike by their calls. */
int data_compare_placed(const void *a, const void *b);

/*
 * Several arrays may be allocated on one line: of rows alike, sorted so, each call gets its number
 * in the name, "malloc in main (a.c:4) [2 of 3]". A line with very many calls is an inlined
 * function or an unrolled loop, whose blocks stay one data structure. Names are d's.
 */
void data_number_calls(struct data *d, struct data_placed_row *rows, size_t n);

#endif
