/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An instruction's place is mostly what the one before makes expect: of the bytes that are different, a bit says which
 * they are, and they follow. See insn_map.h.
 */
#include "engine/insn_map.h"

#include <string.h> /* memcpy and kin: ours, in glue.S */

/* What comes behind `before`; of its code's place only the distance is written down. */
static struct insn_at expect(const struct insn_at *before)
{
	struct insn_at next = *before;

	next.code = 0;
	next.source = (uint16_t)(before->source + before->length);
	return next;
}

uint32_t insn_map_pack(uint8_t *to, const struct insn_at *at, uint32_t insns)
{
	struct insn_at before = { 0 };
	uint8_t *p = to;

	for (uint32_t i = 0; i < insns; i++) {
		struct insn_at expected = expect(&before), now = at[i];
		const uint8_t *a = (const uint8_t *)&expected, *b = (const uint8_t *)&now;
		uint8_t *bits = p;

		now.code = (uint16_t)(now.code - before.code);
		memset(bits, 0, INSN_AT_BITS);
		p += INSN_AT_BITS;
		for (uint32_t k = 0; k < sizeof now; k++)
			if (a[k] != b[k]) {
				bits[k / 8] |= (uint8_t)(1u << k % 8);
				*p++ = b[k];
			}
		before = at[i];
	}
	return (uint32_t)(p - to);
}

void insn_map_unpack(struct insn_map *map, const uint8_t *packed, uint32_t insns)
{
	struct insn_at before = { 0 };

	map->insns = insns;
	for (uint32_t i = 0; i < insns; i++) {
		struct insn_at now = expect(&before);
		uint8_t *bytes = (uint8_t *)&now;
		uint32_t bits = 0;

		for (uint32_t k = 0; k < INSN_AT_BITS; k++)
			bits |= (uint32_t)*packed++ << 8 * k;
		for (; bits; bits &= bits - 1)
			bytes[__builtin_ctz(bits)] = *packed++;
		now.code = (uint16_t)(now.code + before.code);
		map->at[i] = before = now;
	}
}

_Static_assert(INSN_AT_BITS <= sizeof(uint32_t), "the bits of an instruction");
