/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The models against cases computed by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/parts.h"

#define CLOSE 1e-9

/* A stretch of equal samples of one window. */
struct lot {
	uint32_t window;
	uint32_t count;
	uint64_t distance;
	bool reused;
};

static double line_made; /* of the next model */
static uint64_t period_made = 1000; /* so far apart are its windows */

/* A model of `windows` windows of 1000 accesses each, one after another from the run's start. */
static struct model *make_of(const struct lot *lots, size_t lot_count, size_t windows,
			     uint64_t pages, uint64_t accesses)
{
	struct model_window *w = calloc(windows + 1, sizeof(*w));
	struct model_sample *s;
	size_t n = 0;
	struct model_input in;
	struct model *m;
	struct err err;

	for (size_t i = 0; i < lot_count; i++)
		n += lots[i].count;
	s = calloc(n + 1, sizeof(*s));
	assert_true(w != NULL && s != NULL);
	for (size_t i = 0; i < windows; i++)
		w[i] = (struct model_window){period_made * i, 1000, period_made, pages};
	n = 0;
	for (size_t i = 0; i < lot_count; i++)
		for (uint32_t k = 0; k < lots[i].count; k++)
			s[n++] = (struct model_sample){lots[i].distance, lots[i].window,
						       lots[i].reused};
	in = (struct model_input){w, windows, s, n, accesses, pages, 64, .line_made = line_made};
	m = model_new(&in, &err);
	assert_non_null(m);
	free(w);
	free(s);
	return m;
}

/* They are the whole run. */
static struct model *make(const struct lot *lots, size_t lot_count, size_t windows, uint64_t pages)
{
	return make_of(lots, lot_count, windows, pages, period_made * windows);
}

static struct model_ratio solve(struct model *m, enum model_policy policy, uint64_t lines)
{
	struct model_ratio r;

	model_solve(m, policy, lines, &r);
	return r;
}

static void test_bins_are_exact_below_64_and_3_percent_wide_above(void **state)
{
	assert_int_equal(model_bin(0), 0);
	assert_int_equal(model_bin(63), 63);
	assert_int_equal(model_bin(64), 64);
	assert_int_equal(model_bin(65), 64); /* 64..127 in 32 bins of 2 */
	assert_int_equal(model_bin(127), 95);
	assert_int_equal(model_bin(128), 96);
	assert_int_equal(model_bin(UINT64_MAX), MODEL_BINS - 1);
}

static void test_no_samples_means_nothing_is_known(void **state)
{
	struct model *m = make(NULL, 0, 3, 10);
	struct model_ratio r = solve(m, MODEL_RANDOM, 100);
	struct model_resolution res;

	assert_false(r.known);
	assert_true(r.low == 0 && r.high == 1);
	model_resolve(m, &res);
	assert_int_equal(res.groups, 0);
	assert_int_equal(model_attribute(m, 100, NULL, NULL), 0);
	model_free(m);
}

static void test_input_that_contradicts_itself_is_refused(void **state)
{
	struct model_window w[2] = {{1000, 10, 10, 0}, {500, 10, 10, 0}};
	struct model_sample s = {1, 7, true};
	struct model_input in = {w, 1, &s, 1, 0, 0, 64};
	struct err err;

	assert_null(model_new(&in, &err));
	assert_non_null(strstr(err.text, "window that is not there"));
	in.line_bytes = 48;
	assert_null(model_new(&in, &err));
	assert_non_null(strstr(err.text, "power of two"));
	in.line_bytes = 64;
	in.window_count = 2;
	assert_null(model_new(&in, &err));
	assert_non_null(strstr(err.text, "begins before"));
}

/*
 * Two thirds of the accesses come back after 4 others, one third at once. In two
 * lines: R = 2/3 (1 - (1/2)^(4 R)); R = 1/2 gives 2/3 (1 - 1/4) = 1/2.
 */
static void test_random_replacement_solves_the_fixed_point(void **state)
{
	const struct lot lots[] = {{0, 200, 4, true}, {0, 100, 0, true}};
	/* A run so long that filling the cache does not count. */
	struct model *m = make_of(lots, 2, 1, 1, (uint64_t)1 << 50);

	assert_true(fabs(solve(m, MODEL_RANDOM, 2).ratio - 0.5) < CLOSE);
	/* One line: every access that another came between misses. */
	assert_true(fabs(solve(m, MODEL_RANDOM, 1).ratio - 2.0 / 3) < CLOSE);
	/* No line at all. */
	assert_true(solve(m, MODEL_RANDOM, 0).ratio == 1);
	assert_true(solve(m, MODEL_LRU, 0).ratio == 1);
	/*
	 * In three lines the slope at 0 is 2/3 * 4 * ln(3/2) = 1.08 > 1: a root above 0.
	 * In four it is 2/3 * 4 * ln(4/3) = 0.77: nothing ever misses.
	 */
	assert_true(solve(m, MODEL_RANDOM, 3).ratio > 0.05);
	assert_true(solve(m, MODEL_RANDOM, 4).ratio == 0);
	model_free(m);
}

/*
 * Half of 1000 accesses come back after 100 others, in 20 lines: the first 20 misses evict
 * nothing, so 100 R - 100 * 20 / 1000 of those in between do.
 */
static void test_the_first_misses_fill_the_cache(void **state)
{
	const struct lot lots[] = {{0, 100, 100, true}, {0, 100, 0, true}};
	struct model *m = make(lots, 2, 1, 0);
	double ratio = solve(m, MODEL_RANDOM, 20).ratio;

	assert_true(ratio > 0.4 && ratio < 0.49);
	assert_true(fabs(ratio - 0.5 * (1 - pow(0.95, 100 * (ratio - 0.02)))) < 1e-4);
	model_free(m);
}

/*
 * Ten windows; in the first the program comes to hold 4 pages = 256 lines, and all it does
 * later is to walk through them once in a window, with three more touches of each line. A
 * cache of 256 lines holds that; it misses each line once in 10000 accesses. With LRU so does one of 254,
 * as the lines of the start are at rest; perhaps it does not, and then it misses nearly all that walks.
 */
static void test_a_cache_of_the_footprint_misses_first_touches_only(void **state)
{
	struct lot lots[20];
	struct model *m;

	for (uint32_t i = 0; i < 10; i++) {
		lots[2 * i] = (struct lot){i, 300, 0, true};
		lots[2 * i + 1] = (struct lot){i, 100, 500, false};
	}
	m = make(lots, 20, 10, 4);
	assert_true(fabs(solve(m, MODEL_RANDOM, 256).ratio - 0.0256) < 1e-6);
	assert_true(fabs(solve(m, MODEL_LRU, 256).ratio - 0.0256) < 1e-6);
	assert_true(fabs(solve(m, MODEL_LRU, 254).ratio - 0.0256) < 1e-6);
	assert_true(solve(m, MODEL_LRU, 254).bound_high > 0.1);
	assert_true(solve(m, MODEL_LRU, 256).bound_high < 0.03);
	assert_true(solve(m, MODEL_LRU, 252).ratio > 0.03);
	assert_true(solve(m, MODEL_LRU, 128).ratio > 0.1);
	assert_true(solve(m, MODEL_RANDOM, 128).ratio > 0.1);
	model_free(m);
}

/* The same program in pages of which it uses a quarter of the lines: 64 first touches, not 256. */
static void test_first_touches_are_of_the_lines_in_use(void **state)
{
	struct lot lots[20];
	struct model *m;

	for (uint32_t i = 0; i < 10; i++) {
		lots[2 * i] = (struct lot){i, 300, 0, true};
		lots[2 * i + 1] = (struct lot){i, 100, 500, false};
	}
	line_made = 0.25;
	m = make(lots, 20, 10, 4);
	line_made = 0;
	assert_true(fabs(solve(m, MODEL_RANDOM, 64).ratio - 0.0064) < 1e-6);
	assert_true(fabs(solve(m, MODEL_LRU, 64).ratio - 0.0064) < 1e-6);
	assert_true(solve(m, MODEL_RANDOM, 32).ratio > 0.1);
	/* How many lines are in use is an estimate: next to it LRU may hold them, or miss all that walks. */
	assert_true(solve(m, MODEL_LRU, 64).bound_high > 0.1);
	assert_true(solve(m, MODEL_LRU, 66).bound_high < 0.03);
	assert_true(solve(m, MODEL_LRU, 62).ratio > 0.1);
	assert_true(solve(m, MODEL_LRU, 62).bound_low < 0.03);
	assert_true(solve(m, MODEL_LRU, 61).bound_low > 0.1);
	model_free(m);
}

/* The slope of what was seen shapes what was not: see tail.c. The mean is the footprint's. */
static void test_a_survival_that_falls_has_an_uneven_tail(void **state)
{
	const struct lot flat[] = {{0, 100, 0, true}, {0, 100, 100, false}};
	const struct lot falling[] = {
		{0, 100, 0, true}, {0, 30, 40, true}, {0, 30, 90, true}, {0, 40, 100, false}};
	const size_t low = MODEL_TAIL_PIECES / 16, high = MODEL_TAIL_PIECES - 1 - low;
	const struct tail *t;
	struct model *m;

	m = make_of(flat, 2, 1, 40, 100000);
	t = &m->tails[TAIL_SPREAD];
	assert_true(t->x[high] - 100 < 10 * (t->x[low] - 100));
	model_free(m);
	m = make_of(falling, 4, 1, 40, 100000);
	t = &m->tails[TAIL_SPREAD];
	assert_true(t->x[high] - 100 > 50 * (t->x[low] - 100));
	model_free(m);
}

/* Eight lines in a cycle: each reuse has 7 accesses, to 7 lines, in between. */
static void test_lru_holds_a_cycle_that_fits_and_nothing_of_one_that_does_not(void **state)
{
	const struct lot lots[] = {{0, 500, 7, true}};
	struct model *m = make(lots, 1, 1, 1);

	assert_true(fabs(solve(m, MODEL_LRU, 7).ratio - 1) < CLOSE);
	assert_true(solve(m, MODEL_LRU, 8).ratio == 0);
	assert_true(solve(m, MODEL_LRU, 1).ratio == 1);
	model_free(m);
}

/*
 * Half of the accesses at distance 1, half at 9. Stack distance of 9: for k = 0
 * all survive (1), for k = 1..8 half (8 * 1/2): 5 in all. So 5 lines miss half,
 * 6 hold everything.
 */
static void test_lru_counts_the_lines_in_between_not_the_accesses(void **state)
{
	const struct lot lots[] = {{0, 100, 1, true}, {0, 100, 9, true}};
	struct model *m = make(lots, 2, 1, 1);

	assert_true(fabs(solve(m, MODEL_LRU, 5).ratio - 0.5) < CLOSE);
	assert_true(solve(m, MODEL_LRU, 6).ratio == 0);
	model_free(m);
}

/*
 * Four equal parts: reused at 1, given up at 2, reused at 3 and at 4. Kaplan and
 * Meier: at 1 one of four (1/4); at 3 one of two of the remaining 3/4 (3/8); the
 * rest at 4 (3/8). Nothing is left over.
 */
static void test_a_watch_given_up_counts_as_long_as_it_lasted(void **state)
{
	const struct lot lots[] = {
		{0, 100, 1, true}, {0, 100, 2, false}, {0, 100, 3, true}, {0, 100, 4, true}};
	const double expected[] = {0.25, 0, 0.375, 0.375};
	struct model *m = make(lots, 4, 1, 1);
	struct model_share shares[400];
	double sum[4] = {0}, misses = 0;

	assert_int_equal(model_attribute(m, 8, shares, NULL), 0);
	for (int i = 0; i < 400; i++) {
		sum[i / 100] += shares[i].accesses;
		misses += shares[i].misses;
	}
	for (int i = 0; i < 4; i++)
		assert_true(fabs(sum[i] - expected[i]) < CLOSE);
	assert_true(fabs(misses - solve(m, MODEL_RANDOM, 8).ratio) < CLOSE);
	model_free(m);
}

/* In the bin of the reuse itself, a watch given up counts half: 100 of 300 + 50. */
static void test_a_watch_given_up_in_the_same_bin_is_half_at_risk(void **state)
{
	const struct lot lots[] = {{0, 100, 5, true}, {0, 100, 5, false}, {0, 200, 6, true}};
	struct model *m = make(lots, 3, 1, 1);

	assert_true(fabs(m->pool.mass[0] - 100.0 / 350) < CLOSE);
	assert_true(fabs(m->groups[0].own.mass[0] - 100.0 / 350) < CLOSE);
	model_free(m);
}

/*
 * One window stands for 1000 accesses, 200 samples: half reused at 0, half given
 * up at 100, so 1/2 is unresolved and the integral of the survival up to 100 is
 * 50. The program holds 4 pages = 256 lines: cold at most 256 / 1000, which leaves
 * 0.244 that lies (256 - 50) / 0.244 = 844.26 accesses beyond, on average.
 */
static void test_the_footprint_bounds_what_was_not_resolved(void **state)
{
	const struct lot lots[] = {{0, 100, 0, true}, {0, 100, 100, false}};
	struct model *m = make(lots, 2, 1, 4);
	struct model_resolution res;
	double mean = 0;

	model_resolve(m, &res);
	assert_true(fabs(res.distance - 100) < CLOSE);
	assert_true(fabs(res.unresolved - 0.5) < CLOSE);
	assert_true(fabs(res.lines - 50) < CLOSE);
	assert_true(fabs(res.cold - 0.256) < CLOSE);
	assert_true(fabs(m->tails[TAIL_FAR].x[0] - (100 + 206 / 0.244)) < 1e-6);
	for (int q = 0; q < MODEL_TAIL_PIECES; q++)
		mean += m->tails[TAIL_SPREAD].x[q] / MODEL_TAIL_PIECES;
	/* The pieces keep the mean. */
	assert_true(fabs(mean - m->tails[TAIL_FAR].x[0]) < 0.01 * mean);
	/* A huge cache: only the cold ones miss. A cache of one line: all but the half at 0. */
	assert_true(fabs(solve(m, MODEL_RANDOM, 1u << 30).ratio - 0.256) < 1e-3);
	assert_true(fabs(solve(m, MODEL_LRU, 1u << 30).ratio - 0.256) < CLOSE);
	assert_true(fabs(solve(m, MODEL_RANDOM, 1).ratio - 0.5) < CLOSE);
	model_free(m);
}

static void test_the_bounds_enclose_the_point(void **state)
{
	const struct lot lots[] = {{0, 100, 3, true}, {0, 100, 700, false}, {1, 150, 9, true}};
	struct model *m = make(lots, 3, 2, 10);

	for (uint64_t lines = 1; lines < 1u << 20; lines *= 2) {
		struct model_ratio r = solve(m, MODEL_RANDOM, lines);

		assert_true(r.bound_low <= r.ratio + CLOSE && r.ratio <= r.bound_high + CLOSE);
		assert_true(r.low <= r.bound_low + CLOSE && r.bound_high <= r.high + CLOSE);
	}
	model_free(m);
}

/* Without a footprint the unresolved half hits at least like distance 100, or misses always. */
static void test_without_footprint_the_point_lies_halfway(void **state)
{
	const struct lot lots[] = {{0, 100, 0, true}, {0, 100, 100, false}};
	struct model *m = make(lots, 2, 1, 0);
	struct model_share shares[200];
	struct model_ratio r = solve(m, MODEL_RANDOM, 1u << 20);
	double misses = 0;

	assert_true(r.bound_low < 1e-4);
	assert_true(fabs(r.bound_high - 0.5) < CLOSE);
	assert_true(fabs(r.ratio - 0.25) < 1e-4);
	assert_int_equal(model_attribute(m, 1u << 20, shares, NULL), 0);
	for (int i = 0; i < 200; i++)
		misses += shares[i].misses;
	assert_true(fabs(misses - r.ratio) < CLOSE);
	model_free(m);
}

/* Five groups of a window and 300 samples each, ratios .1 .3 .5 .7 .9, mean .5, too different to be of a kind. */
static void has_interval(uint64_t period, double half)
{
	const struct lot lots[] = {{0, 30, 4, true}, {0, 270, 0, true}, {1, 90, 4, true},  {1, 210, 0, true},
				   {2, 150, 4, true}, {2, 150, 0, true}, {3, 210, 4, true}, {3, 90, 0, true},
				   {4, 270, 4, true}, {4, 30, 0, true}};
	struct model_ratio r;
	struct model *m;

	period_made = period;
	m = make(lots, 10, 5, 1);
	r = solve(m, MODEL_RANDOM, 1);
	assert_int_equal(m->group_count, 5);
	assert_int_equal(m->kind_count, 5);
	assert_true(fabs(r.ratio - 0.5) < CLOSE);
	/* Widened by 5 %, which is what the model itself may be off. */
	assert_true(fabs(r.low - (0.5 - half - 0.025)) < 1e-4 && fabs(r.high - (0.5 + half + 0.025)) < 1e-4);
	model_free(m);
}

/*
 * Between them 1/25 of the squares of .4 .2 0 .2 .4: .016, as far as windows leave anything out; of their samples
 * 3/25 of the sum of r (1 - r) / 300: .00034. Five fourths of both; Student's t for 4: 2.7764.
 */
static void test_the_interval_is_students_over_groups(void **state)
{
	(void)state;
	has_interval(1000000000, 0.39679); /* sqrt(.020425) */
	has_interval(2000, 0.28348);	   /* half of .016: sqrt(.010425) */
	has_interval(1000, 0.05724);	   /* nothing is left out, as in all other tests: sqrt(.000425) */
}

static void test_one_group_alone_cannot_say_how_sure_it_is(void **state)
{
	const struct lot lots[] = {{0, 99, 3, true}};
	struct model *m = make(lots, 1, 1, 1);
	struct model_ratio r = solve(m, MODEL_RANDOM, 2);

	assert_true(r.known && r.low == 0 && r.high == 1);
	model_free(m);
}

/* 60 + 60 samples make a group; 120 make the next; the 30 at the end join it. */
static void test_groups_are_consecutive_windows_of_100_samples(void **state)
{
	const struct lot lots[] = {
		{0, 60, 3, true}, {1, 60, 3, true}, {2, 120, 3, true}, {3, 30, 3, true}};
	struct model *m = make(lots, 4, 4, 1);

	assert_int_equal(m->group_count, 2);
	assert_int_equal(m->groups[0].count, 120);
	assert_int_equal(m->groups[1].count, 150);
	assert_true(fabs(m->groups[0].weight - 0.5) < CLOSE);
	model_free(m);
}

/*
 * Windows of near reuses, and as many of which half are far: neighbours join, but none of one kind
 * with one of the other, though groups could hold three and thirty-one is no multiple.
 */
static void test_alike_neighbours_are_one_group(void **state)
{
	enum { HALF = 31 };
	struct lot lots[4 * HALF];
	struct model *m;

	for (uint32_t i = 0; i < 2 * HALF; i++) {
		lots[2 * i] = (struct lot){i, 50, 3, true};
		lots[2 * i + 1] = (struct lot){i, 50, i < HALF ? 3 : 300, true};
	}
	m = make(lots, 4 * HALF, 2 * HALF, 1);
	assert_in_range(m->group_count, 16, HALF);
	for (size_t g = 0, window = 0; g < m->group_count; g++) {
		size_t begin = window;

		window += m->groups[g].windows;
		assert_int_equal(m->groups[g].count, 100 * m->groups[g].windows);
		assert_false(begin < HALF && window > HALF);
	}
	model_free(m);
}

/* However near to its end it came to lie; and the last one for the rest of the run, too. */
static void test_a_window_speaks_for_its_period(void **state)
{
	/* [180 280) of the first 300, [320 420) of the next 500; the run ends at 1000. */
	const struct model_window w[] = {{180, 100, 300, 1}, {320, 100, 500, 1}};
	struct model_sample s[200];
	struct model_input in = {w, 2, s, 200, 1000, 1, 64};
	struct model *m;

	for (uint32_t i = 0; i < 200; i++)
		s[i] = (struct model_sample){1, i / 100, true};
	m = model_new(&in, NULL);
	assert_non_null(m);
	assert_true(fabs(m->groups[0].weight - 0.3) < CLOSE);
	assert_true(fabs(m->groups[1].weight - 0.7) < CLOSE); /* 500 and 200 */
	model_free(m);
}

/* From the tables: t at 97.5 % for 1, 6, 7, 10, 30, 120 degrees of freedom. */
static void test_students_quantiles_are_those_of_the_tables(void **state)
{
	static const struct {
		size_t df;
		double t;
	} rows[] = {{1, 12.706}, {6, 2.447}, {7, 2.365}, {10, 2.228}, {30, 2.042}, {120, 1.980}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_true(fabs(model_student_quantile(rows[i].df) - rows[i].t) < 0.002);
}

/* 12 windows of far loads and 8 of near stores, of a run that loads half the time. */
static void test_loads_weigh_the_phases(void **state)
{
	enum { WINDOWS = 20, EACH = 100 };
	struct model_window windows[WINDOWS];
	static struct model_sample samples[WINDOWS * EACH];
	struct model_input in = {windows, WINDOWS, samples, WINDOWS * EACH, 0, 0, 64};
	double ratio[2];

	(void)state;
	for (uint32_t w = 0; w < WINDOWS; w++) {
		bool loads = w % 5 < 3;

		windows[w] = (struct model_window){1000000ull * w, 1000000, 1000000, 0};
		for (uint32_t i = 0; i < EACH; i++)
			samples[w * EACH + i] = (struct model_sample){loads ? 10000 : 0, w, true,
								      windows[w].start, loads};
	}
	for (int known = 0; known < 2; known++) {
		struct model *m;

		in.loads = known ? 10000000 : 0;
		m = model_new(&in, NULL);
		assert_non_null(m);
		ratio[known] = solve(m, MODEL_RANDOM, 16).ratio;
		model_free(m);
	}
	assert_true(fabs(ratio[0] - 0.6) < 1e-3);
	assert_true(fabs(ratio[1] - 0.5) < 1e-3);
}

/*
 * Windows in turns: nine of ten samples near, and three of ten. Of the near ones a sixteenth speaks for all:
 * the model has to know the turns apart as well, where a quiet window has few samples left.
 */
static void test_few_near_samples_do_for_all(void **state)
{
	enum { WINDOWS = 100, EACH = 240 };
	static struct model_window windows[WINDOWS];
	static struct model_sample samples[WINDOWS * EACH];
	double ratio[2];

	(void)state;
	for (int thin = 0; thin < 2; thin++) {
		struct model_input in = {windows, WINDOWS, samples, 0, 0, 0, 64};
		struct model *m;

		in.weight_one = 256;
		for (uint32_t w = 0; w < WINDOWS; w++) {
			uint32_t near = w % 2 ? EACH * 9 / 10 : EACH * 3 / 10, some = thin ? 1 + near / 16 : near;

			windows[w] = (struct model_window){1000000ull * w, 100000, 1000000, 0};
			for (uint32_t i = 0; i < some + EACH - near; i++)
				samples[in.sample_count++] = (struct model_sample){
					.distance = i < some ? 3 : 3000 + 10 * (i - some),
					.window = w,
					.reused = true,
					.position = windows[w].start + 100 * i,
					.weight = i < some ? 256 * near / some : 256};
		}
		m = model_new(&in, NULL);
		assert_non_null(m);
		ratio[thin] = solve(m, MODEL_RANDOM, 512).ratio;
		model_free(m);
	}
	assert_true(ratio[0] > 0.1);
	assert_true(fabs(ratio[1] - ratio[0]) < 0.004);
}

/* 600 windows of random distances, some given up: whatever comes, the parts add up. */
static void test_shares_add_up_to_the_miss_ratio(void **state)
{
	enum { LOTS = 4000 };
	struct lot *lots = calloc(LOTS, sizeof(*lots));
	struct model_share *shares;
	struct model *m;
	uint64_t random = 1;

	assert_non_null(lots);
	for (uint32_t i = 0; i < LOTS; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		lots[i] = (struct lot){i * 600 / LOTS, 1 + (random >> 60),
				       (random >> 20) % (1u << (random >> 59 & 15)),
				       (random >> 40) % 4 != 0};
	}
	m = make(lots, LOTS, 600, 2000);
	shares = calloc(m->sample_count, sizeof(*shares));
	assert_non_null(shares);
	for (uint64_t lines = 1; lines <= 1u << 18; lines *= 8) {
		double accesses = 0, misses = 0;

		assert_int_equal(model_attribute(m, lines, shares, NULL), 0);
		for (size_t i = 0; i < m->sample_count; i++) {
			assert_true(shares[i].misses <= shares[i].accesses + CLOSE);
			accesses += shares[i].accesses;
			misses += shares[i].misses;
		}
		assert_true(fabs(accesses - 1) < CLOSE);
		assert_true(fabs(misses - solve(m, MODEL_RANDOM, lines).ratio) < CLOSE);
	}
	free(shares);
	free(lots);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bins_are_exact_below_64_and_3_percent_wide_above),
		cmocka_unit_test(test_no_samples_means_nothing_is_known),
		cmocka_unit_test(test_input_that_contradicts_itself_is_refused),
		cmocka_unit_test(test_random_replacement_solves_the_fixed_point),
		cmocka_unit_test(test_the_first_misses_fill_the_cache),
		cmocka_unit_test(test_a_cache_of_the_footprint_misses_first_touches_only),
		cmocka_unit_test(test_first_touches_are_of_the_lines_in_use),
		cmocka_unit_test(test_a_survival_that_falls_has_an_uneven_tail),
		cmocka_unit_test(test_lru_holds_a_cycle_that_fits_and_nothing_of_one_that_does_not),
		cmocka_unit_test(test_lru_counts_the_lines_in_between_not_the_accesses),
		cmocka_unit_test(test_a_watch_given_up_counts_as_long_as_it_lasted),
		cmocka_unit_test(test_a_watch_given_up_in_the_same_bin_is_half_at_risk),
		cmocka_unit_test(test_the_footprint_bounds_what_was_not_resolved),
		cmocka_unit_test(test_the_bounds_enclose_the_point),
		cmocka_unit_test(test_without_footprint_the_point_lies_halfway),
		cmocka_unit_test(test_the_interval_is_students_over_groups),
		cmocka_unit_test(test_one_group_alone_cannot_say_how_sure_it_is),
		cmocka_unit_test(test_groups_are_consecutive_windows_of_100_samples),
		cmocka_unit_test(test_alike_neighbours_are_one_group),
		cmocka_unit_test(test_a_window_speaks_for_its_period),
		cmocka_unit_test(test_students_quantiles_are_those_of_the_tables),
		cmocka_unit_test(test_loads_weigh_the_phases),
		cmocka_unit_test(test_few_near_samples_do_for_all),
		cmocka_unit_test(test_shares_add_up_to_the_miss_ratio),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
