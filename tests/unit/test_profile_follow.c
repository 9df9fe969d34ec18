/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which long watches the model gets, and their effect. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "estimate/hot.h"
#include "estimate/summary.h"
#include "profiles.h"
#include "scratch.h"
#include "store/store.h"
#include "views/views.h"

#define WINDOWS	   40
#define PER_WINDOW 200
#define LENGTH	   100000ull
#define PERIOD	   1000000ull
#define PATH	   "dwell.db"

static const struct query random_at_mb = {.policy = QUERY_RANDOM, .size_bytes = 1u << 20};
static const struct query random_at_16_mb = {.policy = QUERY_RANDOM, .size_bytes = 16u << 20};

static void put_samples(struct store *s, uint32_t window)
{
	struct store_window w = {1, window, PERIOD * window, LENGTH, PERIOD, PER_WINDOW, 20000};
	uint32_t k;

	assert_int_equal(store_put_window(s, &w, NULL), 0);
	for (k = 0; k < PER_WINDOW; k++) {
		struct store_sample x = {.process_id = 1,
					 .window = window,
					 .status = k % 4 == 0,
					 .position = PERIOD * window + k,
					 .distance = k % 4 == 0 ? LENGTH - k
								: LENGTH * k / (PER_WINDOW + 4),
					 .begin = {1, 64, 8, 1, 0},
					 .end = {1, 64, 8, 1, 0}};

		if (x.status == 1)
			x.end = (struct store_access){.location = STORE_NONE};
		assert_int_equal(store_put_sample(s, &x, NULL), 0);
	}
}

/* A profile of one process in this state; of each window, and of one that never closed, two follows. */
/* "told all": of a process that a signal killed, but whose engine saw it come. */
static void write_profile(const char *process_state, bool has_follows)
{
	bool told_all = strcmp(process_state, "told all") == 0;
	struct store_process p = {.id = 1,
				  A_PROCESS,
				  .state = told_all ? "killed" : process_state,
				  .told_end = told_all,
				  .accesses = PERIOD * WINDOWS,
				  .footprint_pages = 20000};
	struct store_follow f = {.process_id = 1};
	struct store *s = create_profile(PATH);
	uint32_t w, k;

	assert_int_equal(store_put_process(s, &p, NULL), 0);
	for (w = 0; w < WINDOWS; w++)
		put_samples(s, w);
	for (w = 0; has_follows && w <= WINDOWS; w++) {
		for (k = 0; k < 2; k++) {
			f.window = w;
			f.status = k;
			f.watched = (k + 1) * (w + 2) * LENGTH;
			f.position = PERIOD * w + 4 * k;
			f.end.location = k == 0 ? 1 : STORE_NONE;
			assert_int_equal(store_put_follow(s, &f, NULL), 0);
		}
	}
	finish_profile(s);
}

static struct profile load(void)
{
	struct profile p;
	struct err err;

	if (profile_open(&p, PATH, STORE_NONE, &err) != 0)
		fail_msg("%s", err.text);
	return p;
}

/* What the model says of a cache far beyond what the windows see. */
static double far_ratio(const struct profile *p)
{
	struct model_ratio r;

	profile_solve(p, &random_at_16_mb, &r);
	assert_true(r.known);
	return r.ratio;
}

static double ratio_without_follows(void)
{
	struct profile p;
	double ratio;

	write_profile("exited", false);
	p = load();
	assert_int_equal(p.follow_count, 0);
	assert_false(p.cut_follows);
	ratio = far_ratio(&p);
	profile_close(&p);
	return ratio;
}

static void the_model_gets_those_of_windows_that_closed(void **state)
{
	static const char *const states[] = {"exited", "exec", "told all"};
	double without = ratio_without_follows();
	struct profile p;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		write_profile(states[i], true);
		p = load();
		assert_int_equal(p.follow_count, 2 * WINDOWS);
		assert_false(p.cut_follows);
		assert_true(far_ratio(&p) != without);
		profile_close(&p);
	}
}

/* Those touched alone would make far lines look near. */
static void the_model_gets_none_of_a_process_cut_off(void **state)
{
	static const char *const states[] = {"killed", "detached", "running"};
	static const struct display plain = {0};
	double without = ratio_without_follows();
	struct text out = {0};
	const struct summary_page page = {.file = "dwell.db", .rows = 10, .is_verbose = true};
	struct summary s;
	struct profile p;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		write_profile(states[i], true);
		p = load();
		assert_int_equal(p.follow_count, 0);
		assert_true(p.cut_follows);
		assert_true(far_ratio(&p) == without);
		assert_int_equal(summary_init(&s, &p, &random_at_mb, NULL), 0);
		assert_int_equal(summary_text(&s, &page, &plain, &out, NULL), 0);
		assert_non_null(strstr(text_get(&out), "82 of the censored watched on in later "
						       "windows, 41 met again\n"));
		assert_non_null(strstr(text_get(&out), "These are left out: cut off"));
		text_release(&out);
		summary_csv(&s, &out);
		assert_non_null(strstr(text_get(&out), "\ncount,followed,,82,,,,,,,,,\n"
						       "count,followed_touched,,41,,,,,,,,,\n"));
		text_release(&out);
		summary_release(&s);
		profile_close(&p);
	}
}

/* The misses of each process state's profile, what is not resolved and in all. */
static struct hot_cost far_costs(const char *process_state)
{
	struct hot_cost sum = {0}, *costs;
	struct profile p;

	write_profile(process_state, true);
	p = load();
	costs = hot_costs(&p, &random_at_mb, NULL);
	assert_non_null(costs);
	for (size_t i = 0; i <= p.location_count; i++)
		hot_add(&sum, &costs[i]);
	free(costs);
	profile_close(&p);
	return sum;
}

static void far_misses_belong_to_who_met_the_line_again(void **state)
{
	struct hot_cost cut = far_costs("killed"), ended = far_costs("exited");

	(void)state;
	assert_true(cut.unresolved > 0.2);
	/* What is left are the first touches that the footprint allows: 20000 pages. */
	assert_true(ended.unresolved < 20000 * 64.0 / (PERIOD * WINDOWS) + 1e-6);
	assert_true(ended.misses > cut.misses + 0.15);
	assert_true(fabs(ended.accesses - 1) < 1e-6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_model_gets_those_of_windows_that_closed),
		cmocka_unit_test(the_model_gets_none_of_a_process_cut_off),
		cmocka_unit_test(far_misses_belong_to_who_met_the_line_again),
	};

	return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
