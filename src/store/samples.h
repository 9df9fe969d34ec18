/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of samples that is one row of the table sample_batch, as JSON. */
#ifndef DWELL_STORE_SAMPLES_H
#define DWELL_STORE_SAMPLES_H

#include "base/text.h"
#include "store/store_read.h"

/* Add one to the list, which begins with the first; samples_end makes it complete. */
void samples_add(struct text *list, const struct store_sample *x);
void samples_end(struct text *list);

#endif
