/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The address of the last x87 instruction; see x87.h. */
#include "engine/translate/x87.h"

#include "engine/codecache/cache.h"
#include "engine/codecache/insn_map.h"
#include "engine/core/frame.h"
#include "engine/core/lock.h"
#include "engine/core/util.h"
#include "engine/core/xstate.h"

#define PART	    1ull /* of the extended state: x87 */
#define PLACE_AT    8
#define IMAGE_BYTES (FRAME_XSTATE_HELD_AT + 64)

struct image {
	uint8_t byte[IMAGE_BYTES];
} __attribute__((aligned(64)));

/* The address in the cache of the last x87 instruction; 0 if it is elsewhere. */
static uint64_t place_in_cache(struct image *image)
{
	uint64_t held, place;

	memset(image, 0, sizeof *image); /* some processors write only a part */
	engine_xsave(image->byte, PART);
	memcpy(&held, image->byte + FRAME_XSTATE_HELD_AT, sizeof held);
	memcpy(&place, image->byte + PLACE_AT, sizeof place);
	return (held & PART) && cache_contains(place) ? place : 0;
}

static void set_place(struct image *image, uint64_t place)
{
	memcpy(image->byte + PLACE_AT, &place, sizeof place);
	engine_xrstor(image->byte, PART);
}

/* The source of the code at `place`; or `place`, if the target has loaded it itself. */
static uint64_t source_of(uint64_t place)
{
	const struct block *b = cache_block_at((const uint8_t *)(uintptr_t)place);
	const struct insn_at *m;
	struct insn_map map;
	uint32_t at = b ? (uint32_t)(place - (uint64_t)(uintptr_t)b->start) : 0;

	m = b ? insn_map_find(&map, b->map, b->insns, at) : 0;
	return m && m->code == at ? b->pc + m->source : place;
}

void x87_show(struct thread *t)
{
	struct image image;
	uint64_t place = place_in_cache(&image);

	if (!place)
		return;
	/* t is outside of the cache, so others may empty it */
	lock_take(&engine.translate_lock);
	place = t->generation == engine.generation ? source_of(place) : 0;
	lock_drop(&engine.translate_lock);
	set_place(&image, place);
}

void x87_forget(void)
{
	struct image image;

	if (place_in_cache(&image))
		set_place(&image, 0);
}
