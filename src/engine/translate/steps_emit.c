/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * With a call graph: steps at the ends of segments that leave their function, or may. No flag
 * changes.
 */
#include "engine/translate/job.h"

#define STEP_MOST 144u /* bytes of code for a step */
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

const struct code_steps *job_steps(const struct job *j)
{
	return follows(j) ? j->variant->calls->steps : 0;
}

static void emit_step(struct job *j, struct out *o, uint64_t pc, enum code_step_kind kind)
{
	job_steps(j)->jump(j, o, pc, new_step(j, pc), kind);
}

void job_step(struct job *j, uint64_t pc, enum code_step_kind kind)
{
	if (job_leaves(j, pc))
		emit_step(j, &j->o, pc, kind);
}

/* In the cold part, which only the taken branch reaches. */
uint8_t *job_step_apart(struct job *j, uint64_t pc, uint8_t **field)
{
	struct out o = {.p = j->arena->cold -= STEP_MOST + LINK_MOST};
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
