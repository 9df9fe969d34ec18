/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The log of blocks agrees about the past with the array of blocks at that time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "draw.h"
#include "engine/data/block_log.h"

#define BASE  0x10000u
#define CELLS 8u
#define BYTES 32u
#define TIMES 100u /* at each of which one block comes or goes */

static struct block_log blocks;
static struct block_info now[CELLS], then[TIMES + 1][CELLS];

static void change(uint32_t cell, uint64_t at)
{
	const struct block_info none = {0}, new = {BASE + cell * BYTES, 1 + draw() % BYTES,
						   (uint32_t)at + 1, false};
	bool came = !now[cell].site;

	block_log_add(&blocks, at, came ? &new : &now[cell], came);
	now[cell] = came ? new : none;
}

static void it_tells_who_was_there(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < 200; round++) {
		blocks.count = 0;
		for (uint32_t at = 0; at <= TIMES; at++) {
			for (uint32_t i = 0; i < CELLS; i++)
				then[at][i] = now[i];
			if (at < TIMES)
				change((uint32_t)(draw() % CELLS), at + 1);
		}
		for (uint32_t i = 0; i < 2000; i++) {
			uint64_t at = draw() % (TIMES + 1),
				 address = BASE + draw() % (CELLS * BYTES);
			const struct block_info *was = &then[at][(address - BASE) / BYTES];
			struct block_info b = now[(address - BASE) / BYTES];
			bool wanted = was->site && address - was->start < was->size;
			bool found = b.site && address - b.start < b.size;

			found = block_log_find(&blocks, address, at, found, &b);
			assert_int_equal(found, wanted);
			if (found)
				assert_int_equal(b.site, was->site);
		}
	}
}

/* A block that a call makes has come when the call began, before the old one went. */
static void a_block_has_come_when_its_call_began(void **state)
{
	const struct block_info old = {BASE, 8, 1, false}, new = {BASE + 64, 8, 2, false};
	struct block_info b = {0};

	(void)state;
	blocks.count = 0;
	block_log_add(&blocks, 9, &old, false);
	block_log_add(&blocks, 5, &new, true);
	assert_false(block_log_find(&blocks, BASE + 64, 4, true, &b));
	assert_true(block_log_find(&blocks, BASE + 64, 5, true, &b));
	assert_true(block_log_find(&blocks, BASE, 4, false, &b));
	assert_true(block_log_find(&blocks, BASE, 8, false, &b));
	assert_int_equal(b.site, 1);
	assert_false(block_log_find(&blocks, BASE, 9, false, &b));
}

static void it_has_room_for_so_many(void **state)
{
	const struct block_info b = {BASE, 8, 1, false};

	(void)state;
	blocks.count = 0;
	for (uint32_t i = 0; i < BLOCK_LOG_MOST; i++) {
		assert_true(block_log_has_room(&blocks, BLOCK_LOG_MOST - i));
		assert_false(block_log_has_room(&blocks, BLOCK_LOG_MOST - i + 1));
		block_log_add(&blocks, i, &b, true);
	}
	assert_false(block_log_has_room(&blocks, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_tells_who_was_there),
		cmocka_unit_test(a_block_has_come_when_its_call_began),
		cmocka_unit_test(it_has_room_for_so_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
