/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run needs so that its rows get names that one can change: sentences for the reader. */
#ifndef DWELL_ESTIMATE_HINTS_H
#define DWELL_ESTIMATE_HINTS_H

#include "base/text.h"
#include "estimate/data.h"
#include "estimate/hot.h"

/*
 * Add a line for each thing that would give names to rows with much of the cost: debug symbols of a
 * file whose functions are known by address only; an option of a language whose own allocator
 * makes all its data one row.
 */
void hints_put(const struct hot *functions, const struct data *data, struct text *out);

#endif
