/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models of samples that were chosen from more. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/parts.h"

#define WINDOWS	    40u
#define SAMPLES	    200u /* in each */
#define LENGTH	    100000u
#define EVERY	    4u /* one of these was chosen */
#define FOLLOW_MEAN 500000.0
#define MOST	    2.0 /* luck that is believed, as a factor */

static uint64_t state = 1;

static double uniform(void)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (double)(state >> 11) * 0x1p-53 + 1e-18;
}

static double exponential(double mean)
{
	return -mean * log(uniform());
}

/*
 * A tenth of the accesses is reused after 50,000 on average, of the rest most after 300. Samples that the
 * window does not resolve are watched on, until a touch that comes after FOLLOW_MEAN more.
 */
struct run {
	struct model_window windows[WINDOWS];
	struct model_sample samples[WINDOWS * SAMPLES];
	struct model_follow follows[WINDOWS * SAMPLES];
	struct model_input in;
};

static void sample(struct run *r, uint32_t window)
{
	uint64_t at = (uint64_t)(uniform() * LENGTH), left = LENGTH - at;
	uint64_t distance = (uint64_t)exponential(uniform() < 0.1 ? 50000 : 300);
	bool reused = distance < left;

	if (!reused)
		r->follows[r->in.follow_count++] = (struct model_follow){
			window, left + (uint64_t)exponential(FOLLOW_MEAN), true, 0};
	r->samples[r->in.sample_count++] = (struct model_sample){
		reused ? distance : left, window, reused, r->windows[window].start + at};
}

static struct run *make_run(void)
{
	struct run *r = calloc(1, sizeof(*r));

	assert_non_null(r);
	r->in = (struct model_input){.windows = r->windows,
				     .window_count = WINDOWS,
				     .samples = r->samples,
				     .follows = r->follows,
				     .accesses = 10ull * WINDOWS * LENGTH,
				     .footprint_pages = 1000,
				     .line_bytes = 64};
	for (uint32_t w = 0; w < WINDOWS; w++) {
		r->windows[w] =
			(struct model_window){10ull * w * LENGTH, LENGTH, 10ull * LENGTH, 1000};
		for (unsigned i = 0; i < SAMPLES; i++)
			sample(r, w);
	}
	return r;
}

/* One in EVERY of the samples, as in the input, and a few of the follows. */
static struct run *choose(const struct run *all)
{
	struct run *r = calloc(1, sizeof(*r));

	assert_non_null(r);
	*r = *all;
	r->in.windows = r->windows;
	r->in.samples = r->samples;
	r->in.follows = r->follows;
	r->in.chosen_from = all->in.sample_count;
	r->in.sample_count = r->in.follow_count = 0;
	for (size_t i = 0; i < all->in.sample_count; i += EVERY)
		r->samples[r->in.sample_count++] = all->samples[i];
	for (size_t i = 0; i < all->in.follow_count; i += EVERY)
		r->follows[r->in.follow_count++] = all->follows[i];
	return r;
}

static struct model *build(const struct model_input *in)
{
	struct err err;
	struct model *m = model_new(in, &err);

	assert_non_null(m);
	return m;
}

static double ratio(struct model *m, enum model_policy policy, uint64_t lines)
{
	struct model_ratio r;

	model_solve(m, policy, lines, &r);
	assert_true(r.low <= r.ratio && r.ratio <= r.high);
	return r.ratio;
}

/* Seen with the same size of line, the luck of the choice is all there is, and goes altogether, as far as it is believed. */
static void test_a_choice_says_what_all_say(void **test)
{
	struct run *all = make_run(), *few = choose(all);
	struct model *m_all = build(&all->in), *m, *chosen;

	few->in.all = m_all;
	m = build(&few->in);
	chosen = build(&few->in);
	for (uint64_t lines = 128; lines <= 1 << 14; lines *= 2)
		for (int policy = MODEL_RANDOM; policy <= MODEL_LRU; policy++) {
			double before = ratio(m, policy, lines), truth = ratio(m_all, policy, lines);

			assert_true(fabs(before - truth) > 1e-9);
			model_set_yardstick(m, m_all, chosen, 1, 1);
			assert_true(fabs(ratio(m, policy, lines) - fmin(truth, MOST * before)) < 1e-9);
			model_set_yardstick(m, m_all, chosen, 1, 0);
			assert_true(fabs(ratio(m, policy, lines) - before) < 1e-9);
			model_set_yardstick(m, NULL, NULL, 1, 0);
		}
	model_free(chosen);
	model_free(m);
	model_free(m_all);
	free(few);
	free(all);
}

static void test_shares_of_a_choice_add_up_to_its_ratio(void **test)
{
	struct run *all = make_run(), *few = choose(all);
	struct model *m_all = build(&all->in), *m, *chosen;
	struct model_share *shares = calloc(few->in.sample_count, sizeof(*shares));
	double misses = 0;
	struct err err;

	few->in.all = m_all;
	m = build(&few->in);
	chosen = build(&few->in);
	model_set_yardstick(m, m_all, chosen, 1, 1);
	assert_int_equal(model_attribute(m, 1024, shares, &err), 0);
	for (size_t i = 0; i < few->in.sample_count; i++) {
		assert_true(shares[i].misses <= shares[i].accesses);
		misses += shares[i].misses;
	}
	assert_true(fabs(misses - ratio(m, MODEL_RANDOM, 1024)) < 1e-4);
	free(shares);
	model_free(chosen);
	model_free(m);
	model_free(m_all);
	free(few);
	free(all);
}

/* Samples that touch two lines miss more often than others: still all accesses are shared out, and all misses told. */
static void test_shares_of_accesses_of_two_lines_add_up(void **test)
{
	struct run *all = make_run();
	size_t count = all->in.sample_count;
	struct model_share *shares = calloc(count, sizeof(*shares));
	struct model_share sum = {0};
	struct model *m;
	struct err err;

	for (size_t i = 0; i < count; i++) {
		all->samples[i].touches = 1 + (all->samples[i].distance > 2000);
		all->in.touches += (double)all->samples[i].touches / (double)count;
	}
	m = build(&all->in);
	assert_int_equal(model_attribute(m, 64, shares, &err), 0);
	for (size_t i = 0; i < count; i++) {
		assert_true(shares[i].misses <= shares[i].accesses);
		sum.accesses += shares[i].accesses;
		sum.begins += shares[i].begins;
		sum.misses += shares[i].misses;
	}
	assert_true(fabs(sum.accesses - 1) < 1e-6);
	assert_true(fabs(sum.begins - 1) < 1e-6);
	assert_true(fabs(sum.misses - ratio(m, MODEL_RANDOM, 64)) < 1e-6);
	free(shares);
	model_free(m);
	free(all);
}

/* Also where the yardstick's lines are others: a set of all lines is no set. */
static void test_as_many_ways_as_lines_are_fully_associative(void **test)
{
	struct run *all = make_run(), *few = choose(all);
	struct model *m_all = build(&all->in), *m, *chosen;

	few->in.all = m_all;
	m = build(&few->in);
	chosen = build(&few->in);
	model_set_yardstick(m, m_all, chosen, 0.5, 0.75);
	for (int policy = MODEL_RANDOM; policy <= MODEL_LRU; policy++) {
		struct model_ratio r;

		model_solve_cache(m, policy, &(struct model_cache){64, 64}, &r);
		assert_true(fabs(r.ratio - ratio(m, policy, 64)) < 1e-9);
	}
	model_free(chosen);
	model_free(m);
	model_free(m_all);
	free(few);
	free(all);
}

/* Lines of half the size, of which as many reuses come from afar, hold half of the memory at a distance. */
static void test_far_reuses_have_as_much_memory_on_their_way(void **test)
{
	struct run *all = make_run(), *few = choose(all);
	struct model *m_all = build(&all->in), *m;
	const struct tail *from = &m_all->tails[TAIL_SPREAD], *to;
	double farther;

	assert_int_equal(m_all->followed, 0);
	few->in.all = m_all;
	few->in.line_bytes = 32;
	m = build(&few->in);
	to = &m->tails[TAIL_SPREAD];
	assert_int_equal(m->followed, 0);
	farther = 2 * m_all->pool.left / m->pool.left;
	for (size_t q = 0; q < to->count; q++)
		assert_true(fabs((to->x[q] - m->pool.end_x) -
				 farther * (from->x[q] - m_all->pool.end_x)) < 1);
	model_free(m);
	model_free(m_all);
	free(few);
	free(all);
}

/* Steady touches: those watched on are met after FOLLOW_MEAN more, and so half of them before its median. */
static void test_the_tail_lies_where_lines_watched_on_were_met(void **test)
{
	struct run *all = make_run();
	struct model *m = build(&all->in);
	const struct tail *t = &m->tails[TAIL_SPREAD];
	double median = (t->x[t->count / 2 - 1] + t->x[t->count / 2]) / 2 - m->pool.end_x;

	assert_int_equal(m->followed, 0);
	assert_true(median > 0.5 * M_LN2 * FOLLOW_MEAN && median < 1.5 * M_LN2 * FOLLOW_MEAN);
	model_free(m);
	free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_choice_says_what_all_say),
		cmocka_unit_test(test_shares_of_a_choice_add_up_to_its_ratio),
		cmocka_unit_test(test_shares_of_accesses_of_two_lines_add_up),
		cmocka_unit_test(test_as_many_ways_as_lines_are_fully_associative),
		cmocka_unit_test(test_far_reuses_have_as_much_memory_on_their_way),
		cmocka_unit_test(test_the_tail_lies_where_lines_watched_on_were_met),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
