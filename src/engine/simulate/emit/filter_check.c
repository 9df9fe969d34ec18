/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How accesses are known to be aligned; see filter_check.h. */
#include "engine/simulate/emit/filter_check.h"

#include "engine/core/util.h"
#include "engine/simulate/state/filter.h"
#include "engine/translate/job.h"

bool filter_is_base_only(const struct mem_op *m)
{
	return m->base < NOREG && m->index == NOREG && !m->fs && !m->narrow;
}

bool filter_is_fixed(const struct mem_op *m)
{
	return !m->fs && !m->narrow &&
	       (m->base == RIP_BASE || (m->base == NOREG && m->index == NOREG));
}

static bool is_power_of_two(uint32_t v)
{
	return v && !(v & (v - 1));
}

/* Vector moves that fault when unaligned: if they do not fault, they are aligned. */
static bool demands_alignment(const struct insn *in)
{
	uint32_t at = in->modrm_at;
	bool has_66 = false;

	for (uint32_t i = 0; i + 2 < at; i++) {
		if (in->bytes[i] == 0x62 || in->bytes[i] == 0xf2 || in->bytes[i] == 0xf3)
			return false;
		has_66 |= in->bytes[i] == 0x66;
	}
	/*
	 * movaps, movapd 0f 28 and 29; movdqa 66 0f 6f and 7f; movntps 0f 2b; movntdq 0f e7: no VEX
	 */
	if (at < 2 || in->bytes[at - 2] != 0x0f)
		return false;
	switch (in->bytes[at - 1]) {
	case 0x28:
	case 0x29:
	case 0x2b:
	case 0xe7:
		return true;
	case 0x6f:
	case 0x7f:
		return has_66;
	default:
		return false;
	}
}

/* A base, and a scaled index that keeps the base's alignment. */
static bool is_multiple_from_base(const struct mem_op *m)
{
	return m->base < NOREG && m->index != NOREG && !m->fs && !m->narrow &&
	       (m->disp & (m->size - 1)) == 0 && (m->scale & (m->size - 1)) == 0;
}

enum filter_check filter_check_of(const struct insn *in, const struct mem_op *m,
				  bool stack_is_aligned)
{
	uint64_t in_line = (uint64_t)m->disp & ((1u << FILTER_LINE_SHIFT) - 1);

	if ((m->fs && !job_adds_fs_base(m)) || !is_power_of_two(m->size) ||
	    m->size > 1u << FILTER_LINE_SHIFT)
		return CHECK_ENGINE;
	if (m->size == 1 || (m->size == 16 && demands_alignment(in)))
		return CHECK_NONE;
	if (filter_is_fixed(m))
		return in_line + m->size <= 1u << FILTER_LINE_SHIFT ? CHECK_NONE : CHECK_ENGINE;
	if (filter_is_base_only(m) && (m->disp & (m->size - 1)) == 0) {
		if (m->base == RSP && stack_is_aligned && m->size <= FILTER_STACK_ALIGN)
			return CHECK_NONE;
		return m->size > 8 ? CHECK_ENDS : CHECK_BASE;
	}
	if (is_multiple_from_base(m) && m->size <= FILTER_STACK_ALIGN)
		return m->base == RSP && stack_is_aligned ? CHECK_NONE : CHECK_BASE;
	return m->size > 8 ? CHECK_ENDS : CHECK_ADDRESS;
}

/*
 * Pushes and pops of eight bytes, except pop rsp. Pop r12 differs from it by REX.B only. b: behind
 * the prefix.
 */
static int64_t pushed(const struct insn *in, const uint8_t *b)
{
	bool is_extended = b != in->bytes && (in->bytes[0] & 1);

	if (in->bytes[0] == 0x66 || in->kind != INSN_PLAIN)
		return 0;
	if ((b[0] >= 0x50 && b[0] <= 0x57) || b[0] == 0x68 || b[0] == 0x6a || b[0] == 0x9c)
		return -8;
	if (b[0] == 0xff)
		return (b[1] & 0x38) == 0x30 ? -8 : 0;
	if (b[0] == 0x9d)
		return 8;
	return b[0] >= 0x58 && b[0] <= 0x5f && (b[0] != 0x5c || is_extended) ? 8 : 0;
}

bool filter_moves_stack(const struct insn *in, int64_t *by)
{
	const uint8_t *b = in->bytes + ((in->bytes[0] & 0xf0) == 0x40);
	int32_t number;

	*by = 0;
	if (!(in->gprs_written >> RSP & 1))
		return true;
	*by = pushed(in, b);
	if (*by || in->bytes[0] != 0x48)
		return *by != 0;
	if (b[0] == 0x83 && (b[1] == 0xc4 || b[1] == 0xec)) /* add, sub */
		*by = b[1] == 0xc4 ? (int8_t)b[2] : -(int8_t)b[2];
	else if (b[0] == 0x8d && b[1] == 0x64 && b[2] == 0x24) /* lea rsp, [rsp + number] */
		*by = (int8_t)b[3];
	if (*by)
		return true;
	if (b[0] == 0x81 && (b[1] == 0xc4 || b[1] == 0xec))
		memcpy(&number, b + 2, sizeof number);
	else if (b[0] == 0x8d && b[1] == 0xa4 && b[2] == 0x24)
		memcpy(&number, b + 3, sizeof number);
	else
		return false;
	*by = b[1] == 0xec ? -(int64_t)number : number;
	return true;
}

bool filter_keeps_stack(const struct insn *in)
{
	const uint8_t *b = in->bytes;
	int64_t by;

	if (b[0] == 0x48 && b[1] == 0x83 && b[2] == 0xe4) /* and rsp, number */
		return b[3] % FILTER_STACK_ALIGN == 0;
	return filter_moves_stack(in, &by) && by % (int64_t)FILTER_STACK_ALIGN == 0;
}
