/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes of a sampled run that is open already. */
#ifndef DWELL_ANSWER_PROCESSES_H
#define DWELL_ANSWER_PROCESSES_H

#include "answer/answer.h"

/* As the view `processes`, of `p`, which must outlive the answer. Zero before; -1 with *err. */
int processes_of_samples(struct answer *a, const struct profile *p, const struct query *q,
			 struct err *err);

#endif
