/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code counts the fetches of a segment together: those behind a fault are taken back. So are the
 * accesses of a vector instruction that it will make again. The bytes stay touched.
 */
#include "engine/simulate/counts/segments.h"
#include "engine/simulate/miss/uses.h"
#include "engine/simulate/miss/uses_code.h"

/* Each line of some bytes was used once less. */
static void undo(void (*use)(uint64_t line), uint64_t address, uint32_t bytes)
{
	const uint64_t mask = (1ull << FILTER_ADDRESS_BITS) - 1;
	const uint64_t first = address & mask, last = (address + bytes - 1) & mask;

	use(first >> FILTER_LINE_SHIFT);
	if (last >> FILTER_LINE_SHIFT != first >> FILTER_LINE_SHIFT)
		use(last >> FILTER_LINE_SHIFT);
}

void uses_undo(uint64_t address, uint32_t bytes)
{
	undo(uses_untouch, address, bytes < USES_LINE_BYTES ? bytes : USES_LINE_BYTES);
}

void uses_undo_fetch(const struct segment *s, uint32_t insn)
{
	const struct segment_insn *in = &segment_insns(s)[insn];

	if (plan.fetches)
		undo(uses_unfetch, segment_graph(s)->pc + in->offset, in->length);
}

void uses_cut(const struct segment *s, uint32_t insns)
{
	for (uint32_t i = insns, end = uses_code_cut(s, insns); i < end; i++)
		uses_undo_fetch(s, i);
}
