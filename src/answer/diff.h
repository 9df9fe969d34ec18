/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two profiles side by side: the whole, and the rows that changed most. */
#ifndef DWELL_ANSWER_DIFF_H
#define DWELL_ANSWER_DIFF_H

#include "answer/answer.h"
#include "base/condition.h"
#include "estimate/diff_samples.h"
#include "events/diff.h"

/*
 * Answer with a difference, which must outlive the answer, and the results of conditions. `a` is
 * zero before. Return -1 with *err when memory runs out.
 */
int diff_of_events(struct answer *a, const struct diff *d, const struct condition *conditions,
		   size_t count, struct err *err);
int diff_of_samples(struct answer *a, const struct diff_samples *d,
		    const struct condition *conditions, size_t count, struct err *err);

/* "D1mr > +2%: 1,200, before 1,000 (+20.00 %)", for a condition that holds. */
void diff_explain(const struct condition *c, struct text *out);

/* ---- For both ---- */

#define DIFF_TITLE_INDENT 3

/* "A: before.db: ./prog", a line of the title. */
void diff_put_side(const char *letter, const char *path, const char *command, struct text *out);

/* A list of the results of conditions. */
json_t *diff_json_conditions(const struct condition *conditions, size_t count);

#endif
