/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of call paths, even when there are too many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/core/records.h"
#include "engine/core/util.h"
#include "engine/unwind/call_stack.h"
#include "engine/unwind/paths.h"

struct engine engine;
static uint64_t now[PATH_MAX_DEPTH];
static uint32_t now_depth;
static uint32_t told, told_depth, messages;
static bool ring_is_full;
static struct call_stack stack;
static struct thread t = {.call_stack = &stack};

void *pages_get(uint64_t bytes)
{
	return calloc(1, bytes);
}

void pages_put(void *p, uint64_t bytes)
{
	free(p);
}

uint32_t call_stack_path(struct thread *thread, uint64_t pc, uint64_t *path, uint32_t room)
{
	memcpy(path, now, now_depth * sizeof *path);
	return now_depth;
}

bool records_path(struct process *p, uint32_t id, const uint64_t *path, uint32_t depth)
{
	if (ring_is_full)
		return false;
	assert_int_equal(id, told + 1);
	told = id;
	told_depth = depth;
	return true;
}

void records_message(struct process *p, const char *text)
{
	messages++;
}

/* The path of `depth` calls whose outermost is `last`. */
static uint32_t number(uint32_t depth, uint64_t last)
{
	now_depth = depth;
	for (uint32_t i = 0; i < depth; i++)
		now[i] = 0x1000 + i;
	if (depth)
		now[depth - 1] = last;
	return paths_number(&t, 0);
}

static int begin(void **state)
{
	static bool is_begun;

	/* A forked child begins anew, with what its parent had given back. */
	engine.config.paths = 1;
	if (is_begun)
		paths_forked();
	else
		paths_init();
	is_begun = true;
	told = messages = 0;
	return 0;
}

static void a_path_has_one_number_and_is_told_once(void **state)
{
	assert_int_equal(number(3, 7), 1);
	assert_int_equal(number(3, 8), 2);
	assert_int_equal(number(3, 7), 1);
	assert_int_equal(number(2, 7), 3);
	assert_int_equal(told, 3);
	assert_int_equal(number(0, 0), 0);
}

static void a_path_that_was_lost_is_told_again(void **state)
{
	ring_is_full = true;
	assert_int_equal(number(3, 7), 0);
	ring_is_full = false;
	assert_int_equal(number(3, 7), 1);
}

static void too_many_paths_are_cut(void **state)
{
	for (uint32_t i = 0; i < 32768; i++)
		assert_int_equal(number(16, 100000 + i), i + 1);
	assert_int_equal(messages, 0);
	assert_int_equal(number(16, 1), 32769);
	assert_int_equal(told_depth, 6);
	assert_int_equal(number(16, 2), 32769);
	assert_int_equal(number(16, 100005), 6);
	assert_int_equal(messages, 1);
	for (uint32_t i = 0; i < 40000; i++)
		number(6, 100000 + i);
	assert_true(number(16, 3) != 0);
	assert_int_equal(messages, 1);
	for (uint32_t i = 0; i < 40000; i++)
		number(1, 200000 + i);
	assert_int_equal(told, 65536);
	assert_int_equal(number(1, 300000), 0);
	assert_int_equal(number(1, 200000), 49154); /* after one of three calls */
}

static void a_child_tells_its_paths_again(void **state)
{
	assert_int_equal(number(3, 7), 1);
	paths_forked();
	told = 0;
	assert_int_equal(number(3, 8), 1);
	assert_int_equal(number(3, 7), 2);
}

/* One window in eight, and the first eight. */
static void windows_without_paths_have_none(void **state)
{
	engine.config.paths = 8;
	paths_choose(&t, 9);
	assert_int_equal(number(3, 7), 0);
	paths_choose(&t, 7); /* one of the first */
	assert_int_equal(number(3, 7), 1);
	paths_choose(&t, 16);
	assert_int_equal(number(3, 7), 1);
	engine.config.paths = 1;
	paths_choose(&t, 9);
	assert_int_equal(number(3, 8), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_path_has_one_number_and_is_told_once, begin),
		cmocka_unit_test_setup(a_path_that_was_lost_is_told_again, begin),
		cmocka_unit_test_setup(too_many_paths_are_cut, begin),
		cmocka_unit_test_setup(a_child_tells_its_paths_again, begin),
		cmocka_unit_test_setup(windows_without_paths_have_none, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
