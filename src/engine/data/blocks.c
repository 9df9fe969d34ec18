/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Live blocks by address; see blocks.h. */
#include "engine/data/blocks.h"

#include "channel/site.h"
#include "engine/core/limits.h"
#include "engine/core/util.h"

#define ADDRESS_BITS 47
#define GRANULE_BITS 3
#define GRANULE	     (1u << GRANULE_BITS)
#define PAGE_BITS    12
#define PAGE	     (1u << PAGE_BITS)
#define GRANULES     (PAGE / GRANULE)
#define REGION_BITS  20 /* a megabyte */
#define LEAVES	     256u
#define REGIONS	     (1ull << (ADDRESS_BITS - REGION_BITS))
#define LEVELS	     5 /* of bitmaps over bitmaps of regions: 64 to the power of 5 is enough */
#define MAX_LEAVES   (1u << 24) /* 64 GB of pages */
#define MAX_REGIONS  (1u << 20) /* with blocks: a terabyte */
#define MOST_PART    8u		/* the table of regions takes at most 1/8 of the limit */

/*
 * A slot for each granule in which a block begins: its site, its offset in the granule, and its
 * size. A size of 16 bytes or more lies in the next slot, or from 4 GB on in the next two: no other
 * block begins there, since this one covers their granules.
 */
#define SITE_MASK    ((1u << 21) - 1)
#define OFFSET_SHIFT 21
#define SIZE_SHIFT   24
#define SIZE_MASK    15u
#define SIZE_BEHIND  (1u << 28)
#define SIZE_IN_TWO  (1u << 29)
#define MARKED	     (1u << 30)

/* The blocks that begin in one page. The size of the last may need slots beyond the page's. */
struct leaf {
	uint64_t starts[GRANULES / 64];
	uint32_t slot[GRANULES + 2];
	uint32_t next; /* number of the next unused leaf */
} __attribute__((aligned(64)));

_Static_assert(SITE_MAX_ID <= SITE_MASK, "a slot holds any site");

/* A megabyte: the pages in which blocks begin, and the numbers of their leaves (0: none). */
struct region {
	uint64_t used[LEAVES / 64];
	uint32_t leaf[LEAVES];
};

static struct {
	struct grow leaves, regions, region_of;
	uint64_t *bits[LEVELS]; /* [0]: a bit per region; [n]: a bit per word of [n - 1] */
	struct grow bit_memory;
	uint32_t unused, live;
} m;

int blocks_init(void)
{
	uint64_t words = REGIONS, table_bytes = REGIONS * sizeof(uint32_t);

	if (limits_share(table_bytes, 0, MOST_PART) != table_bytes)
		return -1;
	if (grow_init(&m.leaves, (uint64_t)MAX_LEAVES * sizeof(struct leaf)) ||
	    grow_init(&m.regions, (uint64_t)MAX_REGIONS * sizeof(struct region)) ||
	    grow_init_whole(&m.region_of, table_bytes) ||
	    grow_init_whole(&m.bit_memory, REGIONS / 4))
		return -1;
	for (int i = 0; i < LEVELS; i++) {
		words = (words + 63) / 64;
		m.bits[i] = (uint64_t *)(void *)(m.bit_memory.base + m.bit_memory.used);
		m.bit_memory.used += words * 8;
	}
	grow_in_large_pages(&m.leaves);
	return 0;
}

static struct leaf *leaf_at(uint32_t number)
{
	return (struct leaf *)(void *)m.leaves.base + number - 1;
}

static uint32_t *number_of_region(uint64_t which)
{
	return (uint32_t *)(void *)m.region_of.base + which;
}

static struct region *region_at(uint32_t number)
{
	return (struct region *)(void *)m.regions.base + number - 1;
}

static uint32_t page_of(uint64_t address)
{
	return (uint32_t)(address >> PAGE_BITS) % LEAVES;
}

static uint32_t granule_of(uint64_t address)
{
	return (uint32_t)(address >> GRANULE_BITS) % GRANULES;
}

/* The leaf of the address's page; NULL: no block begins there. */
static struct leaf *leaf_of(uint64_t address)
{
	uint32_t number = *number_of_region(address >> REGION_BITS);

	number = number ? region_at(number)->leaf[page_of(address)] : 0;
	return number ? leaf_at(number) : 0;
}

/* ---- Bitmaps of beginnings ---- */

static void set_bit(uint64_t *words, uint64_t i)
{
	words[i / 64] |= 1ull << (i & 63);
}

static void mark_region(uint64_t number)
{
	for (int i = 0; i < LEVELS; i++, number /= 64)
		set_bit(m.bits[i], number);
}

static void unmark_region(uint64_t number)
{
	for (int i = 0; i < LEVELS; i++, number /= 64) {
		m.bits[i][number / 64] &= ~(1ull << (number & 63));
		if (m.bits[i][number / 64])
			return;
	}
}

static bool has_bit(const uint64_t *words, uint64_t i)
{
	return words[i / 64] >> (i & 63) & 1;
}

static bool is_clear(const uint64_t *words, uint32_t n)
{
	uint64_t any = 0;

	for (uint32_t i = 0; i < n; i++)
		any |= words[i];
	return !any;
}

/* The address's region, made if it is missing; NULL when memory ran out. */
static struct region *need_region(uint64_t address)
{
	uint32_t *number = number_of_region(address >> REGION_BITS);

	if (!*number && grow_take(&m.regions, sizeof(struct region)))
		*number = (uint32_t)(m.regions.used / sizeof(struct region));
	return *number ? region_at(*number) : 0;
}

/* A leaf without beginnings, or 0. */
static uint32_t new_leaf(void)
{
	uint32_t n = m.unused;

	if (n) {
		m.unused = leaf_at(n)->next;
		return n;
	}
	if (!grow_take(&m.leaves, sizeof(struct leaf)))
		return 0;
	return (uint32_t)(m.leaves.used / sizeof(struct leaf));
}

/* The leaf of the address's page, made if it is missing; NULL when memory ran out. */
static struct leaf *need_leaf(uint64_t address)
{
	struct region *r = need_region(address);
	uint32_t page = page_of(address);

	if (!r || (!r->leaf[page] && !(r->leaf[page] = new_leaf())))
		return 0;
	if (!has_bit(r->used, page)) {
		if (is_clear(r->used, LEAVES / 64))
			mark_region(address >> REGION_BITS);
		set_bit(r->used, page);
	}
	return leaf_at(r->leaf[page]);
}

/* No block begins in the address's page any more: free its leaf for another page. */
static void give_back_leaf(uint64_t address)
{
	struct region *r = region_at(*number_of_region(address >> REGION_BITS));
	uint32_t page = page_of(address), *number = &r->leaf[page];

	leaf_at(*number)->next = m.unused;
	m.unused = *number;
	*number = 0;
	r->used[page / 64] &= ~(1ull << (page & 63));
	if (is_clear(r->used, LEAVES / 64))
		unmark_region(address >> REGION_BITS);
}

/* The highest bit below number `end` of the words, or -1. */
static int last_below(const uint64_t *words, uint32_t end)
{
	uint32_t w = end / 64;
	uint64_t v = end & 63 ? words[w] & ((1ull << (end & 63)) - 1) : 0;

	while (!v && w > 0)
		v = words[--w];
	return v ? (int)(w * 64 + 63) - __builtin_clzll(v) : -1;
}

/* The highest region with beginnings below number `end`, or -1. */
static int64_t region_below(uint64_t end)
{
	int level = 0;

	for (; level < LEVELS; level++, end /= 64) {
		uint64_t v = end & 63 ? m.bits[level][end / 64] & ((1ull << (end & 63)) - 1) : 0;

		if (!v)
			continue;
		end = (end & ~63ull) + 63 - (uint64_t)__builtin_clzll(v);
		while (level-- > 0)
			end = end * 64 + 63 - (uint64_t)__builtin_clzll(m.bits[level][end]);
		return (int64_t)end;
	}
	return -1;
}

/* The last granule below number `end` in which a block begins, or -1. */
static int64_t granule_below(uint64_t end)
{
	uint64_t address = end << GRANULE_BITS, which = address >> REGION_BITS;
	uint32_t number = which < REGIONS ? *number_of_region(which) : 0, page = page_of(address);
	const struct region *r = number ? region_at(number) : 0;
	int64_t before;
	int at;

	if (r && r->leaf[page]) {
		at = last_below(leaf_at(r->leaf[page])->starts, granule_of(address));
		if (at >= 0)
			return (int64_t)((end & ~(GRANULES - 1ull)) + (uint64_t)at);
	}
	at = r ? last_below(r->used, page) : -1;
	if (at < 0) {
		before = region_below(which < REGIONS ? which : REGIONS);
		if (before < 0)
			return -1;
		which = (uint64_t)before;
		r = region_at(*number_of_region(which));
		at = last_below(r->used, LEAVES);
	}
	return (int64_t)((which * LEAVES + (uint32_t)at) * GRANULES) +
	       last_below(leaf_at(r->leaf[at])->starts, GRANULES);
}

/* ---- Blocks ---- */

static void put(uint32_t *slot, uint64_t start, uint64_t size, uint32_t site)
{
	uint32_t v = site | (uint32_t)(start % GRANULE) << OFFSET_SHIFT;

	if (size <= SIZE_MASK) {
		*slot = v | (uint32_t)size << SIZE_SHIFT;
		return;
	}
	slot[1] = (uint32_t)size;
	if (size >> 32) {
		slot[2] = (uint32_t)(size >> 32);
		v |= SIZE_IN_TWO;
	}
	*slot = v | SIZE_BEHIND;
}

/* Decode the slot of the granule that address lies in. */
static struct block_info info_of(const uint32_t *slot, uint64_t address)
{
	uint32_t v = *slot;
	uint64_t size = v >> SIZE_SHIFT & SIZE_MASK;

	if (v & SIZE_BEHIND)
		size = slot[1];
	if (v & SIZE_IN_TWO)
		size |= (uint64_t)slot[2] << 32;
	return (struct block_info){(address & -(uint64_t)GRANULE) + (v >> OFFSET_SHIFT) % GRANULE,
				   size, v & SITE_MASK, (v & MARKED) != 0};
}

/* The slot of the block that begins at start, or NULL. */
static uint32_t *slot_of(struct leaf *l, uint64_t start)
{
	uint32_t granule = granule_of(start), *slot = l ? &l->slot[granule] : 0;

	if (!l || !has_bit(l->starts, granule) ||
	    (*slot >> OFFSET_SHIFT) % GRANULE != start % GRANULE)
		return 0;
	return slot;
}

/* With a million blocks memory latency dominates: overlap the two loads. */
void blocks_prefetch(uint64_t start)
{
	const struct leaf *l = start >> ADDRESS_BITS ? 0 : leaf_of(start);

	if (!l)
		return;
	__builtin_prefetch(&l->starts[granule_of(start) / 64], 1);
	__builtin_prefetch(&l->slot[granule_of(start)], 1);
}

/* Take out the block that begins in the address's granule of its leaf. */
static struct block_info take(struct leaf *l, uint64_t address)
{
	const uint32_t granule = granule_of(address);
	const struct block_info gone = info_of(&l->slot[granule], address);

	l->starts[granule / 64] &= ~(1ull << (granule & 63));
	if (is_clear(l->starts, GRANULES / 64))
		give_back_leaf(address);
	m.live--;
	return gone;
}

static uint32_t slots_of(uint64_t size)
{
	return size <= SIZE_MASK ? 1 : size >> 32 ? 3 : 2;
}

/* Does a block of the page begin so close to the granule that both may need the same slot? */
static bool is_crowded(const struct leaf *l, uint32_t granule)
{
	const uint32_t at = granule & 63;
	bool any = false;

	if (at >= 2 && at < 62)
		return l->starts[granule / 64] >> (at - 2) & 31;
	for (uint32_t g = granule < 2 ? 0 : granule - 2; g <= granule + 2 && g < GRANULES; g++)
		any |= has_bit(l->starts, g);
	return any;
}

/* Take out one block that has a slot which the new block needs. False: there is none. */
static bool make_way(struct leaf *l, uint64_t start, uint64_t size, struct block_info *old)
{
	const uint32_t granule = granule_of(start), end = granule + slots_of(size);

	for (uint32_t g = granule < 2 ? 0 : granule - 2; g < end && g < GRANULES; g++) {
		const uint64_t at = (start & -(uint64_t)PAGE) + g * GRANULE;

		if (!has_bit(l->starts, g) ||
		    g + slots_of(info_of(&l->slot[g], at).size) <= granule)
			continue;
		*old = take(l, at);
		return true;
	}
	return false;
}

bool blocks_insert(uint64_t start, uint64_t size, uint32_t site, struct block_info *old)
{
	const uint32_t granule = granule_of(start);
	struct leaf *l;

	if (start >> ADDRESS_BITS || size >> ADDRESS_BITS || !(l = need_leaf(start)))
		return false;
	if (is_crowded(l, granule) && make_way(l, start, size, old))
		return true;
	set_bit(l->starts, granule);
	put(&l->slot[granule], start, size, site);
	m.live++;
	return false;
}

bool blocks_remove(uint64_t start, struct block_info *old)
{
	struct leaf *l = start >> ADDRESS_BITS ? 0 : leaf_of(start);

	if (!slot_of(l, start))
		return false;
	*old = take(l, start);
	return true;
}

bool blocks_mark(uint64_t start)
{
	uint32_t *slot = start >> ADDRESS_BITS ? 0 : slot_of(leaf_of(start), start);

	if (slot)
		*slot |= MARKED;
	return slot != 0;
}

bool blocks_get(uint64_t start, struct block_info *b)
{
	const uint32_t *slot = start >> ADDRESS_BITS ? 0 : slot_of(leaf_of(start), start);

	if (slot)
		*b = info_of(slot, start);
	return slot != 0;
}

/* The same, if that is quickly found. */
static bool last_in_page(uint64_t address, struct block_info *b)
{
	const struct leaf *l = leaf_of(address);
	const int granule = l ? last_below(l->starts, granule_of(address) + 1) : -1;
	const uint64_t at = (address & -(uint64_t)PAGE) + (uint64_t)(uint32_t)granule * GRANULE;

	if (granule < 0)
		return false;
	*b = info_of(&l->slot[granule], at);
	return b->start <= address;
}

/* The last block that begins at or below address. */
static bool last_at(uint64_t address, struct block_info *b)
{
	int64_t granule = (int64_t)(address >> GRANULE_BITS) + 1;

	if (address >> ADDRESS_BITS)
		return false;
	if (last_in_page(address, b))
		return true;
	/* Look again only if the block of the first granule begins above the address. */
	for (int i = 0; i < 2; i++) {
		uint64_t at;

		granule = granule_below((uint64_t)granule);
		if (granule < 0)
			return false;
		at = (uint64_t)granule << GRANULE_BITS;
		*b = info_of(&leaf_of(at)->slot[granule_of(at)], at);
		if (b->start <= address)
			return true;
	}
	return false;
}

bool blocks_last_in(uint64_t start, uint64_t end, struct block_info *b)
{
	return end > start && last_at(end - 1, b) && b->start >= start;
}

bool blocks_find(uint64_t address, struct block_info *b)
{
	return last_at(address, b) && address - b->start < b->size;
}

uint64_t blocks_count(void)
{
	return m.live;
}
