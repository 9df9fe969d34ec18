/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places loop heads and branches where the processor decodes them well; see job.h. */
#include "engine/codecache/code_options.h"
#include "engine/codecache/emit.h"
#include "engine/translate/job.h"
#include "engine/translate/translate.h"

static void pad(struct out *o, uint32_t bytes)
{
	static const uint8_t nop[][9] = {
		{0x90},
		{0x66, 0x90},
		{0x0f, 0x1f, 0x00},
		{0x0f, 0x1f, 0x40, 0x00},
		{0x0f, 0x1f, 0x44, 0x00, 0x00},
		{0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
		{0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00},
		{0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
		{0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
	};

	while (bytes) {
		uint32_t n = bytes < 9 ? bytes : 9;

		emit_bytes(o, nop[n - 1], n);
		bytes -= n;
	}
}

/* Pads if the next `bytes` would touch the end of 32 bytes of code; see keeps_branches. */
static void keep_together(struct out *o, uint32_t bytes)
{
	uint32_t at = (uintptr_t)o->p & 31;

	pad(o, at + bytes > 31 ? 32 - at : 0);
}

void job_align_loop(struct job *j, const struct insn *head)
{
	if (head->loops && j->variant->defers && code_options.loop_align)
		pad(&j->o, -(uint32_t)(uintptr_t)j->o.p & (code_options.loop_align - 1));
}

void job_place_branch(struct job *j, uint32_t i)
{
	const struct insn *in = &j->in[i], *last = &j->in[j->end - 1];
	const uint32_t jcc_bytes = 6;

	if (!code_options.keeps_branches || !j->variant->defers || last->kind != INSN_JCC ||
	    i + 2 < j->end)
		return;
	if (i + 1 < j->end && in->sets_flags)
		keep_together(&j->o, in->length + jcc_bytes);
	else if (in == last)
		keep_together(&j->o, jcc_bytes);
}
