/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time limits of an estimate; needs an idle machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "model/model.h"
#include "traces.h"

/* How many times its ten milliseconds a design point may take: the machine may be busy. */
#ifdef __SANITIZE_ADDRESS__
#define SLACK 10
#else
#define SLACK 2
#endif

/* 100000 samples in 500 windows; the clock is the process's, the bar ten milliseconds. */
static void test_a_design_point_takes_less_than_ten_milliseconds(void **state)
{
	enum { WINDOWS = 500, SAMPLES = 100000, POINTS = 20 };
	struct model_window *w = trace_allocate(WINDOWS * sizeof(*w));
	struct model_sample *s = trace_allocate(SAMPLES * sizeof(*s));
	struct model_input input = {w, WINDOWS, s, SAMPLES, 0, 50000, 64};
	struct model *m;
	struct model_ratio r;
	uint64_t random = 5;
	clock_t begin;
	double each;

	(void)state;
	for (uint32_t i = 0; i < WINDOWS; i++)
		w[i] = (struct model_window){10000000ull * i + 9000000, 1000000, 10000000, 50000};
	for (uint32_t i = 0; i < SAMPLES; i++)
		s[i] = (struct model_sample){
			trace_random(&random) >> (44 + trace_below(&random, 20)),
			i / (SAMPLES / WINDOWS), trace_below(&random, 100) != 0};
	m = model_new(&input, NULL);
	assert_non_null(m);
	begin = clock();
	for (uint64_t i = 0; i < POINTS; i++)
		model_solve(m, MODEL_RANDOM, 1ull << i, &r);
	each = (double)(clock() - begin) / CLOCKS_PER_SEC / POINTS;
	print_message("%.2f ms a design point\n", each * 1e3);
	/* A busy machine slows the caches down for everybody, the sanitizers much more. */
	assert_true(each < 10e-3 * SLACK);
	model_free(m);
	free(w);
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_design_point_takes_less_than_ten_milliseconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
