/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decodings remembered by the head of the instruction. Under the translate lock. */
#ifndef DWELL_ENGINE_DECODE_DECODE_MEMO_H
#define DWELL_ENGINE_DECODE_DECODE_MEMO_H

#include "engine/decode/decode.h"

/* Where the full decoder found the displacement and the immediate. */
struct decode_places {
	uint8_t disp_bytes, imm_at, imm_bytes;
};

/* Fill *in as decode_insn would, if the head is known. `code` has at least `room` bytes. */
bool decode_memo_find(struct insn *in, uint64_t pc, const uint8_t *code, uint32_t room);
/* Remember a full decoding. Bit k of `encoded`: mem[k] is the operand with the displacement. */
void decode_memo_keep(const struct insn *in, const uint8_t *code, uint32_t encoded,
		      const struct decode_places *places);

#endif
