/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Weights for the samples of the recorded line size. Most accesses touch a line again soon, and
 * such reuses miss in no relevant cache. So a window keeps only a few near samples. It records how
 * many accesses it sampled, so that the kept near samples can represent the dropped ones
 * (stratified sampling; Neyman, 1934: strata whose members differ little need few samples).
 */
#ifndef DWELL_PROFILE_SAMPLE_WEIGHTS_H
#define DWELL_PROFILE_SAMPLE_WEIGHTS_H

#include "profile/profile.h"

/* Tell whether it belongs to the stratum that is only partly kept. */
bool sample_is_near(const struct profile *p, const struct store_sample *x);

/*
 * Set p->weights from p's samples and windows; p owns them. Returns 0, or -1 when memory runs out.
 */
int sample_weights(struct profile *p, struct err *err);

#endif
