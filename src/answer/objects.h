/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Data structures that other views and screens show, too; `a` is zero before. */
#ifndef DWELL_ANSWER_OBJECTS_H
#define DWELL_ANSWER_OBJECTS_H

#include "answer/answer.h"
#include "estimate/counted/structures.h"

/*
 * Of samples, which must outlive the answer. `marks` (NULL: all) chooses rows, as data_find does;
 * then a->details tells of them. a->usual_rows becomes the number of rows that text shows of
 * `most`; see struct cost_limit. Returns -1 with *err when memory runs out.
 */
int objects_of_samples(struct answer *a, const struct data *d, const bool *marks, size_t most,
		       struct err *err);

/* The same of a simulation; with `s->names.word`, details of the first `most` rows. */
int objects_of_structures(struct answer *a, const struct structures *s, size_t most,
			  struct err *err);

#endif
