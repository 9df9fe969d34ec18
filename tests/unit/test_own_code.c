/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of the functions at a location is the user's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "estimate/own_code.h"

static void check(struct store_frame *frames, uint32_t count, const char *expected)
{
	const struct store_location l = {.frames = frames, .frame_count = count};

	assert_string_equal(own_code_frame(&l)->function, expected);
}

static void inlined_code_of_a_library_is_its_users(void **state)
{
	struct store_frame frames[] = {{"_S_left", "/usr/include/c++/12/bits/stl_tree.h", 1},
				       {"find", "/usr/include/c++/12/bits/stl_map.h", 2},
				       {"look_up", "/home/me/names.cc", 3},
				       {"main", "/home/me/main.cc", 4}};

	(void)state;
	check(frames, 4, "look_up");
	check(frames, 2, "find"); /* nobody else is there */
}

static void inlined_code_of_the_user_has_its_own_name(void **state)
{
	struct store_frame frames[] = {{"walk", "/home/me/list.cc", 1},
				       {"main", "/home/me/list.cc", 2}};
	struct store_frame container[] = {{"walk", "/usr/src/app/list.hpp", 1},
					  {"main", "/usr/src/app/main.cpp", 2}};

	(void)state;
	check(frames, 2, "walk");
	check(container, 2, "walk");
}

/* In C++ headers have all kinds of code. */
static void accessors_of_c_are_their_users(void **state)
{
	struct store_frame c[] = {{"Py_TYPE", "./Include/object.h", 1},
				  {"dict_traverse", "Objects/dictobject.c", 2}};
	struct store_frame cc[] = {{"walk", "list.h", 1}, {"main", "main.cc", 2}};

	(void)state;
	check(c, 2, "dict_traverse");
	check(cc, 2, "walk");
}

static void code_without_a_file_has_its_name(void **state)
{
	struct store_frame one[] = {{"[libm.so.6+0x1234]", NULL, 0}};
	const struct store_location none = {0};

	(void)state;
	check(one, 1, "[libm.so.6+0x1234]");
	assert_null(own_code_frame(&none));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inlined_code_of_a_library_is_its_users),
		cmocka_unit_test(inlined_code_of_the_user_has_its_own_name),
		cmocka_unit_test(accessors_of_c_are_their_users),
		cmocka_unit_test(code_without_a_file_has_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
