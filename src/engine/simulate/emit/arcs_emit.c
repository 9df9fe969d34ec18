/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that follows calls by itself; see arcs.h. No flag changes. All registers are the program's,
 * but for rcx and r11 at indirect steps: rcx holds the target, and both are in spill0 and spill1.
 */
#include "engine/core/util.h"
#include "engine/simulate/calls/arcs_lines.h"
#include "engine/simulate/calls/nodes.h"
#include "engine/simulate/counts/graph.h"
#include "engine/simulate/miss/branches.h"
#include "engine/simulate/plan/plan.h"
#include "engine/simulate/state/filter_forms.h"
#include "engine/translate/job.h"

#define COLD_MOST 64u /* bytes of code for what leaves to arcs.S */

extern char arcs_return[], arcs_call[], arcs_jump[], arcs_lead[], arcs_switch[], arcs_slow_call[],
	arcs_slow_jump[], arcs_jump_by_rules[], arcs_site[];
extern char nodes_return[], nodes_call[], nodes_jump[], nodes_lead[], nodes_switch[],
	nodes_call_direct[], nodes_jump_direct[];

/* ---- Thunks of an arena ---- */

/* Such that code comes back to what follows the jump there: the end of an indirect step. */
static void emit_thunk_with_end(struct arena *a, struct out *o, enum arcs_thunk kind,
				const uint8_t *to, enum entry entry)
{
	uint8_t *field;

	a->arcs[kind] = o->p;
	emit_bytes(o, (const uint8_t[]){0x4c, 0x8d, 0x1d}, 3); /* lea r11, [rip + ...] */
	field = o->p;
	emit_u32(o, 0);
	emit_store_gs(o, R11, T_MISS_BACK);
	emit_bytes(o, (const uint8_t[]){0xff, 0x25}, 2);
	emit_u32(o, (uint32_t)(to - (o->p + 4)));
	emit_set_branch(field, o->p);
	if (entry == ENTRY_RETURN)
		emit_table_return(o, VARIANT_FILTER);
	else
		emit_table_jump(o, VARIANT_FILTER);
}

static void emit_thunk(struct arena *a, struct out *o, enum arcs_thunk kind, const uint8_t *to)
{
	a->arcs[kind] = o->p;
	emit_bytes(o, (const uint8_t[]){0xff, 0x25}, 2);
	emit_u32(o, (uint32_t)(to - (o->p + 4)));
}

void arcs_emit_thunks(struct arena *a, struct out *o)
{
	static const char *const of_lines[ARCS_THUNKS] = {
		[ARCS_RETURN] = arcs_return,
		[ARCS_CALL] = arcs_call,
		[ARCS_JUMP] = arcs_jump,
		[ARCS_LEAD] = arcs_lead,
		[ARCS_SWITCH] = arcs_switch,
		[ARCS_RETURN_FAR] = arcs_return,
		[ARCS_SLOW_CALL] = arcs_slow_call,
		[ARCS_SLOW_JUMP] = arcs_slow_jump,
		[ARCS_JUMP_BY_RULES] = arcs_jump_by_rules,
		[ARCS_SITE] = arcs_site,
	};
	static const char *const of_nodes[ARCS_THUNKS] = {
		[ARCS_RETURN] = nodes_return,
		[ARCS_CALL] = nodes_call,
		[ARCS_JUMP] = nodes_jump,
		[ARCS_LEAD] = nodes_lead,
		[ARCS_SWITCH] = nodes_switch,
		[ARCS_RETURN_FAR] = nodes_return,
		[ARCS_SLOW_CALL] = nodes_call_direct,
		[ARCS_SLOW_JUMP] = nodes_jump_direct,
		[ARCS_JUMP_BY_RULES] = arcs_jump_by_rules,
		[ARCS_SITE] = arcs_site,
	};
	const char *const *to = plan.nodes ? of_nodes : of_lines;
	const uint8_t *at = o->p = (uint8_t *)round_up((uint64_t)(uintptr_t)o->p, 8);

	for (uint32_t i = 0; i < ARCS_THUNKS; i++)
		emit_u64(o, (uint64_t)(uintptr_t)to[i]);
	for (enum arcs_thunk i = 0; i < ARCS_RETURN_FAR; i++)
		emit_thunk_with_end(a, o, i, at + 8 * i,
				    i == ARCS_RETURN ? ENTRY_RETURN : ENTRY_JUMP);
	for (enum arcs_thunk i = ARCS_RETURN_FAR; i < ARCS_THUNKS; i++)
		emit_thunk(a, o, i, at + 8 * i);
}

/* ---- Forms ---- */

/* mov [address], r, and mov r, [address] */
static void emit_store_abs(struct out *o, enum reg r, uint32_t address)
{
	emit_bytes(o, (const uint8_t[]){r & 8 ? 0x4c : 0x48, 0x89}, 2);
	operand_abs(o, (uint8_t)r, address);
}

static void emit_load_abs(struct out *o, enum reg r, uint32_t address)
{
	emit_bytes(o, (const uint8_t[]){r & 8 ? 0x4c : 0x48, 0x8b}, 2);
	operand_abs(o, (uint8_t)r, address);
}

/* movzx ecx, byte [cell] */
static void emit_load_cell_of(struct out *o, uint32_t cell)
{
	emit_bytes(o, (const uint8_t[]){0x0f, 0xb6}, 2);
	operand_abs(o, RCX, cell);
}

/* mov byte [cell], 1 */
static void emit_activate(struct out *o, uint32_t cell)
{
	emit_u8(o, 0xc6);
	operand_abs(o, 0, cell);
	emit_u8(o, 1);
}

/* mov dword [r11 + at], v */
static void emit_put_frame(struct out *o, uint8_t at, uint32_t v)
{
	emit_bytes(o, (const uint8_t[]){0x41, 0xc7, 0x43, at}, 4);
	emit_u32(o, v);
}

/* mov [r11 + at], ecx */
static void emit_ecx_to_frame(struct out *o, uint8_t at)
{
	emit_bytes(o, (const uint8_t[]){0x41, 0x89, 0x4b, at}, 4);
}

/* mov rcx, [r11 + F_SP - F_BYTES] */
static void emit_load_sp(struct out *o)
{
	emit_bytes(o, (const uint8_t[]){0x49, 0x8b, 0x4b, (uint8_t)(F_SP - F_BYTES)}, 4);
}

/* vextracti32x4 [r11 + F_LANES], ymm31, 1; or movups [r11 + F_LANES], xmm14 */
static void emit_lanes(struct out *o)
{
	if (engine_vector_counter == COUNTER_SSE)
		emit_bytes(o, (const uint8_t[]){0x45, 0x0f, 0x11, 0x73, F_LANES}, 5);
	else
		emit_bytes(o,
			   (const uint8_t[]){0x62, 0x43, 0x7d, 0x28, 0x39, 0x7b, F_LANES / 16, 1},
			   8);
}

/* jrcxz over a jump to `cold` */
static void emit_jump_unless_rcx_0(struct out *o, const uint8_t *cold)
{
	emit_bytes(o, (const uint8_t[]){0xe3, 5}, 2);
	emit_jump(o, cold);
}

/* Leave to arcs.S with that number, and come back to `back`. r11 is stored. */
static void emit_leave(const struct job *j, struct out *o, enum arcs_thunk kind, uint32_t number,
		       const uint8_t *back)
{
	emit_store_imm32_gs(o, T_MISS_SITE, number);
	emit_bytes(o, (const uint8_t[]){0x4c, 0x8d, 0x1d}, 3); /* lea r11, [rip + ...] */
	emit_u32(o, (uint32_t)(back - (o->p + 4)));
	emit_store_gs(o, R11, T_MISS_BACK);
	emit_jump(o, j->arena->arcs[kind]);
}

/* ---- Steps ---- */

/* A call by a line: rcx and r11 are stored, and loaded at the end. */
static void put_call(struct job *j, uint32_t line)
{
	struct arena_data *d = j->arena->data;
	const uint32_t cell = arcs_line(line)->cell;
	struct out *o = &j->o, cold = {.p = j->arena->cold -= COLD_MOST};
	const uint8_t *begin = cold.p;

	emit_store_near(o, RCX, &d->spill_rcx);
	emit_store_near(o, R11, &d->spill_r11);
	emit_load_abs(o, R11, A_TOP);
	emit_put_frame(o, F_LINE, line); /* faults if there is no room */
	/* between the frame's stack pointer and this one lie 1 to 2^A_NEAR_LOG bytes */
	emit_load_sp(o);
	emit_bytes(o, (const uint8_t[]){0x48, 0xf7, 0xd1}, 3); /* not rcx */
	emit_bytes(o, (const uint8_t[]){0x48, 0x8d, 0x8c, 0x0c}, 4);
	emit_u32(o, (1u << A_NEAR_LOG) + 1); /* lea rcx, [rsp + rcx + ...] */
	emit_bits(o, RCX, RCX, &d->far, 0, A_NEAR_LOG);
	emit_jump_unless_rcx_0(o, begin);
	emit_store(o, R11, F_SP, RSP);
	emit_store_abs(o, RSP, A_SP);
	emit_put_frame(o, F_CELL, cell);
	emit_load_cell_of(o, cell);
	emit_ecx_to_frame(o, F_OLD);
	emit_activate(o, cell);
	emit_load_abs32(o, RCX, A_NOTE);
	emit_ecx_to_frame(o, F_NOTE);
	emit_lanes(o);
	emit_lea(o, R11, R11, F_BYTES);
	emit_store_abs(o, R11, A_TOP);
	emit_leave(j, &cold, ARCS_SLOW_CALL, line, o->p);
	emit_load_near(o, R11, &d->spill_r11);
	emit_load_near(o, RCX, &d->spill_rcx);
}

/* A direct step by code that all share. */
static void put_step(struct job *j, struct out *o, enum arcs_thunk kind, uint32_t step)
{
	enum { LEAVE = 12 + 7 + 9 + 5 };
	struct arena_data *d = j->arena->data;

	emit_store_near(o, R11, &d->spill_r11);
	emit_leave(j, o, kind, step, o->p + LEAVE);
	emit_load_near(o, R11, &d->spill_r11);
}

static void emit_call(struct job *j, uint32_t line, uint32_t step)
{
	if (line)
		put_call(j, line);
	else
		put_step(j, &j->o, plan.nodes ? ARCS_SLOW_CALL : ARCS_SITE, step);
}

/* A jump by a line. */
static void put_jump(struct job *j, struct out *o, uint32_t line)
{
	struct arena_data *d = j->arena->data;
	const uint32_t cell = arcs_line(line)->cell;
	struct out cold = {.p = j->arena->cold -= COLD_MOST};
	const uint8_t *begin = cold.p;

	emit_store_near(o, RCX, &d->spill_rcx);
	emit_load_cell_of(o, cell);
	emit_jump_unless_rcx_0(o, begin);
	emit_store_near(o, R11, &d->spill_r11);
	emit_load_abs(o, R11, A_TOP);
	emit_put_frame(o, F_LINE, line); /* faults if there is no room */
	emit_put_frame(o, F_CELL, cell);
	emit_put_frame(o, F_OLD, 0);
	emit_load_sp(o);
	emit_store(o, R11, F_SP, RCX);
	emit_load_abs32(o, RCX, A_NOTE);
	emit_ecx_to_frame(o, F_NOTE);
	emit_lanes(o);
	emit_activate(o, cell);
	emit_lea(o, R11, R11, F_BYTES);
	emit_store_abs(o, R11, A_TOP);
	emit_store_near(&cold, R11, &d->spill_r11);
	emit_leave(j, &cold, arcs_goes_back(line) ? ARCS_SLOW_JUMP : ARCS_JUMP_BY_RULES, line,
		   o->p);
	emit_load_near(o, R11, &d->spill_r11);
	emit_load_near(o, RCX, &d->spill_rcx);
}

static void emit_jump_to(struct job *j, struct out *o, uint64_t pc, uint32_t step,
			 enum code_step_kind kind)
{
	const uint32_t line = kind == CODE_STEP_SMALL || plan.nodes ? 0 : arcs_new(pc, step);

	if (line) {
		arcs_info(line)->is_inside = kind == CODE_STEP_INSIDE;
		put_jump(j, o, line);
	} else {
		put_step(j, o, plan.nodes ? ARCS_SLOW_JUMP : ARCS_SITE,
			 step | (kind == CODE_STEP_INSIDE ? STEP_INSIDE : 0));
	}
}

/* rcx: the target. Ends in the arena's jump. */
static void leave_for_good(struct job *j, struct out *o, enum arcs_thunk kind, uint32_t step)
{
	emit_store_imm32_gs(o, T_MISS_SITE, step);
	emit_jump(o, j->arena->arcs[kind]);
}

/* By the rules: comes back to what follows, where both registers still are as at indirect steps. */
static void leave_to_rules(struct job *j, uint32_t step)
{
	enum { LEAVE = 12 + 7 + 9 + 5 };

	emit_leave(j, &j->o, ARCS_SITE, step, j->o.p + LEAVE);
}

/* A call whose push is no access of its segment counts as a jump; so does such a return. */
static void emit_call_indirect(struct job *j, uint32_t step)
{
	if (!arcs_function_of(step).is_call) {
		leave_to_rules(j, step);
		emit_table_jump(&j->o, VARIANT_FILTER);
		return;
	}
	leave_for_good(j, &j->o, ARCS_CALL, step);
}

static void restore_flags(struct out *o)
{
	emit_bytes(o, (const uint8_t[]){0x04, 0x7f, 0x9e}, 3); /* add al, 0x7f; sahf */
	emit_load_gs(o, RAX, T_SPILL4);
}

/* A switch stays in its function. */
static void emit_jump_indirect(struct job *j, uint32_t step)
{
	struct arcs_range in = arcs_function_of(step);
	struct out *o = &j->o, cold;
	const uint8_t *begin;

	if (in.is_stub || !in.bytes) {
		leave_for_good(j, o, in.is_stub ? ARCS_LEAD : ARCS_JUMP, step);
		return;
	}
	if (plan.branches) {
		leave_for_good(j, o, ARCS_SWITCH, step);
		return;
	}
	cold.p = j->arena->cold -= COLD_MOST;
	begin = cold.p;
	emit_store_gs(o, RAX, T_SPILL4);
	emit_bytes(o, (const uint8_t[]){0x9f, 0x0f, 0x90, 0xc0}, 4); /* lahf; seto al */
	emit_mov_imm64(o, R11, -in.start);
	emit_bytes(o, (const uint8_t[]){0x49, 0x01, 0xcb, 0x49, 0x81, 0xfb}, 6);
	emit_u32(o, in.bytes);	  /* add r11, rcx; cmp r11, bytes */
	emit_jcc(o, 0x83, begin); /* jae */
	restore_flags(o);
	emit_table_jump(o, VARIANT_FILTER);
	restore_flags(&cold);
	leave_for_good(j, &cold, ARCS_JUMP, step);
}

static void emit_return(struct job *j, uint32_t step, bool pops)
{
	enum { LEAVE = 12 + 7 + 9 + 5 };

	if (!pops)
		step |= STEP_BY_RETURN;
	if (!(step & SIM_EXIT_RETURN)) {
		leave_to_rules(j, step);
		if (!pops)
			emit_table_return(&j->o, VARIANT_FILTER);
		return;
	}
	if (pops)
		emit_leave(j, &j->o, ARCS_RETURN_FAR, step, j->o.p + LEAVE);
	else
		leave_for_good(j, &j->o, ARCS_RETURN, step);
}

static uint32_t new_line(struct job *j, uint64_t pc, uint32_t step)
{
	(void)j;
	return plan.nodes ? 0 : arcs_new(pc, step);
}

const struct code_steps arcs_steps = {
	.new_line = new_line,
	.call = emit_call,
	.call_indirect = emit_call_indirect,
	.jump = emit_jump_to,
	.jump_indirect = emit_jump_indirect,
	.give_back = emit_return,
};
