/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a data structure is, and how it is accessed (DTrack, table 2): its form, and whether strides
 * are regular. Windows of a simulation have seen strides and links, see
 * engine/simulate/observe/patterns.h. The rules:
 *
 *   - regular: at least 75 % of known strides are the usual one of their instruction; irregular: at
 *     most 25 %; else both. Less than FORMS_LEAST_SEEN accesses tell nothing.
 *   - linked: of its accesses at least 25 % go through an address that it held itself; or at least
 *     50 % through one that it or another held, and at least 25 % of the words loaded from it were
 *     used as an address soon. Lists, trees and graphs are linked.
 *   - else its type decides, if it is known: scalar, structure, array, array of structures, 2D or
 *     3D array, array of pointers. A block of more than one element is an array.
 *   - else, pointers: at least half of its accesses load words, and half of these were used as an
 *     address of other structures.
 *   - else the size of elements, if the program told it (calloc): of 8 bytes or less they make an
 *     array, larger ones an array of structures.
 *   - else a usual stride of at least 25 % of regular accesses. Accesses of one width that touch
 *     most of it, in 32 parts, are a 2D array by columns, if they are regular and the stride is at
 *     least 1 KB; such of several widths, or that leave parts untouched, an array of structures.
 *   - else a block that is much larger than an access, with strides, is an array.
 *   - arrays are the rows of a 2D array if there are at least 4 of about one size at a time, and at
 *     least 50 % of the hops between them go to an address that another structure held. If types
 *     and sizes of elements are not known, at least 50 % of accesses must stay in their block, else
 *     they may be records with fields.
 *
 * The thresholds lie between the shares of programs whose answer is known
 * (docs/results/data-structures.md).
 */
#ifndef DWELL_ESTIMATE_COUNTED_FORMS_H
#define DWELL_ESTIMATE_COUNTED_FORMS_H

#include "estimate/data.h"
#include "store/patterns.h"

#define FORMS_LEAST_SEEN 100

enum form {
	FORM_UNKNOWN,
	FORM_SCALAR,
	FORM_STRUCTURE,
	FORM_ARRAY,
	FORM_STRUCTURES,
	FORM_2D,
	FORM_3D,
	FORM_POINTERS,
	FORM_LINKED,
	FORM_VARIOUS, /* a section of several variables */
	FORMS
};

extern const char *const form_names[FORMS];

/* Add what windows saw of one more structure of a row. */
void forms_add(struct store_pattern *to, const struct store_pattern *more);
/* The form of a row. */
enum form forms_of(const struct profile *p, const struct data_row *row,
		   const struct store_pattern *x);
/* "regular", "irregular", "both"; NULL: too little was seen. */
const char *forms_access(const struct store_pattern *x);
/* The shares of known strides that are usual, and within a line; NAN: too little was seen. */
double forms_regular(const struct store_pattern *x);
double forms_near(const struct store_pattern *x);

#endif
