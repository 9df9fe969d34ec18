/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs for tests of the call graph; see call_program.h. */
#include "call_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FENCE 4096 /* bytes of 0 behind each piece of memory, that nobody may write to */

uint64_t program_takes_left = UINT64_MAX;

static void *take(void *context, uint64_t bytes)
{
	struct program *p = context;

	if (program_takes_left == 0)
		return NULL;
	program_takes_left--;
	p->taken += bytes;
	return calloc(1, bytes + FENCE);
}

static void give(void *context, void *memory, uint64_t bytes)
{
	struct program *p = context;

	for (unsigned i = 0; memory != NULL && i < FENCE; i++)
		assert_int_equal(((unsigned char *)memory)[bytes + i], 0);
	p->taken -= memory != NULL ? bytes : 0;
	free(memory);
}

static void find(void *context, uint64_t pc, struct sim_function *found)
{
	const struct program *p = context;

	*found = (struct sim_function){.start = pc & ~(uint64_t)0xfff,
				       .end = (pc & ~(uint64_t)0xfff) + 0x1000,
				       .kind = p->kind[pc >> 12]};
}

void program_begin(struct program *p, unsigned depth, bool jumps)
{
	struct sim_call_graph_config config = {
		.events = EVENTS, .depth = depth, .jumps = jumps, .find = find, .find_context = p};

	*p = (struct program){0};
	p->memory = (struct sim_memory){p, take, give};
	assert_int_equal(sim_call_graph_init(&p->graph, &config, &p->memory), 0);
	assert_int_equal(sim_call_stack_init(&p->stack, &p->graph, 0), 0);
}

void program_end(struct program *p)
{
	sim_call_graph_end(&p->graph, &p->stack, &p->totals);
}

void program_release(struct program *p)
{
	sim_call_stack_release(&p->stack, &p->graph);
	sim_call_graph_release(&p->graph);
	assert_int_equal(p->taken, 0);
}

struct sim_segment *program_segment(struct program *p, uint64_t pc, enum sim_segment_end end,
				    uint64_t target)
{
	struct sim_segment *s = p->segment;

	while (s->pc != 0 && (s->pc != pc || s->end != end || s->target != target))
		s++;
	assert_true(s < p->segment + PROGRAM_SEGMENTS - 1);
	if (s->pc == 0) {
		*s = (struct sim_segment){
			.pc = pc,
			.end_pc = pc + 4,
			.target = target,
			.end = (uint8_t)end,
			.function = sim_call_graph_function(&p->graph, pc),
		};
		p->segments++;
	}
	return s;
}

struct sim_cell *program_run_on(struct program *p, struct sim_call_stack *stack, uint64_t pc,
				enum sim_segment_end end, uint64_t target, uint64_t sp)
{
	struct sim_cell *cell = sim_call_graph_segment(
		&p->graph, stack, program_segment(p, pc, end, target), sp, &p->totals);

	cell->executions++;
	p->totals.event[0]++;
	p->totals.event[1] += 3;
	if (pc & RARE) {
		p->totals.event[3]++;
		p->totals.event[4] += 2;
		p->totals.changes++;
	}
	return cell;
}

struct sim_cell *program_run(struct program *p, uint64_t pc, enum sim_segment_end end,
			     uint64_t target, uint64_t sp)
{
	return program_run_on(p, &p->stack, pc, end, target, sp);
}

static unsigned function_of(const struct program *p, uint32_t node)
{
	return (unsigned)(p->graph.functions.items[p->graph.contexts.items[node].function].start >>
			  12);
}

struct wanted {
	const struct program *p;
	unsigned caller, callee, flags, not_flags;
	struct arcs found;
};

/* Looks at the arcs without forgetting what they count. */
static void look(void *context, void *item)
{
	struct wanted *w = context;
	const struct sim_arc *a = item;
	unsigned caller = a->caller == 0 ? NO_CALLER : function_of(w->p, a->caller);

	if (caller != w->caller || function_of(w->p, a->callee) != w->callee ||
	    (a->flags & w->flags) != w->flags || (a->flags & w->not_flags))
		return;
	w->found.count++;
	w->found.calls += a->calls;
	for (unsigned i = 0; i < EVENTS; i++)
		w->found.inclusive[i] += a->inclusive[i];
}

struct arcs program_arcs(struct program *p, unsigned caller, unsigned callee, unsigned flags,
			 unsigned not_flags)
{
	struct wanted w = {p, caller, callee, flags, not_flags, {0}};

	sim_pool_each(&p->graph.arcs, look, &w);
	assert_int_equal(w.found.inclusive[1], 3 * w.found.inclusive[0]);
	assert_int_equal(w.found.inclusive[2], 0);
	assert_int_equal(w.found.inclusive[4], 2 * w.found.inclusive[3]);
	return w.found;
}

unsigned program_runs(const struct program *p)
{
	return function_of(p, p->stack.node);
}

uint64_t program_self(const struct program *p, unsigned function)
{
	uint64_t self = 0;

	for (unsigned i = 0; i < p->segments; i++)
		for (const struct sim_cell *c = &p->segment[i].own; c != NULL; c = c->next)
			if (function == ALL_FUNCTIONS ||
			    (c->node != 0 && function_of(p, c->node) == function))
				self += c->executions;
	return self;
}
