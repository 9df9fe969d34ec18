/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of code made at run time, from files that this process writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbols/symbols.h"

static char path[64];

static FILE *open_map(void)
{
	FILE *out;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", (unsigned)getpid());
	unlink(path); /* what an earlier process of this number may have left */
	out = fopen(path, "w");
	assert_non_null(out);
	return out;
}

static void check_name(struct symbols *s, int file, uint64_t address, const char *name)
{
	const struct symbols_frame *f;

	assert_int_equal(symbols_resolve(s, file, address, &f), 1);
	assert_string_equal(f[0].function, name);
	assert_null(f[0].file);
}

static void the_last_one_told_counts(void **state)
{
	struct symbols *s = symbols_new();
	int file = symbols_runtime_code(s, (uint32_t)getpid());
	FILE *out = open_map();

	(void)state;
	fputs("1000 100 first\n2000 80 apart with blanks\n0x1080 0x40 inside\n"
	      "3000 1000 whole\n3100 10 part\n3080 200 over\n",
	      out);
	fclose(out);
	assert_true(symbols_is_runtime_code(s, file));
	assert_null(symbols_path(s, file));
	check_name(s, file, 0xfff, "[anon]");
	check_name(s, file, 0x1000, "first");
	check_name(s, file, 0x1080, "inside");
	check_name(s, file, 0x10c0, "first");
	check_name(s, file, 0x1100, "[anon]");
	check_name(s, file, 0x207f, "apart with blanks");
	check_name(s, file, 0x3104, "over");
	check_name(s, file, 0x3fff, "whole");
	symbols_free(s);
	unlink(path);
}

static void no_map_is_no_name(void **state)
{
	struct symbols *s = symbols_new();
	int file = symbols_runtime_code(s, (uint32_t)getpid()), other = symbols_file(s, "[anon]");

	(void)state;
	assert_int_not_equal(file, other);
	assert_false(symbols_is_runtime_code(s, other));
	assert_false(symbols_is_runtime_code(s, -1));
	check_name(s, file, 0x1000, "[anon]");
	symbols_free(s);
}

/* Whatever stands there, it takes bounded time, and names have no control characters. */
static void garbage_is_survived(void **state)
{
	struct symbols *s = symbols_new();
	int file = symbols_runtime_code(s, (uint32_t)getpid());
	FILE *out = open_map();
	const struct symbols_frame *f;
	clock_t begin;

	(void)state;
	for (unsigned i = 0; i < 1000000; i++)
		fputc((int)(i * 7919 >> 3 & 0xff), out);
	fputs("\n5000 10 \x1b[2J\xff\n", out);
	fprintf(out, "6000 10 %5000s 7000 10 no\n", "long");
	for (int i = 0; i < 200000; i++)
		fprintf(out, "%x fffffffff many\n", 0x10000 + i);
	fputs("8000 10", out); /* cut short */
	fclose(out);
	begin = clock();
	check_name(s, file, 0x5001, "\\x1b[2J\\xff");
	check_name(s, file, 0x7000, "[anon]");
	check_name(s, file, 0x8000, "[anon]");
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(symbols_resolve(s, file, 0x50000 + i, &f), 1);
	assert_true(clock() - begin < 10 * CLOCKS_PER_SEC);
	symbols_free(s);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_one_told_counts),
		cmocka_unit_test(no_map_is_no_name),
		cmocka_unit_test(garbage_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
