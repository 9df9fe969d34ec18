/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Misses of a simulation by data structure, in the views of samples and of events. */
#ifndef DWELL_VIEWS_COUNTED_COUNTED_H
#define DWELL_VIEWS_COUNTED_COUNTED_H

#include "estimate/counted/structures.h"
#include "views/fit.h"

/*
 * The first `rows` data structures, with misses and causes in each level. With `s->names.word` the
 * details of each follow, as in data_text. Return -1 with *err when memory runs out.
 */
int structures_text(const struct structures *s, size_t rows, const struct display *d,
		    struct text *out, struct err *err);
void structures_csv(const struct structures *s, struct text *out);
int structures_json(const struct structures *s, struct text *out, struct err *err);

#endif
