/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading the instructions of a block; see job.h. */
#include "engine/codecache/pages.h"
#include "engine/core/fsbase.h"
#include "engine/core/util.h"
#include "engine/core/xstate.h"
#include "engine/translate/hooks.h"
#include "engine/translate/job.h"

#include <sys/mman.h>

/*
 * The target's vector state while the decoder runs: libc functions that it calls use all registers.
 */
static uint8_t vector_area[XSTATE_MOST_BYTES] __attribute__((aligned(64)));

static struct {
	bool entered;
	bool has_fs; /* %fs is the engine's now */
	uint64_t fs; /* the target's %fs then */
} decoder;

/*
 * Without the fsgsbase instructions %fs is set by system calls, which are slow, and which the
 * target may have forbidden. The target's stack canary suffices then, if it has one.
 */
static bool needs_fs(void)
{
	uint64_t canary;

	return engine.fsgsbase ||
	       engine_copy(&canary, fsbase_canary(thread_self()->fs_base), sizeof canary) != 0;
}

/* The full decoder uses vector registers and a stack canary; most blocks do without it. */
static void decoder_enter(void)
{
	if (decoder.entered)
		return;
	decoder.entered = true;
	engine_xsave(vector_area, engine.xsave_mask & ~XSTATE_TILES);
	decoder.has_fs = needs_fs();
	if (decoder.has_fs)
		decoder.fs = fsbase_swap(fsbase_dummy());
}

void job_leave_decoder(void)
{
	if (!decoder.entered)
		return;
	decoder.entered = false;
	if (decoder.has_fs)
		fsbase_set(decoder.fs);
	engine_xrstor(vector_area, engine.xsave_mask & ~XSTATE_TILES);
}

bool translate_decode(struct insn *in, uint64_t pc, const uint8_t *code, uint32_t room)
{
	bool good = decode_known(in, pc, code, room);

	if (good)
		return true;
	decoder_enter();
	good = decode_insn(in, pc, code, room) == 0;
	job_leave_decoder();
	return good;
}

#define CODE_WINDOW    256
#define FUNCTION_ALIGN 16

/* Bytes of target code already fetched. */
static struct {
	uint64_t start;
	uint32_t bytes;
	uint8_t data[CODE_WINDOW];
} window;

/* The number of readable, executable bytes at pc, at most 15. */
static uint32_t fetch(uint64_t pc, const uint8_t **code)
{
	if (pc < window.start || pc + 15 > window.start + window.bytes) {
		const struct mapping *m = mappings_find(pc);
		uint64_t room = m ? m->end - pc : 0, n = room < CODE_WINDOW ? room : CODE_WINDOW;

		window.bytes = 0;
		if (!m || !(m->prot & PROT_EXEC))
			return 0;
		if (n < 15) { /* code may continue in the next mapping */
			const struct mapping *next = mappings_find(m->end);

			if (next && (next->prot & PROT_EXEC))
				n += 15;
		}
		while (n && engine_copy(window.data, (const void *)(uintptr_t)pc, n) != 0)
			n = n > PAGE - (pc & (PAGE - 1)) ? PAGE - (pc & (PAGE - 1)) : 0;
		window.start = pc;
		window.bytes = (uint32_t)n;
	}
	uint32_t left = (uint32_t)(window.start + window.bytes - pc);

	*code = window.data + (pc - window.start);
	return left < 15 ? left : 15;
}

bool insn_ends_block(const struct insn *in)
{
	switch (in->kind) {
	case INSN_JMP:
	case INSN_JMP_IND:
	case INSN_RET:
	case INSN_SYSCALL:
	case INSN_TRAP:
	case INSN_MARK:
	case INSN_UNSUPPORTED:
		return true;
	default:
		return false;
	}
}

bool insn_is_call(const struct insn *in)
{
	return in->kind == INSN_CALL || in->kind == INSN_CALL_IND;
}

bool insn_ends_segment(const struct insn *in)
{
	return in->kind != INSN_PLAIN && in->kind != INSN_JMP_INTO;
}

static enum translate_result unreadable(uint64_t pc)
{
	const struct mapping *m = mappings_find(pc);

	return m && !(m->prot & PROT_EXEC) ? TRANSLATE_NO_EXEC : TRANSLATE_UNMAPPED;
}

/* Read instructions from pc on until the block must end. */
enum translate_result job_read_block(struct job *j, uint64_t pc, bool checked)
{
	uint64_t at = pc, limit = (pc & ~(PAGE - 1)) + 2 * PAGE;
	uint32_t max = checked ? 8 : MAX_INSNS;

	window.bytes = 0;
	for (j->insns = 0; j->insns < max;) {
		struct insn *in = &j->in[j->insns];
		const uint8_t *code;
		uint32_t room = fetch(at, &code);
		int decoded = 0;

		if (j->insns && (at + 15 > limit || translate_observer->is_marked(at)))
			break;
		if (room == 0)
			return j->insns ? TRANSLATE_OK : unreadable(at);
		if (!translate_observer->decode_mark(in, at, code, room) &&
		    !decode_known(in, at, code, room)) {
			decoder_enter();
			decoded = decode_insn(in, at, code, room);
		}
		if (decoded != 0) {
			if (j->insns)
				return TRANSLATE_OK;
			if (decoded == DECODE_TOO_LONG)
				return TRANSLATE_TOO_LONG;
			return room < 15 && !mappings_find(at + room) ? TRANSLATE_UNMAPPED
								      : TRANSLATE_INVALID;
		}
		if (j->insns && insn_is_call(in) && cache_find(at, j->variant_id))
			break;
		j->insns++;
		at += in->length;
		if (in->kind == INSN_JMP && !checked && in->target > at &&
		    in->target + 15 < limit && !cache_find(in->target, j->variant_id) &&
		    !translate_observer->is_marked(in->target) && !hooks_find(in->target)) {
			in->kind = INSN_JMP_INTO;
			at = in->target;
		}
		if (in->kind == INSN_JMP_INTO)
			continue;
		if (insn_ends_block(in) || (checked && (in->writes_memory || insn_is_call(in))))
			break;
		if (insn_ends_segment(in) && cache_find(at, j->variant_id))
			break;
		if (at % FUNCTION_ALIGN == 0 && hooks_find(at) > HOOK_RETURN)
			break; /* the function before falls into it */
	}
	return TRANSLATE_OK;
}
