/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Merges several profiles into one: it has all their processes, as if one run had started them.
 * Event profiles must have the same measured events and simulated caches; sampled ones, the same
 * line size.
 */
#ifndef DWELL_MERGE_MERGE_H
#define DWELL_MERGE_MERGE_H

#include "base/err.h"
#include "base/text.h"
#include "store/store.h"

/* Returns 0, or -1 with the reason why these cannot be merged. */
int merge_check(const char *const *inputs, size_t count, struct err *err);

/*
 * Put the profiles, after merge_check, into the empty profile `out`; the caller finishes and closes
 * it. `notes` gets a line for each property that is lost because they differ.
 */
int merge_profiles(const char *const *inputs, size_t count, struct store *out, struct text *notes,
		   struct err *err);

#endif
