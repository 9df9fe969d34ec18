/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting for memory outside of the code cache; see stuck_wait.h. */
#include "engine/run/stuck_wait.h"

#include "channel/sys.h"
#include "engine/core/lock.h"
#include "engine/core/util.h"
#include "engine/decode/operand.h"
#include "engine/run/elements.h"
#include "engine/translate/translate.h"

static void touch(uint64_t address, bool writes)
{
	uint8_t byte;

	if (!writes || engine_touch((uint8_t *)(uintptr_t)address) != 0)
		engine_copy(&byte, (const void *)(uintptr_t)address, 1);
}

/* Lists what the instruction touches, in the order of its operands. */
static uint32_t touches(struct thread *t, const struct insn *in, struct element out[ELEMENTS_MOST])
{
	if (in->kind == INSN_REP || in->kind == INSN_ELEMENTS)
		return elements_next(t, in, out);
	for (uint32_t i = 0; i < in->mem_count; i++)
		out[i] = (struct element){operand_address(t, &in->mem[i]), in->mem[i].size,
					  in->mem[i].kind != ACCESS_LOAD};
	return in->mem_count;
}

bool stuck_wait(struct thread *t)
{
	struct element e[ELEMENTS_MOST];
	uint8_t code[15];
	struct insn in;
	uint32_t n;
	bool known;

	if (engine_copy(code, (const void *)(uintptr_t)t->rip, sizeof code) != 0)
		return false;
	lock_take(&engine.translate_lock);
	known = translate_decode(&in, t->rip, code, sizeof code);
	lock_drop(&engine.translate_lock);
	n = known ? touches(t, &in, e) : 0;
	t->stuck_waits = true;
	for (uint32_t i = 0; i < n && !t->pending; i++) {
		touch(e[i].address, e[i].stores);
		touch(e[i].address + e[i].bytes - 1, e[i].stores);
	}
	t->stuck_waits = false;
	return n > 0;
}
