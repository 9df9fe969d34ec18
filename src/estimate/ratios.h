/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The miss ratios of the rows of a view, with their intervals. */
#ifndef DWELL_ESTIMATE_RATIOS_H
#define DWELL_ESTIMATE_RATIOS_H

#include "profile/profile.h"

#define RATIOS_NO_ROW UINT32_MAX

/*
 * Compute the miss ratio of each of `count` rows, with the interval of model_part. `row_of` has the
 * row of each of the profile's ends, or RATIOS_NO_ROW; `shares` what the model attributes to it.
 * Rows without accesses are unknown. Returns 0, or -1 when memory runs out.
 */
int ratios_solve(const struct profile *p, const struct profile_share *shares,
		 const uint32_t *row_of, size_t count, struct model_ratio *ratios, struct err *err);

/*
 * The same for code: `row_of` has the row of each of p->locations, and of ends without a location.
 */
int ratios_solve_code(const struct profile *p, const struct profile_share *shares,
		      const uint32_t *row_of, size_t count, struct model_ratio *ratios,
		      struct err *err);

#endif
