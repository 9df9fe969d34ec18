/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps are compressed: an instruction's entry is mostly predictable from the one before. A bit for
 * each 8-byte word says whether it differs; then a bit for each byte of that word; then these bytes
 * follow. See insn_map.h.
 */
#include "engine/codecache/insn_map.h"

#include <string.h> /* memcpy and the like are in glue.S */

/* The expected entry behind `before`. Of the code's offset only the distance is stored. */
static struct insn_at expect(const struct insn_at *before)
{
	struct insn_at next = *before;

	next.code = 0;
	next.source = (uint16_t)(before->source + before->length);
	return next;
}

/* compared in words, because most are as expected */
union words {
	struct insn_at at;
	uint64_t word[INSN_AT_BITS];
};

_Static_assert(sizeof(union words) == sizeof(struct insn_at), "whole words");

/* Writes a mask of the bytes that differ, and these bytes. */
static uint8_t *pack_word(uint8_t *p, uint64_t different, uint64_t now)
{
	uint8_t *bits = p++;

	for (*bits = 0; different;) {
		const uint32_t k = (uint32_t)__builtin_ctzll(different) / 8;

		*bits |= (uint8_t)(1u << k);
		*p++ = (uint8_t)(now >> 8 * k);
		different &= ~(0xffull << 8 * k);
	}
	return p;
}

uint32_t insn_map_pack(uint8_t *to, const struct insn_at *at, uint32_t insns)
{
	struct insn_at before = {0};
	uint8_t *p = to;

	for (uint32_t i = 0; i < insns; i++) {
		union words expected = {.at = expect(&before)}, now = {.at = at[i]};
		uint8_t *words = p++;

		now.at.code = (uint16_t)(now.at.code - before.code);
		*words = 0;
		for (uint32_t w = 0; w < INSN_AT_BITS; w++) {
			if (expected.word[w] == now.word[w])
				continue;
			*words |= (uint8_t)(1u << w);
			p = pack_word(p, expected.word[w] ^ now.word[w], now.word[w]);
		}
		before = at[i];
	}
	return (uint32_t)(p - to);
}

void insn_map_unpack(struct insn_map *map, const uint8_t *packed, uint32_t insns)
{
	struct insn_at before = {0};

	map->insns = insns;
	for (uint32_t i = 0; i < insns; i++) {
		struct insn_at now = expect(&before);
		uint8_t *bytes = (uint8_t *)&now;

		for (uint32_t words = *packed++; words; words &= words - 1) {
			uint8_t *word = bytes + 8 * __builtin_ctz(words);

			for (uint32_t bits = *packed++; bits; bits &= bits - 1)
				word[__builtin_ctz(bits)] = *packed++;
		}
		now.code = (uint16_t)(now.code + before.code);
		map->at[i] = before = now;
	}
}

_Static_assert(INSN_AT_BITS <= 8, "a bit for each word");

const struct insn_at *insn_map_find(struct insn_map *map, const uint8_t *packed, uint32_t insns,
				    uint32_t at)
{
	const struct insn_at *found = 0;

	insn_map_unpack(map, packed, insns);
	for (uint32_t i = 0; i < map->insns && map->at[i].code <= at; i++)
		found = &map->at[i];
	return found;
}
