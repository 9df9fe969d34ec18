/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How reliable the ranking of code by its misses is. Few windows see code that misses in short
 * phases; with other windows its rank would differ. Random halves of the windows each rank the
 * code. Their similarity gives the expected similarity of the overall ranking to that of the whole
 * run (split halves; Spearman and Brown, 1910).
 */
#ifndef DWELL_ESTIMATE_ORDER_H
#define DWELL_ESTIMATE_ORDER_H

#include "estimate/hot.h"

#define ORDER_PART	 0.8 /* rank the code with this part of the misses */
#define ORDER_GOOD	 0.9 /* from here on the ranking needs no remark */
#define ORDER_LEAST_ROWS 5   /* fewer rows have no meaningful ranking */

struct order {
	/* pieces of code with ORDER_PART of the misses */
	size_t rows;
	/* expected rank correlation with the whole run's ranking; NAN: unknown */
	double likeness;
};

/*
 * Measure the ranking of the rows that hot_rows makes from these shares. Unknown for few rows.
 * Returns 0, or -1 when
 * memory runs out.
 */
int order_measure(struct order *o, const struct profile *p, const struct profile_share *shares,
		  enum hot_by by, struct err *err);

/*
 * Spearman's coefficient of rank correlation of two columns of `count` values; equal values share
 * their mean rank. 0 if a column is constant; NAN when memory runs out.
 */
double order_correlation(const double *x, const double *y, size_t count);

#endif
