/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sites and their counts; see sites.h. */
#include "engine/data/sites.h"

#include "engine/core/random.h"
#include "engine/core/records.h"
#include "engine/core/util.h"
#include "engine/unwind/modules.h"

#define MAX_SITES   SITE_MAX_ID
#define FIRST_INDEX (1u << 12)
#define NO_BLOCK    UINT64_MAX
#define NAME_SLOTS  8192u /* half of them are used at most */

/*
 * A hash of 64 bits alone identifies a site: among a million sites the chance of any collision is
 * below 1 in 10^7, and no search loads a path into the caches.
 */
struct site {
	/* The fields that each block updates, in one cache line. */
	uint64_t blocks, bytes;
	uint64_t live_blocks, live_bytes, peak_bytes;
	uint64_t smallest, largest;
	uint32_t next_changed; /* next site to report, + 1; 0: not in the list, 1: the last */
	bool told : 1;
	bool mixed : 1; /* element sizes differ */
	bool sized : 1; /* an element size is known, or was */
	uint8_t kind, depth;
	/* The rest. */
	uint64_t element_size;
	uint64_t hash;
	uint32_t name; /* number, or 0 */
	uint64_t path[SITE_MAX_DEPTH];
} __attribute__((aligned(64)));

_Static_assert(__builtin_offsetof(struct site, element_size) == 64, "the first cache line");

/*
 * The index holds the upper 43 bits of a hash beside the number, so that a search reads no site;
 * the place in the index implies the lower bits.
 */
#define NUMBER_BITS 21
#define NUMBER_MASK ((1ull << NUMBER_BITS) - 1)

static struct grow sites; /* number n is the n-th, from 1 */
static uint32_t site_count;
static uint64_t *site_index; /* upper hash of kind and path | number, 0 free */
static uint32_t index_size;
static uint32_t changed; /* list, + 1; 1: empty */
static uint64_t factors[SITE_MAX_DEPTH];
static struct grow names; /* number n is the n-th, from 1; each of SITE_NAME_BYTES */
static uint32_t name_count;
static uint16_t *name_index; /* by hash: number, or 0 */

int sites_init(void)
{
	uint64_t rng = MAX_SITES; /* any seed */

	for (uint32_t i = 0; i < SITE_MAX_DEPTH; i++)
		factors[i] = random_next(&rng) | 1;
	site_index = pages_get(FIRST_INDEX * sizeof *site_index);
	index_size = FIRST_INDEX;
	changed = 1;
	name_index = pages_get(NAME_SLOTS * sizeof *name_index);
	if (!name_index || grow_init(&names, (uint64_t)NAME_SLOTS / 2 * SITE_NAME_BYTES) != 0)
		return -1;
	return site_index ? grow_init(&sites, (uint64_t)MAX_SITES * sizeof(struct site)) : -1;
}

static struct site *site_of(uint32_t number)
{
	return (struct site *)(void *)sites.base + number - 1;
}

/*
 * One product per address: independent, where a chain of steps would wait for each other. Addresses
 * have their eras, as libraries may lie there in turn.
 */
static uint64_t hash_of(uint32_t kind, const uint64_t *path, uint32_t depth)
{
	uint64_t h = (kind + 1) * 0x9e3779b97f4a7c15ull + depth;

	for (uint32_t i = 0; i < depth; i++)
		h += modules_key(path[i]) * factors[i];
	h = (h ^ h >> 32) * 0xd6e8feb86659fd93ull;
	return h ^ h >> 32;
}

static uint64_t *slot_of(uint64_t hash)
{
	uint32_t i = (uint32_t)hash & (index_size - 1);

	while (site_index[i] && ((site_index[i] ^ hash) & ~NUMBER_MASK))
		i = (i + 1) & (index_size - 1);
	return &site_index[i];
}

/* Keep the index at most half full. False: out of memory. */
static bool need_index(void)
{
	uint64_t *old = site_index, *new;
	uint32_t old_size = index_size;

	if (site_count < index_size / 2)
		return true;
	new = pages_get(2ull * old_size * sizeof *new);
	if (!new)
		return false;
	site_index = new;
	index_size = 2 * old_size;
	for (uint32_t n = 1; n <= site_count; n++)
		*slot_of(site_of(n)->hash) = (site_of(n)->hash & ~NUMBER_MASK) | n;
	pages_put(old, old_size * sizeof *old);
	return true;
}

static const char *name_of(uint32_t number)
{
	return (const char *)names.base + (uint64_t)(number - 1) * SITE_NAME_BYTES;
}

uint32_t sites_name(const char *name)
{
	char cut[SITE_NAME_BYTES] = {0};
	uint32_t hash = 5381, n = 0;
	char *kept;

	for (; name[n] && n < SITE_NAME_BYTES - 1; n++) {
		cut[n] = name[n];
		hash = hash * 33 + (uint8_t)name[n];
	}
	if (n == 0)
		return 0;
	for (hash ^= hash >> 13; (n = name_index[hash % NAME_SLOTS]) != 0; hash++)
		if (memcmp(name_of(n), cut, sizeof cut) == 0)
			return n;
	kept = name_count < NAME_SLOTS / 2 ? grow_take(&names, sizeof cut) : 0;
	if (!kept)
		return 0;
	memcpy(kept, cut, sizeof cut);
	name_index[hash % NAME_SLOTS] = (uint16_t)++name_count;
	return name_count;
}

uint32_t sites_get(uint32_t kind, const uint64_t *path, uint32_t depth)
{
	return sites_get_named(kind, 0, path, depth);
}

uint32_t sites_get_named(uint32_t kind, uint32_t name, const uint64_t *path, uint32_t depth)
{
	uint64_t hash = hash_of(kind | name << 8, path, depth);
	uint32_t number = (uint32_t)(*slot_of(hash) & NUMBER_MASK);
	struct site *s;

	if (number)
		return number;
	if (site_count >= MAX_SITES - SITE_KINDS && (depth > 0 || name))
		return sites_get(kind, path, 0);
	s = need_index() ? grow_take(&sites, sizeof *s) : 0;
	if (!s)
		return 0;
	*s = (struct site){.hash = hash,
			   .smallest = NO_BLOCK,
			   .kind = (uint8_t)kind,
			   .name = name,
			   .depth = (uint8_t)depth};
	memcpy(s->path, path, depth * sizeof *path);
	*slot_of(hash) = (hash & ~NUMBER_MASK) | ++site_count;
	return site_count;
}

uint32_t sites_kind_of(uint32_t number)
{
	return number ? site_of(number)->kind : 0;
}

uint32_t sites_kind(uint32_t number, uint32_t kind)
{
	const struct site *s = site_of(number);

	return number && s->kind != kind ? sites_get(kind, s->path, s->depth) : number;
}

static void has_changed(struct site *s, uint32_t number)
{
	if (s->next_changed)
		return;
	s->next_changed = changed;
	changed = number + 1;
}

void sites_add_block(uint32_t number, uint64_t bytes, uint64_t element_size)
{
	struct site *s = site_of(number);

	if (!number)
		return;
	if (s->blocks == 0) {
		s->element_size = element_size;
		s->sized = element_size != 0;
	} else if ((element_size || s->sized) && s->element_size != element_size) {
		s->mixed = true;
	}
	s->blocks++;
	s->bytes += bytes;
	s->live_blocks++;
	s->live_bytes += bytes;
	if (s->live_bytes > s->peak_bytes)
		s->peak_bytes = s->live_bytes;
	if (bytes < s->smallest)
		s->smallest = bytes;
	if (bytes > s->largest)
		s->largest = bytes;
	has_changed(s, number);
}

void sites_drop_block(uint32_t number, uint64_t bytes)
{
	struct site *s = site_of(number);

	if (!number)
		return;
	s->live_blocks--;
	s->live_bytes -= bytes;
	has_changed(s, number);
}

void sites_drop_bytes(uint32_t number, uint64_t bytes)
{
	if (!number)
		return;
	site_of(number)->live_bytes -= bytes;
	has_changed(site_of(number), number);
}

static void tell(struct process *p, struct site *s, uint32_t number)
{
	struct record_site r = {.id = number, .kind = s->kind, .depth = s->depth};

	r.element_size = s->mixed ? 0 : s->element_size;
	if (s->name)
		memcpy(r.name, name_of(s->name), sizeof r.name);
	s->told = records_site(p, &r, s->path);
	if (s->told)
		has_changed(s, number); /* a forked child inherits counts */
}

void sites_publish(struct process *p, uint32_t number)
{
	if (number && !site_of(number)->told)
		tell(p, site_of(number), number);
}

static void report(struct process *p, uint32_t number)
{
	const struct site *s = site_of(number);
	struct record_site_counts r = {.id = number,
				       .element_size = s->mixed ? 0 : s->element_size,
				       .blocks = s->blocks,
				       .bytes = s->bytes,
				       .live_blocks = s->live_blocks,
				       .live_bytes = s->live_bytes,
				       .peak_bytes = s->peak_bytes,
				       .smallest = s->smallest == NO_BLOCK ? 0 : s->smallest,
				       .largest = s->largest};

	records_site_counts(p, &r);
}

void sites_report(struct process *p)
{
	while (changed > 1) {
		uint32_t number = changed - 1;

		sites_publish(p, number);
		changed = site_of(number)->next_changed;
		site_of(number)->next_changed = 0;
		report(p, number);
	}
}

void sites_forked(void)
{
	changed = 1;
	for (uint32_t n = 1; n <= site_count; n++) {
		struct site *s = site_of(n);

		s->told = false;
		s->next_changed = 0;
		s->blocks = s->live_blocks;
		s->bytes = s->peak_bytes = s->live_bytes;
		if (s->blocks == 0) {
			s->smallest = NO_BLOCK;
			s->largest = 0;
		}
	}
}
