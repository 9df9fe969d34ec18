/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The miss ratios of the rows of a view, with their intervals. */
#ifndef DWELL_ESTIMATE_RATIOS_H
#define DWELL_ESTIMATE_RATIOS_H

#include "estimate/hot.h"

#define RATIOS_NO_ROW UINT32_MAX

/*
 * For each of `count` rows its miss ratio, from the samples that are in it: `row_of` says of each
 * of the profile's samples the row, or RATIOS_NO_ROW, and `parts` what the model shares
 * out to it in a cache of size_bytes. The interval is that of model_part, and what is not known of
 * far reuses on top. Rows without accesses are not known. Returns 0, or -1 when memory runs out.
 */
int ratios_solve(const struct profile *p, const struct query *q, const struct model_share *parts,
		 const uint32_t *row_of, size_t count, struct model_ratio *ratios, struct err *err);

/*
 * Of code, far reuses belong to who makes them, which hot_costs() knows and the samples alone do
 * not: the ratio becomes that of the cost, the interval reaches around both.
 */
void ratios_move(struct model_ratio *r, const struct hot_cost *cost);

/* The access that a sample counts for: the reusing one, else the sampled one. */
const struct store_access *ratios_access(const struct store_sample *s);

#endif
