/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports a program to the call graph in two ways: to p one segment at a time, to q in the way
 * under test. Some of its functions are stubs, some made at run time, and one a resolver. Both
 * results must be the same.
 */
#ifndef DWELL_TESTS_UNIT_CALL_TWICE_H
#define DWELL_TESTS_UNIT_CALL_TWICE_H

#include "call_program.h"

#define STACK	   0x7fff00000000u
#define OTHER	   0x7f0000000000u /* another stack */
#define MOST_CALLS 100
#define MOST_ARCS  10000

static struct program p, q;

static inline void begin_twice(void)
{
	program_begin(&p, 0, false);
	program_begin(&q, 0, false);
	for (unsigned f = 4; f < 256; f += 5)
		p.kind[f] = q.kind[f] = SIM_FUNCTION_STUB;
	for (unsigned f = 3; f < 256; f += 5)
		p.kind[f] = q.kind[f] = SIM_FUNCTION_MADE;
	p.kind[7] = q.kind[7] = SIM_FUNCTION_RESOLVER;
}

static inline void finish(void)
{
	program_release(&p);
	program_release(&q);
}

struct told {
	unsigned caller, callee; /* functions: nodes are numbered as they are met */
	uint32_t flags, unused;
	uint64_t pc, calls, inclusive[EVENTS];
};

struct tells {
	const struct program *of;
	unsigned count;
	struct told item[MOST_ARCS];
};

static inline void tell(void *context, const struct sim_arc *a)
{
	struct tells *t = context;
	const struct sim_node *nodes = t->of->graph.contexts.items;
	struct told *told = &t->item[t->count++];

	assert_true(t->count < MOST_ARCS);
	*told = (struct told){nodes[a->caller].function,
			      nodes[a->callee].function,
			      a->flags,
			      0,
			      a->pc,
			      a->calls,
			      {0}};
	memcpy(told->inclusive, a->inclusive, sizeof(told->inclusive));
}

/* Each way meets the arcs in its own order. */
static inline int by_key(const void *a, const void *b)
{
	return memcmp(a, b, offsetof(struct told, calls));
}

/* The same totals, the same arcs. All calls end. */
static inline void compare_arcs(void)
{
	static struct tells one, many;

	one = (struct tells){.of = &p};
	many = (struct tells){.of = &q};
	assert_memory_equal(p.totals.event, q.totals.event, sizeof(p.totals.event));
	sim_call_graph_end(&p.graph, &p.stack, &p.totals);
	sim_call_graph_end(&q.graph, &q.stack, &q.totals);
	sim_call_graph_each_arc(&p.graph, tell, &one);
	sim_call_graph_each_arc(&q.graph, tell, &many);
	assert_int_equal(one.count, many.count);
	assert_true(one.count > 0);
	qsort(one.item, one.count, sizeof(one.item[0]), by_key);
	qsort(many.item, many.count, sizeof(many.item[0]), by_key);
	for (unsigned i = 0; i < one.count; i++)
		assert_memory_equal(&one.item[i], &many.item[i], sizeof(one.item[i]));
	assert_int_equal(p.segments, q.segments);
}

#endif
