/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sizes and numbers as people type them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/size.h"

static uint64_t parsed(const char *text)
{
	struct err err;
	uint64_t bytes;

	return size_parse(text, &bytes, &err) == 0 ? bytes : 0;
}

static void sizes_use_powers_of_1024(void **state)
{
	(void)state;
	assert_int_equal(parsed("4096"), 4096);
	assert_int_equal(parsed("8K"), 8192);
	assert_int_equal(parsed("8k"), 8192);
	assert_int_equal(parsed("64MB"), 67108864);
	assert_int_equal(parsed("1GiB"), 1073741824);
	assert_int_equal(parsed("3T"), 3298534883328);
	assert_int_equal(parsed("12B"), 12);
	assert_int_equal(parsed("18446744073709551615"), UINT64_MAX);
}

static void what_is_no_size_is_refused(void **state)
{
	static const char *const wrong[] = {
		"",	    "K",  "-8K", "+8K", "8.5K", "0x10", "8KK",
		"8X",	    "8 ", "0",	 "0K",	"8iB",	" 8",	"18446744073709551616",
		"16777216T"};
	struct err err;
	uint64_t bytes;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(size_parse(wrong[i], &bytes, &err), -1);
	size_parse("-8K", &bytes, &err);
	assert_string_equal(err.text, "'-8K' is not a size: write it as 4096, 8K, 64M or 1G");
}

static void a_range_has_two_ends_in_order(void **state)
{
	struct err err;
	uint64_t low, high;

	(void)state;
	assert_int_equal(size_parse_range("8K:64M", &low, &high, &err), 0);
	assert_int_equal(low, 8192);
	assert_int_equal(high, 67108864);
	assert_int_equal(size_parse_range("8K:8K", &low, &high, &err), 0);
	assert_int_equal(size_parse_range("8K", &low, &high, &err), -1);
	assert_int_equal(size_parse_range("8K:", &low, &high, &err), -1);
	assert_int_equal(size_parse_range("64M:8K", &low, &high, &err), -1);
}

static void numbers_have_bounds_and_say_so(void **state)
{
	struct err err;
	uint64_t n;

	(void)state;
	assert_int_equal(number_parse("the period", "17", 1, UINT64_MAX, &n, &err), 0);
	assert_int_equal(n, 17);
	assert_int_equal(number_parse("the period", "0", 1, UINT64_MAX, &n, &err), -1);
	assert_string_equal(err.text, "the period must be at least 1, not 0");
	assert_int_equal(number_parse("the line", "9", 1, 8, &n, &err), -1);
	assert_string_equal(err.text, "the line must be 1 to 8, not 9");
	assert_int_equal(number_parse("the line", "1e3", 1, 8, &n, &err), -1);
}

static void sizes_are_written_as_they_are_read(void **state)
{
	char buf[SIZE_TEXT_BYTES];

	(void)state;
	assert_string_equal(size_format(8192, buf), "8K");
	assert_string_equal(size_format(48 << 10, buf), "48K");
	assert_string_equal(size_format(64 << 20, buf), "64M");
	assert_string_equal(size_format(1572864, buf), "1.5M");
	assert_string_equal(size_format(63, buf), "63");
	assert_string_equal(size_format(0, buf), "0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_use_powers_of_1024),
		cmocka_unit_test(what_is_no_size_is_refused),
		cmocka_unit_test(a_range_has_two_ends_in_order),
		cmocka_unit_test(numbers_have_bounds_and_say_so),
		cmocka_unit_test(sizes_are_written_as_they_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
