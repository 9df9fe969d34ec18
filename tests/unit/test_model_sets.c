/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Caches of limited associativity: the formula by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "model/parts.h"

static void near(double value, double expected, double error)
{
	if (fabs(value - expected) > error)
		fail_msg("%.12g is not %.12g", value, expected);
}

static double chance(double stack, double sets, double ways)
{
	struct sets s;

	sets_init(&s, sets, ways);
	return sets_miss(&s, stack);
}

static void test_the_chance_of_a_full_set_by_hand(void **state)
{
	(void)state;
	/* One set: the fully associative cache. */
	near(chance(7.99, 1, 8), 0, 0);
	near(chance(8, 1, 8), 1, 0);
	/* One way of two sets, three lines since: all in the other set, 1/8. */
	near(chance(3, 2, 1), 7.0 / 8, 1e-12);
	/* Two ways of two sets: none or one of the three in ours, 1/8 + 3/8. */
	near(chance(3, 2, 2), 1.0 / 2, 1e-12);
	/* Of four: 1/16 + 4/16. Half-way between three and four: the mean. */
	near(chance(4, 2, 2), 11.0 / 16, 1e-12);
	near(chance(3.5, 2, 2), 19.0 / 32, 1e-12);
	/*
	 * Two ways of four sets: both of two lines in ours. One line fills no set, whatever luck.
	 */
	near(chance(2, 4, 2), 1.0 / 16, 1e-12);
	near(chance(1.5, 4, 2), 1.0 / 32, 1e-12);
	near(chance(1, 4, 2), 0, 0);
	near(chance(0, 4, 1), 0, 0);
}

/* The sum as it is written, for numbers at which nothing gets lost. */
static double plain(int n, int sets, int ways)
{
	double p = 1.0 / sets, term = pow(1 - p, n), sum = 0;

	for (int a = 0; a < ways && a <= n; a++) {
		sum += term;
		term *= (double)(n - a) / (a + 1) * p / (1 - p);
	}
	return 1 - sum;
}

static void test_both_tails_are_the_plain_sum(void **state)
{
	(void)state;
	for (int ways = 1; ways <= 16; ways++)
		for (int sets = 2; sets <= 128; sets *= 2)
			for (int n = 0; n < 3 * ways * sets; n += 1 + n / 7)
				near(chance(n, sets, ways), plain(n, sets, ways), 1e-9);
}

/* 2^-2000 is no number any more; half of 2000 lines fall into one of two sets. */
static void test_large_numbers_do_not_vanish(void **state)
{
	double before = 0;

	(void)state;
	near(chance(2000, 2, 1000), 0.5, 0.02);
	near(chance(1e9, 1e6, 1000), 0.5, 0.02);
	near(chance(1e12, 1e6, 16), 1, 1e-9);
	near(chance(1e4, 1e6, 16), 0, 1e-9);
	for (double s = 0; s < 4000; s += 0.5) {
		double now = chance(s, 128, 16);

		assert_true(now >= before - 1e-12 && now <= 1);
		before = now;
	}
}

/*
 * For each number that it is asked of, whole or not, below, within and above what is in the table.
 */
static void test_a_table_says_what_the_sums_say(void **state)
{
	static const double sets[] = {1, 2, 3, 10, 30, 100, 4096, 131072, 3000000};
	static const double ways[] = {1, 2, 3, 8, 16, 20, 128, 2048};

	(void)state;
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		for (size_t k = 0; k < sizeof(ways) / sizeof(ways[0]); k++) {
			double full = sets[i] * ways[k];
			struct sets_table table;
			struct sets cache;

			sets_init(&cache, sets[i], ways[k]);
			sets_table_init(&table, &cache);
			near(sets_table_miss(&table, 0), 0, 0);
			near(sets_table_miss(&table, 1e15), 1, 1e-12);
			for (double lines = 0.4; lines < 60 * full; lines *= 1.01)
				near(sets_table_miss(&table, lines), sets_miss(&cache, lines),
				     cache.sets < 60 ? 2e-4 : 2e-5);
		}
}

/* Pascal's distribution: the mean is S A, the variance A S (S - 1). */
static void test_nodes_have_the_moments_of_the_distribution(void **state)
{
	static const double sets[] = {2, 16, 64, 1024, 65536}, ways[] = {2, 4, 8, 16, 512};

	(void)state;
	for (int i = 0; i < 5; i++) {
		double lines[MODEL_SETS_NODES], weight[MODEL_SETS_NODES], s = sets[i], a = ways[i];
		double one = 0, mean = 0, square = 0;
		struct sets cache;
		unsigned nodes;

		sets_init(&cache, s, a);
		nodes = sets_nodes(&cache, lines, weight);
		assert_true(nodes >= 3 && nodes <= MODEL_SETS_NODES);
		for (unsigned k = 0; k < nodes; k++) {
			assert_true(lines[k] > (k > 0 ? lines[k - 1] : 0));
			one += weight[k];
			mean += weight[k] * lines[k];
			square += weight[k] * lines[k] * lines[k];
		}
		near(one, 1, 1e-6);
		near(mean / (s * a), 1, 1e-6);
		near(square - mean * mean, a * s * (s - 1), 1e-4 * a * s * s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_chance_of_a_full_set_by_hand),
		cmocka_unit_test(test_both_tails_are_the_plain_sum),
		cmocka_unit_test(test_large_numbers_do_not_vanish),
		cmocka_unit_test(test_a_table_says_what_the_sums_say),
		cmocka_unit_test(test_nodes_have_the_moments_of_the_distribution),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
