/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of a run in which sampling was on. Windows speak for their periods, which adjoin while
 * it is on; what lies between two windows beyond their periods was left out, and so was what comes
 * long after the last. The model is given the rest as one stretch, or the windows at the edges
 * would speak for all that nobody looked at.
 */
#ifndef DWELL_PROFILE_SAMPLED_H
#define DWELL_PROFILE_SAMPLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/store_read.h"

struct sampled {
	uint64_t *left_out; /* accesses, before each window */
	uint64_t accesses;  /* of the process, those left out taken off */
	bool is_part;	    /* some were */
};

/* Windows in their order; `accesses` of the process. -1: memory ran out. */
int sampled_init(struct sampled *s, const struct store_window *windows, size_t count,
		 uint64_t accesses);
/* The place of a position in a window, in accesses made while sampling was on. */
uint64_t sampled_place(const struct sampled *s, int64_t window, uint64_t position);
void sampled_release(struct sampled *s);

#endif
