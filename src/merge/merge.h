/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several profiles become one: their processes stand side by side, as if one run had started them
 * all. Of event profiles the measured events and the simulated caches must be the same, of
 * sampled ones the line size.
 */
#ifndef DWELL_MERGE_MERGE_H
#define DWELL_MERGE_MERGE_H

#include "base/err.h"
#include "base/text.h"
#include "store/store.h"

/* Returns 0, or -1 with a sentence that says why these cannot be one. */
int merge_check(const char *const *inputs, size_t count, struct err *err);

/*
 * Put the profiles, which merge_check let pass, into the empty one `out`; the caller finishes and
 * closes it. `notes` gets a line for each thing that they do not have in common and that is lost.
 */
int merge_profiles(const char *const *inputs, size_t count, struct store *out, struct text *notes,
		   struct err *err);

#endif
