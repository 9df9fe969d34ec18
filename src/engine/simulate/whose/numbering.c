/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers for keys, by a hash table with linear probing; see numbering.h. */
#include "engine/simulate/whose/numbering.h"

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

static uint32_t *slot_of(const struct numbering *n, uint64_t a, uint64_t b)
{
	uint64_t i = hash_of(a, b) & (n->room - 1);

	for (;; i = (i + 1) & (n->room - 1)) {
		const struct numbering_key *k = numbering_key(n, n->slots[i]);

		if (!n->slots[i] || (k->a == a && k->b == b))
			return &n->slots[i];
	}
}

/* Double the slots when half of them are used. False: no memory. */
static bool make_room(struct numbering *n)
{
	const uint32_t old_room = n->room, room = old_room ? 2 * old_room : FIRST_ROOM;
	uint32_t *old = n->slots, *slots;

	if (2 * (n->count + 1) <= old_room)
		return true;
	slots = pages_get(round_up(room * sizeof *slots, PAGE));
	if (!slots)
		return n->count + 1 < old_room;
	n->slots = slots;
	n->room = room;
	for (uint32_t number = 1; number <= n->count; number++) {
		const struct numbering_key *k = numbering_key(n, number);

		*slot_of(n, k->a, k->b) = number;
	}
	if (old)
		pages_put(old, round_up(old_room * sizeof *old, PAGE));
	return true;
}

uint32_t numbering_find(const struct numbering *n, uint64_t a, uint64_t b)
{
	return n->room ? *slot_of(n, a, b) : 0;
}

uint32_t numbering_get(struct numbering *n, uint64_t a, uint64_t b)
{
	struct numbering_key *k;
	uint32_t *slot;

	if (!n->room && !make_room(n))
		return 0;
	slot = slot_of(n, a, b);
	if (*slot)
		return *slot;
	if (!make_room(n) || !(k = grow_take(&n->keys, sizeof *k)))
		return 0;
	*k = (struct numbering_key){a, b};
	return *slot_of(n, a, b) = ++n->count;
}
