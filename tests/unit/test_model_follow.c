/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The distances of far reuses, from long watches and from reuses seen within windows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "model/mixture.h"
#include "traces.h"

#define END	1000.0
#define PIECES	40 /* of what was seen, 25 accesses each */
#define FOLLOWS 64

struct far {
	struct model m;
	double x[PIECES], mass[PIECES];
	struct follow follows[FOLLOWS];
	struct tail t;
};

/* Lines are touched at one of two rates, with these means; a share of them at the second. */
static double outlives(double x, double mean, double other, double share)
{
	return (1 - share) * exp(-x / mean) + share * exp(-x / other);
}

static void see_up_to_the_end(struct far *f, double mean, double other, double share)
{
	struct survival *s = &f->m.pool;

	*f = (struct far){.t.count = MODEL_TAIL_PIECES};
	*s = (struct survival){.x = f->x, .mass = f->mass, .count = PIECES, .end_x = END};
	for (int i = 0; i < PIECES; i++) {
		double from = END * i / PIECES, to = END * (i + 1) / PIECES;

		f->x[i] = to;
		f->mass[i] = outlives(from, mean, other, share) - outlives(to, mean, other, share);
	}
	s->left = outlives(END, mean, other, share);
	f->m.accesses = 1e7;
}

/* Lines met after the quantiles of an exponential distribution. */
static void watch_on(struct far *f, double mean)
{
	for (int i = 0; i < FOLLOWS; i++)
		f->follows[i] = (struct follow){-mean * log(1 - (i + 0.5) / FOLLOWS), 1, true};
}

/* Of the tail's pieces, those with a thirteenth of the mass at or below them, and at or above. */
#define LOW  (MODEL_TAIL_PIECES / 16)
#define HIGH (MODEL_TAIL_PIECES - 1 - LOW)

/* Distances beyond the end have then a mean of 2000, and quantiles -2000 log(1 - q). */
static void one_rate_is_found(void **state)
{
	struct far f;

	(void)state;
	see_up_to_the_end(&f, 2000, 2000, 0);
	watch_on(&f, 2000);
	assert_int_equal(follow_tail(&f.m, f.follows, FOLLOWS, &f.t), 0);
	for (size_t q = 0; q < f.t.count; q++) {
		double exact = -2000 * log(1 - ((double)q + 0.5) / (double)f.t.count);

		assert_true(f.t.x[q] - END > 0.75 * exact && f.t.x[q] - END < 1.33 * exact);
	}
}

/*
 * The lines watched on are all slow: those that are touched in bursts were met between two windows. But just
 * before sight ends a reuse came every 300 accesses for each line at the fast rate, which half of the lines left have:
 *
 *	share of the fast at 0: 1 / (1 + exp(-1000 / 300) / exp(-1000 / 20000)) = 0.964
 *
 * One thirteenth of those left are touched within some 50 accesses; by the slow rate alone it took 1630.
 */
static void what_was_seen_near_the_end_goes_on(void **state)
{
	struct far bursts, steady;

	(void)state;
	see_up_to_the_end(&bursts, 20000, 300, 0.964);
	watch_on(&bursts, 20000);
	assert_int_equal(follow_tail(&bursts.m, bursts.follows, FOLLOWS, &bursts.t), 0);
	see_up_to_the_end(&steady, 20000, 20000, 0);
	watch_on(&steady, 20000);
	assert_int_equal(follow_tail(&steady.m, steady.follows, FOLLOWS, &steady.t), 0);
	assert_true(steady.t.x[LOW] - END > 600 && steady.t.x[LOW] - END < 2600);
	assert_true(bursts.t.x[LOW] - END < 250);
	assert_true(bursts.t.x[HIGH] - END > 20000);
}

/*
 * Three quarters of the accesses beyond half of sight are of a loop, whose reuses are 900 accesses apart. What outlives
 * sight is touched every 20,000. Rates that fit both have a third of it within some 1500.
 */
static void a_loop_that_ends_before_sight_does_not_go_on(void **state)
{
	struct far f;

	(void)state;
	see_up_to_the_end(&f, 20000, 20000, 0);
	for (int i = 0; i < PIECES; i++)
		f.mass[i] *= 0.25;
	f.m.pool.left *= 0.25;
	f.mass[PIECES * 9 / 10 - 1] += 0.75;
	watch_on(&f, 20000);
	assert_int_equal(follow_tail(&f.m, f.follows, FOLLOWS, &f.t), 0);
	for (size_t q = LOW; q <= HIGH; q++) {
		double exact = -20000 * log(1 - ((double)q + 0.5) / (double)f.t.count);

		print_message("%f %f\n", f.t.x[q] - END, exact);
		assert_true(f.t.x[q] - END > 0.5 * exact && f.t.x[q] - END < 1.5 * exact);
	}
}

/*
 * Windows leave little unresolved, and of that half is touched every 2000 accesses, half every 50,000, which is as
 * long as the run's windows are together: two of three such lines are met. The farthest thirteenth of all lies beyond
 *
 *	-50000 ln(0.077 / 0.5) = 94,000
 */
static void slow_lines_are_as_far_as_the_windows_together(void **state)
{
	const double windows = 50000;
	struct far f;

	(void)state;
	see_up_to_the_end(&f, 2000, 2000, 0);
	for (int i = 0; i < PIECES; i++)
		f.mass[i] *= 0.02;
	f.m.pool.left *= 0.02;
	for (int i = 0; i < FOLLOWS; i++) {
		double mean = i % 2 ? 2000 : windows, met = -mean * log(1 - (i + 0.5) / FOLLOWS);

		f.follows[i] = (struct follow){fmin(met, windows), 1, met < windows};
	}
	assert_int_equal(follow_tail(&f.m, f.follows, FOLLOWS, &f.t), 0);
	assert_true(f.t.x[HIGH] - END > 60000 && f.t.x[HIGH] - END < 150000);
}

static void few_lines_tell_nothing(void **state)
{
	struct far f;

	(void)state;
	see_up_to_the_end(&f, 2000, 2000, 0);
	watch_on(&f, 2000);
	assert_int_equal(follow_tail(&f.m, f.follows, 11, &f.t), -1);
}

/*
 * A loop: in a tenth of the accesses a line that none touched in the last three quarters of sight, and all of
 * these are met 4000 accesses later. The footprint says that they come from 5000 beyond the end on average:
 * (600 - 0.1 x 1000) / 0.1. A Weibull distribution of shape 3 with that mean has its outer pieces 791 and
 * 9786 beyond the end (its scale is found by halving an interval); one of shape 2 303 and 12602.
 */
static void a_loop_has_its_reuses_near_together(void **state)
{
	struct far f;
	const struct tail *t = &f.m.tails[TAIL_SPREAD];
	struct model all = {.line_bytes = 64, .followed = 1};

	(void)state;
	f = (struct far){.m = {.has_footprint = true,
			       .mean_lines = 600,
			       .last_lines = 10,
			       .accesses = 1e7,
			       .line_bytes = 64}};
	f.x[0] = 0;
	f.mass[0] = 0.9;
	f.m.pool =
		(struct survival){.x = f.x, .mass = f.mass, .count = 1, .end_x = END, .left = 0.1};
	for (int i = 0; i < FOLLOWS; i++)
		f.follows[i] = (struct follow){4000, 1, true};
	f.m.follows = f.follows;
	f.m.follow_count = FOLLOWS;
	model_set_tails(&f.m, NULL);
	assert_int_equal(f.m.followed, 1);
	assert_true(fabs(t->x[0] - END - 791) < 20);
	assert_true(fabs(t->x[MODEL_TAIL_PIECES - 1] - END - 9786) < 20);
	/* Lines twice as long hold what is touched at two places of the loop. */
	f.m.line_bytes = 128;
	model_set_tails(&f.m, &all);
	assert_true(fabs(t->x[0] - END - 303) < 20);
}

/*
 * Lines are met 4000 accesses beyond the end. Of a tenth that is left, touches at random every 4000 would have 0.1 x
 * (exp(750 / 4000) - 1) = 0.0206 reused in the last 750 that are seen. Where 0.15 times that was, a loop of which chance
 * brought in a few has a regularity of 0.85; but one piece may be two by chance, and 0.3 times as much tells 0.71, which
 * is no loop. Nor is it where half of what is left are last touches.
 */
static int told_by(double near, int pieces, double last_touches)
{
	static double x[100], mass[100];
	struct far f = {.t.count = MODEL_TAIL_PIECES,
			.m = {.accesses = 1e7, .last_lines = last_touches * 1e7}};

	for (int i = 0; i < pieces; i++) {
		x[i] = END * (1 - 0.5 * (pieces - i) / pieces);
		mass[i] = near * 0.0206 / pieces;
	}
	f.m.pool = (struct survival){.x = x, .mass = mass, .count = (size_t)pieces, .end_x = END, .left = 0.1};
	for (int i = 0; i < FOLLOWS; i++)
		f.follows[i] = (struct follow){4000, 1, true};
	return follow_tail(&f.m, f.follows, FOLLOWS, &f.t);
}

static void a_loop_is_told_by_more_than_chance(void **state)
{
	(void)state;
	assert_int_equal(told_by(0.15, 100, 0), 1);
	assert_int_equal(told_by(0.15, 1, 0), 0);
	assert_int_equal(told_by(0.15, 100, 0.05), 0);
}

static double mean_beyond(const struct tail *t)
{
	double sum = 0;

	for (size_t q = 0; q < t->count; q++)
		sum += t->x[q] - END;
	return sum / (double)t->count;
}

/*
 * An access holds its line until the next touch, so at one rate as many lines are held as accesses lie between two
 * touches of one: 20000. The lines watched on say 60000, which is impossible; but not where 70000 are held, some of them at rest.
 */
static void memory_held_bounds_the_distances(void **state)
{
	struct far f;
	double free_mean;

	(void)state;
	see_up_to_the_end(&f, 20000, 20000, 0);
	watch_on(&f, 60000);
	f.m.follows = f.follows;
	f.m.follow_count = FOLLOWS;
	f.m.has_footprint = true;
	f.m.line_bytes = 64;
	f.m.mean_lines = 70000;
	model_set_tails(&f.m, NULL);
	assert_int_equal(f.m.followed, 0);
	free_mean = mean_beyond(&f.m.tails[TAIL_SPREAD]);
	assert_true(free_mean > 40000 && free_mean < 70000);
	f.m.mean_lines = 20000;
	model_set_tails(&f.m, NULL);
	assert_int_equal(f.m.followed, 0);
	assert_true(fabs(mean_beyond(&f.m.tails[TAIL_SPREAD]) - 20000) < 400);
	/* The lines in use are an estimate: where pages have more, a quarter more may be. */
	f.m.last_lines = 20000;
	f.m.most_lines = 40000;
	model_set_tails(&f.m, NULL);
	assert_true(fabs(mean_beyond(&f.m.tails[TAIL_SPREAD]) - 25000) < 500);
}

/*
 * Windows of 1000 accesses every 5000, a line watched on from the beginning of each: touched 100 accesses after the next
 * window has begun, at an age of 5000, where a rate of one in 1000 has 1 - exp(-0.1) of the lines touched. At
 * no other age was any line watched.
 */
static void an_age_has_the_touches_that_were_seen(void **state)
{
	struct window_span spans[FOLLOWS + 1];
	struct model m = {.spans = spans, .window_count = FOLLOWS + 1};
	struct mixture mix = {.rate = {1e-3}, .share = {1}, .end = END};
	struct follow follows[FOLLOWS];

	(void)state;
	for (uint32_t i = 0; i <= FOLLOWS; i++)
		spans[i] = (struct window_span){5000.0 * i + 1, 1000};
	for (uint32_t i = 0; i < FOLLOWS; i++)
		follows[i] = (struct follow){100, 1, true, i, 5000.0 * i + 1};
	mixture_age(&mix, &m, follows, FOLLOWS);
	for (int a = 0; a < MIXTURE_AGES; a++)
		assert_true(fabs(mix.by_age[a] - (a == 2 ? 1 / -expm1(-0.1) : 1)) < 1e-6);
}

#define WINDOWS	 400
#define DISTANCE 6000.0 /* six times as far as windows see */

/*
 * Every line is touched each 6000 accesses; windows of 1000 lie anywhere in periods of 4000. As at no steady rate, none is
 * touched in the first 3000 beyond sight, two whole octaves: where ages are not known a good part of the tail lies there.
 */
/*
 * Accesses of the run in windows from the beginning of the i-th until one behind it meets a line that is touched each `distance`
 * accesses from there on.
 */
static double watched_until(const struct window_span *spans, uint32_t i, double distance)
{
	double begin = spans[i].start, watched = 0;

	for (uint32_t w = i;; watched += spans[w++].length) {
		double from = w == i ? begin + END : spans[w].start;
		double next = begin + distance * ceil((from - begin) / distance);

		if (w > i && next < spans[w].start + spans[w].length)
			return watched + next - spans[w].start;
	}
}

static void place_windows(struct window_span *spans, double length)
{
	uint64_t random = 3;

	for (uint32_t i = 0; i < WINDOWS; i++)
		spans[i] = (struct window_span){4000.0 * i + 1 + (double)trace_below(&random, 4000 - (uint64_t)length),
						length};
}

/* One line of four only in every third round, if `some_wait`. */
static size_t watch_loop(struct far *f, struct window_span *spans, struct follow *follows, double length,
			 double round, bool ages_known, bool some_wait)
{
	size_t count = 0;

	see_up_to_the_end(f, 6000, 6000, 0);
	f->m.spans = spans;
	f->m.window_count = WINDOWS;
	place_windows(spans, length);
	for (uint32_t i = 0; i + 40 < WINDOWS; i++) {
		double watched = watched_until(spans, i, round * (some_wait && i % 4 == 0 ? 3 : 1));

		follows[count++] = (struct follow){watched - END, 1, true, i, ages_known ? spans[i].start : 0};
	}
	return count;
}

static double share_below_3000(bool ages_known)
{
	struct window_span spans[WINDOWS];
	struct follow follows[WINDOWS];
	struct far f;
	size_t count = watch_loop(&f, spans, follows, 1000, DISTANCE, ages_known, false), below = 0;

	assert_int_equal(follow_tail(&f.m, follows, count, &f.t), 0);
	for (size_t q = 0; q < f.t.count; q++)
		below += f.t.x[q] < 4 * END;
	return (double)below / (double)f.t.count;
}

/* Of the lines looked at when they were 6000 accesses old all were touched, though three of four were not looked at. */
static void a_loop_lies_at_the_age_of_its_touches(void **state)
{
	struct window_span spans[WINDOWS];
	struct follow follows[WINDOWS];
	struct far f;
	size_t count = watch_loop(&f, spans, follows, 1000, DISTANCE, true, false);

	(void)state;
	assert_int_equal(regular_tail(&f.m, follows, count, &f.t), 0);
	for (size_t q = 0; q < f.t.count; q++)
		assert_true(fabs(f.t.x[q] - DISTANCE) < 0.05 * DISTANCE);
	/* Without ages, or with few touches, nothing is told. */
	assert_int_equal(regular_tail(&f.m, follows, 11, &f.t), -1);
	count = watch_loop(&f, spans, follows, 1000, DISTANCE, false, false);
	assert_int_equal(regular_tail(&f.m, follows, count, &f.t), -1);
}

#define ROUND 7000.0 /* where a window that began with the touch before has just ended, most often */

/* Lines of the first round that nobody looked at are met in the second and third; few of those met there waited for it. */
static void what_was_touched_unseen_counts_less(void **state)
{
	struct window_span spans[WINDOWS];
	struct follow follows[WINDOWS];
	struct far f;
	size_t count = watch_loop(&f, spans, follows, 3000, ROUND, true, true), first = 0, second = 0;

	(void)state;
	assert_int_equal(regular_tail(&f.m, follows, count, &f.t), 0);
	for (size_t q = 0; q < f.t.count; q++) {
		first += f.t.x[q] < 1.05 * ROUND;
		second += f.t.x[q] > 1.05 * ROUND && f.t.x[q] < 2.95 * ROUND;
	}
	print_message("first %zu, second %zu of %zu\n", first, second, f.t.count);
	assert_true(fabs((double)first / (double)f.t.count - 0.75) < 0.1);
	assert_true((double)second / (double)f.t.count < 0.1);
}

/*
 * Half of the lines are touched each 5000 accesses, half each 9000, and windows see three quarters of the run. No rates have
 * a gap between the one and the other; the ages at which lines were touched do. How much lies right at the first.
 */
static double share_at_5000(double left)
{
	static struct follow follows[2 * WINDOWS];
	struct window_span spans[WINDOWS];
	size_t count = 0, at = 0;
	struct far f;

	see_up_to_the_end(&f, 6000, 6000, 0);
	f.m.pool.left = left;
	f.m.spans = spans;
	f.m.window_count = WINDOWS;
	f.m.accesses = 4000.0 * WINDOWS;
	place_windows(spans, 3000);
	for (uint32_t i = 0; i + 40 < WINDOWS; i++)
		for (int k = 0; k < 2; k++)
			follows[count++] = (struct follow){watched_until(spans, i, k ? 9000 : 5000) - END, 1, true, i,
							   spans[i].start};
	assert_int_equal(follow_tail(&f.m, follows, count, &f.t), 0);
	for (size_t q = 0; q < f.t.count; q++)
		at += fabs(f.t.x[q] - 5000) < 100;
	return (double)at / (double)f.t.count;
}

static void windows_that_see_most_of_the_run_need_no_rates(void **state)
{
	(void)state;
	assert_true(fabs(share_at_5000(0.5) - 0.5) < 0.07);
	/* Little that is far is bursts, most often, and rates are told from all that is known. */
	assert_true(share_at_5000(0.02) < 0.2);
}

/*
 * Windows of 600 accesses, one in each 1000, and lines watched on from the beginning of each: one is touched at an age of 1300, after 900 accesses
 * in windows, which is less than sight; another at 5300, after 3300. Both are as many.
 */
static void a_line_may_be_older_than_it_was_watched(void **state)
{
	static struct follow late[WINDOWS], early[WINDOWS];
	static struct window_span spans[WINDOWS];
	struct far f;
	size_t at_1300 = 0;

	(void)state;
	see_up_to_the_end(&f, 6000, 6000, 0);
	f.m.spans = spans;
	f.m.window_count = WINDOWS;
	for (uint32_t i = 0; i < WINDOWS; i++)
		spans[i] = (struct window_span){1000.0 * i + 1, 600};
	for (uint32_t i = 0; i + 10 < WINDOWS; i++) {
		early[i] = (struct follow){900 - END, 1, true, i, spans[i].start};
		late[i] = (struct follow){3300 - END, 1, true, i, spans[i].start};
	}
	f.m.early_follows = early;
	f.m.early_count = WINDOWS - 10;
	assert_int_equal(regular_tail(&f.m, late, WINDOWS - 10, &f.t), 0);
	for (size_t q = 0; q < f.t.count; q++) {
		at_1300 += fabs(f.t.x[q] - 1300) < 1e-6;
		assert_true(fabs(f.t.x[q] - 1300) < 1e-6 || fabs(f.t.x[q] - 5300) < 1e-6);
	}
	assert_int_equal(at_1300, f.t.count / 2);
}

static void a_distance_between_windows_shows_by_the_age(void **state)
{
	double without = share_below_3000(false), with = share_below_3000(true);

	(void)state;
	print_message("below 4000 %.2f, with ages %.2f, in truth 0\n", without, with);
	assert_true(without > 0.3);
	assert_true(with < 0.5 * without);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_rate_is_found),
		cmocka_unit_test(what_was_seen_near_the_end_goes_on),
		cmocka_unit_test(a_loop_that_ends_before_sight_does_not_go_on),
		cmocka_unit_test(slow_lines_are_as_far_as_the_windows_together),
		cmocka_unit_test(few_lines_tell_nothing),
		cmocka_unit_test(a_loop_has_its_reuses_near_together),
		cmocka_unit_test(a_loop_is_told_by_more_than_chance),
		cmocka_unit_test(memory_held_bounds_the_distances),
		cmocka_unit_test(an_age_has_the_touches_that_were_seen),
		cmocka_unit_test(a_loop_lies_at_the_age_of_its_touches),
		cmocka_unit_test(what_was_touched_unseen_counts_less),
		cmocka_unit_test(windows_that_see_most_of_the_run_need_no_rates),
		cmocka_unit_test(a_line_may_be_older_than_it_was_watched),
		cmocka_unit_test(a_distance_between_windows_shows_by_the_age),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
