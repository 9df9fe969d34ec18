/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The filter for any processor; see scan_filter.h. */
#include "engine/sample/scan_filter.h"

static struct scan_masks look_at_group(const uint64_t *p, const uint64_t *bits, uint64_t line_shift)
{
	struct scan_masks m = {0, 0};

	for (uint32_t i = 0; i < SCAN_GROUP; i++) {
		uint64_t end = p[i] >> 63, slot = (p[i] >> line_shift) & (WATCH_SLOTS - 1);
		uint64_t watched = bits[slot / 64] >> (slot & 63) & 1;

		m.trailers |= end << i;
		m.hits |= watched << i;
	}
	return m;
}

void scan_filter(const uint64_t *p, const uint64_t *bits, uint64_t line_shift,
		 struct scan_masks *masks, uint64_t groups)
{
	for (uint64_t g = 0; g < groups; g++)
		masks[g] = look_at_group(p + g * SCAN_GROUP, bits, line_shift);
}
