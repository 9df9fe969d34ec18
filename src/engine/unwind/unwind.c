/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walking the target's stack; see unwind.h. */
#include "engine/unwind/unwind.h"

#include "engine/core/state.h"
#include "engine/core/util.h"
#include "engine/unwind/eh_frame.h"
#include "engine/unwind/modules.h"

#define RULES_BITS  15
#define OFFSET_BITS 28
#define OFFSET_MASK ((1u << OFFSET_BITS) - 1)
#define GUESS_REACH (1ull << 20) /* farther up rbp is no frame pointer */
#define LEAST_PC    4096u

/*
 * A rule fits into 64 bits: base (3), rbp (2), guess (1), and two offsets. Entries are written
 * and read without a lock: `check` is rule ^ pc, so a half-written entry does not match its pc.
 */
struct kept_rule {
	uint64_t rule, check;
};

#define RULE_BASE(r)	   ((uint32_t)(r)&7u)
#define RULE_RBP(r)	   ((uint32_t)((r) >> 3) & 3u)
#define RULE_GUESS	   32u
#define RULE_KNOWN	   64u /* so that no rule is 0 */
#define RULE_OFFSET(r)	   ((int64_t)((r) << 28) >> 36)
#define RULE_RBP_OFFSET(r) ((int64_t)(r) >> 36)

/*
 * The most recent rules lie in 32 KB that stay in the L2 cache: with the large table alone, cache
 * misses were half of the cost of a walk.
 */
#define NEAR_BITS 11

static struct kept_rule kept[1u << RULES_BITS], near[1u << NEAR_BITS];
static uint32_t generation;

static uint64_t pack(struct frame_rule f)
{
	return (uint64_t)f.base | (uint64_t)f.rbp << 3 | RULE_KNOWN |
	       (uint64_t)((uint32_t)f.offset & OFFSET_MASK) << 8 |
	       (uint64_t)((uint32_t)f.rbp_offset & OFFSET_MASK) << 36;
}

static uint64_t make_rule(uint64_t pc)
{
	struct frame_rule f;
	struct frame_table table;

	if (modules_frames(pc, &table)) {
		if (eh_frame_find(&table, pc - 1, &f))
			return pack(f);
		if (f.base == FRAME_END && f.described)
			return RULE_KNOWN; /* here the stack ends */
	}
	/* push rbp; mov rbp, rsp: perhaps */
	f = (struct frame_rule){
		.base = FRAME_RBP, .rbp = RBP_SAVED, .offset = 16, .rbp_offset = -16};
	return pack(f) | RULE_GUESS;
}

/* The rule that the entry has for pc, or 0. */
static inline uint64_t kept_for(const struct kept_rule *k, uint64_t pc)
{
	uint64_t rule = __atomic_load_n(&k->rule, __ATOMIC_RELAXED);

	return (rule ^ __atomic_load_n(&k->check, __ATOMIC_RELAXED)) == pc ? rule : 0;
}

static void keep(struct kept_rule *k, uint64_t pc, uint64_t rule)
{
	__atomic_store_n(&k->rule, rule, __ATOMIC_RELAXED);
	__atomic_store_n(&k->check, rule ^ pc, __ATOMIC_RELAXED);
}

static __attribute__((noinline)) uint64_t far_rule(uint64_t pc, uint64_t hash)
{
	struct kept_rule *k = &kept[hash >> (64 - RULES_BITS)];
	uint64_t rule = kept_for(k, pc);

	if (!rule)
		keep(k, pc, rule = make_rule(pc));
	keep(&near[hash >> (64 - NEAR_BITS)], pc, rule);
	return rule;
}

static inline uint64_t rule_for(uint64_t pc)
{
	uint64_t hash = pc * 0x9e3779b97f4a7c15ull;
	uint64_t rule = kept_for(&near[hash >> (64 - NEAR_BITS)], pc);

	return rule ? rule : far_rule(pc, hash);
}

static void forget(struct kept_rule *k, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		__atomic_store_n(&k[i].check, 0, __ATOMIC_RELAXED);
}

void unwind_forget(void)
{
	forget(near, 1u << NEAR_BITS);
	forget(kept, 1u << RULES_BITS);
	__atomic_fetch_add(&generation, 1, __ATOMIC_SEQ_CST);
}

uint32_t unwind_generation(void)
{
	return __atomic_load_n(&generation, __ATOMIC_RELAXED);
}

static inline bool peek(uint64_t address, uint64_t *value)
{
	return engine_peek(value, (const void *)(uintptr_t)address) == 0;
}

static inline bool frame_address(const struct unwind_walk *f, uint64_t rule, uint64_t *cfa)
{
	uint64_t at = (uint64_t)RULE_OFFSET(rule);

	switch (RULE_BASE(rule)) {
	case FRAME_RSP:
		*cfa = f->rsp + at;
		break;
	case FRAME_RBP:
		*cfa = f->rbp + at;
		break;
	case FRAME_AT_RBP:
		if (!peek(f->rbp + at, cfa))
			return false;
		break;
	default:
		return false;
	}
	return *cfa > f->rsp && !(*cfa & 7) &&
	       (!(rule & RULE_GUESS) || *cfa - f->rsp < GUESS_REACH);
}

/* Is there a call right before pc? A return address that was guessed must follow one. */
static bool is_behind_call(uint64_t pc)
{
	uint64_t before;
	const uint8_t *b = (const uint8_t *)&before;

	if (engine_peek(&before, (const void *)(uintptr_t)(pc - sizeof before)) != 0)
		return false;
	if (b[3] == 0xe8) /* call rel32 */
		return true;
	for (uint32_t bytes = 2; bytes <= 7; bytes++) { /* call r/m64: ff /2 */
		const uint8_t *call = b + sizeof before - bytes;

		if (call[0] == 0xff && (call[1] >> 3 & 7u) == 2)
			return true;
	}
	return false;
}

bool unwind_step(struct unwind_walk *w)
{
	uint64_t rule = rule_for(w->pc), cfa, pc, rbp = w->rbp, at = w->rbp_at;

	if (!frame_address(w, rule, &cfa) || !peek(cfa - 8, &pc))
		return false;
	if (RULE_RBP(rule) != RBP_KEPT) {
		at = (RULE_RBP(rule) == RBP_SAVED ? cfa : w->rbp) + (uint64_t)RULE_RBP_OFFSET(rule);
		if (!peek(at, &rbp))
			return false;
	}
	if (pc < LEAST_PC || pc >> 47 || ((rule & RULE_GUESS) && !is_behind_call(pc)))
		return false;
	*w = (struct unwind_walk){pc, cfa, rbp, at};
	return true;
}

bool unwind_needs_rbp(uint64_t pc)
{
	uint64_t base = RULE_BASE(rule_for(pc));

	return base == FRAME_RBP || base == FRAME_AT_RBP;
}

uint32_t unwind_path(uint64_t pc, uint64_t rsp, uint64_t rbp, uint64_t *path, uint32_t room)
{
	struct unwind_walk w = {pc, rsp, rbp, 0};
	uint32_t n = 0;

	while (n < room && unwind_step(&w))
		path[n++] = w.pc;
	return n;
}
