/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which way a run is simulated, what it cannot tell, and what excludes what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/plan/plan.h"

static struct sim_cache_geometry cache(uint64_t kilobytes, uint32_t ways)
{
	return (struct sim_cache_geometry){
		.size_bytes = kilobytes << 10, .ways = ways, .line_bytes = 64};
}

static struct sim_geometry two_levels(void)
{
	return (struct sim_geometry){
		.code = cache(32, 8), .levels = {cache(32, 8), cache(1024, 16)}, .level_count = 2};
}

static struct sim_plan plan_of(const struct sim_geometry *g, uint32_t asks)
{
	const struct sim_request r = {.geometries = g, .count = 1, .asks = asks};
	struct sim_plan plan;

	sim_plan_make(&r, &plan);
	assert_true((plan.way == SIM_WAY_REPLAY) == (plan.why != NULL));
	for (uint32_t left = plan.missing; left != 0; left &= left - 1)
		assert_non_null(sim_plan_why_missing(&r, &plan, left & -left));
	return plan;
}

static void caches_choose_the_way(void **state)
{
	struct sim_geometry g = two_levels();

	(void)state;
	assert_int_equal(plan_of(&g, 0).way, SIM_WAY_PAIR);
	g.levels[1].ways = 64;
	assert_int_equal(plan_of(&g, 0).way, SIM_WAY_FIRST);
	g = two_levels();
	g.levels[0].replacement = SIM_REPLACE_PLRU;
	assert_int_equal(plan_of(&g, 0).way, SIM_WAY_FIRST);
	g.levels[0].replacement = SIM_REPLACE_SRRIP;
	assert_int_equal(plan_of(&g, 0).way, SIM_WAY_REPLAY);
	g = two_levels();
	g.data_tlb = (struct sim_tlb_geometry){.entries = 64, .ways = 4, .page_bytes = 4096};
	assert_int_equal(plan_of(&g, 0).way, SIM_WAY_WALK);
	g.data_tlb.page_bytes = 2 << 20;
	assert_int_equal(plan_of(&g, 0).way, SIM_WAY_REPLAY);
	g = two_levels();
	g.levels[0].line_bytes = 128;
	assert_int_equal(plan_of(&g, 0).way, SIM_WAY_REPLAY);
	g = two_levels();
	g.levels[2] = cache(4096, 16);
	g.level_count = 3;
	assert_int_equal(plan_of(&g, 0).way, SIM_WAY_WALK);
	assert_int_equal(plan_of(&g, SIM_ASK_DATA).way, SIM_WAY_FIRST);
}

static void several_hierarchies_take_one_pass(void **state)
{
	struct sim_geometry g[2] = {two_levels(), two_levels()};
	const struct sim_request r = {.geometries = g, .count = 2, .asks = SIM_ASK_ALSO};
	struct sim_plan plan;

	(void)state;
	sim_plan_make(&r, &plan);
	assert_int_equal(plan.way, SIM_WAY_SEVERAL);
	g[1].levels[0].replacement = SIM_REPLACE_FIFO;
	sim_plan_make(&r, &plan);
	assert_int_equal(plan.way, SIM_WAY_REPLAY);
}

static void what_a_way_cannot_is_missing(void **state)
{
	struct sim_geometry g = two_levels();

	(void)state;
	assert_int_equal(plan_of(&g, SIM_ASK_DATA | SIM_ASK_CONFLICTS).missing, 0);
	assert_int_equal(plan_of(&g, SIM_ASK_REFERENCES | SIM_ASK_CONTEXT).missing, 0);
	g.write_backs = true;
	assert_int_equal(plan_of(&g, SIM_ASK_DATA | SIM_ASK_REFERENCES).missing, 0);
	assert_int_equal(plan_of(&g, SIM_ASK_REFERENCES | SIM_ASK_LINE_USE).missing,
			 SIM_ASK_REFERENCES);
	assert_int_equal(plan_of(&g, SIM_ASK_DATA | SIM_ASK_CONFLICTS).missing, SIM_ASK_CONFLICTS);
	assert_int_equal(plan_of(&g, SIM_ASK_DATA | SIM_ASK_NO_FILTER).missing, SIM_ASK_DATA);
}

static void without_room_all_is_replayed(void **state)
{
	const struct sim_geometry g = two_levels();
	const struct sim_request r = {
		.geometries = &g, .count = 1, .asks = SIM_ASK_DATA, .no_room = true};
	struct sim_plan plan;

	(void)state;
	sim_plan_make(&r, &plan);
	assert_int_equal(plan.way, SIM_WAY_REPLAY);
	assert_int_equal(plan.missing, SIM_ASK_DATA);
}

static void options_exclude_each_other(void **state)
{
	uint32_t one, other;

	(void)state;
	assert_null(sim_plan_contradiction(SIM_ASK_DATA | SIM_ASK_CONTEXT, &one, &other));
	assert_non_null(sim_plan_contradiction(SIM_ASK_DATA | SIM_ASK_ALSO, &one, &other));
	assert_string_equal(sim_ask_option(one), "--data");
	assert_string_equal(sim_ask_option(other), "--also");
	assert_non_null(sim_plan_contradiction(SIM_ASK_JUMPS | SIM_ASK_NO_GRAPH, &one, &other));
	assert_string_equal(sim_ask_option(other), "--no-call-graph");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(caches_choose_the_way),
		cmocka_unit_test(several_hierarchies_take_one_pass),
		cmocka_unit_test(what_a_way_cannot_is_missing),
		cmocka_unit_test(without_room_all_is_replayed),
		cmocka_unit_test(options_exclude_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
