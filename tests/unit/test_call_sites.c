/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sites of calls: walks that continue from the previous one give the same result as whole walks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/core/random.h"
#include "engine/data/call_sites.h"
#include "engine/data/sites.h"
#include "engine/unwind/unwind.h"

#define BASE	  0x100000u /* address of the lowest word */
#define WORDS	  1024u
#define MOST	  40u	  /* frames */
#define OUTERMOST 0x1006u /* a return address at which every walk ends */

static uint64_t word[WORDS];
static uint32_t steps;

static uint64_t *at(uint64_t address)
{
	assert_true(address >= BASE && address < BASE + 8 * WORDS);
	return &word[(address - BASE) / 8];
}

/* A function's frame, by where it stands: its words, with the return address the highest. */
static uint64_t words_of(uint64_t pc)
{
	return 3 + pc % 3;
}

static bool saves_rbp(uint64_t pc)
{
	return pc & 1;
}

/* Its frame is found by rbp, which points to where the caller's is saved. */
static bool has_pointer(uint64_t pc)
{
	return pc % 4 == 3;
}

bool unwind_step(struct unwind_walk *w)
{
	uint64_t top = has_pointer(w->pc) ? w->rbp + 16 : w->rsp + 8 * words_of(w->pc);

	steps++;
	if (w->pc == OUTERMOST)
		return false;
	if (saves_rbp(w->pc)) {
		w->rbp_at = top - 16;
		w->rbp = *at(w->rbp_at);
	}
	w->pc = *at(top - 8);
	w->rsp = top;
	return true;
}

bool unwind_needs_rbp(uint64_t pc)
{
	return has_pointer(pc);
}

static uint32_t generation;

uint32_t unwind_generation(void)
{
	return generation;
}

long engine_same(const uint64_t (*reads)[2], uint64_t n)
{
	assert_true(n > 0);
	for (uint64_t i = 0; i < n; i++)
		if (*at(reads[i][0]) != reads[i][1])
			return 1;
	return 0;
}

uint32_t sites_get(uint32_t kind, const uint64_t *path, uint32_t depth_of_path)
{
	uint64_t h = kind + 4 * depth_of_path;

	for (uint32_t i = 0; i < depth_of_path; i++)
		h += path[i] * (0x9e3779b97f4a7c15ull * (i + 1) * (i + 7));
	return (uint32_t)(h * 0xd6e8feb86659fd93ull >> 32) | 1;
}

/* The frames of the program, the outermost first. */
static struct unwind_walk frame[MOST];
static uint32_t depth;

static void call(uint64_t pc, uint64_t rbp)
{
	const struct unwind_walk *from = &frame[depth - 1];

	*at(from->rsp - 8) = from->pc;
	*at(from->rsp - 16) = from->rbp;
	*at(from->rsp - 24) = rbp;
	if (has_pointer(pc))
		rbp = from->rsp - 16;
	frame[depth++] = (struct unwind_walk){pc, from->rsp - 8 * words_of(pc),
					      saves_rbp(pc) ? rbp : from->rbp};
}

static bool stands_in(const uint64_t *path, uint32_t n, uint64_t pc)
{
	for (uint32_t i = 0; i < n; i++)
		if (path[i] == pc)
			return true;
	return false;
}

/* What a path is: of the whole stack, from the outermost, each address once. */
static uint32_t whole_walk(uint32_t kind)
{
	struct unwind_walk w = frame[depth - 1];
	uint64_t raw[MOST] = {w.pc}, once[MOST], path[SITE_MAX_DEPTH] = {w.pc};
	uint32_t n = 1, taken = 0, length = 1;

	while (unwind_step(&w))
		raw[n++] = w.pc;
	while (n-- > 0)
		if (!stands_in(once, taken, raw[n]))
			once[taken++] = raw[n];
	while (taken-- > 0 && length < SITE_MAX_DEPTH)
		if (once[taken] != path[0])
			path[length++] = once[taken];
	return sites_get(kind, path, length);
}

static uint32_t found(uint32_t kind)
{
	const struct unwind_walk *w = &frame[depth - 1];

	*at(w->rsp - 8) = w->pc; /* of the call that has just returned */
	return call_sites_get(kind, w->pc, w->rsp, w->rbp);
}

static void start(void)
{
	depth = 1;
	frame[0] = (struct unwind_walk){OUTERMOST, BASE + 8 * (WORDS - 8), 0};
}

static void each_leads_where_a_whole_walk_does(void **state)
{
	uint64_t rng = 1, whole = 0, made = 0;

	(void)state;
	start();
	generation++; /* what is known is known as it was before */
	for (uint32_t i = 0; i < 200000; i++) {
		uint64_t what = random_next(&rng), pc = 0x2000 + (what >> 8) % 64;
		uint32_t kind = 1 + (what >> 16) % 2;

		if (what % 8 < 3 && depth < MOST)
			call(pc, what >> 40 & 7);
		else if (what % 8 < 5 && depth > 1)
			depth--;
		else if (what % 8 == 5 && depth > 1) /* the same function goes on to another call */
			frame[depth - 1].pc += frame[depth - 1].pc < 0x3000 ? 0x1800 : -0x1800;
		else if (what % 1000 == 6)
			generation++;
		steps = 0;
		uint32_t right = whole_walk(kind);

		whole += steps;
		steps = 0;
		assert_int_equal(found(kind), right);
		made += steps;
	}
	assert_true(made < whole / 2);
}

static void what_was_there_before_needs_no_step(void **state)
{
	uint32_t site;

	(void)state;
	start();
	for (uint32_t i = 0; i < 30; i++)
		call(0x2000 + 2 * i, 5);
	site = found(1);
	steps = 0;
	assert_int_equal(found(1), site);
	assert_int_equal(steps, 0);
	assert_int_not_equal(found(2), site);
	/* A return address farther up is another one. */
	*at(frame[28].rsp - 8) += 0x1800;
	assert_int_not_equal(found(1), site);
	assert_int_equal(found(1), whole_walk(1));
	/* Rules have changed: what they led to before says nothing. */
	generation++;
	steps = 0;
	found(1);
	assert_int_equal(steps, 31);
}

/* One that has more on its stack than before, beside what was there before. */
static void a_frame_that_rbp_finds_may_be_another_one(void **state)
{
	uint32_t site;

	(void)state;
	start();
	for (uint32_t i = 0; i < 20; i++)
		call(i == 18 ? 0x2003 : 0x2001 + 4 * i, 5);
	site = found(1);
	/* What frame 20 has saved finds the top of frame 19: now that of its caller's. */
	*at(frame[19].rsp - 16) = frame[17].rsp - 16;
	assert_int_not_equal(found(1), site);
	assert_int_equal(found(1), whole_walk(1));
}

static void the_paths_of_a_recursion_are_few(void **state)
{
	static uint32_t site[8];
	uint64_t rng = 5;
	uint32_t sites = 0;

	(void)state;
	for (uint32_t i = 0; i < 20000; i++) {
		uint32_t k = 0, n;

		start();
		call(0x2100, 5);
		for (uint32_t deep = random_next(&rng) % 25; deep; deep--)
			call(0x2000 + 2 * (random_next(&rng) % 2), 5);
		call(0x2200, 5);
		n = found(1);
		assert_int_equal(n, whole_walk(1));
		while (k < sites && site[k] != n)
			k++;
		assert_true(k < 5);
		if (k == sites)
			site[sites++] = n;
	}
	assert_int_equal(sites, 5); /* none, either one, either one first */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_leads_where_a_whole_walk_does),
		cmocka_unit_test(what_was_there_before_needs_no_step),
		cmocka_unit_test(a_frame_that_rbp_finds_may_be_another_one),
		cmocka_unit_test(the_paths_of_a_recursion_are_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
