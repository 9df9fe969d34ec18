/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which entries of a stream buffer (scan.h) may touch a watched line. Pure. */
#ifndef DWELL_ENGINE_SCAN_FILTER_H
#define DWELL_ENGINE_SCAN_FILTER_H

#include <stdint.h>

#include "engine/layout.h"

#define SCAN_GROUP 64u

/*
 * Of the SCAN_GROUP entries at p: a bit for each address that may touch a
 * watched line, and through *trailers a bit for each trailer; what the first
 * has for trailers says nothing. Reads them all, whatever they are.
 */
uint64_t scan_filter(const uint64_t *p, const uint64_t *bits, uint64_t line_shift,
		     uint64_t *trailers);
/* The same for processors with BMI2. */
uint64_t scan_filter_fast(const uint64_t *p, const uint64_t *bits, uint64_t line_shift,
			    uint64_t *trailers);

#endif
