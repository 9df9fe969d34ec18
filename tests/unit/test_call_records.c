/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call graph from records. Programs reported one segment at a time, and as records of the ends
 * that leave their function, must give the same result.
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
#include "sim/calls/call_records.h"

#define STUBS	     4u /* a function of which each piece is one */
#define MOST_RECORDS 200
#define MOST_SITES   8192
#define BEHIND	     8 /* from the beginning of a segment to where its call returns to */

/* q is told by records. */
static struct {
	struct sim_record record[MOST_RECORDS + 4];
	unsigned count;
	uint64_t lane[2]; /* so far */
	struct sim_trail trail;
	struct sim_site site[MOST_SITES];
	struct sim_site towards[SIM_TOWARDS];
	unsigned sites;
	struct sim_segment *left; /* NULL: what comes next is entered by a record of its own */
	uint64_t sp;
	uint64_t word[2 * MOST_RECORDS];
	unsigned words;
	bool is_held; /* the trail holds events, and there is a record of it */
} log;

static struct sim_segment *segment_at(uint64_t pc)
{
	for (unsigned i = 0; i < q.segments; i++)
		if (q.segment[i].pc == pc)
			return &q.segment[i];
	return NULL;
}

static bool has_wide(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512dq");
}

static void follow(void)
{
	log.trail.is_wide = has_wide() && draw() % 2;
	sim_call_graph_records(&q.graph, &q.stack, &q.totals, &log.trail, log.record,
			       log.record + log.count);
	sim_trail_take(&log.trail, log.lane, &q.totals);
	for (unsigned i = 0; i < SIM_GRAPH_EVENTS; i++)
		assert_int_equal(log.trail.held[i], 0);
	log.count = 0;
	log.words = 0;
	log.is_held = false;
}

/* Indirect ends have one site for all that they lead to, others one for each. */
static unsigned site_of(struct sim_segment *left, uint64_t pc)
{
	const bool is_fixed = left->end < SIM_END_JUMP_INDIRECT || left->end == SIM_END_CALL;

	for (unsigned i = SIM_FIRST_SITE; i < log.sites; i++)
		if (log.site[i].left == left && (!is_fixed || log.site[i].pc == pc))
			return i;
	assert_true(log.sites < MOST_SITES);
	log.site[log.sites] = sim_site_of(&q.graph, left, is_fixed ? pc : 0, left->pc + BEHIND);
	return log.sites++;
}

static void add(const struct sim_record *r)
{
	log.record[log.count] = *r;
	log.record[log.count].lane[0] = log.lane[0];
	log.record[log.count++].lane[1] = log.lane[1];
}

static void add_end(struct sim_segment *left, uint64_t pc)
{
	const bool returns = left->end == SIM_END_RETURN;

	add(&(struct sim_record){.site = site_of(left, pc) | (returns ? SIM_RECORD_RETURN : 0),
				 .pc = pc,
				 .sp = log.sp + (returns ? 8 : 0)});
}

/* One of event 3 and two of event 4: as numbers, as bits, or as what the trail holds. */
static void add_rare(void)
{
	struct sim_record *r = &log.record[log.count++];

	*r = (struct sim_record){.events = {[3] = 1, [4] = 2}};
	if (draw() % 2) {
		*r = (struct sim_record){.site = SIM_RECORD_WORDS};
		r->first_word = log.words;
		r->words = 2;
		log.word[log.words++] = 3;
		log.word[log.words++] = 2;
	}
	if (draw() % 4 || log.is_held)
		return;
	sim_trail_hold(&log.trail, r);
	*r = (struct sim_record){.site = SIM_RECORD_HELD};
	log.is_held = true;
}

/* A segment, as program_run executes it: it costs an instruction and three reads, of which one is a modify. */
static void step(uint64_t pc, enum sim_segment_end end, uint64_t sp)
{
	struct sim_segment *s = program_segment(&q, pc, end, 0), *left = log.left;
	bool stays =
		left != NULL && left->end < SIM_END_FIRST_TRANSFER && left->function == s->function;

	if (left == NULL)
		add(&(struct sim_record){.site = SIM_RECORD_ENTERS, .pc = pc});
	else if (!stays || draw() % 4 == 0)
		add_end(left, pc);
	s->own.executions++;
	if (draw() % 32 == 0) { /* as the iterations of string instructions are told */
		log.record[log.count++] = (struct sim_record){.events = {1, 3}};
	} else {
		log.lane[0] += 2;
		log.lane[1] += 1 + ((uint64_t)1 << SIM_RECORD_MODIFIES);
	}
	if (pc & RARE)
		add_rare();
	log.left = s;
	log.sp = sp;
	if (log.count >= MOST_RECORDS || draw() % 64 == 0)
		follow();
}

static void both(uint64_t pc, enum sim_segment_end end, uint64_t sp)
{
	program_run(&p, pc, end, 0, sp);
	step(pc, end, sp);
}

/* What is told one at a time meets the records: they are followed before. */
static void settle(void)
{
	follow();
	if (log.left != NULL)
		sim_call_graph_leave(&q.stack, log.left, &log.left->own, log.sp);
	log.left = NULL;
}

/* ---- Programs at random: returns lead behind their calls, most often ---- */

static struct level {
	unsigned function;
	uint64_t slot; /* of its return address */
	uint64_t back; /* what stands there */
} level[MOST_CALLS];
static unsigned levels, functions;

static uint64_t somewhere(void)
{
	return (uint64_t)level[levels - 1].function << 12 | 0x10 | (draw() % 8) << 5;
}

static void do_call(void)
{
	uint64_t slot = level[levels - 1].slot - 8 - 8 * (draw() % 4), pc = somewhere();
	unsigned function = 1 + (unsigned)(draw() % functions);

	if (levels == MOST_CALLS)
		return;
	if (draw() % 256 == 0)
		slot = slot > OTHER + (1u << 30) ? OTHER : STACK;
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
	if (draw() % 16 == 0) { /* to somewhere else, of another function, too */
		level[levels - 1].function = 1 + (unsigned)(draw() % functions);
		both(somewhere(), SIM_END_BRANCH, 0);
	} else {
		both(l->back, SIM_END_BRANCH, 0);
	}
}

/* Through one of eight stubs, each of which nearly always leads to the same function; half of these return at once. */
static void do_call_of_stub(void)
{
	const uint64_t slot = level[levels - 1].slot - 8 - 8 * (draw() % 4), pc = somewhere();
	const unsigned stub = (unsigned)(draw() % 8);
	const unsigned function = 1 + (draw() % 16 != 0 ? stub : (unsigned)draw()) % functions;

	if (levels == MOST_CALLS)
		return;
	both(pc, SIM_END_CALL, slot);
	level[levels++] = (struct level){function, slot, pc + BEHIND};
	both(STUBS << 12 | stub << 5 | (draw() % 4 == 0 ? RARE : 0), SIM_END_JUMP_INDIRECT, 0);
	both((uint64_t)function << 12, SIM_END_FALL, 0);
	if (draw() % 2 != 0)
		do_return(1);
}

static void do_jump(void)
{
	bool is_entry = draw() % 4 != 0;

	both(somewhere(), draw() % 2 != 0 ? SIM_END_JUMP : SIM_END_JUMP_INDIRECT, 0);
	if (draw() % 2 != 0)
		level[levels - 1].function = 1 + (unsigned)(draw() % functions);
	both(is_entry ? (uint64_t)level[levels - 1].function << 12 : somewhere(), SIM_END_FALL, 0);
}

/* A call at a function's end, of a function in another library. */
static void do_jump_to_stub(void)
{
	const unsigned stub = (unsigned)(draw() % 8);
	const unsigned function = 1 + (draw() % 16 != 0 ? stub : (unsigned)draw()) % functions;

	both(somewhere(), SIM_END_JUMP, 0);
	level[levels - 1].function = function;
	both(STUBS << 12 | stub << 5 | (draw() % 4 == 0 ? RARE : 0), SIM_END_JUMP_INDIRECT, 0);
	both((uint64_t)function << 12, SIM_END_FALL, 0);
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
		unsigned what = (unsigned)(draw() % 128);

		if (what < 30)
			do_call();
		else if (what < 55)
			do_call_of_stub();
		else if (what < 92)
			do_return(1);
		else if (what < 94)
			do_return(1 + (unsigned)(draw() % levels));
		else if (what < 107)
			do_jump();
		else if (what < 113)
			do_jump_to_stub();
		else if (what < 114)
			do_cut();
		else
			both(somewhere(), SIM_END_FALL, 0);
	}
	settle();
}

/* ---- Are they the same? ---- */

/* Those that no record entered are placed where the others are. */
static void compare_places(void)
{
	for (unsigned i = 0; i < p.segments; i++) {
		struct sim_segment *s = &q.segment[i];

		sim_call_graph_place(&q.graph, s);
		assert_int_equal(p.graph.contexts.items[p.segment[i].own.node].function,
				 q.graph.contexts.items[s->own.node].function);
		assert_int_equal(p.segment[i].own.executions, s->own.executions);
	}
}

static void begin(void)
{
	begin_twice();
	memset(&log, 0, sizeof(log));
	log.sites = SIM_FIRST_SITE;
	log.trail.sites = log.site;
	log.trail.towards = log.towards;
	log.trail.segment_at = segment_at;
	log.trail.words = log.word;
}

static void records_come_to_the_same_as_segments(void **state)
{
	static const unsigned many[] = {2, 3, 5, 12, 60};

	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		functions = many[i % 5];
		begin();
		run_program(3000);
		compare_arcs();
		compare_places();
		finish();
	}
}

/* Function 1 calls 2 and 3 in turn from one place, through a stub; both are left for 5 by a jump, which returns. */
static void returns_from_what_was_jumped_to_lead_behind_the_call(void **state)
{
	(void)state;
	begin();
	for (unsigned i = 0; i < 10; i++) {
		step(0x1000, SIM_END_CALL, STACK - 16);
		step(0x4020, SIM_END_JUMP_INDIRECT, 0);
		step(i % 2 != 0 ? 0x2000 : 0x3000, SIM_END_JUMP, 0);
		step(0x5000, SIM_END_FALL, 0);
		step(0x5010, SIM_END_RETURN, STACK - 16);
		step(0x1000 + BEHIND, SIM_END_JUMP, 0);
	}
	settle();
	sim_call_graph_end(&q.graph, &q.stack, &q.totals);
	assert_int_equal(program_arcs(&q, 1, 4, 0, 0).inclusive[0],
			 10); /* the stub's instruction */
	assert_int_equal(program_arcs(&q, 1, 2, 0, 0).calls, 5);
	assert_int_equal(program_arcs(&q, 1, 2, 0, 0).inclusive[0], 5 * 3);
	assert_int_equal(program_arcs(&q, 1, 3, 0, 0).inclusive[1], 5 * 9);
	assert_int_equal(program_arcs(&q, 2, 5, SIM_ARC_JUMP, 0).inclusive[0], 5 * 2);
	finish();
}

/* As the loop of an interpreter: one place calls six parts of each of 200 functions in turn, which are more than there are entries for. */
static void a_place_leads_to_more_than_are_kept(void **state)
{
	(void)state;
	assert_true(1200 > SIM_TOWARDS);
	begin();
	for (unsigned i = 0; i < 3 * 1200; i++) {
		step(0x1000, SIM_END_CALL_INDIRECT, STACK - 16);
		step((uint64_t)(8 + i % 200) << 12 | (i / 200 % 6) << 4, SIM_END_RETURN, STACK - 16);
		step(0x1000 + BEHIND, SIM_END_JUMP, 0);
	}
	settle();
	sim_call_graph_end(&q.graph, &q.stack, &q.totals);
	for (unsigned f = 8; f < 208; f++) {
		assert_int_equal(program_arcs(&q, 1, f, 0, 0).calls, 3 * 6);
		assert_int_equal(program_arcs(&q, 1, f, 0, 0).inclusive[0], 3 * 6);
	}
	finish();
}

/* The sums go round: 32 bits of loads, 34 of instructions. Only what is new counts. */
static void lanes_may_go_round(void **state)
{
	const uint64_t before[2] = {0xfffffff0u | (uint64_t)0xfffffffeu << 32,
				    (((uint64_t)1 << SIM_RECORD_MODIFIES) - 3) |
					    (uint64_t)7 << SIM_RECORD_MODIFIES};
	struct sim_trail trail = {.seen = {before[0], before[1]}};
	struct sim_totals t = {0};
	/* 32 loads, 3 stores, 5 instructions, 4 modifies */
	const uint64_t lane[2] = {before[0] + 32 + ((uint64_t)3 << 32),
				  before[1] + 5 + ((uint64_t)4 << SIM_RECORD_MODIFIES)};

	(void)state;
	sim_trail_take(&trail, lane, &t);
	assert_int_equal(t.event[0], 5);
	assert_int_equal(t.event[1], 32 + 4);
	assert_int_equal(t.event[2], 3);
	sim_trail_take(&trail, lane, &t);
	assert_int_equal(t.event[0], 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_come_to_the_same_as_segments),
		cmocka_unit_test(returns_from_what_was_jumped_to_lead_behind_the_call),
		cmocka_unit_test(a_place_leads_to_more_than_are_kept),
		cmocka_unit_test(lanes_may_go_round),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
