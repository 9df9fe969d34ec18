/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * With a call graph: records at the ends of segments that leave their function, or may
 * (sim/calls/call_records.h). No flag changes.
 */
#include "engine/translate/call_record.h"
#include "engine/translate/job.h"

#define KEPT_MOST 144u /* bytes of code for a step that saves registers */
#define LINK_MOST 8u   /* of a jump to a block */

static bool follows(const struct job *j)
{
	return j->variant->calls && j->variant->calls->are_followed();
}

static uint32_t new_step(struct job *j, uint64_t pc)
{
	uint32_t step = j->variant->calls->new_step(j, pc);

	j->failed |= !step;
	return step;
}

uint32_t job_new_step(struct job *j, uint64_t pc)
{
	return follows(j) ? new_step(j, pc) : 0;
}

bool job_leaves(const struct job *j, uint64_t pc)
{
	return follows(j) && j->variant->calls->leaves(j, pc);
}

/* mov dword [r], v: faults if there is no room */
static void emit_number(struct out *o, enum reg r, uint32_t v)
{
	if (r & 8)
		emit_u8(o, 0x41);
	emit_bytes(o, (const uint8_t[]){0xc7, (uint8_t)(r & 7)}, 2);
	emit_u32(o, v);
}

/* vextracti32x4 [r + REC_LANES], ymm31, 1; or movups [r + REC_LANES], xmm14 */
static void emit_lanes(struct out *o, enum reg r)
{
	if (engine_vector_counter == COUNTER_SSE) {
		emit_bytes(o,
			   (const uint8_t[]){r & 8 ? 0x45 : 0x44, 0x0f, 0x11,
					     (uint8_t)(0x70 | (r & 7)), REC_LANES},
			   5);
		return;
	}
	emit_bytes(o,
		   (const uint8_t[]){0x62, r & 8 ? 0x43 : 0x63, 0x7d, 0x28, 0x39,
				     (uint8_t)(0x78 | (r & 7)), REC_LANES / 16, 1},
		   8);
}

static void emit_record(struct out *o, enum reg r, uint32_t step, bool has_sp)
{
	emit_load_gs(o, r, T_STEP);
	emit_number(o, r, step);
	if (r != RCX)
		emit_store(o, r, REC_PC, RCX);
	emit_lanes(o, r);
	if (has_sp)
		emit_store(o, r, REC_SP, RSP);
	emit_lea(o, r, r, REC_BYTES);
	emit_store_gs(o, r, T_STEP);
}

static void emit_kept(struct out *o, uint32_t step, bool has_sp)
{
	emit_store_gs(o, RCX, T_SPILL4);
	emit_record(o, RCX, step, has_sp);
	emit_load_gs(o, RCX, T_SPILL4);
}

void job_step_to_rcx(struct job *j, uint32_t step, bool has_sp)
{
	if (step)
		emit_record(&j->o, R11, step, has_sp);
}

void job_step_of_call(struct job *j, const struct call_site *c)
{
	const struct code_calls_in_line *in_line = job_calls_in_line(j);

	if (c->step && in_line)
		in_line->call(j, c->line, c->step);
	else if (c->step)
		emit_kept(&j->o, c->step, true);
}

const struct code_calls_in_line *job_calls_in_line(const struct job *j)
{
	return follows(j) ? j->variant->calls->in_line() : 0;
}

static void emit_step(struct job *j, struct out *o, uint64_t pc, enum code_step_kind kind)
{
	const struct code_calls_in_line *c = job_calls_in_line(j);
	const uint32_t step = new_step(j, pc);

	if (c)
		c->jump(j, o, pc, step, kind);
	else
		emit_kept(o, step, false);
}

void job_step(struct job *j, uint64_t pc, enum code_step_kind kind)
{
	if (job_leaves(j, pc))
		emit_step(j, &j->o, pc, kind);
}

/* In the cold part, which only the taken branch reaches. */
uint8_t *job_step_apart(struct job *j, uint64_t pc, uint8_t **field)
{
	struct out o = {.p = j->arena->cold -= KEPT_MOST + LINK_MOST};
	uint8_t *begin = o.p;

	emit_step(j, &o, pc, CODE_STEP);
	emit_align_field(&o, 1);
	emit_u8(&o, 0xe9);
	*field = o.p;
	return begin;
}

void job_step_behind(struct job *j)
{
	const enum code_step_kind kind = j->end < j->insns ? CODE_STEP_INSIDE : CODE_STEP;
	const struct insn *last = &j->in[j->end - 1];

	switch (last->kind) {
	case INSN_PLAIN:
	case INSN_JCC:
	case INSN_LOOP:
	case INSN_XBEGIN:
	case INSN_REP:
	case INSN_ELEMENTS:
	case INSN_RDGSBASE:
		job_step(j, last->pc + last->length, kind);
		break;
	case INSN_JMP_INTO:
		job_step(j, last->target, kind);
		break;
	default:
		break;
	}
}
