/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call graph with other stacks: signal handlers, faults, switched stacks, threads. Programs of
 * a few segments that cost one instruction each.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "call_fixture.h"

static void a_signal_handler_is_nobodys_cost(void **state)
{
	(void)state;
	begin();
	call(&p, 0x1000, AT(1));
	plain(&p, 0x2000);
	sim_call_graph_signal(&p.graph, &p.stack, AT(19), &p.totals);
	call(&p, 0x6000, AT(20));
	leave(&p, 0x7000, AT(20));
	leave(&p, 0x6010, AT(19));
	plain(&p, 0xf001); /* the trampoline */
	sim_call_graph_signal_return(&p.graph, &p.stack, &p.totals);
	plain(&p, 0x2010);
	leave(&p, 0x2020, AT(1));
	plain(&p, 0x1010);
	program_end(&p);
	assert_arc(1, 2, 1, 3);
	assert_arc(6, 7, 1, 1);
	assert_int_equal(program_arcs(&p, NO_CALLER, 6, SIM_ARC_SIGNAL, 0).calls, 1);
	assert_int_equal(program_arcs(&p, NO_CALLER, 6, SIM_ARC_SIGNAL, 0).inclusive[0], 3);
	assert_arc(NO_CALLER, 15, 1, 1);
	assert_arc(NO_CALLER, 1, 1, 5);
	finish();
}

static void a_signal_between_a_call_and_its_function_breaks_nothing(void **state)
{
	(void)state;
	begin();
	call(&p, 0x1000, AT(1));
	sim_call_graph_signal(&p.graph, &p.stack, AT(19), &p.totals);
	plain(&p, 0x2000); /* the same function is the handler */
	sim_call_graph_signal_return(&p.graph, &p.stack, &p.totals);
	plain(&p, 0x2000);
	leave(&p, 0x2010, AT(1));
	plain(&p, 0x1010);
	program_end(&p);
	assert_arc(1, 2, 1, 2);
	assert_arc(NO_CALLER, 2, 1, 1);
	finish();
}

static void a_fault_cuts_a_call_short(void **state)
{
	(void)state;
	begin();
	call(&p, 0x1000, AT(1));
	call(&p, 0x2000, AT(2));
	sim_call_graph_unfinished(&p.stack); /* before the call */
	sim_call_graph_signal(&p.graph, &p.stack, AT(19), &p.totals);
	plain(&p, 0x6000);
	sim_call_graph_signal_return(&p.graph, &p.stack, &p.totals);
	call(&p, 0x2000, AT(2));
	leave(&p, 0x3000, AT(2));
	leave(&p, 0x2010, AT(1));
	plain(&p, 0x1010);
	program_end(&p);
	assert_arc(1, 2, 1, 4);
	assert_arc(2, 3, 1, 1);
	assert_arc(2, 2, 0, 0);
	finish();
}

static void a_handler_that_is_left_by_longjmp_is_over(void **state)
{
	(void)state;
	begin();
	call(&p, 0x1000, AT(1));
	call(&p, 0x2000, AT(2));
	plain(&p, 0x3000);
	sim_call_graph_signal(&p.graph, &p.stack, AT(19), &p.totals);
	call(&p, 0x6000, AT(20));
	sim_call_graph_signal(&p.graph, &p.stack, AT(39), &p.totals);
	call(&p, 0x7000, AT(40));
	jump(&p, 0xd000);
	call(&p, 0x1010, AT(1));
	leave(&p, 0x4000, AT(1));
	plain(&p, 0x1020);
	assert_int_equal(program_runs(&p), 1);
	assert_int_equal(p.stack.fiber_count, 1);
	program_end(&p);
	assert_arc(1, 4, 1, 1);
	assert_arc(1, 2, 1, 2); /* until the signal: the handler did not go on in it */
	assert_arc(2, 3, 1, 1);
	finish();
}

/* Two stacks that switch to each other in function 5, as swapcontext does. */
#define OTHER(n) (other - 0x10 * (uint64_t)(n))

static void switch_stacks(uint64_t other)
{
	begin();
	call(&p, 0x1000, AT(1));
	call(&p, 0x2000, AT(2));
	leave(&p, 0x5000, OTHER(0)); /* the other one begins, in 3 */
	for (int i = 0; i < 10; i++) {
		call(&p, 0x3000, OTHER(1));
		call(&p, 0x4000, OTHER(2));
		leave(&p, 0x5000, AT(2)); /* back */
		assert_int_equal(program_runs(&p), 5);
		plain(&p, 0x2010);
		assert_int_equal(program_runs(&p), 2);
		call(&p, 0x2020, AT(2));
		leave(&p, 0x5000, OTHER(2));
		plain(&p, 0x4010);
		assert_int_equal(program_runs(&p), 4);
		leave(&p, 0x4020, OTHER(1));
		plain(&p, 0x3010);
		assert_int_equal(program_runs(&p), 3);
	}
	assert_int_equal(p.stack.fiber_count, 2);
	call(&p, 0x3000, OTHER(1));
	leave(&p, 0x5000, AT(2));
	leave(&p, 0x2030, AT(1));
	plain(&p, 0x1010);
	program_end(&p);
	assert_arc(1, 2, 1, 2 + 10 * 3 + 1);
	assert_arc(2, 5, 11, 11);
	assert_arc(4, 5, 10, 10);
	assert_arc(3, 4, 10, 10 * 4);
	assert_arc(NO_CALLER, 3, 1, 10 * 6 + 2);
	finish();
}

static void stacks_that_are_switched_keep_their_calls(void **state)
{
	(void)state;
	switch_stacks(0x600000000000u);
	switch_stacks(STACK - 0x10000); /* as when they are parts of one array */
	switch_stacks(STACK + 0x10000);
}

static void threads_have_their_own_calls(void **state)
{
	struct sim_call_stack thread;
	const uint64_t other = 0x600000000000u;

	(void)state;
	begin();
	assert_int_equal(sim_call_stack_init(&thread, &p.graph, 1), 0);
	call(&p, 0x1000, AT(1));
	program_run_on(&p, &thread, 0x3000, SIM_END_CALL, 0, OTHER(1));
	plain(&p, 0x2000);
	program_run_on(&p, &thread, 0x2000, SIM_END_FALL, 0, 0);
	assert_int_equal(program_runs(&p), 2);
	program_run_on(&p, &thread, 0x2010, SIM_END_RETURN, 0, OTHER(1));
	leave(&p, 0x2010, AT(1));
	plain(&p, 0x1010);
	program_run_on(&p, &thread, 0x3010, SIM_END_FALL, 0, 0);
	program_end(&p);
	sim_call_graph_end(&p.graph, &thread, &p.totals);
	assert_int_equal(program_arcs(&p, 1, 2, 0, 0).calls, 1);
	assert_int_equal(program_arcs(&p, 3, 2, 0, 0).calls, 1);
	assert_int_equal(program_self(&p, 2), 4);
	sim_call_stack_release(&thread, &p.graph);
	finish();
}

static void call_two(uint64_t f, uint64_t g)
{
	call(&p, 0x1000, AT(1));
	call(&p, f << 12, AT(2));
	leave(&p, g << 12, AT(2));
	leave(&p, f << 12 | 0x10, AT(1));
}

static void a_thread_may_call_what_only_others_have_called(void **state)
{
	struct sim_call_stack thread;

	(void)state;
	program_begin(&p, 1, false);
	for (uint64_t f = 2; f < 22; f++) /* 400 contexts, and a last one */
		for (uint64_t g = 22; g < 42; g++)
			call_two(f, g);
	call_two(2, 50);
	assert_int_equal(sim_call_stack_init(&thread, &p.graph, 1), 0);
	program_run_on(&p, &thread, 0x1000, SIM_END_CALL, 0, AT(1));
	program_run_on(&p, &thread, 0x2000, SIM_END_CALL, 0, AT(2));
	program_run_on(&p, &thread, 50 << 12, SIM_END_FALL, 0, 0);
	program_end(&p);
	assert_int_equal(program_arcs(&p, 2, 22, 0, 0).calls, 1);
	assert_int_equal(program_arcs(&p, 2, 50, 0, 0).calls, 2);
	sim_call_stack_release(&thread, &p.graph); /* its calls are still open */
	finish();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_signal_handler_is_nobodys_cost),
		cmocka_unit_test(a_signal_between_a_call_and_its_function_breaks_nothing),
		cmocka_unit_test(a_fault_cuts_a_call_short),
		cmocka_unit_test(a_handler_that_is_left_by_longjmp_is_over),
		cmocka_unit_test(stacks_that_are_switched_keep_their_calls),
		cmocka_unit_test(threads_have_their_own_calls),
		cmocka_unit_test(a_thread_may_call_what_only_others_have_called),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
