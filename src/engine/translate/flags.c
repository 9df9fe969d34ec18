/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Liveness of status flags within a block; see flags.h. */
#include "engine/translate/flags.h"

/*
 * Live flags before the instruction at pc, if it is behind in[i]. Behind backward branches all are
 * taken to be live.
 */
static uint8_t live_at(const struct insn *in, uint32_t n, uint32_t i, uint64_t pc,
		       const uint8_t live[])
{
	for (uint32_t k = i + 1; k < n; k++)
		if (in[k].pc == pc)
			return live[k];
	return INSN_FLAGS;
}

void flags_find_live(const struct insn *in, uint32_t n, uint8_t behind, uint8_t live[])
{
	for (uint32_t i = n; i-- > 0; behind = live[i]) {
		switch (in[i].kind) {
		case INSN_PLAIN:
			live[i] = (uint8_t)((behind & ~in[i].flags_written) | in[i].flags_read);
			break;
		case INSN_JMP_INTO:
		case INSN_RDGSBASE:
			live[i] = behind;
			break;
		case INSN_JCC:
			live[i] = behind | in[i].flags_read | live_at(in, n, i, in[i].target, live);
			break;
		case INSN_JMP:
			live[i] = live_at(in, n, i, in[i].target, live);
			break;
		default:
			live[i] = INSN_FLAGS;
		}
	}
}
