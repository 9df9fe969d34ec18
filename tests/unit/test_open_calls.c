/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call graph from code that follows calls by itself, as the filter variant does
 * (engine/simulate/arcs): this test has the part of the code. It must give the same result as
 * reports of one segment at a time.
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
#include "sim/calls/open_calls.h"
#include "sim/calls/sites.h"

#define BEHIND	   8 /* from the beginning of a segment to where its call returns to */
#define NEAR	   ((uint64_t)128 << 10)
#define MOST_OPEN  20
#define MOST_SITES 8192

/* q is told by frames and sums. */
static struct {
	struct frame {
		struct sim_open_call call;
		struct sim_sums sums;
		uint64_t rare[SIM_GRAPH_EVENTS];
		uint64_t begun[2]; /* lanes */
		bool was_active;
	} frame[MOST_OPEN];
	unsigned frames;
	uint64_t lane[2], sp; /* so far; of the last call or return */
	uint64_t bound;	      /* calls further down, but not much, need no rules */
	struct sim_trail trail;
	struct sim_site site[MOST_SITES];
	struct sim_site towards[SIM_TOWARDS];
	unsigned sites;
	uint8_t active[256];
	struct sim_segment *left; /* NULL: what comes next is entered by a record of its own */
	uint64_t left_sp;
	uint64_t in_line; /* returns that matched */
} code;

static struct sim_segment *segment_at(uint64_t pc)
{
	for (unsigned i = 0; i < q.segments; i++)
		if (q.segment[i].pc == pc)
			return &q.segment[i];
	return NULL;
}

static unsigned site_of(struct sim_segment *left, uint64_t pc)
{
	const bool is_fixed = left->end < SIM_END_JUMP_INDIRECT || left->end == SIM_END_CALL;

	for (unsigned i = SIM_FIRST_SITE; i < code.sites; i++)
		if (code.site[i].left == left && (!is_fixed || code.site[i].pc == pc))
			return i;
	assert_true(code.sites < MOST_SITES);
	code.site[code.sites] = sim_site_of(&q.graph, left, is_fixed ? pc : 0, left->pc + BEHIND);
	return code.sites++;
}

/* ---- What code does ---- */

static void find_bound(void)
{
	const struct sim_fiber *f = q.stack.fiber;

	code.bound = 0;
	code.sp = f->sp;
	if (f->count == 0)
		return;
	code.bound = f->frame[f->count - 1].sp;
	if (code.bound > f->high)
		code.bound = f->high + 1;
	if (f->sp > code.bound || code.bound - f->sp >= NEAR)
		code.bound = 0;
}

static void finish_sums(struct frame *f)
{
	f->sums.rare = f->rare;
	for (unsigned i = 0; i < 2 && !f->was_active; i++)
		f->sums.lane[i] += code.lane[i] - f->begun[i];
}

static struct sim_open_call call_of(const struct frame *f)
{
	struct sim_open_call c = f->call;

	c.flags |= f->was_active ? SIM_ARC_RECURSIVE : 0;
	return c;
}

/* The rules must know all. */
static void give_frames(void)
{
	sim_trail_take(&code.trail, code.lane, &q.totals);
	for (unsigned i = 0; i < code.frames; i++) {
		const struct sim_open_call c = call_of(&code.frame[i]);
		struct sim_arc *arc = NULL;

		finish_sums(&code.frame[i]);
		sim_call_graph_add(&q.graph, &c, &arc, &code.frame[i].sums);
		sim_call_graph_open(&q.graph, &q.stack, &c, &arc, &q.totals);
	}
	code.frames = 0;
	q.stack.fiber->sp = code.sp;
}

static uint8_t kind_of(const struct sim_segment *s)
{
	return q.graph.functions.items[s->function].kind;
}

static uint64_t top_sp(void)
{
	return code.frames != 0 ? code.frame[code.frames - 1].call.sp : code.bound;
}

static bool push(const struct sim_segment *left, const struct sim_segment *to, uint64_t sp,
		 unsigned flags)
{
	if (code.frames == MOST_OPEN || kind_of(to) == SIM_FUNCTION_MADE ||
	    kind_of(left) == SIM_FUNCTION_MADE)
		return false;
	code.frame[code.frames++] = (struct frame){
		.call = {left->function, to->function, left->end_pc, sp,
			 flags ? 0 : left->pc + BEHIND, flags},
		.begun = {code.lane[0], code.lane[1]},
		.was_active = code.active[to->function],
	};
	code.active[to->function] = 1;
	return true;
}

static void pop(void)
{
	struct frame *f = &code.frame[--code.frames];
	const struct sim_open_call c = call_of(f);
	struct sim_arc *arc = NULL;

	finish_sums(f);
	f->sums.calls = 1;
	code.active[f->call.callee] = f->was_active;
	sim_call_graph_add(&q.graph, &c, &arc, &f->sums);
}

static bool returns(uint64_t pc)
{
	unsigned n = code.frames;

	while (n != 0 && code.frame[n - 1].call.sp == code.left_sp &&
	       code.frame[n - 1].call.back == 0)
		n--;
	if (n == 0 || code.frame[n - 1].call.sp != code.left_sp ||
	    code.frame[n - 1].call.back != pc)
		return false;
	while (code.frames >= n)
		pop();
	code.sp = code.left_sp;
	code.in_line++;
	return true;
}

/* From the end of code.left to the segment; false: it needs the rules. */
static bool goes(const struct sim_segment *to)
{
	const struct sim_segment *left = code.left;
	const uint8_t kind = kind_of(left);

	if (left->end == SIM_END_RETURN)
		return returns(to->pc);
	if (left->end == SIM_END_CALL || left->end == SIM_END_CALL_INDIRECT) {
		if (top_sp() - code.left_sp - 1 >= NEAR || !push(left, to, code.left_sp, 0))
			return false;
		code.sp = code.left_sp;
		return true;
	}
	if (left->function == to->function)
		return true;
	if (kind == SIM_FUNCTION_STUB || kind == SIM_FUNCTION_RESOLVER || code.active[to->function])
		return false;
	return push(left, to, top_sp(), SIM_ARC_JUMP);
}

static void by_rules(const struct sim_segment *to)
{
	const bool is_return = code.left != NULL && code.left->end == SIM_END_RETURN;
	struct sim_exit r = {.pc = to->pc,
			     .lane = {code.lane[0], code.lane[1]},
			     .sp = code.left_sp + (is_return ? 8 : 0)};

	r.site = code.left == NULL ? SIM_EXIT_ENTERS
				   : site_of(code.left, to->pc) | (is_return ? SIM_EXIT_RETURN : 0);
	give_frames();
	sim_call_graph_exit(&q.graph, &q.stack, &q.totals, &code.trail, &r);
	find_bound();
}

static void add_rare(void)
{
	for (unsigned i = 0; i < code.frames; i++) {
		if (code.frame[i].was_active)
			continue;
		code.frame[i].rare[0] += 1;
		code.frame[i].rare[1] += 2;
	}
	sim_totals_add(&q.totals, 3, 1);
	sim_totals_add(&q.totals, 4, 2);
}

/* ---- Programs ---- */

static void both(uint64_t pc, enum sim_segment_end end, uint64_t sp)
{
	struct sim_segment *s = program_segment(&q, pc, end, 0);

	program_run(&p, pc, end, 0, sp);
	if (code.left == NULL || !goes(s))
		by_rules(s);
	s->own.executions++;
	code.lane[0] += 2;
	code.lane[1] += 1 + ((uint64_t)1 << SIM_LANE_MODIFIES);
	if (pc & RARE)
		add_rare();
	code.left = s;
	code.left_sp = sp;
	if (draw() % 256 == 0) { /* a report */
		give_frames();
		sim_call_graph_settle(&q.graph, &q.stack, &q.totals);
		find_bound();
	}
}

static void settle(void)
{
	give_frames();
	if (code.left != NULL)
		sim_call_graph_leave(&q.stack, code.left, &code.left->own, code.left_sp);
	code.left = NULL;
}

static struct level {
	unsigned function;
	uint64_t slot, back; /* of its return address, and what stands there */
} level[MOST_CALLS];
static unsigned levels, functions;

static uint64_t somewhere(void)
{
	return (uint64_t)level[levels - 1].function << 12 | 0x10 | (draw() % 8) << 5;
}

static void do_call(void)
{
	uint64_t slot = level[levels - 1].slot - 8 - 8 * (draw() % 4), pc = somewhere();
	const unsigned function = 1 + (unsigned)(draw() % functions);

	if (levels == MOST_CALLS)
		return;
	if (draw() % 256 == 0)
		slot = slot > OTHER + (1u << 30) ? OTHER : STACK;
	else if (draw() % 64 == 0)
		slot -= draw() % 2 != 0 ? 200u << 10 : 600u << 10;
	both(pc, draw() % 2 != 0 ? SIM_END_CALL : SIM_END_CALL_INDIRECT, slot);
	level[levels++] = (struct level){function, slot, pc + BEHIND};
	both((uint64_t)function << 12, SIM_END_FALL, 0);
}

static void do_return(unsigned frames)
{
	const struct level *l = &level[levels - frames];

	if (levels <= frames)
		return;
	both(somewhere(), SIM_END_RETURN, l->slot);
	levels -= frames;
	if (draw() % 32 == 0) /* to somewhere else, of another function, too */
		level[levels - 1].function = 1 + (unsigned)(draw() % functions);
	both(draw() % 16 == 0 ? somewhere() : l->back, SIM_END_BRANCH, 0);
}

static void do_jump(void)
{
	const bool is_entry = draw() % 4 != 0;

	both(somewhere(), draw() % 2 != 0 ? SIM_END_JUMP : SIM_END_JUMP_INDIRECT, 0);
	if (draw() % 2 != 0)
		level[levels - 1].function = 1 + (unsigned)(draw() % functions);
	both(is_entry ? (uint64_t)level[levels - 1].function << 12 : somewhere(), SIM_END_FALL, 0);
}

static void do_cut(void)
{
	settle();
	sim_call_graph_unfinished(&p.stack);
	sim_call_graph_unfinished(&q.stack);
}

static void run_program(unsigned steps)
{
	levels = 1;
	level[0] = (struct level){1, STACK, 0};
	both(0x1000, SIM_END_FALL, 0);
	while (steps-- != 0) {
		const unsigned what = (unsigned)(draw() % 128);

		if (what < 45)
			do_call();
		else if (what < 82)
			do_return(1);
		else if (what < 84)
			do_return(1 + (unsigned)(draw() % levels));
		else if (what < 97)
			do_jump();
		else if (what < 98)
			do_cut();
		else
			both(somewhere(), SIM_END_FALL, 0);
	}
	settle();
}

static void begin(void)
{
	begin_twice();
	memset(&code, 0, sizeof(code));
	code.sites = SIM_FIRST_SITE;
	code.trail.sites = code.site;
	code.trail.towards = code.towards;
	code.trail.segment_at = segment_at;
	q.graph.shown = code.active;
	q.graph.shown_count = sizeof(code.active);
}

static void open_calls_come_to_the_same_as_segments(void **state)
{
	static const unsigned many[] = {2, 3, 5, 12, 60};

	(void)state;
	for (unsigned i = 0; i < 40; i++) {
		functions = many[i % 5];
		begin();
		run_program(3000);
		assert_true(code.in_line > 100);
		compare_arcs();
		finish();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_calls_come_to_the_same_as_segments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
