/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Weights for the samples that were watched at all sizes of lines. They are a quarter of all,
 * chosen by chance, and all of those kept that end near; of the others it is known, too, how far
 * they were reused with lines of the recorded size, which goes with what they would have said of
 * other sizes. So within each window they are stratified by that distance afterwards (Holt and
 * Smith, "Post stratification", 1979): each stratum has the weight that it has among all samples.
 */
#ifndef DWELL_PROFILE_LINE_WEIGHTS_H
#define DWELL_PROFILE_LINE_WEIGHTS_H

#include "profile/profile.h"

/*
 * `chosen` are some of p's samples as seen with lines of another size, in any order; weights[i],
 * at least 1, says for how many of them chosen[i] speaks, and becomes PROFILE_WEIGHT_ONE times
 * as much, calibrated. Returns 0, or -1 when memory runs out; weights are then as they were.
 */
int line_weights_calibrate(const struct profile *p, const struct store_sample *chosen,
			   uint32_t *weights, size_t count, struct err *err);

#endif
