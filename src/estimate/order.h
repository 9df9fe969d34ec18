/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far the order of code by its misses can be trusted. Code that misses in some short phases is
 * seen by few windows, and with other windows it would stand elsewhere. Two halves of the windows,
 * taken apart by chance, each put the code in an order of its own; how alike these are tells how
 * alike the order of all windows is to the one that the whole run would give (split halves;
 * Spearman and Brown, 1910).
 */
#ifndef DWELL_ESTIMATE_ORDER_H
#define DWELL_ESTIMATE_ORDER_H

#include "estimate/hot.h"

#define ORDER_PART	 0.8 /* of the misses: the order of their code, the most first */
#define ORDER_GOOD	 0.9 /* from here on an order needs no remark */
#define ORDER_LEAST_ROWS 5   /* fewer have no order to speak of */
/* with more it is a guess who misses, and not the windows' chance alone */
#define ORDER_MOST_FAR 0.8

struct order {
	/* pieces of code that make ORDER_PART of the misses; first touches are left out */
	size_t rows;
	/* rank correlation to be expected with the run's own order; NAN: not known */
	double likeness;
	/* share of the misses, but first touches, that no window is long enough to see */
	double far;
};

/*
 * The order of the rows that hot_rows makes of these shares. Returns 0, or -1 when memory runs out.
 * Not known for few rows, where it was not seen who made the far reuses, or where these make most
 * of the misses.
 */
int order_measure(struct order *o, const struct profile *p, const struct shares *shares,
		  enum hot_by by, struct err *err);

/*
 * Spearman's coefficient of rank correlation of two columns of `count` values, equal ones sharing
 * the mean of their ranks; 0 where a column has one value only. NAN when memory runs out.
 */
double order_correlation(const double *x, const double *y, size_t count);

#endif
