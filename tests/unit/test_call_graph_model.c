/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call graph of random programs against a slow model, which searches whole stacks with whole
 * chains of callers. Also: contexts, targets of jumps, and lack of memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "call_program.h"
#include "draw.h"

#define STACK	   0x7fff00000000u
#define MOST_DEPTH 7
#define MOST_CALLS 200
#define MOST_ARCS  100000

static struct program p;

/* ---- The model ---- */

struct chain {
	unsigned length;
	unsigned function[MOST_DEPTH + 1]; /* the innermost first */
};

struct model_frame {
	struct chain callee, caller;
	uint64_t sp, began, began_rare;
	unsigned arc;
};

struct model_arc {
	struct chain caller, callee;
	bool recursive;
	uint64_t calls, inclusive, rare;
	uint64_t found_calls, found_inclusive, found_rare;
};

static struct {
	unsigned depth;
	struct chain now;
	struct model_frame frame[4 * MOST_CALLS];
	unsigned count;
	struct model_arc *arc;
	unsigned arcs;
} m;

static bool is_same(const struct chain *a, const struct chain *b)
{
	return a->length == b->length &&
	       memcmp(a->function, b->function, a->length * sizeof(a->function[0])) == 0;
}

static struct model_arc *arc_between(const struct chain *caller, const struct chain *callee,
				     bool recursive)
{
	struct model_arc *a = m.arc;

	for (; a < m.arc + m.arcs; a++)
		if (is_same(&a->caller, caller) && is_same(&a->callee, callee) &&
		    a->recursive == recursive)
			return a;
	assert_true(m.arcs < MOST_ARCS);
	m.arcs++;
	*a = (struct model_arc){.caller = *caller, .callee = *callee, .recursive = recursive};
	return a;
}

/* The newest frame of a function, or -1. */
static int newest(unsigned function)
{
	for (int i = (int)m.count - 1; i >= 0; i--)
		if (m.frame[i].callee.function[0] == function)
			return i;
	return -1;
}

static struct chain callee_of(unsigned function)
{
	struct chain c = {.length = 1, .function = {function}};

	for (unsigned i = 0; i < m.now.length && i < m.depth; i++) {
		if (m.now.function[i] == function && newest(function) >= 0)
			return m.frame[newest(function)].callee;
		c.function[c.length++] = m.now.function[i];
	}
	return c;
}

static void model_push(unsigned function, uint64_t sp)
{
	struct chain callee = callee_of(function);
	struct model_arc *a = arc_between(&m.now, &callee, newest(function) >= 0);

	a->calls++;
	m.frame[m.count++] = (struct model_frame){
		callee, m.now, sp, p.totals.event[0], p.totals.event[3], (unsigned)(a - m.arc)};
	m.now = callee;
}

static void model_pop(void)
{
	const struct model_frame *f = &m.frame[--m.count];
	bool outermost = true;

	for (unsigned i = 0; i < m.count; i++)
		outermost &= !is_same(&m.frame[i].callee, &f->callee);
	if (outermost) {
		m.arc[f->arc].inclusive += p.totals.event[0] - f->began;
		m.arc[f->arc].rare += p.totals.event[3] - f->began_rare;
	}
	m.now = f->caller;
}

static void model_unwind(uint64_t sp)
{
	while (m.count > 1 && m.frame[m.count - 1].sp <= sp)
		model_pop();
}

/* To the middle of a function. */
static void model_go_to(unsigned function)
{
	int active = newest(function);

	if (m.now.function[0] == function)
		return;
	if (active < 0) {
		model_push(function, m.frame[m.count - 1].sp);
		return;
	}
	while ((int)m.count - 1 > active)
		model_pop();
	m.now = m.frame[active].callee;
}

/* To the first instruction of a function. */
static void model_enter(unsigned function)
{
	struct chain callee = callee_of(function);
	uint64_t sp = m.frame[m.count - 1].sp;

	if (m.now.function[0] == function)
		return;
	for (int i = (int)m.count - 1; i >= 0 && m.frame[i].sp == sp; i--)
		if (is_same(&m.frame[i].callee, &callee)) {
			arc_between(&m.now, &callee, true)->calls++;
			m.now = callee;
			return;
		}
	model_push(function, sp);
}

/* ---- Programs at random ---- */

struct call_level {
	unsigned function;
	uint64_t slot; /* of its return address */
};

static struct call_level level[MOST_CALLS];
static unsigned levels;
static unsigned functions;

static uint64_t somewhere(unsigned function)
{
	return (uint64_t)function << 12 | 0x10 | (draw() % 8) << 5;
}

static struct call_level *now(void)
{
	return &level[levels - 1];
}

static void do_call(void)
{
	unsigned function = 1 + (unsigned)(draw() % functions);
	uint64_t slot = now()->slot - 8 - 8 * (draw() % 4);

	if (levels == MOST_CALLS)
		return;
	call(&p, somewhere(now()->function), slot);
	model_unwind(slot);
	model_go_to(now()->function);
	model_push(function, slot);
	level[levels++] = (struct call_level){function, slot};
	plain(&p, (uint64_t)function << 12);
}

/* Over `frames` of them at once. */
static void do_return(unsigned frames)
{
	uint64_t slot = level[levels - frames].slot;

	if (levels <= frames)
		return;
	leave(&p, somewhere(now()->function), slot);
	levels -= frames;
	model_unwind(slot);
	model_go_to(now()->function);
	plain(&p, somewhere(now()->function));
}

static void do_jump(void)
{
	unsigned function = 1 + (unsigned)(draw() % functions);

	jump(&p, somewhere(now()->function));
	now()->function = function;
	if (draw() % 4 != 0) {
		model_enter(function);
		plain(&p, (uint64_t)function << 12);
	} else {
		model_go_to(function);
		plain(&p, somewhere(function));
	}
}

static void do_longjmp(void)
{
	jump(&p, somewhere(now()->function));
	levels -= (unsigned)(draw() % levels);
	model_go_to(now()->function);
	plain(&p, somewhere(now()->function));
}

static void run_program(unsigned steps)
{
	levels = 1;
	level[0] = (struct call_level){1, STACK};
	plain(&p, 0x1010);
	m.count = 0;
	m.now = (struct chain){0};
	p.totals.event[0]--; /* the root began before its first segment */
	model_push(1, UINT64_MAX);
	p.totals.event[0]++;
	while (steps-- != 0) {
		unsigned what = (unsigned)(draw() % 64);

		if (what < 24)
			do_call();
		else if (what < 46)
			do_return(1);
		else if (what < 48)
			do_return(1 + (unsigned)(draw() % levels));
		else if (what < 54)
			do_jump();
		else if (what < 55)
			do_longjmp();
		else
			plain(&p, somewhere(now()->function));
	}
	program_end(&p);
	while (m.count != 0)
		model_pop();
}

static struct chain chain_of(uint32_t node)
{
	const struct sim_node *n = p.graph.contexts.items;
	struct chain c = {0};

	for (; node != 0; node = n[node].caller)
		c.function[c.length++] =
			(unsigned)(p.graph.functions.items[n[node].function].start >> 12);
	return c;
}

static void compare_arc(void *context, const struct sim_arc *arc)
{
	struct chain caller = chain_of(arc->caller), callee = chain_of(arc->callee);
	struct model_arc *a = arc_between(&caller, &callee, (arc->flags & SIM_ARC_RECURSIVE) != 0);

	(void)context;
	a->found_calls += arc->calls;
	a->found_inclusive += arc->inclusive[0];
	a->found_rare += arc->inclusive[3];
	assert_int_equal(arc->inclusive[1], 3 * arc->inclusive[0]);
	assert_int_equal(arc->inclusive[4], 2 * arc->inclusive[3]);
}

static void compare(void)
{
	uint64_t roots = 0, self = 0;

	sim_call_graph_each_arc(&p.graph, compare_arc, NULL);
	for (unsigned i = 0; i < m.arcs; i++) {
		assert_int_equal(m.arc[i].found_calls, m.arc[i].calls);
		assert_int_equal(m.arc[i].found_inclusive, m.arc[i].inclusive);
		assert_int_equal(m.arc[i].found_rare, m.arc[i].rare);
		roots += m.arc[i].caller.length == 0 ? m.arc[i].inclusive : 0;
	}
	for (unsigned f = 1; f <= functions; f++)
		self += program_self(&p, f);
	assert_int_equal(roots, p.totals.event[0]);
	assert_int_equal(self, p.totals.event[0]);
	assert_int_equal(p.graph.lost, 0);
}

static void calls_and_costs_are_those_of_the_model(void **state)
{
	static const unsigned many[] = {2, 3, 8, 60};

	(void)state;
	for (unsigned depth = 0; depth <= MOST_DEPTH; depth++)
		for (unsigned i = 0; i < 4; i++) {
			functions = many[i];
			m.depth = depth;
			m.arcs = 0;
			m.arc = calloc(MOST_ARCS, sizeof(*m.arc));
			assert_non_null(m.arc);
			program_begin(&p, depth, false);
			run_program(depth > 2 && functions > 8 ? 1000 : 3000);
			compare();
			program_release(&p);
			free(m.arc);
		}
}

/* ---- Contexts ---- */

static uint64_t nodes_of_recursion(unsigned depth, unsigned calls)
{
	uint64_t nodes;

	program_begin(&p, depth, false);
	for (unsigned i = 0; i < calls; i++) {
		uint64_t f = 1 + i % 3;

		call(&p, f << 12 | 0x10, STACK - 16 * i);
	}
	plain(&p, 0x9000);
	program_end(&p);
	nodes = sim_call_graph_size(&p.graph).nodes;
	program_release(&p);
	return nodes;
}

static void deeper_recursion_has_no_more_contexts(void **state)
{
	(void)state;
	for (unsigned depth = 0; depth <= 20; depth++)
		assert_int_equal(nodes_of_recursion(depth, 100), nodes_of_recursion(depth, 1000));
	/* Three functions that call each other in turn, and where the last of them ends. */
	assert_int_equal(nodes_of_recursion(0, 100), 4);
	assert_int_equal(nodes_of_recursion(20, 100), 4);
}

/* 1 calls 2 and 3, which both call 4, which calls 5. */
static void two_ways(unsigned depth)
{
	program_begin(&p, depth, false);
	for (uint64_t way = 2; way <= 3; way++) {
		call(&p, 0x1000, STACK);
		call(&p, way << 12, STACK - 16);
		call(&p, 0x4000, STACK - 32);
		leave(&p, 0x5000, STACK - 32);
		leave(&p, 0x4010, STACK - 16);
		leave(&p, way << 12 | 0x10, STACK);
	}
	plain(&p, 0x1010);
	program_end(&p);
}

static void contexts_are_the_last_callers(void **state)
{
	static const uint64_t nodes[] = {5, 6, 7, 7}; /* 1 2 3 4 5; 42 43; 542 543 */

	(void)state;
	for (unsigned depth = 0; depth < 4; depth++) {
		two_ways(depth);
		assert_int_equal(sim_call_graph_size(&p.graph).nodes, nodes[depth]);
		assert_int_equal(program_self(&p, 5), 2);
		assert_int_equal(program_self(&p, 4), 4);
		assert_int_equal(program_arcs(&p, 1, 2, 0, 0).inclusive[0], 5);
		assert_int_equal(program_arcs(&p, 1, 3, 0, 0).inclusive[0], 5);
		assert_int_equal(program_arcs(&p, 4, 5, 0, 0).calls, 2);
		assert_int_equal(program_arcs(&p, 4, 5, 0, 0).count, depth == 0 ? 1 : 2);
		program_release(&p);
	}
}

/* ---- Jumps ---- */

static uint64_t jumps_to;

static void count_jump(void *context, const struct sim_jump *jump)
{
	(void)context;
	assert_int_equal(jump->from->end_pc, 0x1044);
	assert_true(jump->target == 0x1060 || jump->target == 0x1080);
	jumps_to += jump->taken << (jump->target == 0x1060 ? 0 : 32);
}

static void jumps_are_counted_where_they_go_to(void **state)
{
	struct sim_cell *branch;

	(void)state;
	program_begin(&p, 0, true);
	for (int i = 0; i < 10; i++) {
		branch = program_run(&p, 0x1010, SIM_END_BRANCH, 0x1040, 0);
		if (i % 3 != 0)
			plain(&p, 0x1020);
		jump(&p, 0x1040);
		plain(&p, i < 7 ? 0x1060 : 0x1080);
	}
	assert_int_equal(branch->executions, 10);
	assert_int_equal(branch->taken, 4);
	jumps_to = 0;
	sim_call_graph_each_jump(&p.graph, count_jump, NULL);
	assert_int_equal(jumps_to, 7 | (uint64_t)3 << 32);
	sim_call_graph_each_jump(&p.graph, count_jump, NULL);
	assert_int_equal(jumps_to, 7 | (uint64_t)3 << 32);
	program_end(&p);
	program_release(&p);
}

/* ---- Functions ---- */

static void other_code_in_the_same_place_is_another_function(void **state)
{
	uint32_t before, kept;

	(void)state;
	program_begin(&p, 0, false);
	before = sim_call_graph_function(&p.graph, 0x2010);
	kept = sim_call_graph_function(&p.graph, 0x4010);
	assert_int_equal(sim_call_graph_function(&p.graph, 0x2ff0), before);
	sim_call_graph_forget_code(&p.graph, 0x2800, 0x4000);
	assert_int_not_equal(sim_call_graph_function(&p.graph, 0x2010), before);
	assert_int_equal(sim_call_graph_function(&p.graph, 0x4000), kept);
	program_end(&p);
	program_release(&p);
}

/* ---- Without memory ---- */

static void without_memory_detail_is_lost_but_no_execution(void **state)
{
	(void)state;
	functions = 60;
	m.arc = calloc(MOST_ARCS, sizeof(*m.arc));
	assert_non_null(m.arc);
	for (uint64_t takes = 4; takes < 60; takes++) {
		program_begin(&p, 3, true);
		m.depth = 3;
		m.arcs = 0;
		/* Descriptions are there before: they are not the call graph's. */
		for (unsigned f = 1; f <= functions; f++)
			sim_call_graph_function(&p.graph, (uint64_t)f << 12);
		program_takes_left = takes;
		run_program(400);
		program_takes_left = UINT64_MAX;
		assert_true(takes > 8 || p.graph.lost != 0);
		assert_int_equal(program_self(&p, ALL_FUNCTIONS), p.totals.event[0]);
		program_release(&p);
	}
	free(m.arc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_and_costs_are_those_of_the_model),
		cmocka_unit_test(deeper_recursion_has_no_more_contexts),
		cmocka_unit_test(contexts_are_the_last_callers),
		cmocka_unit_test(jumps_are_counted_where_they_go_to),
		cmocka_unit_test(other_code_in_the_same_place_is_another_function),
		cmocka_unit_test(without_memory_detail_is_lost_but_no_execution),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
