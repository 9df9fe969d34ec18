/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Positions of a block's instructions, packed and unpacked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/codecache/insn_map.h"

static uint64_t state_of_random = 3;

static uint32_t draw(uint32_t below)
{
	state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state_of_random >> 33) % below;
}

static uint32_t pack_and_compare(const struct insn_at *at, uint32_t insns)
{
	static uint8_t packed[INSN_MAP_BYTES + 1];
	static struct insn_map map;
	uint32_t bytes;

	memset(packed, 0xee, sizeof(packed));
	bytes = insn_map_pack(packed, at, insns);
	assert_true(bytes <= INSN_MAP_BYTES);
	assert_int_equal(packed[bytes], 0xee);
	memset(&map, 0xcc, sizeof(map));
	insn_map_unpack(&map, packed, insns);
	assert_int_equal(map.insns, insns);
	assert_memory_equal(map.at, at, insns * sizeof(*at));
	return bytes;
}

/* Whatever is in them, also what no block has. */
static void anything_comes_back(void **state)
{
	struct insn_at at[MAX_INSNS];

	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		uint32_t insns = round < 2 ? round * MAX_INSNS : 1 + draw(MAX_INSNS);

		for (uint32_t i = 0; i < sizeof(at); i++)
			((uint8_t *)at)[i] = draw(2) ? (uint8_t)draw(256) : 0;
		pack_and_compare(at, insns);
	}
}

/* Segments of four instructions of three bytes, each with a load; their code takes 12 bytes. */
static void what_follows_is_expected(void **state)
{
	struct insn_at at[MAX_INSNS];

	(void)state;
	memset(at, 0, sizeof(at));
	for (uint32_t i = 0; i < MAX_INSNS; i++) {
		at[i].code = (uint16_t)(12 * i);
		at[i].source = (uint16_t)(3 * i);
		at[i].length = 3;
		at[i].loads = 1;
		at[i].flags = INSN_AT_STREAM | (i % 4 == 0 ? INSN_AT_SEGMENT : 0);
		at[i].stream_entries = (uint8_t)(i % 4);
		at[i].begin = (uint16_t)(12 * (i / 4 * 4));
	}
	/*
	 * The bits, the distance of the code and the entries; in two of four the flags, in one
	 * where it begins.
	 */
	assert_true(pack_and_compare(at, MAX_INSNS) <=
		    MAX_INSNS * (INSN_AT_BITS + 2) + MAX_INSNS / 2 + MAX_INSNS / 4 * 2 + 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(anything_comes_back),
		cmocka_unit_test(what_follows_is_expected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
