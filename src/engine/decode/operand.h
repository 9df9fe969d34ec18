/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The address of an operand in memory, by the registers of a thread outside of the cache. */
#ifndef DWELL_ENGINE_DECODE_OPERAND_H
#define DWELL_ENGINE_DECODE_OPERAND_H

#include "engine/core/fsbase.h"
#include "engine/core/state.h"
#include "engine/decode/decode.h"

static inline uint64_t operand_register(const struct thread *t, uint8_t reg)
{
	return reg < 16 ? t->regs[reg] : 0;
}

static inline uint64_t operand_address(const struct thread *t, const struct mem_op *m)
{
	uint64_t a = (uint64_t)m->disp;

	if (m->base != RIP_BASE)
		a += operand_register(t, m->base) + operand_register(t, m->index) * m->scale;
	if (m->narrow)
		a = (uint32_t)a;
	return m->fs ? a + fsbase_get(t) : a;
}

#endif
