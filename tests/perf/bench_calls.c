/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of following a call and its return in the call graph, in nanoseconds of this machine:
 *
 *   bench_calls [--bar NS]
 *
 * A line for each program, reported one segment at a time, and by steps. One is a loop that calls
 * one function. The other resembles sqlite3 or cc1: thousands of call sites, deep stacks, a fifth
 * of the calls through stubs, sites that call several functions, jumps to other functions,
 * recursion, and misses in every fifth segment. With --bar the exit status is 1 if a call and its
 * return, by steps, cost more than that in one of them. The fastest of several runs counts.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collector/simulation/sim_heap.h"
#include "sim/base/bits.h"
#include "sim/calls/call_steps.h"

#define STACK	  ((uint64_t)0x7fff00000000)
#define EVENTS	  9u
#define MOST	  1200000u /* steps of a program */
#define BATCH	  256u
#define RUNS	  7
#define FUNCTIONS 2500u
#define SITES	  3u /* of a function: places that call, at most */
#define STUBS	  (FUNCTIONS + 1)
#define DEEPEST	  60u
#define ROOTS	  64u /* what the program does again and again, some of it more often */

/* A function: | entry | site, after it | site, after it | ... | return | */
#define AT_RETURN (1 + 2 * SITES)
#define SEGMENTS  (2 + 2 * SITES)

enum site_kind { DIRECT, THROUGH_STUB, SEVERAL, BY_JUMP };

struct program {
	struct sim_call_graph graph;
	struct sim_call_stack stack;
	struct sim_totals totals;
	struct sim_segment *segment; /* of functions, and one of a stub for each */
	struct sim_step *step;
	uint64_t steps, calls, counts, random;
	struct sim_segment *last;
	uint64_t sp; /* of its end */
};

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void find(void *context, uint64_t pc, struct sim_function *found)
{
	uint64_t start = pc & ~(uint64_t)0xfff;

	(void)context;
	*found = (struct sim_function){.start = start,
				       .end = start + 0x1000,
				       .kind = start >> 12 == STUBS ? SIM_FUNCTION_STUB
								    : SIM_FUNCTION_NORMAL};
}

static uint32_t below(struct program *p, uint32_t limit)
{
	return (uint32_t)sim_random_below(&p->random, limit);
}

static struct sim_segment *segment_of(struct program *p, uint32_t function, uint32_t place)
{
	return &p->segment[function * SEGMENTS + place];
}

static struct sim_segment *stub_of(struct program *p, uint32_t function)
{
	return &p->segment[(FUNCTIONS + 1) * SEGMENTS + function];
}

/* ---- A program, as the steps that it takes ---- */

static void add(struct program *p, struct sim_segment *left, struct sim_segment *entered,
		uint64_t sp, uint64_t counts)
{
	p->step[p->steps++] = (struct sim_step){left, entered, sp, counts};
}

/* The segment comes next, and ends so. */
static void run(struct program *p, struct sim_segment *s, enum sim_segment_end end, uint64_t sp)
{
	s->end = (uint8_t)end;
	if (p->steps % BATCH == 0)
		p->counts = 0;
	if (p->last != NULL)
		add(p, p->last, s, p->sp, p->counts);
	p->counts += SIM_COUNTS(8 + below(p, 8), 3, 2);
	if (below(p, 5) == 0)
		add(p, &sim_step_event, &sim_step_event, SIM_OFTEN + below(p, 6), 1);
	p->last = s;
	p->sp = sp;
	p->calls += end == SIM_END_CALL || end == SIM_END_CALL_INDIRECT;
}

static uint32_t hash(uint32_t function, uint32_t site, uint32_t which)
{
	uint32_t h = ((function * 64 + site) * 8 + which + 1) * 2654435761u;

	return (h ^ h >> 15) * 2246822519u >> 8;
}

static enum site_kind kind_of(uint32_t function, uint32_t site)
{
	uint32_t h = hash(function, site, 5) % 32;

	return h < 9 ? THROUGH_STUB : h < 12 ? SEVERAL : h < 15 ? BY_JUMP : DIRECT;
}

/* A place calls the same function again and again, few of them one of four. */
static uint32_t callee_of(struct program *p, uint32_t function, uint32_t site)
{
	uint32_t which = kind_of(function, site) == SEVERAL ? below(p, 4) : 0;
	uint32_t h = hash(function, site, which);

	return h % 32 == 0 ? function : 1 + ROOTS + h % (FUNCTIONS - ROOTS - 1);
}

/* Mostly a function takes the same way; on the average it calls one other. */
static bool takes(struct program *p, uint32_t function, uint32_t site)
{
	return p->steps < MOST && (below(p, 32) == 0 || hash(function, site, 7) % 16 < 5);
}

static void run_function(struct program *p, uint32_t function, uint32_t depth, uint64_t slot);

static void run_site(struct program *p, uint32_t function, uint32_t site, uint32_t depth,
		     uint64_t slot)
{
	struct sim_segment *s = segment_of(p, function, 1 + 2 * site);
	enum site_kind kind = kind_of(function, site);
	uint32_t callee = callee_of(p, function, site);

	if (kind == BY_JUMP) {
		run(p, s, SIM_END_JUMP, 0);
		run_function(p, callee, DEEPEST, slot); /* which returns for this one */
		return;
	}
	slot -= 48 + function % 8 * 16;
	run(p, s, kind == SEVERAL ? SIM_END_CALL_INDIRECT : SIM_END_CALL, slot);
	if (kind == THROUGH_STUB)
		run(p, stub_of(p, callee), SIM_END_JUMP_INDIRECT, 0);
	run_function(p, callee, depth + 1, slot);
	run(p, segment_of(p, function, 2 + 2 * site), SIM_END_BRANCH, 0);
}

static void run_function(struct program *p, uint32_t function, uint32_t depth, uint64_t slot)
{
	run(p, segment_of(p, function, 0), SIM_END_BRANCH, 0);
	for (uint32_t site = 0; site < SITES && depth < DEEPEST; site++) {
		if (!takes(p, function, site))
			continue;
		run_site(p, function, site, depth, slot);
		if (kind_of(function, site) == BY_JUMP)
			return;
	}
	run(p, segment_of(p, function, AT_RETURN), SIM_END_RETURN, slot);
}

static void run_like_sqlite(struct program *p)
{
	while (p->steps < MOST) {
		run(p, segment_of(p, 0, 1), SIM_END_CALL, STACK - 64);
		run_function(p, 1 + below(p, 1 + below(p, ROOTS)), 1, STACK - 64);
		run(p, segment_of(p, 0, 2), SIM_END_BRANCH, 0);
	}
}

static void run_loop(struct program *p)
{
	while (p->steps < MOST / 4) {
		run(p, segment_of(p, 0, 1), SIM_END_CALL, STACK - 64);
		run(p, segment_of(p, 1, AT_RETURN), SIM_END_RETURN, STACK - 64);
		run(p, segment_of(p, 0, 2), SIM_END_JUMP, 0);
	}
}

/* ---- Following it ---- */

static void one_by_one(struct program *p)
{
	for (uint64_t i = 0; i < p->steps; i++) {
		const struct sim_step *s = &p->step[i];

		if (i % BATCH == 0)
			sim_totals_restart(&p->totals);
		if (s->left == &sim_step_event) {
			sim_totals_add(&p->totals, s->sp, s->counts);
			continue;
		}
		sim_totals_take(&p->totals, s->counts);
		sim_call_graph_leave(&p->stack, s->left, &s->left->own, s->sp);
		sim_call_graph_enter(&p->graph, &p->stack, s->entered, &p->totals);
	}
}

static void by_steps(struct program *p)
{
	for (uint64_t i = 0; i < p->steps; i += BATCH) {
		uint64_t end = i + BATCH < p->steps ? i + BATCH : p->steps;

		sim_totals_restart(&p->totals);
		sim_call_graph_steps(&p->graph, &p->stack, &p->totals, p->step + i, p->step + end);
	}
}

static double measure(struct program *p, void (*follow)(struct program *p))
{
	double least = 0;

	follow(p); /* all arcs are made */
	for (int i = 0; i < RUNS; i++) {
		double begin = seconds(), spent;

		follow(p);
		spent = (seconds() - begin) * 1e9 / (double)p->calls;
		least = i == 0 || spent < least ? spent : least;
	}
	return least;
}

static bool make(struct program *p)
{
	struct sim_call_graph_config config = {.events = EVENTS, .find = find};
	const uint32_t count = (FUNCTIONS + 1) * SEGMENTS + FUNCTIONS;

	*p = (struct program){.random = 88172645463325252u};
	p->segment = calloc(count, sizeof(*p->segment));
	p->step = calloc(MOST * 2, sizeof(*p->step));
	if (p->segment == NULL || p->step == NULL ||
	    sim_call_graph_init(&p->graph, &config, &sim_heap) != 0 ||
	    sim_call_stack_init(&p->stack, &p->graph, 0) != 0)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		struct sim_segment *s = &p->segment[i];
		uint32_t function = i / SEGMENTS <= FUNCTIONS ? i / SEGMENTS : STUBS;

		s->pc = ((uint64_t)function << 12) + i % SEGMENTS * 32;
		if (function == STUBS)
			s->pc = ((uint64_t)STUBS << 12) +
				(i - (FUNCTIONS + 1) * SEGMENTS) % 256 * 16;
		s->end_pc = s->pc + 8;
		s->function = sim_call_graph_function(&p->graph, s->pc);
	}
	return true;
}

static void release(struct program *p)
{
	sim_call_stack_release(&p->stack, &p->graph);
	sim_call_graph_release(&p->graph);
	free(p->segment);
	free(p->step);
}

static const struct {
	const char *name;
	void (*run)(struct program *p);
} programs[] = {{"loop", run_loop}, {"like sqlite3", run_like_sqlite}};

int main(int argc, char **argv)
{
	double bar = argc == 3 && strcmp(argv[1], "--bar") == 0 ? strtod(argv[2], NULL) : 0;
	int status = 0;

	if (argc != 1 && bar <= 0) {
		fprintf(stderr, "usage: bench_calls [--bar NS]\n");
		return 2;
	}
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		struct program p;
		double one, many;

		if (!make(&p)) {
			fprintf(stderr, "bench_calls: out of memory\n");
			return 1;
		}
		programs[i].run(&p);
		one = measure(&p, one_by_one);
		many = measure(&p, by_steps);
		printf("%-12s %7llu steps, %4.2f a call, %6llu arcs: one by one %5.1f ns a call "
		       "and its "
		       "return, by steps %5.1f\n",
		       programs[i].name, (unsigned long long)p.steps,
		       (double)p.steps / (double)p.calls,
		       (unsigned long long)sim_call_graph_size(&p.graph).arcs, one, many);
		if (bar > 0 && many > bar)
			status = 1;
		release(&p);
	}
	return status;
}
