/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Patterns of accesses: rows that were allocated one by one, of which an array holds the addresses,
 * are told from other blocks. What the engine's other rooms say is made up here: structure 1 is the
 * array, structure 2 all rows, each a block of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/core/records.h"
#include "engine/simulate/observe/bins.h"
#include "engine/simulate/observe/held.h"
#include "engine/simulate/observe/patterns.h"

#define ROWS	 40u
#define COLUMNS	 100u
#define POINTERS 1u /* of structures, and of the sites that access them */
#define OF_ROWS	 2u

static double rows[ROWS][2][COLUMNS]; /* with a gap behind each row */
static double *pointers[ROWS];
static struct pattern told[OF_ROWS + 1];

/* ---- The other rooms ---- */

static struct bins_memo memos[OF_ROWS + 1];
struct bins_memo *bins_memos = memos;
bool held_on;

long engine_peek(uint64_t *word, const void *address)
{
	memcpy(word, address, sizeof(*word));
	return 0;
}

static bool is_row(uint64_t address)
{
	return address >= (uintptr_t)rows && address < (uintptr_t)(rows + ROWS);
}

static uint64_t start_of(uint64_t address)
{
	if (!is_row(address))
		return (uintptr_t)pointers;
	return address - (address - (uintptr_t)rows) % sizeof(rows[0]);
}

void structures_find(uint64_t address, struct structure *s)
{
	*s = (struct structure){.id = is_row(address) ? OF_ROWS : POINTERS,
				.start = start_of(address)};
}

bool structures_is_stack(uint32_t id)
{
	(void)id;
	return false;
}

void structures_describe(struct process *p, uint32_t id, struct bin_data *data)
{
	(void)p;
	data->start = id;
}

struct bins_versions bins_versions(void)
{
	return (struct bins_versions){1, 1};
}

uint32_t bins_of_data(uint32_t site, uint64_t pc, uint64_t address)
{
	(void)pc;
	memos[site] = (struct bins_memo){.start = start_of(address), .bin = site};
	return site;
}

uint32_t bins_structure(uint32_t bin)
{
	return bin;
}

void records_pattern(struct process *p, struct record_pattern *r)
{
	(void)p;
	told[r->data.start] = r->pattern;
}

/* ---- */

static int set_up(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < ROWS; i++)
		pointers[i] = rows[i][0];
	patterns_forked();
	patterns_begin(1);
	return 0;
}

static void see_pointer(uint32_t row)
{
	patterns_see(POINTERS, 0, (uintptr_t)&pointers[row], sizeof(pointers[0]), true);
}

static void see_row(uint32_t row, uint32_t column)
{
	patterns_see(OF_ROWS, 0, (uintptr_t)&rows[row][0][column], sizeof(double), true);
}

static const struct pattern *end(uint32_t structure)
{
	patterns_end();
	patterns_flush(NULL);
	return &told[structure];
}

static void each_row_but_the_first_is_a_hop(void **state)
{
	const struct pattern *x;

	(void)state;
	for (uint32_t i = 0; i < 10; i++) {
		see_pointer(i);
		for (uint32_t k = 0; k < COLUMNS; k++)
			see_row(i, k);
	}
	x = end(OF_ROWS);
	assert_int_equal(x->accesses, 10 * COLUMNS);
	assert_int_equal(x->hops, 9);
	assert_int_equal(x->rows, 9);
	assert_int_equal(x->inside, 10 * (COLUMNS - 1));
}

/* Also far behind the beginning of a row. The first access has no other before it. */
static void by_columns_each_access_is_a_hop(void **state)
{
	const struct pattern *x;

	(void)state;
	for (uint32_t k = 60; k < 80; k++)
		for (uint32_t i = 0; i < ROWS; i++) {
			see_pointer(i);
			see_row(i, k);
		}
	x = end(OF_ROWS);
	assert_int_equal(x->hops, 20 * ROWS - 1);
	assert_int_equal(x->rows, 20 * ROWS - 1);
	assert_int_equal(x->inside, 0);
	assert_int_equal(told[POINTERS].words, 20 * ROWS);
	assert_int_equal(told[POINTERS].to_others, 20 * ROWS - 1);
}

static void blocks_whose_address_nobody_held_are_no_rows(void **state)
{
	const struct pattern *x;

	(void)state;
	for (uint32_t i = 0; i < ROWS; i++)
		see_row(i, 5);
	x = end(OF_ROWS);
	assert_int_equal(x->hops, ROWS - 1);
	assert_int_equal(x->rows, 0);
}

static void one_block_has_no_hops(void **state)
{
	const struct pattern *x;

	(void)state;
	see_pointer(3);
	for (uint32_t k = 0; k < COLUMNS; k++) {
		see_row(3, k);
		see_row(3, k);
	}
	x = end(OF_ROWS);
	assert_int_equal(x->hops, 0);
	assert_int_equal(x->inside, COLUMNS - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_row_but_the_first_is_a_hop, set_up),
		cmocka_unit_test_setup(by_columns_each_access_is_a_hop, set_up),
		cmocka_unit_test_setup(blocks_whose_address_nobody_held_are_no_rows, set_up),
		cmocka_unit_test_setup(one_block_has_no_hops, set_up),
	};

	if (!patterns_start())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
