/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines that the process has touched, counted; see touched.h. */
#include "engine/simulate/lines/touched.h"

#include "engine/core/util.h"

#define RECENT_BYTES (TOUCHED_RECENT * sizeof(uint32_t))
#define BITS_BYTES   (LINES_TOUCHED_BITS / 8)
#define WORDS	     (LINES_TOUCHED_BITS / 64)

bool touched_start(struct touched *t, uint32_t seed, uint64_t level_threshold)
{
	if (t->bits && t->lines) {
		pages_put(t->bits, BITS_BYTES);
		t->bits = NULL;
	}
	if (!t->bits)
		t->bits = pages_get(BITS_BYTES);
	if (!t->recent)
		t->recent = pages_get(RECENT_BYTES);
	if (!t->bits || !t->recent)
		return false;
	memset(t->recent, 0xff, RECENT_BYTES);
	t->lines = t->level_lines = 0;
	t->level_threshold = level_threshold;
	t->seed = seed;
	return true;
}

/* All bits good: neighbouring groups must share words as often as others do (splitmix64). */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

bool touched_look(struct touched *t, uint64_t line)
{
	uint64_t *word = &t->bits[mix((line >> 6) + 1) % WORDS];
	const uint64_t bit = 1ull << (line & 63);

	if (*word & bit)
		return false;
	*word |= bit;
	t->lines++;
	t->level_lines += lines_hash(line, t->seed) < t->level_threshold;
	return true;
}
