/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which entries of a stream buffer (scan.h) may touch a watched line. Pure. */
#ifndef DWELL_ENGINE_SAMPLE_SCAN_FILTER_H
#define DWELL_ENGINE_SAMPLE_SCAN_FILTER_H

#include <stdint.h>

#include "engine/core/layout.h"

#define SCAN_GROUP 64u

/* Masks of a group of SCAN_GROUP entries, the first in bit 0. */
struct scan_masks {
	uint64_t hits; /* may touch a watched line; undefined for trailers */
	uint64_t trailers;
};

/* Filter whole groups at p. Reads all their entries, valid or not. */
typedef void scan_filter_fn(const uint64_t *p, const uint64_t *bits, uint64_t line_shift,
			    struct scan_masks *masks, uint64_t groups);

scan_filter_fn scan_filter;
/* The same for processors with BMI2. */
scan_filter_fn scan_filter_fast;
/*
 * For BMI2, AVX-512 F, BW, DQ and VL, and xgetbv for the components in use. Keeps vector and mask
 * registers.
 */
scan_filter_fn scan_filter_wide;

#endif
