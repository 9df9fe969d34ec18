/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sites in code, and the code that enters the engine there; see filter_thunks.h. */
#include "engine/simulate/emit/filter_thunks.h"

#include "engine/simulate/miss/filter_access.h"
#include "engine/simulate/miss/filter_walk.h"
#include "engine/simulate/miss/uses.h"
#include "engine/simulate/observe/contrasts.h"

#define w filter_state

/*
 * filter_miss.S: stubs for LRU with rows of 8 places, also called ones; for any rows; for several
 * hierarchies.
 */
extern char filter_quick_data[], filter_quick_data_live[], filter_quick_code[],
	filter_quick_code_live[];
extern char filter_any_data[], filter_any_code[];
extern char filter_whose_data[], filter_whose_data_live[], filter_whose_code[],
	filter_whose_code_live[], filter_whose_any_data[], filter_whose_any_code[];
extern char filter_some_data[], filter_some_code[];
extern char filter_walk_data[], filter_walk_code[], filter_walk_any_data[], filter_walk_any_code[],
	filter_use_data[], filter_use_any_data[], filter_watch_data[], filter_watch_any_data[],
	filter_watch_code[], filter_watch_any_code[];
extern char filter_multi_data[], filter_multi_code[], filter_slow[], filter_refer[];

extern char filter_walk_whose_data[], filter_walk_whose_code[], filter_walk_whose_any_data[],
	filter_walk_whose_any_code[];

extern char filter_called_data[], filter_called_data_live[], filter_called_code[],
	filter_called_code_live[];
extern char filter_called_whose_data[], filter_called_whose_data_live[], filter_called_whose_code[],
	filter_called_whose_code_live[];

static bool is_quick(const struct filter_level *l)
{
	return l->places == 8 && filter_cache_of(l)->replacement == SIM_REPLACE_LRU;
}

static const char *behind_with_data(enum filter_stub stub, bool is_code)
{
	if (!is_quick(is_code ? &w.code : &w.data))
		return is_code ? filter_whose_any_code : filter_whose_any_data;
	return ((const char *const[]){filter_whose_data, filter_whose_data_live, filter_whose_code,
				      filter_whose_code_live})[stub];
}

static const char *behind_walk_with_data(bool is_code)
{
	if (!is_quick(is_code ? &w.code : &w.data))
		return is_code ? filter_walk_whose_any_code : filter_walk_whose_any_data;
	return is_code ? filter_walk_whose_code : filter_walk_whose_data;
}

static const char *behind_walk(bool is_code)
{
	if (plan.some_uses && is_code)
		return is_quick(&w.code) ? filter_watch_code : filter_watch_any_code;
	if (plan.some_uses)
		return is_quick(&w.data) ? filter_watch_data : filter_watch_any_data;
	if (plan.uses)
		return is_quick(&w.data) ? filter_use_data : filter_use_any_data;
	if (plan.data)
		return behind_walk_with_data(is_code);
	if (!is_quick(is_code ? &w.code : &w.data))
		return is_code ? filter_walk_any_code : filter_walk_any_data;
	return is_code ? filter_walk_code : filter_walk_data;
}

static const char *behind(enum filter_stub stub)
{
	const bool is_code = stub == FILTER_CODE || stub == FILTER_CODE_LIVE;

	if (filter_pieces.are_on)
		return filter_slow;
	if (stub == FILTER_REFER)
		return filter_refer;
	if (plan.walks && stub != FILTER_SLOW && filter_walk_is_quick(is_code))
		return behind_walk(is_code);
	if (stub == FILTER_SLOW || plan.conflicts || (!plan.pair && !plan.several))
		return filter_slow;
	if (plan.several)
		return is_code ? filter_multi_code : filter_multi_data;
	if (plan.sets)
		return is_code ? filter_some_code : filter_some_data;
	if (filter_watches())
		return behind_with_data(stub, is_code);
	if (!is_quick(is_code ? &w.code : &w.data))
		return is_code ? filter_any_code : filter_any_data;
	return ((const char *const[]){filter_quick_data, filter_quick_data_live, filter_quick_code,
				      filter_quick_code_live})[stub];
}

/* mov gs:[T_REGS + 8 * RBX], rbx; mov rbx, r; jmp [to] */
static uint8_t *emit_thunk(struct out *o, enum reg r, const uint8_t *to)
{
	uint8_t *at = o->p;

	if (r != RBX) {
		emit_store_gs(o, RBX, T_REGS + 8 * RBX);
		emit_mov(o, RBX, r);
	}
	emit_bytes(o, (const uint8_t[]){0xff, 0x25}, 2);
	emit_u32(o, (uint32_t)(to - (o->p + 4)));
	return at;
}

bool filter_is_called(enum filter_stub stub, uint8_t flags)
{
	const bool is_code = stub == FILTER_CODE || stub == FILTER_CODE_LIVE;

	return stub < FILTER_SLOW && !(flags & FILTER_SITE_BOTH) && plan.pair &&
	       !filter_pieces.are_on && !plan.conflicts && !plan.sets &&
	       is_quick(is_code ? &w.code : &w.data);
}

/* push rax; mov rax, r; call [to]; mov r, rax; pop rax; ret */
static uint8_t *emit_called_thunk(struct out *o, enum reg r, const uint8_t *to)
{
	uint8_t *at = o->p;

	emit_u8(o, 0x50);
	if (r != RAX)
		emit_mov(o, RAX, r);
	emit_bytes(o, (const uint8_t[]){0xff, 0x15}, 2);
	emit_u32(o, (uint32_t)(to - (o->p + 4)));
	if (r == RAX) {
		emit_lea(o, RSP, RSP, 8);
	} else {
		emit_mov(o, r, RAX);
		emit_u8(o, 0x58);
	}
	emit_u8(o, 0xc3);
	return at;
}

static void emit_called_thunks(struct arena *a, struct out *o)
{
	static const char *const to[2][4] = {
		{filter_called_data, filter_called_data_live, filter_called_code,
		 filter_called_code_live},
		{filter_called_whose_data, filter_called_whose_data_live, filter_called_whose_code,
		 filter_called_whose_code_live}};

	for (uint32_t i = 0; i < sizeof *to / sizeof **to; i++) {
		const uint8_t *at = o->p;

		emit_u64(o, (uint64_t)(uintptr_t)to[filter_watches()][i]);
		for (enum reg r = RAX; r <= R15; r++)
			if (r != RSP)
				a->stub[FILTER_CALLED + i][r] = emit_called_thunk(o, r, at);
		o->p = (uint8_t *)round_up((uint64_t)(uintptr_t)o->p, sizeof(uint64_t));
	}
}

void filter_emit_thunks(struct arena *a, struct out *o)
{
	const uint8_t *to;

	o->p = (uint8_t *)round_up((uint64_t)(uintptr_t)o->p, sizeof(uint64_t));
	for (enum filter_stub stub = 0; stub < FILTER_CALLED; stub++) {
		to = o->p;
		emit_u64(o, (uint64_t)(uintptr_t)behind(stub));
		for (enum reg r = RAX; r <= R15; r++)
			if (r != RSP)
				a->stub[stub][r] = emit_thunk(o, r, to);
		o->p = (uint8_t *)round_up((uint64_t)(uintptr_t)o->p, sizeof(uint64_t));
	}
	emit_called_thunks(a, o);
}

/* The beginning of code with a site behind it, below `end`. */
static uint8_t *place_below(const uint8_t *end, uint32_t code_bytes, uint32_t site_bytes)
{
	uint64_t site = ((uint64_t)(uintptr_t)end - site_bytes) & ~7ull;

	return (uint8_t *)(uintptr_t)(site - code_bytes);
}

uint8_t *filter_take_cold(struct arena *a, uint32_t code_bytes, uint32_t site_bytes)
{
	uint8_t *begin = place_below(a->gap_end, code_bytes, site_bytes);

	if (begin >= a->gap)
		return a->gap_end = begin;
	return a->cold = place_below(a->cold, code_bytes, site_bytes);
}

void filter_give_cold(struct arena *a, uint8_t *low, uint8_t *high)
{
	if (high - low <= a->gap_end - a->gap)
		return;
	a->gap = low;
	a->gap_end = high;
}

void filter_emit_call(const struct arena *a, struct out *o, enum reg r, enum filter_stub stub)
{
	const uint32_t jump_bytes = 5;

	emit_bytes(o, (const uint8_t[]){r & 8 ? 0x4c : 0x48, 0x8d, (uint8_t)(0x05 | (r & 7) << 3)},
		   3);
	emit_u32(o, jump_bytes);
	emit_jump(o, a->stub[stub][r]);
}

void filter_emit_called(const struct arena *a, struct out *o, enum reg r, enum filter_stub stub,
			const uint8_t *back)
{
	emit_bytes(o, (const uint8_t[]){0x48, 0x89, 0x24, 0x25}, 4); /* mov [address], rsp */
	emit_u32(o, FILTER_QUICK_SP);
	emit_u8(o, 0xbc); /* mov esp, imm32 */
	emit_u32(o, FILTER_QUICK_STACK);
	emit_u8(o, 0xe8);
	emit_u32(o, (uint32_t)(a->stub[FILTER_CALLED + stub][r] - (o->p + 4)));
	emit_bytes(o, (const uint8_t[]){0x48, 0x8b, 0x24, 0x25}, 4); /* mov rsp, [address] */
	emit_u32(o, FILTER_QUICK_SP);
	emit_jump(o, back);
}

bool filter_put_site(struct out *o, const struct filter_site *site)
{
	const uint32_t number = filter_next_site();
	const bool is_code = site->flags & FILTER_SITE_CODE;
	const bool is_other = FILTER_OTHERS >> site->reg & 1;
	struct filter_owner *owner;
	const uint8_t *begin;

	owner = filter_new_site();
	if (!owner)
		return false;
	*owner = (struct filter_owner){
		.segment = site->segment,
		.index = site->index,
		.flags = site->flags,
		.column = site->column,
	};
	if (plan.uses && !(site->flags & FILTER_SITE_TRIGGER))
		uses_note_site(number, filter_site_insn(owner));
	begin = o->p;
	emit_u32(o, number);
	emit_u8(o, site->reg);
	emit_u8(o, (uint8_t)(site->flags | (is_other ? FILTER_SITE_OTHER : 0)));
	emit_u8(o, site->span);
	emit_u8(o, plan.several ? site->column : (uint8_t)w.columns[site->column][0]);
	emit_u32(o, (uint32_t)(site->back - begin));
	if (is_code) {
		emit_u32(o, site->cell);
		emit_u64(o, site->line);
	}
	if (site->flags & FILTER_SITE_BOTH)
		emit_u32(o, site->first);
	return true;
}

uint32_t filter_put_run(uint32_t segment, uint16_t index, uint8_t members)
{
	const uint32_t number = filter_next_site();
	struct filter_owner *owner = filter_new_site();

	if (!owner)
		return 0;
	*owner = (struct filter_owner){.segment = segment,
				       .index = index,
				       .flags = FILTER_SITE_REFERENCE,
				       .members = members};
	return number;
}
