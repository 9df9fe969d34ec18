/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code cache's tables for indirect branches, and the code in front of blocks that checks
 * whether the table has led to the right one; see cache.h.
 */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "channel/sys.h"
#include "engine/codecache/cache.h"
#include "engine/codecache/code_options.h"
#include "engine/codecache/emit.h"
#include "engine/codecache/poll.h"
#include "engine/core/addresses.h"
#include "engine/core/util.h"

#define HUGE_PAGE    (2ul << 20)
#define IB_BYTES     (IB_ENTRIES * 8ul)
#define MANY	     1024u /* a power of two */
#define MANY_MASK_AT 8

/* 5 + 10 + 5 + 2 + 8 + 5 + 4 + 5, see check_target */
#define IB_ENTRY_BYTES 44
#define WAY_BACK_BYTES 12
#define DEFERRED_BYTES 11 /* of the code that subtracts what the block defers */
/* A pc below this, negated too, fits into a displacement. */
#define LOW_PC 0x7fffffffu

/* Second tables, see cache.h: one entry for each value of the hash in their code. */
#define SECOND_ENTRIES (1u << 16)
#define SECOND_BYTES   (SECOND_ENTRIES * 8ul)

/* A block takes its entry back this often first: the other block may never be needed again. */
#define MOST_PUBLISHED 8

struct code_options code_options;

static uint64_t *second_table[ENTRIES]; /* of the count variant; 0: empty */
static uint64_t *ib_table[VARIANTS][ENTRIES];
static bool ib_is_filled[VARIANTS]; /* filled with the variant's first code, as tables take 4 MB */
static uint32_t ib_mask;

static uint64_t miss(enum entry which)
{
	return (uint64_t)(uintptr_t)(which == ENTRY_RETURN ? engine_return_miss : engine_ib_miss);
}

static void clear_ib_tables(enum code_variant_id variant)
{
	for (int e = 0; e < ENTRIES && ib_table[variant][e]; e++)
		for (uint32_t i = 0; i < IB_ENTRIES; i++)
			__atomic_store_n(&ib_table[variant][e][i], miss(e), __ATOMIC_RELAXED);
}

int cache_need_variant(enum code_variant_id variant)
{
	uint8_t *p;

	if (ib_table[variant][0])
		return 0;
	p = addresses_map_low(ENTRIES * IB_BYTES + PAGE, HUGE_PAGE, MAP_PRIVATE | MAP_NORESERVE);
	if (!p)
		return -1;
	/* large pages, so that scattered accesses cause no TLB misses */
	sys3(SYS_madvise, p, ENTRIES * IB_BYTES, MADV_HUGEPAGE);
	for (int e = 0; e < ENTRIES; e++)
		ib_table[variant][e] = (uint64_t *)(void *)(p + e * IB_BYTES);
	p += ENTRIES * IB_BYTES;
	*(uint32_t *)(void *)p = ib_mask; /* pext reads the mask here */
	*(uint64_t *)(void *)(p + MANY_MASK_AT) = ~(uint64_t)(MANY - 1);
	return 0;
}

void cache_fill_indirect(enum code_variant_id variant)
{
	if (!ib_is_filled[variant])
		clear_ib_tables(variant);
	ib_is_filled[variant] = true;
}

/*
 * Their pages are populated at once. The code that reads them runs on the target's stack pointer;
 * if that is an invalid address, some hypervisors cannot return from a page fault.
 */
static int map_second_tables(void)
{
	uint8_t *p = addresses_map_low(ENTRIES * SECOND_BYTES, PAGE, MAP_PRIVATE | MAP_POPULATE);

	if (!p)
		return -1;
	for (int e = 0; e < ENTRIES; e++)
		second_table[e] = (uint64_t *)(void *)(p + e * SECOND_BYTES);
	return 0;
}

int cache_init_indirect(uint32_t mask)
{
	ib_mask = mask;
	if (code_options.second_tables && map_second_tables() != 0)
		return -1;
	return cache_need_variant(VARIANT_COUNT) || cache_need_variant(VARIANT_STREAM) ? -1 : 0;
}

uint32_t cache_ib_table(enum code_variant_id variant, enum entry which)
{
	return (uint32_t)(uintptr_t)ib_table[variant][which];
}

uint32_t cache_ib_mask(enum code_variant_id variant)
{
	return (uint32_t)(uintptr_t)ib_table[variant][ENTRY_JUMP] + (uint32_t)(ENTRIES * IB_BYTES);
}

uint32_t cache_many_mask(enum code_variant_id variant)
{
	return cache_ib_mask(variant) + MANY_MASK_AT;
}

/* The same hash as the code of cache_emit_second_thunk. */
static uint64_t *second_slot(const struct block *b, enum entry which)
{
	uint64_t hash = 0;

	__asm__("crc32q %1, %0" : "+r"(hash) : "r"(b->pc));
	return &second_table[which][hash % SECOND_ENTRIES];
}

static bool has_second(const struct block *b)
{
	return b->variant == VARIANT_COUNT && second_table[0];
}

/*
 * Two entries: an entry's check has left rcx = target - pc and r11 = -pc; or rcx = target.
 * Continues at the second table's entry, or in the dispatcher if that is empty. No flag changes.
 */
void cache_emit_second_thunk(struct arena *a, struct out *o, enum entry which)
{
	static const uint8_t undo[] = {0x49, 0xf7, 0xd3, /* not r11 */
				       LEA_RCX_RCX_R11, 1},
			     hash[] = {0x41, 0xbb, 0,	 0,    0,    0,	   /* mov r11d, 0 */
				       0xf2, 0x4c, 0x0f, 0x38, 0xf1, 0xd9, /* crc32 r11, rcx */
				       0x45, 0x0f, 0xb7, 0xdb,		   /* movzx r11d, r11w */
				       0x4e, 0x8b, 0x1c, 0xdd}, /* mov r11, [r11*8+table] */
		go_on[] = {0x4c, 0x87, 0xd9,			/* xchg rcx, r11 */
			   0xe3, 6,				/* jrcxz */
			   /* xchg rcx, r11; jmp r11 */
			   0x4c, 0x87, 0xd9, 0x41, 0xff, 0xe3, 0x4c, 0x87, 0xd9};

	a->thunk_second_mismatch[which] = o->p;
	emit_bytes(o, undo, sizeof undo);
	a->thunk_second[which] = o->p;
	emit_bytes(o, hash, sizeof hash);
	emit_u32(o, (uint32_t)(uintptr_t)second_table[which]);
	emit_bytes(o, go_on, sizeof go_on);
	emit_jump(o, a->thunk_miss[which]);
}

/* For an entry whose check has left rcx = target - pc, and has not changed r11. */
static const uint8_t *emit_way_back(struct arena *a, const struct block *b,
				    const uint8_t *otherwise)
{
	struct out o = {.p = a->cold -= WAY_BACK_BYTES};

	emit_bytes(&o, (const uint8_t[]){LEA_RCX_RCX}, 3);
	emit_u32(&o, (uint32_t)b->pc);
	emit_jump(&o, otherwise);
	return a->cold;
}

/*
 * rcx = target, r11 is free: continue only if the target is b's pc. Where `loop` is fast (AMD) it
 * falls through: a branch that is never taken needs no entry in the predictor's tables, which are
 * too small for large programs. Returns come right behind calls, so the other path is hidden in a
 * nop: nop [rbp*8 + rcx + disp32] ends in the bytes of jmp rel32. If b is the wrong block, the code
 * tries the second table, unless that led here.
 */
static void check_target(struct out *o, struct arena *a, const struct block *b, enum entry which,
			 bool ask_second)
{
	const uint8_t *otherwise =
		ask_second ? a->thunk_second_mismatch[which] : a->thunk_mismatch[which];
	const uint8_t one = code_options.loop_checks;

	if (b->pc < LOW_PC) {
		otherwise = emit_way_back(
			a, b, ask_second ? a->thunk_second[which] : a->thunk_miss[which]);
		emit_bytes(o, (const uint8_t[]){LEA_RCX_RCX}, 3);
		emit_u32(o, (uint32_t)(one - b->pc));
	} else {
		emit_mov_imm64(o, R11, -b->pc);
		emit_bytes(o, (const uint8_t[]){LEA_RCX_RCX_R11, one}, 5);
	}
	if (code_options.loop_checks)
		emit_bytes(o, (const uint8_t[]){0xe2, 3, 0x0f, 0x1f, 0x84}, 5);
	else
		emit_bytes(o, (const uint8_t[]){0xe3, 5}, 2);
	emit_jump(o, otherwise);
}

static void emit_entry(struct out *o, struct arena *a, const struct block *b, enum entry which,
		       bool ask_second)
{
	if (which == ENTRY_RETURN)
		emit_bytes(o, (const uint8_t[]){RETURN_REPAIR}, 5);
	check_target(o, a, b, which, ask_second);
	emit_bytes(o, (const uint8_t[]){LOAD_SPILLS}, 9);
	if (!deferred_is_nothing(b->deferred)) {
		const bool has_room = poll_emit_difference(o, (struct deferred){0}, b->deferred);

		engine_assert(has_room); /* see cache_has_room */
	}
	if (b->body)
		emit_jump(o, b->body);
}

void cache_emit_ib_entry(struct arena *a, struct block *b, enum entry which, bool apart)
{
	uint8_t **hot = &a->hot[cache_part((enum code_variant_id)b->variant)];
	struct out o = {.p = apart ? (a->cold -= IB_ENTRY_BYTES + DEFERRED_BYTES) : *hot};

	b->entry[which] = o.p;
	emit_entry(&o, a, b, which, has_second(b));
	if (!apart)
		*hot = o.p;
}

static void publish_second(struct block *b, enum entry which)
{
	struct arena *a = cache_arena(b->arena);

	if (!b->second[which]) {
		struct out o = {.p = a->cold -= IB_ENTRY_BYTES + DEFERRED_BYTES};

		b->second[which] = (uint32_t)(o.p - a->base);
		emit_entry(&o, a, b, which, false);
	}
	__atomic_store_n(second_slot(b, which), (uint64_t)(uintptr_t)(a->base + b->second[which]),
			 __ATOMIC_RELEASE);
}

static uint32_t ib_index(uint64_t pc)
{
	return (uint32_t)(pc & ib_mask) >> __builtin_ctz(ib_mask);
}

static uint64_t *ib_slot(const struct block *b, enum entry which)
{
	return &ib_table[b->variant][which][ib_index(b->pc)];
}

bool cache_is_published(const struct block *b, enum entry which)
{
	return b->entry[which] && __atomic_load_n(ib_slot(b, which), __ATOMIC_RELAXED) ==
					  (uint64_t)(uintptr_t)b->entry[which];
}

void cache_publish_indirect(struct block *b, enum entry which)
{
	uint64_t place;

	if (b->dead || (!b->entry[which] && !cache_has_room(cache_arena(b->arena))))
		return;
	if (!b->entry[which])
		cache_emit_ib_entry(cache_arena(b->arena), b, which, true);
	place = __atomic_load_n(ib_slot(b, which), __ATOMIC_RELAXED);
	if (place == (uint64_t)(uintptr_t)b->entry[which])
		return;
	if (b->published[which] == MOST_PUBLISHED && has_second(b) && place != miss(which)) {
		publish_second(b, which);
		return;
	}
	if (b->published[which] < MOST_PUBLISHED)
		b->published[which]++;
	__atomic_store_n(ib_slot(b, which), (uint64_t)(uintptr_t)b->entry[which], __ATOMIC_RELEASE);
}

void cache_forget_indirect(const struct block *b)
{
	const uint8_t *base = cache_arena(b->arena)->base;

	for (int e = 0; e < ENTRIES; e++) {
		if (b->entry[e] && *ib_slot(b, e) == (uint64_t)(uintptr_t)b->entry[e])
			__atomic_store_n(ib_slot(b, e), miss(e), __ATOMIC_RELEASE);
		if (b->second[e] &&
		    *second_slot(b, e) == (uint64_t)(uintptr_t)(base + b->second[e]))
			__atomic_store_n(second_slot(b, e), 0, __ATOMIC_RELEASE);
	}
}

void cache_clear_indirect(void)
{
	for (int g = 0; g < VARIANTS; g++)
		if (ib_is_filled[g])
			clear_ib_tables((enum code_variant_id)g);
	if (second_table[0]) /* the kernel maps zeros again */
		sys3(SYS_madvise, second_table[0], ENTRIES * SECOND_BYTES, MADV_DONTNEED);
}
