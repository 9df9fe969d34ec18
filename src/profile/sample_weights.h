/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Weights for the samples of the recorded size of lines. Most accesses meet their line again after
 * a few others, and such reuses miss in no cache worth asking about: of samples that end near a
 * window keeps a few. It tells how many accesses it chose, so that those kept stand for what is not
 * there of these (stratified sampling; Neyman, 1934: strata whose members differ little need few).
 */
#ifndef DWELL_PROFILE_SAMPLE_WEIGHTS_H
#define DWELL_PROFILE_SAMPLE_WEIGHTS_H

#include "profile/profile.h"

/* Is it of the stratum of which not all samples are kept? */
bool sample_is_near(const struct profile *p, const struct store_sample *x);

/*
 * Fills p->weights, whose samples and windows are read; p owns it. Returns 0, or -1 when memory
 * runs out.
 */
int sample_weights(struct profile *p, struct err *err);

#endif
