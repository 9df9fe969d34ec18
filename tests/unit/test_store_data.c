/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variables and sites, written and read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "profiles.h"
#include "scratch.h"
#include "store/store.h"

#define PATH "dwell.db"

static const int64_t call_path[] = {3, 1, 2};

static const struct store_variable variables[] = {
	{1, 0, 0x1000, 0x1040, "list::head", "struct node *[8]", "/src/list.c", 12, 8, "/bin/list"},
	{2, 0, 0xffffffff80000000, 0xffffffffffffffff, ".bss of x", NULL, NULL, 0, 0, "/bin/x"},
	{3, 1, 0x1000, 0x1001, "a, \"b\"", "char", NULL, 0, 0, NULL},
};

static const struct store_site sites[] = {
	{1, 0, "calloc", NULL, call_path, 3, 24, 100, 2400, 10, 240, 1200, 24, 24},
	{2, 0, "stack", NULL, NULL, 0, 0, 1, 8192, 1, 8192, 8192, 8192, 8192},
	{3, 1, "region", "grid", NULL, 0, 8, 1, UINT64_MAX >> 1, 1, 5, 6, 7, 8},
};

static const int64_t deep[STORE_MAX_PATH] = {9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 1};

static const struct store_path paths[] = {
	{1, 0, call_path, 3},
	{2, 1, call_path + 1, 1},
	{3, 0, deep, STORE_MAX_PATH},
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static void write_file(void)
{
	struct store *s = create_profile(PATH);

	for (size_t i = 0; i < COUNT(variables); i++)
		assert_int_equal(store_put_variable(s, &variables[i], NULL), 0);
	for (size_t i = 0; i < COUNT(sites); i++)
		assert_int_equal(store_put_site(s, &sites[i], NULL), 0);
	for (size_t i = 0; i < COUNT(paths); i++)
		assert_int_equal(store_put_path(s, &paths[i], NULL), 0);
	finish_profile(s);
}

static void assert_same_text(const char *a, const char *b)
{
	if (b == NULL)
		assert_null(a);
	else
		assert_string_equal(a, b);
}

static void a_path_comes_back_as_it_was(void **state)
{
	static const size_t order[] = {0, 2, 1}; /* by process */
	struct store_path *p;
	struct store *s;
	size_t count;

	write_file();
	s = open_profile(PATH);
	assert_int_equal(store_read_paths(s, STORE_ALL, &p, &count, NULL), 0);
	assert_int_equal(count, COUNT(paths));
	for (size_t i = 0; i < count; i++) {
		const struct store_path *wanted = &paths[order[i]];

		assert_int_equal(p[i].id, wanted->id);
		assert_int_equal(p[i].process_id, wanted->process_id);
		assert_int_equal(p[i].count, wanted->count);
		assert_memory_equal(p[i].locations, wanted->locations,
				    wanted->count * sizeof(*wanted->locations));
	}
	free(p);
	assert_int_equal(store_read_paths(s, 1, &p, &count, NULL), 0);
	assert_int_equal(count, 1);
	assert_int_equal(p[0].id, 2);
	free(p);
	store_close(s);
}

static void a_variable_comes_back_as_it_was(void **state)
{
	struct store_variable *v;
	struct store *s;
	size_t count;

	write_file();
	s = open_profile(PATH);
	assert_int_equal(store_read_variables(s, STORE_ALL, &v, &count, NULL), 0);
	assert_int_equal(count, COUNT(variables));
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(v[i].id, variables[i].id);
		assert_int_equal(v[i].process_id, variables[i].process_id);
		assert_true(v[i].start == variables[i].start && v[i].end == variables[i].end);
		assert_int_equal(v[i].line, variables[i].line);
		assert_int_equal(v[i].element_size, variables[i].element_size);
		assert_same_text(v[i].name, variables[i].name);
		assert_same_text(v[i].type, variables[i].type);
		assert_same_text(v[i].file, variables[i].file);
		assert_same_text(v[i].module, variables[i].module);
	}
	free(v);
	assert_int_equal(store_read_variables(s, 1, &v, &count, NULL), 0);
	assert_int_equal(count, 1);
	assert_int_equal(v[0].id, 3);
	free(v);
	store_close(s);
}

static void a_site_comes_back_with_its_path(void **state)
{
	struct store_site *x;
	struct store *s;
	size_t count;

	write_file();
	s = open_profile(PATH);
	assert_int_equal(store_read_sites(s, STORE_ALL, &x, &count, NULL), 0);
	assert_int_equal(count, COUNT(sites));
	for (size_t i = 0; i < count; i++) {
		assert_same_text(x[i].kind, sites[i].kind);
		assert_same_text(x[i].name, sites[i].name);
		assert_int_equal(x[i].path_count, sites[i].path_count);
		for (size_t k = 0; k < x[i].path_count; k++)
			assert_int_equal(x[i].path[k], sites[i].path[k]);
		assert_true(x[i].bytes == sites[i].bytes && x[i].largest == sites[i].largest &&
			    x[i].smallest == sites[i].smallest &&
			    x[i].peak_bytes == sites[i].peak_bytes &&
			    x[i].live_bytes == sites[i].live_bytes &&
			    x[i].live_blocks == sites[i].live_blocks &&
			    x[i].blocks == sites[i].blocks &&
			    x[i].element_size == sites[i].element_size);
	}
	free(x);
	store_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_comes_back_as_it_was),
		cmocka_unit_test(a_variable_comes_back_as_it_was),
		cmocka_unit_test(a_site_comes_back_with_its_path),
	};

	return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
