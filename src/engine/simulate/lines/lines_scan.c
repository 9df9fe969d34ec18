/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scan for any processor; see lines_scan.h. */
#include "engine/simulate/lines/lines_scan.h"

#include "channel/lines.h"

static uint64_t look_at_group(const uint64_t *p, const struct lines_key *k)
{
	uint64_t mask = 0;

	for (uint32_t i = 0; i < LINES_GROUP; i++) {
		uint64_t first = p[i] >> k->shift, last = (p[i] + k->reach) >> k->shift;
		uint64_t chosen = (lines_hash(first, k->seed) < k->threshold) |
				  (lines_hash(last, k->seed) < k->threshold);

		mask |= chosen << i;
	}
	return mask;
}

void lines_scan(const uint64_t *p, uint64_t groups, const struct lines_key *key, uint64_t *masks)
{
	for (uint64_t g = 0; g < groups; g++)
		masks[g] = look_at_group(p + g * LINES_GROUP, key);
}
