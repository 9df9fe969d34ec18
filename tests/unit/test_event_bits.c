/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters of events in groups of eight, with and without vectors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "sim/base/event_bits.h"

#define NUMBERS 64
#define BEHIND	8 /* that are not to be changed */
#define ROUNDS	2000

struct numbers {
	uint64_t at[NUMBERS + BEHIND];
};

static bool has_wide(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
}

static struct numbers draw_numbers(void)
{
	struct numbers n;

	for (unsigned i = 0; i < NUMBERS + BEHIND; i++)
		n.at[i] = draw();
	return n;
}

static void check(const struct numbers *a, const struct numbers *b)
{
	assert_memory_equal(a, b, sizeof(*a));
}

static void each_bit_counts_once(void **state)
{
	(void)state;
	for (unsigned wide = 0; wide <= has_wide(); wide++)
		for (unsigned round = 0; round < ROUNDS; round++) {
			struct numbers now = draw_numbers(), then = now;
			uint64_t bits = draw() & draw() & draw();

			sim_count_each_bit(now.at, bits, wide);
			for (unsigned i = 0; i < NUMBERS; i++)
				then.at[i] += bits >> i & 1;
			check(&now, &then);
		}
}

static void so_many_numbers_are_copied(void **state)
{
	(void)state;
	for (unsigned wide = 0; wide <= has_wide(); wide++)
		for (unsigned n = 0; n <= NUMBERS; n++) {
			struct numbers from = draw_numbers(), to = draw_numbers(), then = to;

			sim_numbers_copy(to.at, from.at, n, wide);
			for (unsigned i = 0; i < n; i++)
				then.at[i] = from.at[i];
			check(&to, &then);
		}
}

/* Most have not risen, so that eight together often have not. */
static void sums_grow_by_what_has_risen(void **state)
{
	(void)state;
	for (unsigned wide = 0; wide <= has_wide(); wide++)
		for (unsigned n = 0; n <= NUMBERS; n++) {
			struct numbers now = draw_numbers(), before = now;
			struct numbers sum = draw_numbers(), then = sum;

			for (unsigned i = 0; i < NUMBERS; i += 1 + (unsigned)(draw() % 16))
				before.at[i] -= draw() % 1000;
			sim_numbers_add_risen(sum.at, now.at, before.at, n, wide);
			for (unsigned i = 0; i < n; i++)
				then.at[i] += now.at[i] - before.at[i];
			check(&sum, &then);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_bit_counts_once),
		cmocka_unit_test(so_many_numbers_are_copied),
		cmocka_unit_test(sums_grow_by_what_has_risen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
