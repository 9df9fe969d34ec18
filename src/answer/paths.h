/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The answer of the view `paths` as folded stacks. */
#ifndef DWELL_ANSWER_PATHS_H
#define DWELL_ANSWER_PATHS_H

#include "answer/answer.h"

/* A line for each path, "main;work;read 1234": misses in a billion accesses, for flame graphs. */
void paths_folded(const struct answer *a, struct text *out);

#endif
