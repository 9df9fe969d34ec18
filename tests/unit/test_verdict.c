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
static struct verdict two_caches(double l2)
{
	return (struct verdict){
		.caches = {{"L1d", 49152, 0.2, 0.18, 0.22},
			   {"L2", 2097152, l2, l2 * 0.9, l2 * 1.1}},
		.cache_count = 2,
		.size_bytes = 49152,
		.ratio = 0.2,
		.file = "dwell.db",
		.process = QUERY_ANY,
	};
}

static void check(const struct verdict *v, const char *expected)
{
	struct text out = {0};

	verdict_put(v, &display, &out);
	assert_string_equal(text_get(&out), expected);
	text_release(&out);
}

static void what_fits_is_said_with_its_limit(void **state)
{
	struct verdict v = two_caches(0.005);

	(void)state;
	check(&v, "Fits in L2 (at most 0.55 % miss), not in L1d (20 % miss).\nNext: dwell info\n");
}

static void what_fits_nowhere_is_said(void **state)
{
	struct verdict v = two_caches(0.05);

	(void)state;
	check(&v, "Fits in no cache (5.0 % miss L2).\nNext: dwell info\n");
}

static void first_touches_are_no_lack_of_cache(void **state)
{
	struct verdict v = two_caches(0.05);

	(void)state;
	v.cold = 0.045;
	check(&v, "Nearly all misses of L2 (5.0 %) are first touches, which no cache avoids; does\n"
		  "not fit in L1d (20 % miss).\nNext: dwell info\n");
	v.cold = 0.03;
	check(&v, "Fits in no cache (5.0 % miss L2).\nNext: dwell info\n");
}

static void one_structure_is_named_before_a_function(void **state)
{
	struct verdict v = two_caches(0.005);

	(void)state;
	v.function = "walk";
	v.function_share = 0.9;
	v.data = "nodes";
	v.data_share = 0.6;
	check(&v, "Fits in L2 (at most 0.55 % miss), not in L1d (20 % miss); one structure makes\n"
		  "60 % of the misses of L1d: nodes.\nNext: dwell objects -s 48K\n");
}

static void fields_of_one_structure_are_asked_for_before_code(void **state)
{
	struct verdict v = two_caches(0.05);

	(void)state;
	v.is_exact = v.has_bins = v.has_fields = true;
	v.data = "nodes";
	v.data_share = 0.6;
	check(&v,
	      "Fits in no cache (5.0 % miss L2); one structure makes 60 % of the misses of L1d:\n"
	      "nodes.\nNext: dwell objects --fields\n");
	v.data_share = 0.4;
	check(&v, "Fits in no cache (5.0 % miss L2).\nNext: dwell bins\n");
}

static void the_next_command_asks_about_the_same_cache(void **state)
{
	struct verdict v = two_caches(0.05);

	(void)state;
	v.is_lru = true;
	v.ways = 8;
	v.data = "nodes";
	v.data_share = 0.6;
	check(&v,
	      "Fits in no cache (5.0 % miss L2); one structure makes 60 % of the misses of L1d:\n"
	      "nodes.\nNext: dwell objects --policy lru --ways 8 -s 48K\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_is_said_with_its_limit),
		cmocka_unit_test(what_fits_nowhere_is_said),
		cmocka_unit_test(first_touches_are_no_lack_of_cache),
		cmocka_unit_test(the_next_command_asks_about_the_same_cache),
		cmocka_unit_test(one_structure_is_named_before_a_function),
		cmocka_unit_test(fields_of_one_structure_are_asked_for_before_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
