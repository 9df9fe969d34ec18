/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The exact simulations against naive ones: a list of lines by age, and an array that is searched
 * linearly.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counted_memory.h"
#include "draw.h"
#include "sim/curve/curve.h"
#include "sim/curve/keys.h"

#define MAX_LINES 5000

/* Lines by age, the youngest first. */
struct stack {
	uint64_t lines[MAX_LINES];
	uint64_t count;
};

static uint64_t naive_distance(struct stack *s, uint64_t line)
{
	uint64_t at = 0, distance;

	while (at < s->count && s->lines[at] != line)
		at++;
	distance = at < s->count ? at : SIM_FIRST_TOUCH;
	if (at == s->count)
		assert_true(++s->count <= MAX_LINES);
	memmove(s->lines + 1, s->lines, at * sizeof(*s->lines));
	s->lines[0] = line;
	return distance;
}

/* Some near, some far, some new: from a few lines to all of them by turns. */
static uint64_t draw_line(uint64_t i, uint64_t lines)
{
	uint64_t reach = (i / 3000 % 4 + 1) * lines / 4;

	if (draw() % 4 == 0)
		return draw() % 8;
	return draw() % 2 ? draw() % reach : i % reach;
}

static void compare_distances(uint64_t lines, uint64_t touches)
{
	struct stack *naive = calloc(1, sizeof(*naive));
	struct sim_lru s;

	assert_int_equal(sim_lru_init(&s, &memory), 0);
	for (uint64_t i = 0; i < touches; i++) {
		uint64_t line = draw_line(i, lines) * 0x10001;

		assert_int_equal(sim_lru_touch(&s, line), naive_distance(naive, line));
	}
	assert_int_equal(s.lines, naive->count);
	assert_false(s.failed);
	sim_lru_release(&s);
	assert_int_equal(taken, 0);
	free(naive);
}

static void test_stack_distances_are_those_of_a_list(void **state)
{
	(void)state;
	compare_distances(8, 1000);
	compare_distances(10, 20000);
	compare_distances(200, 100000);
	compare_distances(4000, 60000);
}

/* There are 131072 slots at first: three times as many touches number them anew. */
static void test_stack_distances_survive_new_numbers_for_the_slots(void **state)
{
	(void)state;
	compare_distances(300, 400000);
}

static bool is_kept(void *context, uint64_t line)
{
	return line % *(const uint64_t *)context == 0;
}

/*
 * Of lines 0 to 999, touched in a random order, those that three divides stay; then those that six
 * divides. Behind each the stack is that of these lines alone.
 */
static void test_forgotten_lines_leave_the_others_in_order(void **state)
{
	struct sim_lru s, few;
	uint64_t line = 1;

	(void)state;
	assert_int_equal(sim_lru_init(&s, &memory), 0);
	assert_int_equal(sim_lru_init(&few, &memory), 0);
	for (uint64_t step = 1; step <= 6; step *= step == 1 ? 3 : 2) {
		sim_lru_keep(&s, is_kept, &step);
		sim_lru_keep(&few, is_kept, &step);
		assert_int_equal(s.lines, few.lines);
		for (unsigned i = 0; i < 300000; i++) {
			line = line * 6364136223846793005u + 1442695040888963407u;
			if (step == 1) {
				sim_lru_touch(&s, (line >> 33) % 1000);
				if ((line >> 33) % 1000 % 3 == 0)
					sim_lru_touch(&few, (line >> 33) % 1000);
				continue;
			}
			const uint64_t kept = (line >> 33) % 1000 / step * step;

			assert_int_equal(sim_lru_touch(&s, kept), sim_lru_touch(&few, kept));
		}
	}
	assert_int_equal(s.lines, 167);
	sim_lru_release(&s);
	sim_lru_release(&few);
	assert_int_equal(taken, 0);
}

/*
 * 100000 lines in a cycle, five times: the table grows, and there are more slots after the first
 * turn. Each touch but the first of a line has all the others in between.
 */
static void test_a_cycle_has_all_other_lines_in_between(void **state)
{
	enum { LINES = 100000 };
	struct sim_lru s;

	(void)state;
	assert_int_equal(sim_lru_init(&s, &memory), 0);
	for (uint64_t i = 0; i < 5 * LINES; i++)
		assert_int_equal(sim_lru_touch(&s, i % LINES),
				 i < LINES ? SIM_FIRST_TOUCH : LINES - 1);
	/* As the header says: 66 bytes a line at most. */
	assert_true(taken <= 66 * (uint64_t)LINES);
	sim_lru_release(&s);
}

static void test_memory_that_runs_out_is_told(void **state)
{
	uint64_t i = 0;
	struct sim_lru s;

	(void)state;
	for (takes_left = 0; takes_left < 3; takes_left++) {
		uint64_t left = takes_left;

		assert_int_equal(sim_lru_init(&s, &memory), -1);
		sim_lru_release(&s);
		takes_left = left;
	}
	assert_int_equal(sim_lru_init(&s, &memory), 0);
	while (!s.failed && i < 100000)
		sim_lru_touch(&s, i++);
	assert_true(s.failed);
	/* The table of 4096 places grows when it is half full. */
	assert_int_equal(i, 2049);
	assert_int_equal(sim_lru_touch(&s, 1), SIM_FIRST_TOUCH);
	sim_lru_release(&s);
	takes_left = UINT64_MAX;
	assert_int_equal(taken, 0);
}

/* ---- Random replacement ---- */

struct naive_cache {
	uint64_t lines[64];
	uint64_t count, room;
};

static int naive_has(const struct naive_cache *c, uint64_t line)
{
	for (uint64_t i = 0; i < c->count; i++)
		if (c->lines[i] == line)
			return 1;
	return 0;
}

/* As random_cache.h says, with random numbers of its own. */
static int naive_touch(struct naive_cache *c, uint64_t line)
{
	if (naive_has(c, line))
		return 0;
	if (c->count < c->room)
		c->lines[c->count++] = line;
	else
		c->lines[draw() % c->room] = line;
	return 1;
}

/*
 * Both are random: over 300,000 touches of 100 lines a ratio of about a half has a standard error
 * of some 0.001 each, as the misses of a cache are nearly independent.
 */
static void test_random_caches_miss_as_often_as_naive_ones(void **state)
{
	enum { TOUCHES = 300000 };
	const uint64_t sizes[] = {1, 2, 16, 50, 63};
	struct naive_cache naive[5] = {{{0}}};
	uint64_t naive_misses[5] = {0}, misses[5] = {0};
	struct sim_random r;

	(void)state;
	assert_int_equal(sim_random_init(&r, sizes, 5, 7, &memory), 0);
	for (unsigned k = 0; k < 5; k++)
		naive[k].room = sizes[k];
	for (uint64_t i = 0; i < TOUCHES; i++) {
		uint64_t line = i / 1000 % 2 ? i % 100 : draw() % 100, missed;

		missed = sim_random_touch(&r, line);
		for (unsigned k = 0; k < 5; k++) {
			misses[k] += missed >> k & 1;
			naive_misses[k] += (uint64_t)naive_touch(&naive[k], line);
		}
	}
	for (unsigned k = 0; k < 5; k++)
		assert_true(labs((long)misses[k] - (long)naive_misses[k]) < TOUCHES * 6 / 1000);
	/* Of one line there is nothing to choose: these are the same misses. */
	assert_int_equal(misses[0], naive_misses[0]);
	assert_int_equal(r.line_count, 100);
	sim_random_release(&r);
	assert_int_equal(taken, 0);
}

static void test_a_random_cache_that_holds_all_misses_first_touches_only(void **state)
{
	const uint64_t sizes[] = {10, 4000};
	uint64_t misses[2] = {0};
	struct sim_random r;

	(void)state;
	assert_int_equal(sim_random_init(&r, sizes, 2, 1, &memory), 0);
	for (uint64_t i = 0; i < 50000; i++) {
		uint64_t missed = sim_random_touch(&r, draw() % 4000);

		misses[0] += missed & 1;
		misses[1] += missed >> 1;
	}
	assert_int_equal(misses[1], 4000);
	assert_true(misses[0] > 49000);
	sim_random_release(&r);
}

/* ---- Curves ---- */

static void make(struct sim_curve *c, uint32_t line_bytes, const uint64_t *sizes, unsigned count)
{
	struct sim_curve_config config = {.line_bytes = line_bytes,
					  .size_lines = sizes,
					  .size_count = count,
					  .policies = {true, true},
					  .seed = 3};

	assert_int_equal(sim_curve_init(c, &config, &memory), 0);
}

/*
 * Lines of 16 bytes. 0: first. 12, 8 bytes: line 0 at distance 0, line 1 first. 0: line 0 at
 * distance 1, a miss in a cache of one line only. 16, 0 bytes: one byte, line 1, the same.
 */
static void test_an_access_misses_where_one_of_its_lines_does(void **state)
{
	const uint64_t sizes[] = {1, 2, 3};
	struct sim_outcome o;
	struct sim_curve c;

	(void)state;
	make(&c, 16, sizes, 3);
	o = sim_curve_access(&c, 0, 8);
	assert_true(o.is_first && o.lru == 3 && o.random == 7);
	o = sim_curve_access(&c, 12, 8);
	assert_true(o.is_first && o.lru == 3 && o.random == 7);
	o = sim_curve_access(&c, 0, 8);
	assert_true(!o.is_first && o.lru == 1 && o.random == 1);
	o = sim_curve_access(&c, 16, 0);
	assert_true(!o.is_first && o.lru == 1 && o.random == 1);
	sim_curve_sum(&c);
	assert_int_equal(c.accesses, 4);
	assert_int_equal(c.touches, 5);
	assert_int_equal(c.first_accesses, 2);
	for (int p = SIM_RANDOM; p <= SIM_LRU; p++) {
		assert_int_equal(c.misses[p].accesses[0], 4);
		assert_int_equal(c.misses[p].accesses[1], 2);
		assert_int_equal(c.misses[p].accesses[2], 2);
		assert_int_equal(c.misses[p].touches[0], 4);
		assert_int_equal(c.misses[p].touches[1], 2);
	}
	sim_curve_release(&c);
	assert_int_equal(taken, 0);
}

/* Sizes that are no powers of two, against the distances of the list. */
static void test_a_curve_counts_distances_for_each_size(void **state)
{
	const uint64_t sizes[] = {1, 3, 7, 8, 100, 150, 300};
	struct stack *naive = calloc(1, sizeof(*naive));
	uint64_t misses[7] = {0};
	struct sim_curve c;

	(void)state;
	make(&c, 64, sizes, 7);
	for (uint64_t i = 0; i < 20000; i++) {
		uint64_t line = draw_line(i, 280), distance = naive_distance(naive, line);

		for (unsigned k = 0; k < 7; k++)
			misses[k] += distance >= sizes[k];
		sim_curve_access(&c, line * 64 + draw() % 57, 8);
	}
	sim_curve_sum(&c);
	for (unsigned k = 0; k < 7; k++) {
		assert_int_equal(c.misses[SIM_LRU].accesses[k], misses[k]);
		assert_int_equal(c.misses[SIM_LRU].touches[k], misses[k]);
	}
	assert_false(sim_curve_failed(&c));
	sim_curve_release(&c);
	free(naive);
}

/* Whatever the keys are, their sums are the curve's. */
static void test_misses_by_key_add_up_to_the_curve(void **state)
{
	const uint64_t sizes[] = {8, 64};
	struct sim_key sum = {0};
	struct sim_curve c;
	struct sim_keys k;

	(void)state;
	make(&c, 32, sizes, 2);
	sim_keys_init(&k, 1, &memory);
	for (uint64_t i = 0; i < 30000; i++) {
		uint64_t address = draw() % 8000;
		struct sim_outcome o = sim_curve_access(&c, address, 4);

		assert_int_equal(sim_keys_add(&k, address, &o), 0);
	}
	sim_curve_sum(&c);
	assert_true(k.count <= 8000);
	for (uint64_t i = 0; i < k.count; i++) {
		sum.accesses += k.items[i].accesses;
		sum.first += k.items[i].first;
		sum.misses[SIM_LRU] += k.items[i].misses[SIM_LRU];
		sum.misses[SIM_RANDOM] += k.items[i].misses[SIM_RANDOM];
	}
	assert_int_equal(sum.accesses, 30000);
	assert_int_equal(sum.first, c.first_accesses);
	assert_int_equal(sum.misses[SIM_LRU], c.misses[SIM_LRU].accesses[1]);
	assert_int_equal(sum.misses[SIM_RANDOM], c.misses[SIM_RANDOM].accesses[1]);
	sim_keys_release(&k);
	sim_curve_release(&c);
	assert_int_equal(taken, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stack_distances_are_those_of_a_list),
		cmocka_unit_test(test_stack_distances_survive_new_numbers_for_the_slots),
		cmocka_unit_test(test_forgotten_lines_leave_the_others_in_order),
		cmocka_unit_test(test_a_cycle_has_all_other_lines_in_between),
		cmocka_unit_test(test_memory_that_runs_out_is_told),
		cmocka_unit_test(test_random_caches_miss_as_often_as_naive_ones),
		cmocka_unit_test(test_a_random_cache_that_holds_all_misses_first_touches_only),
		cmocka_unit_test(test_an_access_misses_where_one_of_its_lines_does),
		cmocka_unit_test(test_a_curve_counts_distances_for_each_size),
		cmocka_unit_test(test_misses_by_key_add_up_to_the_curve),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
