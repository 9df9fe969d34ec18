/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Callers and callees of functions, trees of calls, or the most costly calls. */
#ifndef DWELL_ANSWER_CALLS_H
#define DWELL_ANSWER_CALLS_H

#include "answer/answer.h"
#include "events/calls.h"

struct calls_choice {
	enum { CALLS_BOTH, CALLS_UP, CALLS_DOWN } direction;
	unsigned depth;	  /* of trees */
	double threshold; /* as a fraction of the whole */
	size_t top;	  /* rows of the text */
	const size_t *rows;
	const struct query *query; /* chooses calls by the names of functions */
	size_t count;		   /* 0 with CALLS_BOTH: the most costly calls */
};

/*
 * Answer with the calls, which must outlive the answer, like the choice. `a` is zero before.
 * Returns -1 with *err when memory runs out.
 */
int calls_shown(struct answer *a, const struct calls *c, const struct calls_choice *choice,
		struct err *err);

#endif
