/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sites of calls: walks that go on as the one before lead where a whole walk does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/call_sites.h"
#include "engine/random.h"
#include "engine/sites.h"
#include "engine/unwind.h"

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

/* Its step reads a word more, as one by a frame pointer on the stack does. */
static bool reads_more(uint64_t pc)
{
	return pc == 0x2007;
}

static void note(struct unwind_reads *r, uint64_t address)
{
	r->read[r->count][0] = address;
	r->read[r->count++][1] = *at(address);
}

bool unwind_step_noting(struct unwind_walk *w, struct unwind_reads *r)
{
	uint64_t top = has_pointer(w->pc) ? w->rbp + 16 : w->rsp + 8 * words_of(w->pc);

	steps++;
	*r = (struct unwind_reads){.uses_rbp = has_pointer(w->pc)};
	if (w->pc == OUTERMOST)
		return false;
	if (reads_more(w->pc))
		note(r, top - 24);
	note(r, top - 8);
	if (saves_rbp(w->pc)) {
		note(r, top - 16);
		r->rbp = r->count;
		w->rbp = *at(top - 16);
	}
	w->pc = *at(top - 8);
	w->rsp = top;
	return true;
}

uint32_t unwind_steps(struct unwind_walk *w, uint64_t *path, uint32_t most)
{
	struct unwind_reads r;
	uint32_t n = 0;

	while (n < most && unwind_step_noting(w, &r))
		path[n++] = w->pc;
	return n;
}

static uint32_t generation;

uint32_t unwind_generation(void)
{
	return generation;
}

long engine_same_at(const uint64_t *from, const uint64_t *value, const uint16_t *place, uint64_t n)
{
	assert_true(n > 0);
	for (uint64_t i = 0; i < n; i++)
		if (*at((uint64_t)(uintptr_t)from + 8ull * place[i]) != value[i])
			return 1;
	return 0;
}

uint64_t sites_sum(const uint64_t *path, uint32_t from, uint32_t to)
{
	uint64_t sum = 0;

	for (uint32_t i = from; i < to; i++)
		sum += path[i] * (0x9e3779b97f4a7c15ull * (i + 1) * (i + 7));
	return sum;
}

static bool is_made[1 << 16];

static uint32_t number_of(uint32_t kind, uint32_t depth_of_path, uint64_t sum)
{
	uint64_t h = (sum + kind + 4 * depth_of_path) * 0xd6e8feb86659fd93ull;

	return (uint32_t)(h >> 32) | 1;
}

uint32_t sites_known(uint32_t kind, uint32_t depth_of_path, uint64_t sum)
{
	uint32_t n = number_of(kind, depth_of_path, sum);

	return is_made[n & 0xffff] ? n : 0;
}

uint32_t sites_get(uint32_t kind, const uint64_t *path, uint32_t depth_of_path)
{
	uint32_t n = number_of(kind, depth_of_path, sites_sum(path, 0, depth_of_path));

	is_made[n & 0xffff] = true;
	return n;
}

static bool are_many;

bool sites_are_many(void)
{
	return are_many;
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

#define FIRST_STEPS 4u /* that are made each time */
#define KNOWN_STEPS 4u /* after which a recursion is left */

static bool stands_in(const uint64_t *path, uint32_t from, uint32_t to, uint64_t pc)
{
	for (uint32_t i = from; i < to; i++)
		if (path[i] == pc)
			return true;
	return false;
}

/*
 * What a path is, by its addresses from the innermost. Where sites are many, first ones that are
 * all different stay, and of those behind them each is taken once. In a recursion each is taken
 * once, until some in a row were there already.
 */
static uint32_t whole_walk(uint32_t kind)
{
	struct unwind_walk w = frame[depth - 1];
	struct unwind_reads r;
	uint64_t raw[SITE_MAX_DEPTH] = {w.pc}, path[SITE_MAX_DEPTH];
	uint32_t n = 1, taken = 0, from = 0, known = 0;
	bool recurs = false;

	while (n < SITE_MAX_DEPTH && unwind_step_noting(&w, &r))
		raw[n++] = w.pc;
	if (!are_many)
		return number_of(kind, n, sites_sum(raw, 0, n));
	for (uint32_t i = 1; i <= FIRST_STEPS && n > FIRST_STEPS && i < n; i++)
		recurs |= stands_in(raw, 0, i, raw[i]);
	for (uint32_t i = 0; i < n && known < KNOWN_STEPS; i++) {
		const bool is_known =
			(recurs || i > FIRST_STEPS) && stands_in(path, from, taken, raw[i]);

		if (!is_known)
			path[taken++] = raw[i];
		if (i > FIRST_STEPS)
			known = recurs && is_known ? known + 1 : 0;
		if (i == FIRST_STEPS && !recurs)
			from = taken;
	}
	return number_of(kind, taken, sites_sum(path, 0, taken));
}

static uint32_t found(uint32_t kind)
{
	const struct unwind_walk *w = &frame[depth - 1];

	return call_sites_get(kind, w->pc, w->rsp, w->rbp);
}

static void start(void)
{
	depth = 1;
	frame[0] = (struct unwind_walk){OUTERMOST, BASE + 8 * (WORDS - 8), 0};
}

static void each_leads_there(void)
{
	uint64_t rng = 1, whole = 0, made = 0;

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

static void each_leads_where_a_whole_walk_does(void **state)
{
	(void)state;
	each_leads_there();
}

static void so_it_does_where_sites_are_many(void **state)
{
	(void)state;
	are_many = true;
	each_leads_there();
	are_many = false;
}

static void what_was_there_before_needs_the_first_steps_only(void **state)
{
	uint32_t site;

	(void)state;
	start();
	for (uint32_t i = 0; i < 30; i++)
		call(0x2000 + 2 * (i % 3), 5);
	site = found(1);
	steps = 0;
	assert_int_equal(found(1), site);
	assert_int_equal(steps, FIRST_STEPS);
	assert_int_not_equal(found(2), site);
	/* A return address farther up is another one. */
	*at(frame[20].rsp - 8) += 0x1800;
	assert_int_not_equal(found(1), site);
	assert_int_equal(found(1), whole_walk(1));
	/* Rules have changed: what they led to before says nothing. */
	generation++;
	steps = 0;
	found(1);
	assert_int_equal(steps, SITE_MAX_DEPTH - 1);
}

static void a_saved_rbp_matters_where_a_frame_is_found_by_it(void **state)
{
	uint32_t site;

	(void)state;
	start();
	for (uint32_t i = 0; i < 30; i++)
		call(0x2001, 5);
	site = found(1);
	*at(frame[20].rsp - 16) ^= 8;
	steps = 0;
	assert_int_equal(found(1), site);
	assert_int_equal(steps, FIRST_STEPS);

	start();
	for (uint32_t i = 0; i < 30; i++)
		call(i == 18 ? 0x2003 : 0x2001 + 4 * (i % 5), 5);
	site = found(1);
	/* What frame 20 has saved finds the top of frame 19: now that of its caller's. */
	*at(frame[19].rsp - 16) = frame[17].rsp - 16;
	assert_int_not_equal(found(1), site);
	assert_int_equal(found(1), whole_walk(1));
}

static void the_paths_of_a_recursion_are_few(void **state)
{
	static uint32_t site[64];
	uint64_t rng = 5;
	uint32_t sites = 0;

	(void)state;
	are_many = true;
	for (uint32_t i = 0; i < 20000; i++) {
		uint32_t k = 0, n;

		start();
		call(0x2100, 5);
		for (uint32_t deep = random_next(&rng) % 25; deep; deep--)
			call(0x2000 + 2 * (random_next(&rng) % 2), 5);
		n = found(1);
		assert_int_equal(n, whole_walk(1));
		while (k < sites && site[k] != n)
			k++;
		assert_true(k < 64);
		site[k] = n;
		sites += k == sites;
	}
	are_many = false;
	/* Either place, or one behind the other, in either order; with what called it or not. */
	assert_true(sites <= 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_leads_where_a_whole_walk_does),
		cmocka_unit_test(so_it_does_where_sites_are_many),
		cmocka_unit_test(what_was_there_before_needs_the_first_steps_only),
		cmocka_unit_test(the_paths_of_a_recursion_are_few),
		cmocka_unit_test(a_saved_rbp_matters_where_a_frame_is_found_by_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
