/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Live blocks by address; see blocks.h. */
#include "engine/blocks.h"

#include "engine/limits.h"
#include "engine/util.h"

#define ADDRESS_BITS  47
#define GRANULE_BITS  4	 /* blocks that begin in the same 16 bytes share a bit */
#define PAGE_BITS     12
#define REGION_BITS   20 /* a megabyte */
#define LEAVES	      256u
#define WORDS	      (LEAVES / 64)
#define REGIONS	      (1ull << (ADDRESS_BITS - REGION_BITS))
#define LEVELS	      5 /* of bits of bits over the regions: 64 to the power of 5 is enough */
#define MAX_BLOCKS    (1u << 26)
#define MAX_REGIONS   (1u << 20) /* of which anything is known: a terabyte */
#define FIRST_BUCKETS (1u << 12)
#define MOST_PART     8u /* of the address space there is, for the table of regions */

/* 24 bytes, and 8 to 16 of the table of buckets. */
struct entry {
	uint64_t start_serial; /* start << 16 | serial */
	uint64_t size_high;    /* size << 16 | 0 */
	uint32_t site;
	uint32_t next; /* in its bucket, or of the unused ones, + 1 */
};

/* The beginnings in one page. */
struct leaf {
	uint64_t starts[WORDS];
};

/* A megabyte: which of its pages have beginnings, and their leaves (number + 1). */
struct region {
	uint64_t used[WORDS];
	uint32_t leaf[LEAVES];
};

static struct {
	struct grow entries, leaves, regions, region_of;
	uint64_t *bits[LEVELS]; /* [0]: a bit per region; [n]: a bit per word of [n - 1] */
	struct grow bit_memory;
	uint32_t *buckets;
	uint32_t bucket_count, entry_count, unused, live;
	uint16_t serial;
} m;

int blocks_init(void)
{
	uint64_t words = REGIONS, table_bytes = REGIONS * sizeof(uint32_t);

	if (limits_share(table_bytes, 0, MOST_PART) != table_bytes)
		return -1;
	if (grow_init(&m.entries, (uint64_t)MAX_BLOCKS * sizeof(struct entry)) ||
	    grow_init(&m.leaves, (uint64_t)MAX_BLOCKS * sizeof(struct leaf)) ||
	    grow_init(&m.regions, (uint64_t)MAX_REGIONS * sizeof(struct region)) ||
	    grow_init_whole(&m.region_of, table_bytes) ||
	    grow_init_whole(&m.bit_memory, REGIONS / 4))
		return -1;
	for (int i = 0; i < LEVELS; i++) {
		words = (words + 63) / 64;
		m.bits[i] = (uint64_t *)(void *)(m.bit_memory.base + m.bit_memory.used);
		m.bit_memory.used += words * 8;
	}
	grow_in_large_pages(&m.entries);
	grow_in_large_pages(&m.leaves);
	m.buckets = pages_get(FIRST_BUCKETS * sizeof *m.buckets);
	m.bucket_count = FIRST_BUCKETS;
	return m.buckets ? 0 : -1;
}

static struct entry *entry_of(uint32_t number)
{
	return (struct entry *)(void *)m.entries.base + number - 1;
}

static struct leaf *leaf_of(uint32_t number)
{
	return (struct leaf *)(void *)m.leaves.base + number - 1;
}

static struct region *region_of(uint32_t number)
{
	return (struct region *)(void *)m.regions.base + number - 1;
}

/*
 * Neighbours in memory have neighbouring buckets, since programs mostly allocate and free
 * them one after another; megabytes are thrown over each other at random. Scattered, a million
 * blocks took three times as long to come.
 */
static uint32_t *bucket_of(uint64_t granule)
{
	uint64_t region = granule >> (REGION_BITS - GRANULE_BITS);
	uint64_t i = granule / 2 + ((region * 0x9e3779b97f4a7c15ull) >> 32);

	return &m.buckets[i & (m.bucket_count - 1)];
}

static uint64_t start_of(const struct entry *e)
{
	return e->start_serial >> 16;
}

static struct block_info info_of(const struct entry *e)
{
	return (struct block_info){ start_of(e), e->size_high >> 16, e->site,
				    (uint16_t)e->start_serial };
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

/* The number of the region, made if it is missing; 0 when memory ran out. */
static uint32_t need_region(uint64_t which)
{
	uint32_t *number = (uint32_t *)(void *)m.region_of.base + which;

	if (*number)
		return *number;
	if (!grow_take(&m.regions, sizeof(struct region)))
		return 0;
	*number = (uint32_t)(m.regions.used / sizeof(struct region));
	return *number;
}

/* Note that a block begins at start. *fresh: none did in its granule. */
static bool mark(uint64_t start, bool *fresh)
{
	uint64_t which = start >> REGION_BITS;
	uint32_t number = need_region(which), page = (uint32_t)(start >> PAGE_BITS) % LEAVES;
	uint64_t granule = (start >> GRANULE_BITS) % 256;
	struct region *r;

	if (!number)
		return false;
	r = region_of(number);
	if (!r->leaf[page]) {
		if (!grow_take(&m.leaves, sizeof(struct leaf)))
			return false;
		r->leaf[page] = (uint32_t)(m.leaves.used / sizeof(struct leaf));
	}
	*fresh = !(leaf_of(r->leaf[page])->starts[granule / 64] >> (granule & 63) & 1);
	set_bit(leaf_of(r->leaf[page])->starts, granule);
	if (!(r->used[page / 64] >> (page & 63) & 1)) {
		if (!(r->used[0] | r->used[1] | r->used[2] | r->used[3]))
			mark_region(which);
		set_bit(r->used, page);
	}
	return true;
}

static void unmark(uint64_t start)
{
	uint64_t which = start >> REGION_BITS;
	struct region *r = region_of(((uint32_t *)(void *)m.region_of.base)[which]);
	uint32_t page = (uint32_t)(start >> PAGE_BITS) % LEAVES;
	uint32_t granule = (uint32_t)(start >> GRANULE_BITS) % 256;
	struct leaf *l = leaf_of(r->leaf[page]);

	l->starts[granule / 64] &= ~(1ull << (granule & 63));
	if (l->starts[0] | l->starts[1] | l->starts[2] | l->starts[3])
		return;
	r->used[page / 64] &= ~(1ull << (page & 63));
	if (!(r->used[0] | r->used[1] | r->used[2] | r->used[3]))
		unmark_region(which);
}

/* The highest bit below `end` of 256, or -1. */
static int last_below(const uint64_t words[WORDS], uint32_t end)
{
	for (int w = (int)WORDS - 1; w >= 0; w--) {
		uint64_t v = words[w];

		if (end <= (uint32_t)w * 64)
			continue;
		if (end - (uint32_t)w * 64 < 64)
			v &= (1ull << (end & 63)) - 1;
		if (v)
			return w * 64 + 63 - __builtin_clzll(v);
	}
	return -1;
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

/* The last granule below `end` in which a block begins, or -1. */
static int64_t granule_below(uint64_t end)
{
	uint64_t which = end >> (REGION_BITS - GRANULE_BITS);
	uint32_t number = which < REGIONS ? ((uint32_t *)(void *)m.region_of.base)[which] : 0;
	const struct region *r = number ? region_of(number) : 0;
	uint32_t page = (uint32_t)(end >> (PAGE_BITS - GRANULE_BITS)) % LEAVES;
	int64_t before;
	int at;

	if (r && r->used[page / 64] >> (page & 63) & 1) {
		at = last_below(leaf_of(r->leaf[page])->starts, (uint32_t)end % 256);
		if (at >= 0)
			return (int64_t)((end & ~255ull) + (uint64_t)at);
	}
	at = r ? last_below(r->used, page) : -1;
	if (at < 0) {
		before = region_below(which < REGIONS ? which : REGIONS);
		if (before < 0)
			return -1;
		which = (uint64_t)before;
		r = region_of(((uint32_t *)(void *)m.region_of.base)[which]);
		at = last_below(r->used, LEAVES);
	}
	return (int64_t)((which * LEAVES + (uint32_t)at) * 256) +
	       last_below(leaf_of(r->leaf[at])->starts, 256);
}

/* ---- Blocks ---- */

/* Twice the buckets. Without memory for them chains get longer. */
static void grow_buckets(void)
{
	uint64_t old_bytes = m.bucket_count * sizeof *m.buckets;
	uint32_t *old = m.buckets, old_count = m.bucket_count;
	uint32_t *new = pages_get(2 * old_bytes);

	if (!new)
		return;
	m.buckets = new;
	m.bucket_count = 2 * old_count;
	for (uint32_t i = 0; i < old_count; i++)
		for (uint32_t n = old[i], next; n; n = next) {
			struct entry *e = entry_of(n);
			uint32_t *bucket = bucket_of(start_of(e) >> GRANULE_BITS);

			next = e->next;
			e->next = *bucket;
			*bucket = n;
		}
	pages_put(old, old_bytes);
}

static uint32_t new_entry(void)
{
	uint32_t n = m.unused;

	if (n) {
		m.unused = entry_of(n)->next;
		return n;
	}
	if (!grow_take(&m.entries, sizeof(struct entry)))
		return 0;
	return ++m.entry_count;
}

/* The link to the entry that begins at start, or to the end of its chain. */
static uint32_t *link_of(uint64_t start)
{
	uint32_t *link = bucket_of(start >> GRANULE_BITS);

	while (*link && start_of(entry_of(*link)) != start)
		link = &entry_of(*link)->next;
	return link;
}

/* Among a million blocks all is waiting for memory: for two things at a time, then. */
void blocks_prefetch(uint64_t start)
{
	uint32_t number;

	if (start >> ADDRESS_BITS)
		return;
	__builtin_prefetch(bucket_of(start >> GRANULE_BITS));
	number = ((uint32_t *)(void *)m.region_of.base)[start >> REGION_BITS];
	if (number) {
		uint32_t leaf = region_of(number)->leaf[(start >> PAGE_BITS) % LEAVES];

		if (leaf)
			__builtin_prefetch(leaf_of(leaf));
	}
}

bool blocks_insert(uint64_t start, uint64_t size, uint32_t site, struct block_info *old)
{
	uint32_t *bucket = bucket_of(start >> GRANULE_BITS), n;
	struct entry *e;
	bool fresh;

	if (start >> ADDRESS_BITS || size >> ADDRESS_BITS || !mark(start, &fresh))
		return false;
	n = fresh ? 0 : *link_of(start);
	if (n) {
		e = entry_of(n);
		*old = info_of(e);
		e->start_serial = start << 16 | ++m.serial;
		e->size_high = size << 16;
		e->site = site;
		return true;
	}
	n = new_entry();
	if (!n)
		return false;
	e = entry_of(n);
	*e = (struct entry){ start << 16 | ++m.serial, size << 16, site, *bucket };
	*bucket = n;
	if (++m.live > m.bucket_count / 2)
		grow_buckets();
	return false;
}

/* After a block went that was there: does none begin in its granule? */
static bool granule_is_empty(const struct block_info *gone)
{
	uint64_t granule = gone->start >> GRANULE_BITS;

	/* It had the granule for itself: no look at the others in the bucket, wherever they lie. */
	if (gone->start % (1u << GRANULE_BITS) == 0 && gone->size >= 1u << GRANULE_BITS)
		return true;
	for (uint32_t n = *bucket_of(granule); n; n = entry_of(n)->next)
		if (start_of(entry_of(n)) >> GRANULE_BITS == granule)
			return false;
	return true;
}

bool blocks_remove(uint64_t start, struct block_info *old)
{
	uint32_t *link = start >> ADDRESS_BITS ? 0 : link_of(start), n = link ? *link : 0;
	struct entry *e;

	if (!n)
		return false;
	e = entry_of(n);
	*old = info_of(e);
	*link = e->next;
	e->next = m.unused;
	m.unused = n;
	m.live--;
	if (granule_is_empty(old))
		unmark(start);
	return true;
}

bool blocks_get(uint64_t start, struct block_info *b)
{
	uint32_t n = start >> ADDRESS_BITS ? 0 : *link_of(start);

	if (n)
		*b = info_of(entry_of(n));
	return n != 0;
}

/* The last block that begins in the granule, at or below address. */
static const struct entry *last_in(uint64_t granule, uint64_t address)
{
	const struct entry *last = 0;

	for (uint32_t n = *bucket_of(granule); n; n = entry_of(n)->next) {
		const struct entry *e = entry_of(n);
		uint64_t start = start_of(e);

		if (start >> GRANULE_BITS == granule && start <= address &&
		    (!last || start > start_of(last)))
			last = e;
	}
	return last;
}

/* The last one that begins at or below address. */
static const struct entry *last_at(uint64_t address)
{
	int64_t granule = (int64_t)(address >> GRANULE_BITS) + 1;
	const struct entry *e = 0;

	if (address >> ADDRESS_BITS)
		return 0;
	__builtin_prefetch(bucket_of(address >> GRANULE_BITS)); /* small blocks begin near by */
	/* A second look only where all that begin in the first granule lie above. */
	for (int i = 0; i < 2 && !e; i++) {
		granule = granule_below((uint64_t)granule);
		if (granule < 0)
			return 0;
		e = last_in((uint64_t)granule, address);
	}
	return e;
}

bool blocks_last_in(uint64_t start, uint64_t end, struct block_info *b)
{
	const struct entry *e = end > start ? last_at(end - 1) : 0;

	if (!e || start_of(e) < start)
		return false;
	*b = info_of(e);
	return true;
}

bool blocks_find(uint64_t address, struct block_info *b)
{
	const struct entry *e = last_at(address);

	if (!e || address - start_of(e) >= e->size_high >> 16)
		return false;
	*b = info_of(e);
	return true;
}

uint64_t blocks_count(void)
{
	return m.live;
}
