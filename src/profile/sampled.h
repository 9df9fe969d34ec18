/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of a run in which sampling was on. Windows represent their periods, which are contiguous
 * while it is on. Time between two windows beyond their periods was left out, and so was the time
 * long after the last window. The model gets the rest as one stretch: otherwise windows at the
 * edges would represent time that was never sampled.
 */
#ifndef DWELL_PROFILE_SAMPLED_H
#define DWELL_PROFILE_SAMPLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/store_read.h"

struct sampled {
	uint64_t *left_out; /* accesses left out before each window */
	uint64_t accesses;  /* of the process, without those left out */
	bool is_part;	    /* some were left out */
};

/* Windows must be sorted; `accesses` of the process. Returns -1 when memory ran out. */
int sampled_init(struct sampled *s, const struct store_window *windows, size_t count,
		 uint64_t accesses);
/* The position in a window, counted in accesses while sampling was on. */
uint64_t sampled_place(const struct sampled *s, int64_t window, uint64_t position);
void sampled_release(struct sampled *s);

#endif
