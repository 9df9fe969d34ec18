/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples of offsets; see places.h. Each one stands for `gap` misses on average. When all places
 * are taken, every other one is dropped, and the gap doubles. Gaps are random: loops over arrays
 * miss in a period.
 */
#include "engine/simulate/observe/places.h"

#include "engine/core/util.h"

#define MOST_GAP (1u << 15) /* twice this, less 2, has 16 bits */

struct places {
	struct bin_places kept;
	uint32_t gap; /* 0: 1 */
};

static struct {
	struct grow all; /* struct places, by bin */
	uint32_t random;
} p = {.random = 1};

bool places_start(uint32_t most_bins)
{
	return grow_init(&p.all, most_bins * sizeof(struct places)) == 0 && places_grow();
}

bool places_grow(void)
{
	return grow_take(&p.all, sizeof(struct places)) != NULL;
}

static struct places *at(uint32_t bin)
{
	return (struct places *)(void *)p.all.base + bin;
}

static void drop_half(struct places *x)
{
	for (uint32_t i = 0; i < BIN_PLACES / 2; i++)
		x->kept.offsets[i] = x->kept.offsets[2 * i];
	x->kept.count = BIN_PLACES / 2;
}

uint16_t places_take(uint32_t bin, uint64_t offset)
{
	struct places *x = at(bin);

	x->gap = x->gap ? x->gap : 1;
	if (x->kept.count == BIN_PLACES) {
		drop_half(x);
		x->gap = x->gap < MOST_GAP ? 2 * x->gap : MOST_GAP;
	}
	x->kept.offsets[x->kept.count++] = offset;
	p.random ^= p.random << 13;
	p.random ^= p.random >> 17;
	p.random ^= p.random << 5;
	return (uint16_t)(p.random % (2 * x->gap - 1));
}

void places_copy(uint32_t bin, struct bin_places *out)
{
	*out = at(bin)->kept;
}

void places_clear(uint32_t bin)
{
	*at(bin) = (struct places){.gap = 0};
}
