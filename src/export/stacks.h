/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unfolds a call graph into stacks: chains of calls from the start of the program.
 *
 * If each node has one caller (contexts were kept, or the profile is of samples with call paths),
 * stacks are exact. If a function has several callers, its inclusive cost is divided among them in
 * proportion to the inclusive costs of their calls. Of recursion one activation is shown: a call
 * back to a function of its own stack is left out, and its costs go to the first activation. The
 * sum over all stacks equals that of the profile.
 */
#ifndef DWELL_EXPORT_STACKS_H
#define DWELL_EXPORT_STACKS_H

#include "export/columns.h"

#define STACKS_NONE SIZE_MAX

struct stack {
	size_t node;   /* the last function of the stack */
	size_t parent; /* the stack of its caller, which comes before it; or STACKS_NONE */
	/* Too small to be unfolded: its own cost includes its callees', which get no stacks. */
	bool is_whole;
	const double *shares; /* of the node's cost, by column */
};

struct stacks {
	struct stack *items;
	size_t count, room;
	size_t columns;
	double *own;	/* own cost, by node and column */
	double *all;	/* the same, including callees */
	bool estimated; /* some function has several callers */
	struct arena arena;
};

/*
 * Returns -1 with *err when memory runs out, or for a column that is not a sum. Release with
 * stacks_release.
 */
int stacks_init(struct stacks *s, const struct export_data *d, const struct export_columns *c,
		struct err *err);
void stacks_release(struct stacks *s);

/* The own cost of the stack. */
double stacks_value(const struct stacks *s, const struct stack *x, size_t column);

/* For writing stacks as whole numbers, in order, that add up to the rounded total. */
struct stacks_rounding {
	double sum;
	double written;
};
double stacks_round(struct stacks_rounding *r, double value);

#endif
