/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a call graph to stacks: chains of calls from the start of the program.
 *
 * Where each node has one caller (contexts were kept, or the profile is of samples with call paths)
 * stacks are exact. Where a function has several callers, its inclusive cost is divided among them
 * in proportion to the inclusive costs of their calls. Of recursion one activation is shown: a call
 * back to a function of its own stack is left out, and its costs go to the first activation. The
 * sum over all stacks equals that of the profile.
 */
#ifndef DWELL_EXPORT_STACKS_H
#define DWELL_EXPORT_STACKS_H

#include "export/columns.h"

#define STACKS_NONE SIZE_MAX

struct stack {
	size_t node;   /* of the data: the function that the stack ends with */
	size_t parent; /* the stack without it, which comes before it; or STACKS_NONE */
	/* Too small to be split: its own cost includes that of its callees, which get no stacks. */
	bool is_whole;
	const double *shares; /* of the node's cost, by column */
};

struct stacks {
	struct stack *items;
	size_t count, room;
	size_t columns;
	double *own;	/* by node and column: its cost */
	double *all;	/* the same with those that it calls */
	bool estimated; /* some function has several callers */
	struct arena arena;
};

/* A column that is no sum is an error that names it. Release with stacks_release. */
int stacks_init(struct stacks *s, const struct export_data *d, const struct export_columns *c,
		struct err *err);
void stacks_release(struct stacks *s);

/* What the stack costs by itself. */
double stacks_value(const struct stacks *s, const struct stack *x, size_t column);

/* For writing stacks as whole numbers, in order, so that they add up to the rounded total. */
struct stacks_rounding {
	double sum;
	double written;
};
double stacks_round(struct stacks_rounding *r, double value);

#endif
