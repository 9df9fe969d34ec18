/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code that ends a thread's turn; see filter_scheduler.h. */
#include "engine/core/util.h"
#include "engine/simulate/emit/filter_parts.h"
#include "engine/simulate/plan/plan.h"
#include "engine/translate/flags.h"
#include "engine/translate/hooks.h"

#define COLD_TURN 56u /* most bytes: a call of the engine, restored rcx, a jump */

/* The cold code at the end of a turn, which continues at `back`. Returns its beginning. */
static const uint8_t *turn_is_over(struct job *j, bool has_rcx, const uint8_t *back)
{
	struct out o = {.p = j->arena->cold -= COLD_TURN};
	const uint8_t *begin = o.p;

	if (has_rcx)
		emit_load_gs(&o, RCX, T_SPILL4);
	job_call_engine(j, &o, HOOK_TURN);
	emit_jump(&o, back);
	return begin;
}

/*
 * Decrements T_TURN in rcx, without flags: jrcxz over a short jump to a long one, which ends the
 * turn.
 */
static void count_block_in_rcx(struct job *j)
{
	enum { SHORT_JUMP = 2, LONG_JUMP = 5, LOAD = 9 };
	const uint8_t *back;

	emit_store_gs(&j->o, RCX, T_SPILL4);
	emit_load_gs(&j->o, RCX, T_TURN);
	emit_lea(&j->o, RCX, RCX, -1);
	emit_store_gs(&j->o, RCX, T_TURN);
	emit_bytes(&j->o, (const uint8_t[]){0xe3, SHORT_JUMP, 0xeb, LONG_JUMP}, 4);
	back = j->o.p + LONG_JUMP + LOAD;
	emit_jump(&j->o, turn_is_over(j, true, back));
	emit_load_gs(&j->o, RCX, T_SPILL4);
	j->failed |= j->o.p != back;
}

/* sub qword gs:[T_TURN], 1; jz */
static void count_block_in_memory(struct job *j)
{
	const uint8_t *field;
	struct out o;

	emit_bytes(&j->o, (const uint8_t[]){0x65, 0x48, 0x83, 0x2c, 0x25}, 5);
	emit_u32(&j->o, T_TURN);
	emit_bytes(&j->o, (const uint8_t[]){1, 0x0f, 0x84}, 3);
	o.p = j->o.p;
	field = j->o.p + 4;
	emit_u32(&o, (uint32_t)(turn_is_over(j, false, field) - field));
	j->o.p = o.p;
}

void filter_put_turn(struct job *j)
{
	const bool is_entered = j->is_entered;

	j->is_entered = false;
	if ((!plan.turns && !plan.stretches) || !is_entered)
		return;
	if (j->live[j->first])
		count_block_in_rcx(j);
	else
		count_block_in_memory(j);
}

static void begin_approach(struct job *j)
{
	job_stream_block(j);
	flags_find_live(j->in, j->insns, INSN_FLAGS, j->live);
}

/* Counts, and stops after some blocks, so that a stretch begins where it is planned. */
const struct code_variant approach_variant = {
	.begin_block = begin_approach,
	.enter = job_stream_forget,
	.begin = filter_put_turn,
};
