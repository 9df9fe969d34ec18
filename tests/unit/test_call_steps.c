/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps of a call graph, many at once. Programs reported one segment at a time, and as steps
 * without the optional ones, must give the same result.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "call_twice.h"
#include "draw.h"
#include "sim/calls/call_steps.h"

#define MOST_STEPS 300

/* q is told by steps. */
static struct {
	struct sim_step step[MOST_STEPS + 3];
	unsigned count;
	uint64_t counts;
	struct sim_segment *left; /* NULL: what comes next is told in any case */
	uint64_t sp;
} log;

static void follow(void)
{
	sim_call_graph_steps(&q.graph, &q.stack, &q.totals, log.step, log.step + log.count);
	sim_totals_take(&q.totals, log.counts);
	sim_totals_restart(&q.totals);
	log.count = 0;
	log.counts = 0;
}

static void add(struct sim_segment *left, struct sim_segment *entered, uint64_t sp, uint64_t counts)
{
	log.step[log.count++] = (struct sim_step){left, entered, sp, counts};
}

/* A segment, as program_run executes it. */
static void step(uint64_t pc, enum sim_segment_end end, uint64_t sp)
{
	struct sim_segment *s = program_segment(&q, pc, end, 0), *left = log.left;
	bool stays =
		left != NULL && left->end < SIM_END_FIRST_TRANSFER && left->function == s->function;

	if (left != NULL && (!stays || draw() % 4 == 0))
		add(left, s, log.sp, log.counts);
	else if (left == NULL || s->own.executions == 0)
		add(&sim_step_nothing, s, 0, log.counts);
	s->own.executions++;
	log.counts += SIM_COUNTS(1, 3, 0);
	if (pc & RARE) { /* one of event 3 and two of event 4 */
		add(&sim_step_events, &sim_step_events, 0, 3);
		add(&sim_step_event, &sim_step_event, 4, 1);
	}
	log.left = s;
	log.sp = sp;
	if (log.count >= MOST_STEPS || draw() % 64 == 0)
		follow();
}

static void both(uint64_t pc, enum sim_segment_end end, uint64_t sp)
{
	program_run(&p, pc, end, 0, sp);
	step(pc, end, sp);
}

/* What is told one at a time meets the steps: they are followed before. */
static void settle_steps(void)
{
	follow();
	if (log.left != NULL)
		sim_call_graph_leave(&q.stack, log.left, &log.left->own, log.sp);
	log.left = NULL;
}

/* ---- Programs at random ---- */

struct level {
	unsigned function;
	uint64_t slot; /* of its return address */
};

static struct level level[MOST_CALLS];
static unsigned levels, functions, in_handler;

static struct level *now(void)
{
	return &level[levels - 1];
}

static uint64_t somewhere(void)
{
	return (uint64_t)now()->function << 12 | 0x10 | (draw() % 8) << 5;
}

static uint64_t entry(unsigned function)
{
	return (uint64_t)function << 12;
}

/*
 * The lower half of the functions are called more often, so that some places call the same again.
 */
static unsigned some_function(void)
{
	return 1 + (unsigned)(draw() % (draw() % 2 != 0 ? functions : (functions + 1) / 2));
}

static void do_call(void)
{
	uint64_t slot = now()->slot - 8 - 8 * (draw() % 4);
	unsigned function = some_function();

	if (levels == MOST_CALLS)
		return;
	if (draw() % 256 == 0)
		slot = now()->slot > OTHER + (1u << 30) ? OTHER : STACK;
	both(somewhere(), draw() % 2 != 0 ? SIM_END_CALL : SIM_END_CALL_INDIRECT, slot);
	level[levels++] = (struct level){function, slot};
	both(entry(function), SIM_END_FALL, 0);
}

static void do_return(unsigned frames)
{
	uint64_t slot = level[levels - frames].slot;

	if (levels <= frames)
		return;
	both(somewhere(), SIM_END_RETURN, slot);
	levels -= frames;
	both(somewhere(), SIM_END_BRANCH, 0);
}

static void do_jump(void)
{
	bool is_entry = draw() % 4 != 0;

	both(somewhere(), draw() % 2 != 0 ? SIM_END_JUMP : SIM_END_JUMP_INDIRECT, 0);
	if (draw() % 2 != 0)
		now()->function = some_function();
	both(is_entry ? entry(now()->function) : somewhere(), SIM_END_FALL, 0);
}

/* A handler, which ends by sigreturn or, seldom, does not. */
static void do_signal(void)
{
	unsigned before = levels;

	if (in_handler != 0 || levels + 2 >= MOST_CALLS)
		return;
	in_handler++;
	settle_steps();
	sim_call_graph_signal(&p.graph, &p.stack, now()->slot - 512, &p.totals);
	sim_call_graph_signal(&q.graph, &q.stack, now()->slot - 512, &q.totals);
	level[levels] = (struct level){some_function(), now()->slot - 512};
	levels++;
	both(entry(now()->function), SIM_END_FALL, 0);
	do_call();
	do_return(1);
	settle_steps();
	if (draw() % 8 != 0) {
		sim_call_graph_signal_return(&p.graph, &p.stack, &p.totals);
		sim_call_graph_signal_return(&q.graph, &q.stack, &q.totals);
	}
	levels = before;
	in_handler--;
}

static void do_cut(void)
{
	settle_steps();
	sim_call_graph_unfinished(&p.stack);
	sim_call_graph_unfinished(&q.stack);
}

static void run_program(unsigned steps)
{
	levels = 1;
	level[0] = (struct level){1, STACK};
	both(entry(1), SIM_END_FALL, 0);
	while (steps-- != 0) {
		unsigned what = (unsigned)(draw() % 128);

		if (what < 50)
			do_call();
		else if (what < 92)
			do_return(1);
		else if (what < 94)
			do_return(1 + (unsigned)(draw() % levels));
		else if (what < 112)
			do_jump();
		else if (what < 113)
			do_signal();
		else if (what < 114)
			do_cut();
		else
			both(somewhere(), SIM_END_FALL, 0);
	}
	settle_steps();
}

/* ---- Are they the same? ---- */

static void compare(void)
{
	compare_arcs();
	for (unsigned i = 0; i < p.segments; i++) {
		assert_int_equal(p.segment[i].own.node, q.segment[i].own.node);
		assert_int_equal(p.segment[i].own.executions, q.segment[i].own.executions);
	}
}

static void begin(void)
{
	begin_twice();
	memset(&log, 0, sizeof(log));
}

static void steps_come_to_the_same_as_segments(void **state)
{
	static const unsigned many[] = {2, 3, 5, 12, 60};

	(void)state;
	for (unsigned i = 0; i < 25; i++) {
		functions = many[i % 5];
		begin();
		run_program(4000);
		compare();
		finish();
	}
}

/* ---- Counted by hand ---- */

static void run(uint64_t pc, enum sim_segment_end end, unsigned frames)
{
	step(pc, end, STACK - 0x10 * (uint64_t)frames);
}

static void assert_arc(unsigned caller, unsigned callee, unsigned flags, uint64_t calls,
		       uint64_t inclusive)
{
	struct arcs a = program_arcs(&q, caller, callee, flags, flags ^ SIM_ARC_RECURSIVE);

	assert_int_equal(a.calls, calls);
	assert_int_equal(a.inclusive[0], inclusive);
}

/*
 * Three times 1 calls 2 through a stub, which calls itself through the stub, twice deep. The cost
 * of what 2 calls is that of 2.
 */
static void recursion_through_stubs_is_found_again_and_again(void **state)
{
	(void)state;
	begin();
	for (unsigned i = 0; i < 3; i++) {
		run(0x1000, SIM_END_CALL, 1);
		run(0x4020, SIM_END_JUMP_INDIRECT, 0);
		run(0x2000, SIM_END_CALL, 2);
		run(0x4020, SIM_END_JUMP_INDIRECT, 0);
		run(0x2000, SIM_END_CALL, 3);
		run(0x4020, SIM_END_JUMP_INDIRECT, 0);
		run(0x2010, SIM_END_RETURN, 3);
		run(0x2020, SIM_END_RETURN, 2);
		run(0x2020, SIM_END_RETURN, 1);
		run(0x1010, SIM_END_BRANCH, 0);
	}
	settle_steps();
	sim_call_graph_end(&q.graph, &q.stack, &q.totals);
	assert_arc(1, 4, 0, 3, 3);     /* the stub's own instruction, each time */
	assert_arc(1, 2, 0, 3, 3 * 7); /* all after it up to the last return */
	assert_arc(2, 4, 0, 6, 6);
	assert_arc(2, 2, SIM_ARC_RECURSIVE, 6, 0);
	finish();
}

/* A place that calls 2 and 3 in turn; they leave for 5 by a jump, which returns for them. */
static void a_place_may_lead_to_several_functions(void **state)
{
	(void)state;
	begin();
	for (unsigned i = 0; i < 10; i++) {
		run(0x1000, SIM_END_CALL_INDIRECT, 1);
		run(i % 2 != 0 ? 0x2000 : 0x3000, SIM_END_JUMP, 0);
		run(0x5000, SIM_END_FALL, 0);
		run(0x5010, SIM_END_RETURN, 1);
		run(0x1010, SIM_END_JUMP, 0);
	}
	settle_steps();
	sim_call_graph_end(&q.graph, &q.stack, &q.totals);
	assert_arc(1, 2, 0, 5, 15);
	assert_arc(1, 3, 0, 5, 15);
	assert_int_equal(program_arcs(&q, 2, 5, SIM_ARC_JUMP, 0).inclusive[0], 10);
	assert_int_equal(program_arcs(&q, 3, 5, SIM_ARC_JUMP, 0).inclusive[0], 10);
	assert_int_equal(program_self(&q, 5), 20);
	finish();
}

static void sums_that_begin_again_and_high_bits_count_nothing(void **state)
{
	struct sim_totals t = {0};

	(void)state;
	sim_totals_take(&t, SIM_COUNTS(5, 2, 1));
	sim_totals_take(&t, SIM_COUNTS(7, 2, 4) | 1ull << 63);
	sim_totals_take(&t, SIM_COUNTS(7, 3, 4));
	sim_totals_restart(&t);
	sim_totals_take(&t, SIM_COUNTS(0xfffff0, 0x7fff0, 0xffff0));
	assert_int_equal(t.event[0], 7 + 0xfffff0);
	assert_int_equal(t.event[1], 3 + 0x7fff0);
	assert_int_equal(t.event[2], 4 + 0xffff0);
	assert_int_equal(t.changes, 0);
}

static void a_loop_of_calls_takes_no_memory_with_each_of_them(void **state)
{
	uint64_t taken = 0;

	(void)state;
	begin();
	plain(&p, 0x1000);
	for (unsigned i = 0; i < 3000; i++) {
		call(&p, 0x1010, STACK - 8);
		plain(&p, 0x2000 | RARE);
		leave(&p, 0x2010, STACK - 8);
		plain(&p, 0x1020);
		taken = i == 10 ? p.taken : taken;
	}
	assert_int_equal(p.taken, taken);
	program_end(&p);
	assert_int_equal(program_arcs(&p, 1, 2, 0, 0).inclusive[3], 3000);
	finish();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loop_of_calls_takes_no_memory_with_each_of_them),
		cmocka_unit_test(steps_come_to_the_same_as_segments),
		cmocka_unit_test(recursion_through_stubs_is_found_again_and_again),
		cmocka_unit_test(a_place_may_lead_to_several_functions),
		cmocka_unit_test(sums_that_begin_again_and_high_bits_count_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
