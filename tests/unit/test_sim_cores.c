/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two cores over one shared part, on traces so short that the counts follow by hand. There is no
 * coherence between them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counted_memory.h"
#include "sim/system/core.h"
#include "sim/system/shared.h"

#define LINE 64u

enum { A, B, CORES };

static struct sim_shared shared;
static struct sim_core core[CORES];
static uint64_t events[CORES][SIM_MAX_EVENTS];
static uint64_t charged[4][SIM_MAX_EVENTS]; /* by tag */

static void charge(void *context, uint32_t tag, unsigned event, uint64_t amount)
{
	(void)context;
	charged[tag][event] += amount;
}

/* First levels of two lines, and a last level of four; each is one set. */
static struct sim_geometry small(void)
{
	return (struct sim_geometry){.levels = {{128, 2, LINE}, {256, 4, LINE}}, .level_count = 2};
}

static void begin(const struct sim_geometry *g)
{
	memset(events, 0, sizeof(events));
	memset(charged, 0, sizeof(charged));
	assert_int_equal(sim_shared_init(&shared, g, &memory), 0);
	shared.charge = charge;
	for (unsigned i = 0; i < CORES; i++)
		assert_int_equal(sim_core_init(&core[i], &shared, true), 0);
}

static void end(void)
{
	for (unsigned i = 0; i < CORES; i++)
		sim_core_release(&core[i]);
	sim_shared_release(&shared);
	assert_int_equal(taken, 0);
}

static void access_line(unsigned who, uint64_t line, enum sim_access kind)
{
	sim_core_data(&core[who], line * LINE, 8, kind, events[who]);
}

static void load_lines(unsigned who, uint64_t first, uint64_t last)
{
	for (uint64_t line = first; line <= last; line++)
		access_line(who, line, SIM_LOAD);
}

static bool is_noop(unsigned who, uint64_t line)
{
	return sim_core_data_is_noop(&core[who], line * LINE, 8, SIM_LOAD);
}

static uint64_t count_of(unsigned who, unsigned id)
{
	return events[who][shared.list.index[id]];
}

static uint64_t loads_missed(unsigned who, unsigned level)
{
	return count_of(who, SIM_MISSES + 3 * level + 1);
}

/* ---- */

/* On the short way of accesses and on the long one. */
static void a_line_that_one_core_loaded_hits_in_the_shared_level(void **state)
{
	struct sim_geometry g = small();

	(void)state;
	for (unsigned run = 0; run < 2; run++) {
		g.write_backs = run == 1;
		begin(&g);
		assert_int_equal(shared.is_simple, run == 0);
		access_line(A, 1, SIM_LOAD);
		access_line(B, 1, SIM_LOAD);
		assert_int_equal(loads_missed(A, 0), 1);
		assert_int_equal(loads_missed(A, 1), 1);
		assert_int_equal(loads_missed(B, 0), 1);
		assert_int_equal(loads_missed(B, 1), 0);
		end();
	}
}

static void of_one_level_nothing_is_shared(void **state)
{
	struct sim_geometry g = small();

	(void)state;
	g.level_count = 1;
	begin(&g);
	access_line(A, 1, SIM_LOAD);
	access_line(B, 1, SIM_LOAD);
	assert_int_equal(loads_missed(A, 0), 1);
	assert_int_equal(loads_missed(B, 0), 1);
	end();
}

/* The second of three levels is inclusive and has room for two lines: B's loses line 1. */
static void private_levels_lose_lines_of_their_core_only(void **state)
{
	struct sim_geometry g = small();

	(void)state;
	g.levels[2] = g.levels[1];
	g.levels[1] = g.levels[0];
	g.levels[1].inclusion = SIM_INCLUSIVE;
	g.level_count = 3;
	begin(&g);
	access_line(A, 1, SIM_LOAD);
	load_lines(B, 1, 3);
	assert_true(is_noop(A, 1));
	access_line(A, 1, SIM_LOAD);
	assert_int_equal(loads_missed(A, 0), 1);
	access_line(B, 1, SIM_LOAD);
	assert_int_equal(loads_missed(B, 0), 4);
	assert_int_equal(loads_missed(B, 1), 4);
	assert_int_equal(loads_missed(B, 2), 2); /* lines 2 and 3 */
	end();
}

/* Lines 1 to 4 fill the last level; line 5 evicts line 1. */
static void an_inclusive_shared_level_evicts_from_all_cores(void **state)
{
	struct sim_geometry g = small();

	(void)state;
	g.levels[1].inclusion = SIM_INCLUSIVE;
	begin(&g);
	access_line(A, 1, SIM_LOAD);
	load_lines(B, 2, 4);
	assert_true(is_noop(A, 1));
	access_line(B, 5, SIM_LOAD);
	assert_false(is_noop(A, 1));
	access_line(A, 1, SIM_LOAD);
	assert_int_equal(loads_missed(A, 0), 2);
	assert_int_equal(loads_missed(A, 1), 2);
	end();
}

static void a_write_back_counts_for_the_access_that_evicts(void **state)
{
	struct sim_geometry g = small();

	(void)state;
	g.levels[1].inclusion = SIM_INCLUSIVE;
	g.write_backs = true;
	begin(&g);
	access_line(A, 1, SIM_STORE);
	load_lines(B, 2, 5);
	for (unsigned level = 0; level < 2; level++) {
		assert_int_equal(count_of(A, SIM_WRITE_BACKS + level), 0);
		assert_int_equal(count_of(B, SIM_WRITE_BACKS + level), 1);
	}
	end();
}

/* A loads line 1 into the last level, and B uses it: 1000 / 2 uses. */
static void use_in_a_shared_level_is_charged_to_the_core_that_loaded(void **state)
{
	struct sim_geometry g = small();
	unsigned cost;

	(void)state;
	g.line_use = true;
	begin(&g);
	cost = shared.list.index[SIM_LINE_USE + 2];
	core[A].tag = 1;
	core[B].tag = 2;
	access_line(A, 1, SIM_LOAD);
	load_lines(B, 1, 4);
	assert_int_equal(charged[1][cost], 0);
	access_line(B, 5, SIM_LOAD);
	assert_int_equal(charged[1][cost], 500);
	assert_int_equal(charged[2][cost], 0);
	sim_shared_finish(&shared); /* lines 2 to 5 are still there */
	assert_int_equal(charged[1][cost], 500);
	assert_int_equal(charged[2][cost], 4000);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_that_one_core_loaded_hits_in_the_shared_level),
		cmocka_unit_test(of_one_level_nothing_is_shared),
		cmocka_unit_test(private_levels_lose_lines_of_their_core_only),
		cmocka_unit_test(an_inclusive_shared_level_evicts_from_all_cores),
		cmocka_unit_test(a_write_back_counts_for_the_access_that_evicts),
		cmocka_unit_test(use_in_a_shared_level_is_charged_to_the_core_that_loaded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
