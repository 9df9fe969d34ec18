/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code cache: arenas, block table, links, invalidation; see cache.h. */
#define _GNU_SOURCE
#include "engine/codecache/cache.h"

#include <sys/mman.h>

#include "channel/sys.h"
#include "engine/codecache/code_variant.h"
#include "engine/codecache/emit.h"
#include "engine/codecache/exits.h"
#include "engine/codecache/pages.h"
#include "engine/codecache/poll.h"
#include "engine/core/addresses.h"
#include "engine/core/limits.h"
#include "engine/core/search.h"
#include "engine/core/util.h"

#define MAX_ARENAS	    16
#define DEFAULT_ARENA_BYTES (256ull << 20)
#define LEAST_ARENA_BYTES   (8ull << 20)
#define ARENA_PART	    16u		/* of the available address space */
#define BLOCK_ROOM	    (64u << 10) /* more than any block takes, hot or cold */
#define FIRST_HASH_BITS	    12
#define HASH_BITS	    18
#define REACH		    (0x7fff0000ull)

static struct arena *arenas[MAX_ARENAS];
static uint32_t arena_count;
static uint64_t arena_bytes;
/*
 * Room for 1 << HASH_BITS chains. The table grows from its beginning: a table that is large from
 * the start costs a small program two page faults for nearly each block.
 */
static struct block **hash;
static uint32_t hash_bits = FIRST_HASH_BITS;
static uint32_t chained; /* blocks */
/*
 * About one bit for each pc, set if a block has begun there since the last flush. Most look-ups
 * find no block, and these bits are few enough to stay in the processor's cache.
 */
#define KNOWN_BITS 20
static uint64_t known[(1u << KNOWN_BITS) / 64];
static struct grow blocks, maps;
const struct code_variant *code_variants[VARIANTS];

static uint64_t blocks_made;

/* Blocks in the order of their code, per arena, for cache_block_at. */
static struct block **ordered[MAX_ARENAS][CACHE_PARTS];
static uint32_t ordered_count[MAX_ARENAS][CACHE_PARTS];
#define LEAST_BLOCK_BYTES 64u /* of an arena, on average */

static uint32_t ordered_most(void)
{
	return (uint32_t)(arena_bytes / LEAST_BLOCK_BYTES);
}

/*
 * The bit for pc. Neighbouring instructions, which are looked up together, share a cache line.
 */
static uint32_t known_bit(uint64_t pc, uint32_t variant)
{
	uint64_t region = ((pc >> 9) * VARIANTS + variant) * 0x9e3779b97f4a7c15ull;

	return (uint32_t)(region >> (64 - (KNOWN_BITS - 9))) << 9 | (pc & 511);
}

static struct block **chain_of(uint64_t pc, uint32_t variant)
{
	uint64_t h = (pc * VARIANTS + variant) * 0x9e3779b97f4a7c15ull;

	return &hash[h >> 32 & ((1u << hash_bits) - 1)];
}

/* Twice as many chains: each is divided into two. */
static void divide_chains(void)
{
	uint32_t count = 1u << hash_bits;

	hash_bits++;
	for (uint32_t i = 0; i < count; i++) {
		struct block **keep = &hash[i], **move = &hash[i + count];

		for (struct block *b = *keep; b; b = b->hash_next) {
			struct block ***to =
				chain_of(b->pc, b->variant) == &hash[i] ? &keep : &move;

			**to = b;
			*to = &b->hash_next;
		}
		*keep = *move = 0;
	}
}

static void chain(struct block *b)
{
	uint32_t bit = known_bit(b->pc, b->variant);
	struct block **first;

	if (chained++ >> hash_bits && hash_bits < HASH_BITS)
		divide_chains();
	first = chain_of(b->pc, b->variant);
	known[bit / 64] |= 1ull << (bit & 63);
	b->hash_next = *first;
	*first = b;
}

int cache_init(uint64_t bytes, uint32_t mask)
{
	long p;

	arena_bytes =
		bytes ? bytes : limits_share(DEFAULT_ARENA_BYTES, LEAST_ARENA_BYTES, ARENA_PART);
	if (grow_init(&blocks, 1ull << 30) || grow_init(&maps, 1ull << 30) || exits_init() != 0)
		return -1;
	p = sys6(SYS_mmap, 0, sizeof(struct block *) << HASH_BITS, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (sys_failed(p))
		return -1;
	hash = (struct block **)p;
	return cache_init_indirect(mask);
}

static bool reaches(uint64_t low, uint64_t high, uint64_t pc)
{
	return pc + REACH > high && pc < low + REACH;
}

static long map_arena_at(uint64_t at)
{
	long p = pages_map(at, arena_bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
			   MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1);

	if (sys_failed(p) || (uint64_t)p == at)
		return p;
	sys2(SYS_munmap, p, arena_bytes); /* a kernel without MAP_FIXED_NOREPLACE */
	return -1;
}

/*
 * An arena near pc that does not overlap anything: at a known place, or else probe outwards in
 * steps.
 */
static long map_near(uint64_t pc)
{
	static const uint64_t known_places[] = {LOW_ARENA, LOW_ARENA_BELOW_FILTER};
	uint64_t base = pc & ~0xffffffull;

	for (uint32_t i = 0; i < sizeof known_places / sizeof *known_places; i++) {
		long p = reaches(known_places[i], known_places[i] + arena_bytes, pc)
				 ? map_arena_at(known_places[i])
				 : -1;

		if (!sys_failed(p))
			return p;
	}
	for (uint64_t step = 0; step < 24; step++)
		for (int side = -1; side <= 1; side += 2) {
			uint64_t away = (step + 1) * (64ull << 20) + (side < 0 ? arena_bytes : 0);
			uint64_t at = side < 0 ? base - away : base + away;

			if ((side < 0 && away > base) || at < (1ull << 20) || at >> 47)
				continue;
			long p = map_arena_at(at);

			if (!sys_failed(p))
				return p;
		}
	return -1;
}

static uint8_t *emit_thunk(struct out *o, void *to)
{
	uint8_t *at = o->p;

	emit_jump_far(o, (uint64_t)(uintptr_t)to);
	return at;
}

static void arena_reset(struct arena *a)
{
	struct out o = {.p = a->base};

	a->thunk_exit = emit_thunk(&o, engine_exit);
	a->thunk_hook = emit_thunk(&o, engine_hook);
	a->thunk_miss[ENTRY_JUMP] = emit_thunk(&o, engine_ib_miss);
	a->thunk_miss[ENTRY_RETURN] = emit_thunk(&o, engine_return_miss);
	a->thunk_mismatch[ENTRY_JUMP] = emit_thunk(&o, engine_ib_mismatch);
	a->thunk_mismatch[ENTRY_RETURN] = emit_thunk(&o, engine_return_mismatch);
	for (int e = 0; e < ENTRIES; e++)
		cache_emit_second_thunk(a, &o, (enum entry)e);
	for (int g = 0; g < VARIANTS; g++)
		if (code_variants[g]->emit_stubs)
			code_variants[g]->emit_stubs(a, &o);
	engine_assert(o.p <= a->base + PAGE);
	a->data = (struct arena_data *)(void *)(a->base + PAGE);
	for (int g = 0; g < VARIANTS; g++)
		if (code_variants[g]->write_constants)
			code_variants[g]->write_constants(a->data);
	a->words = (uint64_t *)(void *)(a->data + 1);
	a->words_end = (uint64_t *)(void *)(a->base + PAGE) + arena_bytes / 64 / 8;
	a->middle = a->base + arena_bytes / 2;
	a->hot[0] = (uint8_t *)a->words_end;
	a->hot[1] = a->middle;
	a->cold = a->end;
	a->gap = a->gap_end = a->end;
}

static struct arena *new_arena(uint64_t pc, bool near)
{
	struct arena *a;
	long p = -1;

	if (arena_count == MAX_ARENAS)
		return 0;
	if (near)
		p = map_near(pc);
	else
		p = pages_map(0, arena_bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
			      MAP_ANONYMOUS | MAP_NORESERVE, -1);
	if (sys_failed(p))
		return 0;
	/* Translated code is larger than its source: large pages compensate for that. */
	sys3(SYS_madvise, p, arena_bytes, MADV_HUGEPAGE);
	a = pages_get(round_up(sizeof *a, PAGE));
	for (int g = 0; g < CACHE_PARTS; g++) {
		long list = pages_map(0, ordered_most() * sizeof(void *), PROT_READ | PROT_WRITE,
				      MAP_ANONYMOUS | MAP_NORESERVE, -1);

		if (sys_failed(list))
			return 0;
		ordered[arena_count][g] = (struct block **)list;
	}
	if (!a)
		return 0;
	a->base = (uint8_t *)p;
	a->end = a->base + arena_bytes;
	arena_reset(a);
	arenas[arena_count] = a;
	__atomic_store_n(&arena_count, arena_count + 1, __ATOMIC_RELEASE);
	return a;
}

static uint64_t start_of(const struct arena *a)
{
	return (uint64_t)(uintptr_t)a->base;
}

static uint64_t end_of(const struct arena *a)
{
	return (uint64_t)(uintptr_t)a->end;
}

struct arena *cache_arena_for(uint64_t pc)
{
	struct arena *a;

	for (uint32_t i = 0; i < arena_count; i++)
		if (reaches(start_of(arenas[i]), end_of(arenas[i]), pc))
			return arenas[i];
	if (arena_count == 0)
		return new_arena(pc, false);
	/*
	 * Programs linked to fixed low addresses get their own arena. Other code out of reach (the
	 * vdso, made code) goes where its callers are; its operands then go through a register.
	 */
	a = pc < (4ull << 30) ? new_arena(pc, true) : 0;
	return a ? a : arenas[0];
}

struct arena *cache_arena(uint8_t index)
{
	return arenas[index];
}

uint8_t cache_arena_index(const struct arena *a)
{
	uint8_t i = 0;

	while (arenas[i] != a)
		i++;
	return i;
}

bool cache_has_room(const struct arena *a)
{
	uint32_t i = cache_arena_index(a);

	return a->cold - a->hot[1] > 2 * (long)BLOCK_ROOM &&
	       a->middle - a->hot[0] > (long)BLOCK_ROOM && poll_has_room() &&
	       a->words_end - a->words > 128 && ordered_count[i][0] < ordered_most() - 1 &&
	       ordered_count[i][1] < ordered_most() - 1 &&
	       blocks.reserved - blocks.used > (1u << 20) &&
	       maps.reserved - maps.used > (1u << 20) && exits_have_room();
}

uint32_t cache_block_number(const struct block *b)
{
	return (uint32_t)(((const uint8_t *)b - blocks.base) / sizeof(uint64_t));
}

struct block *cache_block(uint32_t number)
{
	return (struct block *)(void *)(blocks.base + number * sizeof(uint64_t));
}

uint64_t *cache_spill2(struct thread *t, const struct block *b)
{
	return b->variant == VARIANT_FILTER ? &arenas[b->arena]->data->spill2 : &t->spill2;
}

uint8_t *cache_base_of(const struct block *b)
{
	return arenas[b->arena]->base;
}

struct block *cache_find(uint64_t pc, enum code_variant_id variant)
{
	uint32_t bit = known_bit(pc, variant);
	struct block *b = known[bit / 64] >> (bit & 63) & 1 ? *chain_of(pc, variant) : 0;

	while (b && (b->pc != pc || b->variant != variant))
		b = b->hash_next;
	return b;
}

_Static_assert(INNER_BLOCK_BYTES % sizeof(uint64_t) == 0, "numbers of blocks count words");

/* `bytes`: the used part of struct block. */
static struct block *new_block(uint64_t pc, enum code_variant_id variant, uint64_t bytes)
{
	struct block *b = grow_take(&blocks, bytes);

	if (!b)
		return 0;
	cache_fill_indirect(variant);
	memset(b, 0, bytes);
	b->pc = pc;
	b->variant = (uint8_t)variant;
	return b;
}

struct block *cache_new_block(uint64_t pc, enum code_variant_id variant)
{
	return new_block(pc, variant, sizeof(struct block));
}

void cache_add(struct block *b)
{
	const uint32_t part = cache_part((enum code_variant_id)b->variant);
	uint32_t n = ordered_count[b->arena][part];

	chain(b);
	ordered[b->arena][part][n] = b;
	__atomic_store_n(&ordered_count[b->arena][part], n + 1, __ATOMIC_RELEASE);
	blocks_made++;
}

struct block *cache_add_inner(struct block *b, uint64_t pc, uint8_t *code, struct deferred deferred)
{
	struct block *e = new_block(pc, b->variant, INNER_BLOCK_BYTES);

	if (!e)
		return 0;
	e->is_inner = true;
	e->arena = b->arena;
	e->start = e->body = code;
	e->deferred = deferred;
	e->inner = b->inner;
	b->inner = e;
	chain(e);
	return e;
}

bool cache_set_map(struct block *b, const struct insn_at *at, uint32_t insns)
{
	uint8_t packed[INSN_MAP_BYTES], *map;
	uint32_t bytes = insn_map_pack(packed, at, insns);

	map = grow_take(&maps, bytes);
	if (!map)
		return false;
	memcpy(map, packed, bytes);
	b->map = map;
	b->insns = insns;
	return true;
}

bool cache_contains(uint64_t address)
{
	uint32_t n = __atomic_load_n(&arena_count, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < n; i++)
		if (address >= start_of(arenas[i]) && address < end_of(arenas[i]))
			return true;
	return false;
}

bool cache_overlaps(uint64_t start, uint64_t end)
{
	uint32_t n = __atomic_load_n(&arena_count, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < n; i++)
		if (start < end_of(arenas[i]) && end > start_of(arenas[i]))
			return true;
	return false;
}

struct block *cache_block_at(const uint8_t *address)
{
	uint32_t n = __atomic_load_n(&arena_count, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < n; i++) {
		if (address < arenas[i]->base || address >= arenas[i]->end)
			continue;
		const uint32_t g = address >= arenas[i]->middle;
		struct block **list = ordered[i][g];
		const uint32_t count = __atomic_load_n(&ordered_count[i][g], __ATOMIC_ACQUIRE);
		const uint32_t above = SEARCH_FIRST(k, count, list[k]->start > address);
		struct block *b = above > 0 ? list[above - 1] : 0;

		return b && address < b->start + b->code_bytes ? b : 0;
	}
	return 0;
}

/* Close this entry of b: no thread enters through it again. */
static void kill_entry(struct block *b)
{
	struct block **p = chain_of(b->pc, b->variant);

	b->dead = true;
	cache_unlink(b);
	cache_forget_indirect(b);
	while (*p && *p != b)
		p = &(*p)->hash_next;
	if (*p) {
		*p = b->hash_next;
		chained--;
	}
}

static void kill_block(struct block *b)
{
	if (b->dead)
		return;
	for (; b; b = b->inner)
		kill_entry(b);
}

/* Where b, on the list of the page, keeps the next block of that list. */
static struct block **next_on_page(struct block *b, uint64_t page)
{
	return &b->page_next[(b->pc & ~(PAGE - 1)) != page];
}

/*
 * Dead blocks leave the list of a page when it is next read, so code that is rewritten again and
 * again makes it no longer. `link` leads to the first block that may be dead.
 */
static struct block *live_block(struct block **link, uint64_t page)
{
	while (*link && (*link)->dead)
		*link = *next_on_page(*link, page);
	return *link;
}

struct block *cache_next_around(struct block *b, uint64_t pc, enum code_variant_id variant)
{
	const uint64_t page = pc & ~(PAGE - 1);
	struct code_page *p = b ? 0 : pages_find_code(page);
	struct block **link = b ? next_on_page(b, page) : p ? &p->blocks : 0, *next = 0;

	while (link && (next = live_block(link, page)) &&
	       (next->variant != variant || pc - next->pc >= next->bytes))
		link = next_on_page(next, page);
	return next;
}

static void kill_list(struct code_page *p, uint64_t start, uint64_t end)
{
	struct block **link = &p->blocks;

	for (struct block *b; (b = live_block(link, p->address));)
		if (b->pc < end && b->pc + b->bytes > start)
			kill_block(b); /* the next round takes it off the list */
		else
			link = next_on_page(b, p->address);
}

void cache_invalidate(uint64_t start, uint64_t end)
{
	uint64_t cursor = 0;
	struct code_page *p;

	while ((p = pages_next_code(&cursor, start, end)))
		kill_list(p, start, end);
}

bool cache_has_code(uint64_t start, uint64_t end)
{
	uint64_t cursor = 0;
	struct code_page *p;

	while ((p = pages_next_code(&cursor, start, end)))
		if (p->blocks)
			return true;
	return false;
}

void cache_flush(void)
{
	for (uint32_t i = 0; i < (1u << hash_bits); i++)
		hash[i] = 0;
	chained = 0;
	memset(known, 0, sizeof known);
	cache_clear_indirect();
	for (uint32_t i = 0; i < arena_count; i++) {
		arena_reset(arenas[i]);
		ordered_count[i][0] = ordered_count[i][1] = 0;
	}
	blocks.used = 0;
	maps.used = 0;
	exits_forget();
	pages_forget_code();
	poll_reset();
	for (int g = 0; g < VARIANTS; g++)
		if (code_variants[g]->forget)
			code_variants[g]->forget();
	__atomic_fetch_add(&engine.generation, 1, __ATOMIC_SEQ_CST);
}

void cache_use(uint64_t *made, uint64_t *bytes)
{
	*made = blocks_made;
	*bytes = 0;
	for (uint32_t i = 0; i < arena_count; i++)
		*bytes += (uint64_t)(arenas[i]->hot[0] - arenas[i]->base) +
			  (uint64_t)(arenas[i]->hot[1] - arenas[i]->middle) +
			  (uint64_t)(arenas[i]->end - arenas[i]->cold);
}
