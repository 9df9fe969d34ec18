/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call graph's rules, each with a program of a few segments. Each segment costs one
 * instruction, so costs can be counted by hand: an inclusive cost is the number of lines executed
 * between the call and the return, including the return.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "call_fixture.h"

static void a_call_costs_what_happens_until_its_return(void **state)
{
	(void)state;
	begin();
	call(&p, 0x1000, AT(1));
	plain(&p, 0x2000);
	call(&p, 0x2010, AT(2));
	leave(&p, 0x3000, AT(2));
	leave(&p, 0x2020, AT(1));
	call(&p, 0x1010, AT(1)); /* another place of the same function */
	leave(&p, 0x3000, AT(1));
	plain(&p, 0x1020);
	program_end(&p);
	assert_arc(1, 2, 1, 4);
	assert_arc(2, 3, 1, 1);
	assert_arc(1, 3, 1, 1);
	assert_arc(NO_CALLER, 1, 1, 8);
	assert_int_equal(program_self(&p, 1), 3);
	assert_int_equal(program_self(&p, 2), 3);
	assert_int_equal(program_self(&p, 3), 2);
	finish();
}

static void calls_from_two_places_are_two_arcs(void **state)
{
	(void)state;
	begin();
	for (int i = 0; i < 3; i++) {
		call(&p, 0x1000, AT(1));
		leave(&p, 0x2000, AT(1));
	}
	call(&p, 0x1010, AT(1));
	leave(&p, 0x2000, AT(1));
	program_end(&p);
	assert_int_equal(program_arcs(&p, 1, 2, 0, 0).count, 2);
	assert_arc(1, 2, 4, 4);
	finish();
}

static void the_cost_of_recursion_is_that_of_the_outermost_call(void **state)
{
	(void)state;
	begin();
	call(&p, 0x1000, AT(1));
	for (int i = 2; i <= 5; i++)
		call(&p, 0x2000, AT(i));
	for (int i = 5; i >= 1; i--)
		leave(&p, 0x2010, AT(i));
	plain(&p, 0x1010);
	program_end(&p);
	assert_arc(1, 2, 1, 9); /* four calls, five returns */
	assert_arc(2, 2, 4, 0);
	assert_int_equal(program_arcs(&p, 2, 2, 0, SIM_ARC_RECURSIVE).count, 0);
	finish();
}

static void functions_that_call_each_other_cost_once_each(void **state)
{
	(void)state;
	begin();
	call(&p, 0x1000, AT(1));
	call(&p, 0x2000, AT(2));
	call(&p, 0x3000, AT(3));
	call(&p, 0x2000, AT(4));
	leave(&p, 0x3010, AT(4));
	leave(&p, 0x2010, AT(3));
	leave(&p, 0x3010, AT(2));
	leave(&p, 0x2010, AT(1));
	program_end(&p);
	assert_arc(1, 2, 1, 7);
	assert_arc(2, 3, 2, 5); /* the inner one of 1 lies in it */
	assert_arc(3, 2, 1, 0);
	finish();
}

static void a_jump_to_another_function_ends_with_its_caller(void **state)
{
	(void)state;
	begin();
	call(&p, 0x1000, AT(1));
	jump(&p, 0x2000);
	plain(&p, 0x3000);
	leave(&p, 0x3010, AT(1));
	plain(&p, 0x1010);
	assert_int_equal(program_runs(&p), 1);
	program_end(&p);
	assert_arc(1, 2, 1, 3);
	assert_arc(2, 3, 1, 2);
	assert_int_equal(program_arcs(&p, 2, 3, SIM_ARC_JUMP, 0).count, 1);
	assert_int_equal(program_arcs(&p, 1, 2, SIM_ARC_JUMP, 0).count, 0);
	finish();
}

static void functions_that_jump_to_each_other_need_no_more_frames(void **state)
{
	(void)state;
	begin();
	call(&p, 0x1000, AT(1));
	for (int i = 0; i < 1000; i++) {
		jump(&p, 0x2000);
		jump(&p, 0x3000);
	}
	leave(&p, 0x2000, AT(1));
	assert_true(p.stack.fiber->count <= 3);
	plain(&p, 0x1010);
	program_end(&p);
	assert_arc(1, 2, 1, 2001);
	assert_arc(2, 3, 1000, 2000);
	assert_arc(3, 2, 1000, 0);
	finish();
}

static void a_jump_within_a_function_is_no_call(void **state)
{
	(void)state;
	begin();
	call(&p, 0x1000, AT(1));
	jump(&p, 0x2000);
	jump(&p, 0x2010);
	jump(&p, 0x2000);
	leave(&p, 0x2020, AT(1));
	program_end(&p);
	assert_arc(2, 2, 0, 0);
	assert_arc(1, 2, 1, 4);
	finish();
}

static void a_part_of_a_function_that_lies_elsewhere_ends_when_it_jumps_back(void **state)
{
	(void)state;
	begin();
	call(&p, 0x1000, AT(1));
	for (int i = 0; i < 10; i++) {
		jump(&p, 0x2000);
		plain(&p, 0x9010);
		jump(&p, 0x9020);
		plain(&p, 0x2010);
	}
	leave(&p, 0x2020, AT(1));
	program_end(&p);
	assert_arc(2, 9, 10, 20);
	assert_arc(9, 2, 0, 0);
	assert_arc(1, 2, 1, 41);
	finish();
}

static void a_stub_is_a_call_of_its_own_before_the_one_it_leads_to(void **state)
{
	(void)state;
	begin();
	p.kind[8] = SIM_FUNCTION_STUB;
	for (int i = 0; i < 2; i++) {
		call(&p, 0x1000, AT(1));
		jump(&p, 0x8020);
		plain(&p, 0x5000);
		leave(&p, 0x5010, AT(1));
	}
	plain(&p, 0x1010);
	program_end(&p);
	assert_arc(1, 8, 2, 2);
	assert_arc(1, 5, 2, 4);
	assert_arc(8, 5, 0, 0);
	assert_int_equal(program_arcs(&p, 1, 5, 0, SIM_ARC_JUMP).count, 1);
	finish();
}

static void the_first_call_through_a_stub_is_resolved_on_the_way(void **state)
{
	(void)state;
	begin();
	p.kind[8] = p.kind[9] = SIM_FUNCTION_STUB;
	p.kind[10] = SIM_FUNCTION_RESOLVER;
	call(&p, 0x1000, AT(1));
	jump(&p, 0x8020);	 /* to the first entry of the table */
	jump(&p, 0x9000);	 /* to the dynamic linker */
	call(&p, 0xa000, AT(4)); /* which looks up */
	leave(&p, 0xb000, AT(4));
	jump(&p, 0xa010);
	leave(&p, 0x5000, AT(1));
	plain(&p, 0x1010);
	program_end(&p);
	assert_arc(1, 8, 1, 1);
	assert_arc(1, 9, 1, 1);
	assert_arc(1, 10, 1, 3);
	assert_arc(10, 11, 1, 1);
	assert_arc(1, 5, 1, 1);
	assert_arc(10, 5, 0, 0);
	finish();
}

static void a_jump_to_a_stub_is_a_jump_to_what_it_leads_to(void **state)
{
	(void)state;
	begin();
	p.kind[8] = SIM_FUNCTION_STUB;
	call(&p, 0x1000, AT(1));
	jump(&p, 0x2000);
	jump(&p, 0x8000);
	leave(&p, 0x5000, AT(1));
	plain(&p, 0x1010);
	assert_int_equal(program_runs(&p), 1);
	program_end(&p);
	assert_arc(1, 2, 1, 3);
	assert_arc(2, 8, 1, 1);
	assert_arc(2, 5, 1, 1);
	assert_int_equal(program_arcs(&p, 2, 5, SIM_ARC_JUMP, 0).count, 1);
	finish();
}

static void longjmp_ends_the_frames_that_it_leaves(void **state)
{
	(void)state;
	begin();
	for (int i = 0; i < 2; i++) {
		call(&p, 0x1000, AT(1)); /* setjmp */
		leave(&p, 0xc000, AT(1));
		call(&p, 0x1010, AT(1));
		call(&p, 0x2000, AT(2));
		call(&p, 0x3000, AT(3)); /* longjmp */
		jump(&p, 0xd000);
		plain(&p, 0x1014); /* behind the call of setjmp */
		assert_int_equal(program_runs(&p), 1);
		assert_int_equal(p.stack.fiber->count, 1);
	}
	program_end(&p);
	assert_arc(1, 2, 2, 6);
	assert_arc(2, 3, 2, 4);
	assert_arc(3, 13, 2, 2);
	finish();
}

static void longjmp_over_recursion_shows_at_the_next_call(void **state)
{
	(void)state;
	begin();
	call(&p, 0x1000, AT(1));
	call(&p, 0x2000, AT(2)); /* 2 calls itself: here setjmp was called */
	call(&p, 0x2000, AT(3));
	call(&p, 0x2000, AT(4));
	jump(&p, 0xd000); /* longjmp, to the outermost activation */
	call(&p, 0x2010, AT(2));
	leave(&p, 0x4000, AT(2));
	assert_int_equal(p.stack.fiber->count, 3);
	leave(&p, 0x2020, AT(1));
	plain(&p, 0x1010);
	program_end(&p);
	assert_arc(1, 2, 1, 7);
	assert_arc(2, 4, 1, 1);
	finish();
}

static void an_exception_returns_over_many_frames(void **state)
{
	(void)state;
	begin();
	call(&p, 0x1000, AT(1));
	call(&p, 0x2000, AT(2));
	call(&p, 0x3000, AT(3));
	call(&p, 0x4000, AT(4));  /* throw */
	leave(&p, 0xe000, AT(2)); /* into the handler, in 2 */
	plain(&p, 0x2020);
	assert_int_equal(program_runs(&p), 2);
	leave(&p, 0x2030, AT(1));
	program_end(&p);
	assert_arc(1, 2, 1, 6);
	assert_arc(2, 3, 1, 3);
	assert_arc(3, 4, 1, 2);
	assert_arc(4, 14, 1, 1);
	finish();
}

static void a_return_that_nobody_called_for_is_a_jump(void **state)
{
	(void)state;
	begin();
	call(&p, 0x1000, AT(1));
	leave(&p, 0x2000, AT(3)); /* push, ret */
	leave(&p, 0x3000, AT(1));
	plain(&p, 0x1010);
	assert_int_equal(program_runs(&p), 1);
	program_end(&p);
	assert_arc(1, 2, 1, 2);
	assert_int_equal(program_arcs(&p, 2, 3, SIM_ARC_JUMP, 0).calls, 1);
	finish();
}

static void what_is_open_can_be_looked_at(void **state)
{
	(void)state;
	begin();
	call(&p, 0x1000, AT(1));
	plain(&p, 0x2000);
	sim_call_graph_settle(&p.graph, &p.stack, &p.totals);
	assert_arc(1, 2, 1, 1);
	assert_arc(NO_CALLER, 1, 1, 2);
	sim_call_graph_each_arc(&p.graph, NULL, NULL);
	assert_arc(1, 2, 0, 0);
	plain(&p, 0x2000);
	leave(&p, 0x2010, AT(1));
	plain(&p, 0x1010);
	program_end(&p);
	assert_arc(1, 2, 0, 2);
	assert_arc(NO_CALLER, 1, 0, 3);
	finish();
}

static void a_forked_child_counts_from_its_beginning(void **state)
{
	(void)state;
	begin();
	call(&p, 0x1000, AT(1));
	plain(&p, 0x2000);
	sim_call_graph_forked(&p.graph, &p.stack, &p.totals);
	leave(&p, 0x2010, AT(1));
	plain(&p, 0x1010);
	program_end(&p);
	assert_arc(1, 2, 0, 1);
	assert_arc(NO_CALLER, 1, 0, 2);
	finish();
}

static void what_was_called_before_counting_is_a_root_when_it_is_returned_to(void **state)
{
	(void)state;
	begin();
	call(&p, 0x3000, AT(3));
	leave(&p, 0x4000, AT(3));
	leave(&p, 0x3010, AT(2));
	call(&p, 0x2000, AT(2));
	leave(&p, 0x4000, AT(2));
	leave(&p, 0x2010, AT(1));
	plain(&p, 0x1000);
	program_end(&p);
	assert_arc(NO_CALLER, 3, 1, 3);
	assert_arc(NO_CALLER, 2, 1, 3);
	assert_arc(NO_CALLER, 1, 1, 1);
	finish();
}

static void code_made_at_run_time_that_such_code_leads_to_is_nested(void **state)
{
	(void)state;
	begin();
	p.kind[2] = p.kind[3] = SIM_FUNCTION_MADE;
	for (int i = 0; i < 3; i++) {
		call(&p, 0x1000, AT(1));
		call(&p, 0x2000, AT(2));
		call(&p, 0x4000, AT(3)); /* in a file, and calls back */
		leave(&p, 0x3000, AT(3));
		leave(&p, 0x4010, AT(2));
		leave(&p, 0x2010, AT(1));
		call(&p, 0x1010, AT(1));
		leave(&p, 0x3000, AT(1));
		call(&p, 0x1020, AT(1)); /* the same place in the file, and not nested */
		call(&p, 0x4000, AT(2));
		leave(&p, 0x3000, AT(2));
		leave(&p, 0x4010, AT(1));
	}
	plain(&p, 0x1030);
	program_end(&p);
	assert_arc(1, 2, 3, 15);
	assert_arc(4, 3, 6, 6);
	assert_arc(1, 3, 3, 3);
	assert_int_equal(program_arcs(&p, 4, 3, SIM_ARC_NESTED, 0).calls, 3);
	assert_int_equal(program_arcs(&p, 4, 3, 0, SIM_ARC_NESTED).calls, 3);
	assert_int_equal(program_arcs(&p, 1, 2, SIM_ARC_NESTED, 0).count, 0);
	assert_int_equal(program_arcs(&p, 2, 4, SIM_ARC_NESTED, 0).count, 0);
	assert_int_equal(program_arcs(&p, 1, 3, SIM_ARC_NESTED, 0).count, 0);
	finish();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_costs_what_happens_until_its_return),
		cmocka_unit_test(calls_from_two_places_are_two_arcs),
		cmocka_unit_test(the_cost_of_recursion_is_that_of_the_outermost_call),
		cmocka_unit_test(functions_that_call_each_other_cost_once_each),
		cmocka_unit_test(a_jump_to_another_function_ends_with_its_caller),
		cmocka_unit_test(functions_that_jump_to_each_other_need_no_more_frames),
		cmocka_unit_test(a_jump_within_a_function_is_no_call),
		cmocka_unit_test(a_part_of_a_function_that_lies_elsewhere_ends_when_it_jumps_back),
		cmocka_unit_test(a_stub_is_a_call_of_its_own_before_the_one_it_leads_to),
		cmocka_unit_test(the_first_call_through_a_stub_is_resolved_on_the_way),
		cmocka_unit_test(a_jump_to_a_stub_is_a_jump_to_what_it_leads_to),
		cmocka_unit_test(longjmp_ends_the_frames_that_it_leaves),
		cmocka_unit_test(longjmp_over_recursion_shows_at_the_next_call),
		cmocka_unit_test(an_exception_returns_over_many_frames),
		cmocka_unit_test(a_return_that_nobody_called_for_is_a_jump),
		cmocka_unit_test(what_is_open_can_be_looked_at),
		cmocka_unit_test(a_forked_child_counts_from_its_beginning),
		cmocka_unit_test(what_was_called_before_counting_is_a_root_when_it_is_returned_to),
		cmocka_unit_test(code_made_at_run_time_that_such_code_leads_to_is_nested),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
