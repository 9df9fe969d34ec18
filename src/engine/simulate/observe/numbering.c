/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers for keys, by a hash table with linear probing; see numbering.h. */
#include "engine/simulate/observe/numbering.h"

#define FIRST_ROOM 1024u

static uint64_t hash_of(uint64_t a, uint64_t b)
{
	uint64_t h = (a ^ b * 0xff51afd7ed558ccdull) * 0x9e3779b97f4a7c15ull;

	return h ^ h >> 32;
}

int numbering_init(struct numbering *n, uint32_t most)
{
	*n = (struct numbering){0};
	if (grow_init(&n->keys, (uint64_t)most * sizeof(struct numbering_key)) != 0)
		return -1;
	return grow_take(&n->keys, sizeof(struct numbering_key)) ? 0 : -1;
}

static struct numbering_slot *slot_of(const struct numbering *n, uint64_t a, uint64_t b)
{
	uint64_t i = hash_of(a, b) & (n->room - 1);

	for (;; i = (i + 1) & (n->room - 1)) {
		struct numbering_slot *s = &n->slots[i];

		if (!s->b_number || (s->a == a && s->b_number >> NUMBERING_BITS == b))
			return s;
	}
}

static void put(const struct numbering *n, uint64_t a, uint64_t b, uint32_t number)
{
	*slot_of(n, a, b) = (struct numbering_slot){a, b << NUMBERING_BITS | number};
}

/* Double the slots when two thirds of them are used. False: no memory. */
static bool make_room(struct numbering *n)
{
	const uint32_t old_room = n->room, room = old_room ? 2 * old_room : FIRST_ROOM;
	struct numbering_slot *old = n->slots, *slots;

	if (3 * (uint64_t)(n->count + 1) <= 2 * (uint64_t)old_room)
		return true;
	slots = pages_get(round_up(room * sizeof *slots, PAGE));
	if (!slots)
		return n->count + 1 < old_room;
	n->slots = slots;
	n->room = room;
	for (uint32_t number = 1; number <= n->count; number++)
		put(n, numbering_key(n, number)->a, numbering_key(n, number)->b, number);
	if (old)
		pages_put(old, round_up(old_room * sizeof *old, PAGE));
	return true;
}

uint32_t numbering_get(struct numbering *n, uint64_t a, uint64_t b)
{
	const struct numbering_slot *slot;
	struct numbering_key *k;

	if (b >> NUMBERING_B_BITS || (!n->room && !make_room(n)))
		return 0;
	slot = slot_of(n, a, b);
	if (slot->b_number)
		return (uint32_t)slot->b_number & ((1u << NUMBERING_BITS) - 1);
	if (!make_room(n) || !(k = grow_take(&n->keys, sizeof *k)))
		return 0;
	*k = (struct numbering_key){a, b};
	put(n, a, b, ++n->count);
	return n->count;
}
