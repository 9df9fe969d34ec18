/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Weights for multi-size samples. These are a quarter of all samples, chosen at random, and all
 * near samples that were kept. For the others, too, the reuse distance with lines of the recorded
 * size is known, which correlates with the distances of other sizes. So within each window, samples
 * are stratified by that distance afterwards (Holt and Smith, "Post stratification", 1979): each
 * stratum gets the weight that it has among all samples.
 */
#ifndef DWELL_PROFILE_LINE_WEIGHTS_H
#define DWELL_PROFILE_LINE_WEIGHTS_H

#include "profile/profile.h"

/*
 * `chosen` are some of p's samples for another line size, in any order. weights[i], at least 1, is
 * the number of them that chosen[i] represents; it is replaced by PROFILE_WEIGHT_ONE times this
 * number, calibrated. Returns 0, or -1 when memory runs out; weights are then unchanged.
 */
int line_weights_calibrate(const struct profile *p, const struct store_sample *chosen,
			   uint32_t *weights, size_t count, struct err *err);

#endif
