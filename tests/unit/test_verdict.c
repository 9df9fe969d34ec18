/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verdict of the first screen, from the figures of its rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "query/query.h"
#include "views/screen/verdict.h"

static const struct display display = {.width = 80, .unicode = true};

/* L1d of 48K that 20 % miss, L2 of 2M that `l2` miss, with intervals of a tenth up and down. */
static struct verdict two_caches(double l2, double cold)
{
	struct verdict v = {
		.cost = {.levels = {{"L1d", 49152, 0.2, 0.18, 0.22, .miss_cycles = 10},
				    {"L2", 2097152, l2, l2 * 0.9, l2 * 1.1, .miss_cycles = 200}},
			 .count = 2,
			 .instructions = 4,
			 .cold = cold,
			 .cold_low = cold,
			 .cold_high = cold},
		.is_cold_known = true,
		.file = "dwell.db",
		.process = QUERY_ANY,
	};

	cost_solve(&v.cost);
	return v;
}

static void check(const struct verdict *v, const char *expected)
{
	struct text out = {0};

	verdict_put(v, &display, &out);
	assert_string_equal(text_get(&out), expected);
	text_release(&out);
}

static void the_level_that_costs_most_is_said(void **state)
{
	struct verdict v = two_caches(0.005, 0.004);

	(void)state;
	check(&v, "Waits for memory: misses cost about 0.54 cycles an instruction, most of it in\n"
		  "L1d (20 % miss), which L2 serves; fits in L2.\nNext: dwell info\n");
	v = two_caches(0.1, 0.004);
	check(&v,
	      "Waits for memory: misses cost about 5.1 cycles an instruction, most of it in L2\n"
	      "(10 % miss), which memory serves.\nNext: dwell info\n");
}

static void what_costs_little_is_said_with_its_limit(void **state)
{
	struct verdict v = two_caches(0, 0);

	(void)state;
	v.cost.levels[0].ratio = v.cost.levels[0].low = 0.01;
	v.cost.levels[0].high = 0.03;
	cost_solve(&v.cost);
	check(&v, "Does not wait for memory: misses cost at most 0.08 cycles an instruction; fits\n"
		  "in L1d.\nNext: dwell curve\n");
}

/* First touches are no lack of cache. */
static void first_touches_are_told_apart(void **state)
{
	struct verdict v = two_caches(0.05, 0.05);

	(void)state;
	v.cost.levels[0].ratio = v.cost.levels[0].low = v.cost.levels[0].high = 0.06;
	v.cost.levels[1].low = v.cost.levels[1].high = 0.05;
	cost_solve(&v.cost);
	check(&v,
	      "Waits for memory that it touches for the first time: that costs about 2.5 cycles\n"
	      "an instruction, and no cache avoids it: allocate less, or use memory again.\n"
	      "Next: dwell info\n");
}

/* A wide interval is no answer; nor are misses that may all be first touches. */
static void what_is_not_known_is_not_said(void **state)
{
	struct verdict v = two_caches(0.001, 0);

	(void)state;
	v.cost.levels[0].ratio = v.cost.levels[0].high = 0.02;
	v.cost.levels[0].low = 0;
	v.cost.levels[1].low = 0;
	v.cost.levels[1].high = 0.01;
	cost_solve(&v.cost);
	check(&v,
	      "Cannot tell yet whether it waits for memory: misses cost 0.00 to 0.53 cycles an\n"
	      "instruction: 'record --duty 50' tells more, 'simulate' all.\n"
	      "Next: dwell curve\n");
	v.is_exact = true;
	v.is_cold_known = false;
	check(&v,
	      "Cannot tell yet whether it waits for memory: misses cost 0.00 to 0.53 cycles an\n"
	      "instruction, as many may be first touches: 'simulate --data' counts them.\n"
	      "Next: dwell calls\n");
}

static void function_and_data_are_named_together(void **state)
{
	struct verdict v = two_caches(0.1, 0);

	(void)state;
	v.function = "walk";
	v.function_share = 0.9;
	v.data = "nodes";
	v.data_share = 0.6;
	check(&v,
	      "Waits for memory: misses cost about 5.2 cycles an instruction, most of it in L2\n"
	      "(10 % miss), which memory serves. It waits in walk (90 %), for nodes (60 %).\n"
	      "Next: dwell objects\n");
	v.function_share = v.data_share = 0.3;
	check(&v,
	      "Waits for memory: misses cost about 5.2 cycles an instruction, most of it in L2\n"
	      "(10 % miss), which memory serves; that is spread: no function has more than\n"
	      "30 %.\nNext: dwell objects\n");
}

static void fields_of_one_structure_are_asked_for_before_code(void **state)
{
	struct verdict v = two_caches(0.1, 0);

	(void)state;
	v.is_exact = v.has_bins = v.has_fields = true;
	v.data = "nodes";
	v.data_share = 0.6;
	check(&v,
	      "Waits for memory: misses cost about 5.2 cycles an instruction, most of it in L2\n"
	      "(10 % miss), which memory serves. It waits for nodes (60 %).\n"
	      "Next: dwell objects --fields\n");
	v.data_share = 0.4;
	check(&v,
	      "Waits for memory: misses cost about 5.2 cycles an instruction, most of it in L2\n"
	      "(10 % miss), which memory serves.\nNext: dwell bins\n");
}

static void the_next_command_asks_about_the_same_cache(void **state)
{
	struct verdict v = two_caches(0.1, 0);

	(void)state;
	v.is_lru = true;
	v.ways = 8;
	v.caches = "32K,1M";
	v.size_bytes = 49152;
	v.data = "nodes";
	v.data_share = 0.6;
	check(&v,
	      "Waits for memory: misses cost about 5.2 cycles an instruction, most of it in L2\n"
	      "(10 % miss), which memory serves. It waits for nodes (60 %).\n"
	      "Next: dwell objects --policy lru --ways 8 --caches 32K,1M -s 48K\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_level_that_costs_most_is_said),
		cmocka_unit_test(what_costs_little_is_said_with_its_limit),
		cmocka_unit_test(first_touches_are_told_apart),
		cmocka_unit_test(what_is_not_known_is_not_said),
		cmocka_unit_test(function_and_data_are_named_together),
		cmocka_unit_test(the_next_command_asks_about_the_same_cache),
		cmocka_unit_test(fields_of_one_structure_are_asked_for_before_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
