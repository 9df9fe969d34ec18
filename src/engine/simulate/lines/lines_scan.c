/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scan for any processor; see lines_scan.h. */
#include "engine/simulate/lines/lines_scan.h"

#include "channel/lines.h"

#define SIGN (1u << 31)

void lines_key_fill(struct lines_key *k, uint64_t shift, uint64_t reach, uint32_t seed,
		    uint32_t threshold, const uint32_t *recent, uint32_t places)
{
	k->shift = shift;
	k->recent = recent;
	for (uint32_t i = 0; i < LINES_LANES; i++) {
		k->reach[i / 2] = reach;
		k->seed[i] = seed;
		k->first[i] = LINES_FIRST_FACTOR;
		k->second[i] = LINES_SECOND_FACTOR;
		k->threshold[i] = threshold - SIGN;
		k->sign[i] = SIGN;
		k->places[i] = places - 1;
	}
}

static struct lines_masks look_at_group(const uint64_t *p, const struct lines_key *k)
{
	const uint32_t threshold = k->threshold[0] + SIGN, seed = k->seed[0];
	struct lines_masks m = {0};

	for (uint32_t i = 0; i < LINES_GROUP; i++) {
		const uint64_t first = p[i] >> k->shift, last = (p[i] + k->reach[0]) >> k->shift;
		const uint64_t chosen = (uint64_t)(lines_hash(first, seed) < threshold) |
					(uint64_t)(lines_hash(last, seed) < threshold);
		const uint64_t fresh = k->recent[first & k->places[0]] != (uint32_t)first;

		m.chosen |= chosen << i;
		m.fresh |= (fresh & ~(p[i] >> 63)) << i;
	}
	return m;
}

void lines_scan(const uint64_t *p, uint64_t groups, const struct lines_key *key,
		struct lines_masks *masks)
{
	for (uint64_t g = 0; g < groups; g++)
		masks[g] = look_at_group(p + g * LINES_GROUP, key);
}
