/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call stacks, from a walk and from a buffer's calls and returns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/translate/translate.h"
#include "engine/unwind/call_stack.h"
#include "engine/unwind/unwind.h"

#define MOST 64u

/* The stack as a walk finds it, the innermost frame first. */
static struct call_frame memory[MOST];
static uint32_t frames, steps;

bool unwind_step(struct unwind_walk *w)
{
	steps++;
	for (uint32_t i = 0; i < frames; i++)
		if (memory[i].slot >= w->rsp) {
			w->pc = memory[i].back;
			w->rsp = memory[i].slot + 8;
			return true;
		}
	return false;
}

bool unwind_needs_rbp(uint64_t pc)
{
	return false;
}

long engine_peek(uint64_t *to, const void *from)
{
	for (uint32_t i = 0; i < frames; i++)
		if (memory[i].slot == (uint64_t)(uintptr_t)from) {
			*to = memory[i].back;
			return 0;
		}
	return -1;
}

long engine_same(const uint64_t (*reads)[2], uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		uint64_t v;

		if (engine_peek(&v, (const void *)(uintptr_t)reads[i][0]) != 0 || v != reads[i][1])
			return -1;
	}
	return 0;
}

/* Descriptor n is that of a call that returns to n, 0 that of a return. */
static struct stream_desc desc;

const struct stream_desc *translate_desc(uint32_t number)
{
	desc.back = number;
	return &desc;
}

static struct call_stack calls;
static uint64_t buffer[1024];
static struct thread t;

static void begin(void)
{
	memset(&t, 0, sizeof t);
	memset(&calls, 0, sizeof calls);
	t.variant = VARIANT_STREAM;
	t.buf_memory = buffer;
	t.call_stack = &calls;
	t.buf = t.buf_start = buffer;
	frames = steps = 0;
	call_stack_break(&t);
}

static void frame(uint64_t slot, uint64_t back)
{
	memory[frames++] = (struct call_frame){slot, back};
}

static void trailer(uint32_t bits)
{
	*t.buf++ = (uint64_t)(int64_t)(int32_t)(STREAM_TRAILER_BIT | STREAM_PLAIN_BIT | bits);
}

static void call(uint64_t slot, uint32_t back)
{
	*t.buf++ = slot;
	trailer(STREAM_CALL_BIT | back);
}

static void leave(uint64_t slot)
{
	call(slot, 0);
}

/* The path at an entry that comes now is this one, up to a 0. */
static void assert_path(const uint64_t *wanted)
{
	uint64_t path[PATH_MAX_DEPTH];
	uint32_t n, i;

	calls.entry = t.buf;
	*t.buf++ = 0x1234;
	trailer(77);
	n = call_stack_path(&t, 0, path, PATH_MAX_DEPTH);
	for (i = 0; i < n && wanted[i]; i++)
		assert_int_equal(path[i], wanted[i]);
	assert_int_equal(i, n);
	assert_true(i == PATH_MAX_DEPTH || wanted[i] == 0);
}

#define ASSERT_PATH(...) assert_path((const uint64_t[]){__VA_ARGS__, 0})

static void enter(uint64_t rsp)
{
	t.regs[RSP] = rsp;
	call_stack_enter(&t);
}

static void two_frames(void)
{
	begin();
	frame(0x8000, 501);
	frame(0x8100, 502);
	enter(0x7ff0);
}

static void a_walk_is_the_path_until_something_is_called(void **state)
{
	two_frames();
	ASSERT_PATH(501, 502);
	call(0x7fe8, 1);
	ASSERT_PATH(1, 501, 502);
	call(0x7fd0, 2);
	ASSERT_PATH(2, 1, 501, 502);
	leave(0x7fd0);
	ASSERT_PATH(1, 501, 502);
	leave(0x7fe8);
	leave(0x8000);
	ASSERT_PATH(502);
	leave(0x8100);
	ASSERT_PATH(0);
}

static void frames_left_without_a_return_are_gone(void **state)
{
	two_frames();
	for (uint32_t i = 1; i < 10; i++)
		call(0x7ff0 - 16 * i, i);
	ASSERT_PATH(9, 8, 7, 6, 5, 4, 3, 2, 1, 501, 502);
	call(0x7fd8, 20); /* between the first and the second */
	ASSERT_PATH(20, 1, 501, 502);
	for (uint32_t i = 3; i < 10; i++)
		call(0x7ff0 - 16 * i, i);
	leave(0x7fe0);
	ASSERT_PATH(501, 502);
}

static void an_entry_is_asked_about_when_later_ones_are_there(void **state)
{
	const uint64_t *inside;
	uint64_t path[2];

	two_frames();
	call(0x7fe8, 1);
	inside = t.buf;
	*t.buf++ = 0x9999;
	trailer(3);
	leave(0x7fe8);
	leave(0x8000);
	calls.entry = inside;
	assert_int_equal(call_stack_path(&t, 0, path, 2), 2);
	assert_true(path[0] == 1 && path[1] == 501);
	ASSERT_PATH(502);
}

static void another_stack_has_no_callers_of_this_one(void **state)
{
	two_frames();
	call(0x7fe8, 1);
	call(0x10000000, 2); /* far above */
	ASSERT_PATH(2);
	call(0x7fe8, 3);
	ASSERT_PATH(3);
}

static void deep_recursion_keeps_the_innermost(void **state)
{
	two_frames();
	for (uint32_t i = 1; i <= 1000; i++) {
		call(0x7ff0 - 16 * i, i);
		if (t.buf > buffer + 900) {
			*t.buf = 0;
			calls.entry = t.buf;
			call_stack_path(&t, 0, (uint64_t[1]){0}, 1);
			calls.known = t.buf = buffer;
		}
	}
	ASSERT_PATH(1000, 999, 998, 997, 996, 995, 994, 993, 992, 991, 990, 989, 988, 987, 986,
		    985);
	for (uint32_t i = 1000; i > 990; i--)
		leave(0x7ff0 - 16 * i);
	ASSERT_PATH(990, 989, 988, 987, 986, 985, 984, 983, 982, 981, 980, 979, 978, 977, 976, 975);
}

static void a_second_walk_ends_where_it_meets_the_first(void **state)
{
	begin();
	frame(0x7000, 400);
	for (uint32_t i = 0; i < 30; i++)
		frame(0x8000 + 16 * i, 500 + i);
	enter(0x7008);
	assert_int_equal(steps, 31);
	memory[0] = (struct call_frame){0x7f00, 401};
	steps = 0;
	call_stack_break(&t);
	t.buf = buffer;
	enter(0x7e00);
	assert_int_equal(steps, 2);
	ASSERT_PATH(401, 500, 501, 502, 503, 504, 505, 506, 507, 508, 509, 510, 511, 512, 513, 514);
	/* If something farther out has changed, beyond that. */
	memory[20].back = 999;
	steps = 0;
	call_stack_break(&t);
	t.buf = buffer;
	enter(0x7e00);
	assert_int_equal(steps, 22);
}

static void at_a_functions_entry_its_caller_is_on_the_stack(void **state)
{
	two_frames();
	call_stack_at_entry(&t, 0x8000, 0);
	ASSERT_PATH(501, 502);
	call_stack_at_entry(&t, 0x1, 0); /* unreadable */
	t.buf = buffer;
	ASSERT_PATH(0);
}

static void a_stack_that_was_not_walked_is_not_known(void **state)
{
	begin();
	frame(0x8000, 501);
	ASSERT_PATH(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_walk_is_the_path_until_something_is_called),
		cmocka_unit_test(frames_left_without_a_return_are_gone),
		cmocka_unit_test(an_entry_is_asked_about_when_later_ones_are_there),
		cmocka_unit_test(another_stack_has_no_callers_of_this_one),
		cmocka_unit_test(deep_recursion_keeps_the_innermost),
		cmocka_unit_test(a_second_walk_ends_where_it_meets_the_first),
		cmocka_unit_test(at_a_functions_entry_its_caller_is_on_the_stack),
		cmocka_unit_test(a_stack_that_was_not_walked_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
