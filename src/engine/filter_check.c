/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of the alignment of accesses; see filter_check.h. */
#include "engine/filter_check.h"

#include "engine/filter.h"
#include "engine/job.h"
#include "engine/util.h"

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

/* Vector moves that fault where they are not aligned are aligned where they do not. */
static bool demands_alignment(const struct insn *in)
{
	uint32_t at = in->modrm_at;
	bool has_66 = false;

	for (uint32_t i = 0; i + 2 < at; i++) {
		if (in->bytes[i] == 0x62 || in->bytes[i] == 0xf2 || in->bytes[i] == 0xf3)
			return false;
		has_66 |= in->bytes[i] == 0x66;
	}
	/* movaps, movapd 0f 28 and 29; movdqa 66 0f 6f and 7f; movntps 0f 2b; movntdq 0f e7: not VEX */
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

enum filter_check filter_check_of(const struct insn *in, const struct mem_op *m, bool stack_is_aligned)
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
	return m->size > 8 ? CHECK_ENDS : CHECK_ADDRESS;
}

bool filter_keeps_stack(const struct insn *in)
{
	const uint8_t *b = in->bytes + ((in->bytes[0] & 0xf0) == 0x40);
	int32_t by;

	if (!in->writes_stack)
		return true;
	if ((b[0] >= 0x50 && b[0] <= 0x5f && b[0] != 0x5c) || b[0] == 0x68 || b[0] == 0x6a)
		return true;
	if (in->bytes[0] != 0x48)
		return false;
	if (b[0] == 0x83 && (b[1] == 0xc4 || b[1] == 0xec))
		return b[2] % FILTER_STACK_ALIGN == 0;
	if (b[0] == 0x8d && b[1] == 0x64 && b[2] == 0x24)
		return b[3] % FILTER_STACK_ALIGN == 0;
	if (b[0] != 0x81 || (b[1] != 0xc4 && b[1] != 0xec))
		return false;
	memcpy(&by, b + 2, sizeof by);
	return by % (int32_t)FILTER_STACK_ALIGN == 0;
}
