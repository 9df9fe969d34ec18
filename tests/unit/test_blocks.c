/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Live blocks: random allocations, frees and look-ups against a plain array. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "engine/data/blocks.h"

#define CELLS 3000u
#define STEPS 600000u

/* Each cell holds one block or none: somewhere in it, of any size that fits. */
struct arena {
	uint64_t base;
	uint32_t room; /* of a cell, bytes */
};

static const struct arena arenas[] = {
	{0x1000, 8}, /* two in the same 16 bytes */
	{0x400000, 16},
	{0x55a3c0000000, 24},
	{0x55a3d0000008, 48},
	{0x7f0000000000, 144},
	{0x7f1000000000, 5000},
	{0x7f2000000000, 40000},
	{0x7f3000000000, 3 << 20},
	{0x7ffff0000000, 4096},
};

#define ARENAS (sizeof arenas / sizeof arenas[0])

struct cell {
	bool is_used;
	uint64_t start, size;
	uint32_t site;
};

static struct cell cells[ARENAS][CELLS];
static uint64_t live;

static struct cell *draw_cell(uint64_t *begin, uint32_t *room)
{
	uint32_t a = (uint32_t)(draw() % ARENAS), i = (uint32_t)(draw() % CELLS);

	/* Now and then many of one arena, so that its bits fill up and empty. */
	*room = arenas[a].room;
	*begin = arenas[a].base + (uint64_t)i * *room;
	return &cells[a][i];
}

/* The model's answer: what holds the address, or NULL. */
static const struct cell *holder(uint64_t address)
{
	for (uint32_t a = 0; a < ARENAS; a++) {
		uint64_t i = (address - arenas[a].base) / arenas[a].room;
		const struct cell *c = &cells[a][i % CELLS];

		if (address >= arenas[a].base && i < CELLS)
			return c->is_used && address - c->start < c->size ? c : NULL;
	}
	return NULL;
}

static void must_be(const struct block_info *b, const struct cell *c)
{
	assert_int_equal(b->start, c->start);
	assert_int_equal(b->size, c->size);
	assert_int_equal(b->site, c->site);
}

static void look_up(uint64_t address)
{
	const struct cell *c = holder(address);
	struct block_info b;

	assert_int_equal(blocks_find(address, &b), c != NULL);
	if (c)
		must_be(&b, c);
}

static void come(struct cell *c, uint64_t begin, uint32_t room)
{
	uint64_t offset = draw() % 2 ? 0 : draw() % room & ~7ull;
	struct block_info old;

	*c = (struct cell){true, begin + offset, draw() % (room - offset + 1),
			   (uint32_t)draw() & 0xfffff};
	assert_false(blocks_insert(c->start, c->size, c->site, &old));
	live++;
}

static void go(struct cell *c)
{
	struct block_info b;

	assert_true(blocks_get(c->start, &b));
	must_be(&b, c);
	assert_true(blocks_remove(c->start, &b));
	must_be(&b, c);
	assert_false(blocks_remove(c->start, &b));
	c->is_used = false;
	live--;
}

/* A block at the same address, because its predecessor's end was not seen. */
static void replace(struct cell *c, uint64_t begin, uint32_t room)
{
	struct cell before = *c;
	struct block_info old, new;

	assert_true(blocks_mark(c->start));
	assert_true(blocks_get(c->start, &old) && old.marked);
	c->size = draw() % (begin + room - c->start + 1);
	c->site++;
	assert_true(blocks_insert(c->start, c->size, c->site, &old));
	must_be(&old, &before);
	assert_false(blocks_insert(c->start, c->size, c->site, &old));
	assert_true(blocks_get(c->start, &new));
	must_be(&new, c);
	assert_false(new.marked);
}

static void random_steps(uint32_t steps, uint32_t come_of_8)
{
	for (uint32_t n = 0; n < steps; n++) {
		uint64_t begin;
		uint32_t room;
		struct cell *c = draw_cell(&begin, &room);

		if (c->is_used && draw() % 16 == 0)
			replace(c, begin, room);
		else if (c->is_used && draw() % 8 >= come_of_8)
			go(c);
		else if (!c->is_used && draw() % 8 < come_of_8)
			come(c, begin, room);
		look_up(begin + draw() % room);
		look_up(begin + room);
		look_up(begin - 1);
	}
	assert_int_equal(blocks_count(), live);
}

static void test_blocks_are_those_of_the_model(void **state)
{
	(void)state;
	random_steps(STEPS, 5);
	random_steps(STEPS, 1);
	random_steps(STEPS, 7);
	assert_true(live > ARENAS * CELLS / 2);
}

static void test_nothing_is_left_when_all_went(void **state)
{
	struct block_info b;

	(void)state;
	for (uint32_t a = 0; a < ARENAS; a++)
		for (uint32_t i = 0; i < CELLS; i++)
			if (cells[a][i].is_used)
				go(&cells[a][i]);
	assert_int_equal(blocks_count(), 0);
	for (uint32_t a = 0; a < ARENAS; a++)
		assert_false(blocks_find(arenas[a].base + 100, &b));
	assert_false(blocks_find((1ull << 47) - 1, &b));
}

static void test_addresses_of_the_kernel_are_refused(void **state)
{
	struct block_info b;

	(void)state;
	assert_false(blocks_insert(1ull << 47, 16, 1, &b));
	assert_false(blocks_insert(0x1000, UINT64_MAX, 1, &b));
	assert_false(blocks_get(UINT64_MAX, &b));
	assert_false(blocks_remove(1ull << 63, &b));
	assert_false(blocks_find(UINT64_MAX, &b));
	assert_int_equal(blocks_count(), 0);
}

static void test_an_empty_block_holds_nothing(void **state)
{
	struct block_info b;

	(void)state;
	assert_false(blocks_insert(0x5000, 0, 3, &b));
	assert_false(blocks_find(0x5000, &b));
	assert_true(blocks_get(0x5000, &b));
	assert_true(blocks_remove(0x5000, &b));
}

/* Blocks whose ends were not seen: each goes before another one needs its slots, and is told of. */
static void test_what_is_in_the_way_is_told_of(void **state)
{
	static struct {
		uint64_t start, size;
	} kept[64];
	uint32_t n = 0, told = 0, came = 0;
	struct block_info b;

	(void)state;
	for (uint32_t i = 0; i < 200000; i++) {
		const uint64_t start = 0x7000 + draw() % 0x1080;
		const uint64_t size = draw() % 3   ? draw() % 40
				      : draw() % 2 ? draw() % 100 << 28
						   : 16;

		while (blocks_insert(start, size, i & 0xfffff, &b)) {
			for (n = 0; n < 64 && kept[n].start != b.start; n++)
				;
			if (n < 64) {
				assert_int_equal(b.size, kept[n].size);
				kept[n].start = 0;
			}
			told++;
		}
		came++;
		kept[i % 64].start = start;
		kept[i % 64].size = size;
		assert_true(blocks_get(start, &b));
		assert_int_equal(b.size, size);
		assert_int_equal(b.site, i & 0xfffff);
		assert_int_equal(blocks_count(), came - told);
	}
	while (blocks_last_in(0x7000, 0x9000, &b)) {
		assert_true(blocks_remove(b.start, &b));
		told++;
	}
	assert_int_equal(told, came);
	assert_int_equal(blocks_count(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses_of_the_kernel_are_refused),
		cmocka_unit_test(test_an_empty_block_holds_nothing),
		cmocka_unit_test(test_what_is_in_the_way_is_told_of),
		cmocka_unit_test(test_blocks_are_those_of_the_model),
		cmocka_unit_test(test_nothing_is_left_when_all_went),
	};

	if (blocks_init() != 0)
		return 77; /* address space is short here */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
