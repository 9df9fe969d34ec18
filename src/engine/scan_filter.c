/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The filter for any processor; see scan_filter.h. */
#include "engine/scan_filter.h"

uint64_t scan_filter(const uint64_t *p, const uint64_t *bits, uint64_t line_shift,
		     uint64_t *trailers)
{
	uint64_t hits = 0, ends = 0;

	for (uint32_t i = 0; i < SCAN_GROUP; i++) {
		uint64_t end = p[i] >> 63, slot = (p[i] >> line_shift) & (WATCH_SLOTS - 1);
		uint64_t watched = bits[slot / 64] >> (slot & 63) & 1;

		ends |= end << i;
		hits |= watched << i;
	}
	*trailers = ends;
	return hits;
}
