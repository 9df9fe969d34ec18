/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Misses by pairs of groups, in a hash table with linear probing; see pairs.h. */
#include "engine/simulate/observe/pairs.h"

#include "engine/core/util.h"
#include "engine/simulate/observe/contrasts.h"
#include "engine/simulate/observe/groups.h"
#include "engine/simulate/observe/numbering.h"
#include "engine/simulate/observe/structures.h"

#define FIRST_ROOM    1024u
#define MOST_DETAILED (256u << 10) /* pairs of groups; further ones are without functions */
#define LATER	      48u

/* A key: the one that missed, its evictor, the cache, whether they are groups, and conflicts. */
#define KEY_BITS     27u /* of a group or a structure */
#define KEY_MASK     ((1ull << KEY_BITS) - 1)
#define CACHE_SHIFT  (2 * KEY_BITS)
#define CACHE_BITS   6u
#define GROUPS_SHIFT (CACHE_SHIFT + CACHE_BITS)
#define KEY_CONFLICT (1ull << (GROUPS_SHIFT + 1))
#define KEY_IS_USED  (1ull << 63)

_Static_assert(GROUP_BITS <= KEY_BITS && STRUCTURE_BITS <= KEY_BITS, "a key holds two");
_Static_assert(BIN_CACHES <= 1 << CACHE_BITS, "a key holds a cache");
_Static_assert(GROUPS_SHIFT + 1 < 63, "and two flags");

#define CONTRAST_BYTES (STRETCH_CONTRASTS * sizeof(int32_t))
#define MOST_CONTRASTS (1u << 24)

struct entry {
	uint64_t key; /* 0: free */
	uint64_t count;
};

static struct {
	struct entry *entries;
	uint64_t room; /* of entries, a power of two */
	uint64_t used;
	/* misses that are not counted yet */
	struct {
		uint64_t key;
		uint32_t count, signs;
	} later[LATER];
	uint32_t laters;
	/* in a sampled simulation: contrasts of each pair */
	bool is_sampled;
	struct numbering numbers; /* by key */
	struct grow contrasts;	  /* int32_t [STRETCH_CONTRASTS], by number */
} t;

bool pairs_in_stretches(void)
{
	return t.is_sampled =
		       numbering_init(&t.numbers, MOST_CONTRASTS) == 0 &&
		       grow_init(&t.contrasts, (uint64_t)MOST_CONTRASTS * CONTRAST_BYTES) == 0;
}

static uint64_t key_of(uint32_t missed, uint32_t evictor, enum bin_cache cache, bool are_groups)
{
	return missed | (uint64_t)evictor << KEY_BITS | (uint64_t)cache << CACHE_SHIFT |
	       (uint64_t)are_groups << GROUPS_SHIFT | KEY_IS_USED;
}

static struct pair pair_of(uint64_t key)
{
	return (struct pair){
		.missed = (uint32_t)(key & KEY_MASK),
		.evictor = (uint32_t)(key >> KEY_BITS & KEY_MASK),
		.cache = (enum bin_cache)(key >> CACHE_SHIFT & ((1u << CACHE_BITS) - 1)),
		.are_groups = key >> GROUPS_SHIFT & 1,
		.are_conflicts = key & KEY_CONFLICT};
}

static uint64_t place_of(uint64_t key)
{
	return key * 0x9e3779b97f4a7c15ull >> 20 & (t.room - 1);
}

/* The key's entry, or the free one where it belongs. */
static struct entry *find(uint64_t key)
{
	uint64_t i = place_of(key);

	while (t.entries[i].key && t.entries[i].key != key)
		i = (i + 1) & (t.room - 1);
	return &t.entries[i];
}

/* Double the table when half of it is used. False: it is full, and there is no memory. */
static bool make_room(void)
{
	const uint64_t old_room = t.room, room = old_room ? 2 * old_room : FIRST_ROOM;
	struct entry *old = t.entries, *entries;

	if (2 * (t.used + 1) <= old_room)
		return true;
	entries = pages_get(round_up(room * sizeof *entries, PAGE));
	if (!entries)
		return t.used + 1 < old_room;
	t.entries = entries;
	t.room = room;
	for (uint64_t i = 0; i < old_room; i++)
		if (old[i].key)
			*find(old[i].key) = old[i];
	if (old)
		pages_put(old, round_up(old_room * sizeof *old, PAGE));
	return true;
}

/*
 * A compiler has millions of pairs, and half of them count once: so from some number on, new ones
 * are those of the structures, without functions.
 */
static uint64_t coarse_key(uint64_t key)
{
	const struct pair p = pair_of(key);

	return key_of(groups_structure(p.missed), groups_structure(p.evictor), p.cache, false) |
	       (key & KEY_CONFLICT);
}

static int32_t *contrasts_of(uint64_t key)
{
	const uint32_t number = numbering_get(&t.numbers, key, 0);

	while (t.contrasts.used <= (uint64_t)number * CONTRAST_BYTES)
		if (!grow_take(&t.contrasts, CONTRAST_BYTES))
			return 0;
	return number ? (int32_t *)(void *)(t.contrasts.base + (uint64_t)number * CONTRAST_BYTES)
		      : 0;
}

static void count(uint64_t key, uint32_t n, uint32_t signs)
{
	int32_t *contrasts;
	struct entry *e;

	if (!make_room())
		return;
	e = find(key);
	if (!e->key && t.used >= MOST_DETAILED) {
		key = coarse_key(key);
		e = find(key);
	}
	t.used += !e->key;
	e->key = key;
	e->count += n;
	contrasts = t.is_sampled ? contrasts_of(key) : 0;
	if (contrasts)
		contrasts_add(contrasts, signs, n);
}

static void count_laters(void)
{
	for (uint32_t i = 0; i < t.laters; i++)
		count(t.later[i].key, t.later[i].count, t.later[i].signs);
	t.laters = 0;
}

void pairs_count(uint32_t group, uint32_t evictor, enum bin_cache cache, bool are_conflicts,
		 uint32_t n, uint32_t signs)
{
	const uint64_t key =
		key_of(group, evictor, cache, true) | (are_conflicts ? KEY_CONFLICT : 0);

	if (t.room)
		__builtin_prefetch(&t.entries[place_of(key)], 1);
	t.later[t.laters].key = key;
	t.later[t.laters].signs = signs;
	t.later[t.laters++].count = n;
	if (t.laters == LATER)
		count_laters();
}

void pairs_take(pairs_taker *f, void *context)
{
	static const int32_t none[STRETCH_CONTRASTS];

	count_laters();
	for (uint64_t i = 0; i < t.room; i++) {
		const struct pair p = pair_of(t.entries[i].key);
		int32_t *contrasts;

		if (!t.entries[i].count)
			continue;
		contrasts = t.is_sampled ? contrasts_of(t.entries[i].key) : 0;
		f(context, &p, t.entries[i].count, contrasts ? contrasts : none);
		if (contrasts)
			memset(contrasts, 0, CONTRAST_BYTES);
		t.entries[i].count = 0;
	}
}

uint64_t pairs_number(void)
{
	return t.used;
}

void pairs_clear(void)
{
	t.laters = 0;
	for (uint64_t i = 0; i < t.room; i++)
		t.entries[i].count = 0;
	if (t.is_sampled)
		memset(t.contrasts.base, 0, t.contrasts.used);
}
