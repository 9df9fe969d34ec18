/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Miss-ratio curves for files; views/plot.c draws them. */
#ifndef DWELL_ANSWER_CURVES_H
#define DWELL_ANSWER_CURVES_H

#include "answer/answer.h"
#include "estimate/curve.h"

/*
 * Answer with their points, in CSV and JSON. One curve of a whole process has no label; several
 * have a column of them. The curves must outlive the answer; `a` is zero before. Returns -1 with
 * *err when memory runs out.
 */
int curves_shown(struct answer *a, const struct curve *curves, size_t count, struct err *err);

#endif
