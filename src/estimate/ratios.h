/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The miss ratios of the rows of a view, with their intervals. */
#ifndef DWELL_ESTIMATE_RATIOS_H
#define DWELL_ESTIMATE_RATIOS_H

#include "estimate/hot.h"

#define RATIOS_NO_ROW UINT32_MAX

/*
 * Compute the miss ratio of each of `count` rows from its samples. `row_of` has the row of each of
 * the profile's samples, or RATIOS_NO_ROW; `parts` what the model attributes to it in the query's
 * cache. The interval is that of model_part, plus the uncertainty of far reuses. Rows without
 * accesses are unknown. Returns 0, or -1 when memory runs out.
 */
int ratios_solve(const struct profile *p, const struct query *q, const struct model_share *parts,
		 const uint32_t *row_of, size_t count, struct model_ratio *ratios, struct err *err);

/*
 * For code, far reuses belong to the code that makes them, which hot_costs() knows, but not the
 * samples alone. The ratio becomes that of the cost, and the interval covers both.
 */
void ratios_move(struct model_ratio *r, const struct hot_cost *cost);

/* The access for which a sample counts: the reusing one, else the sampled one. */
const struct store_access *ratios_access(const struct store_sample *s);

#endif
