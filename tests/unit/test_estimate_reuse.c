/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code of reuses, near and far, and the origin of data, in a profile with known results. */
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
#include <jansson.h>

#include "estimate/annotate.h"
#include "estimate/reuse.h"
#include "estimate/summary.h"
#include "profiles.h"
#include "scratch.h"
#include "store/store.h"
#include "views/answer_print.h"
#include "views/parts.h"
#include "views/views.h"

#define WINDOWS	   60
#define PER_WINDOW 200
#define LENGTH	   100000ull
#define FAR	   (4 * LENGTH) /* accesses */
#define PATH	   "dwell.db"

static const struct query random_at_mb = {.policy = QUERY_RANDOM, .size_bytes = 1u << 20};

enum place { BURST, SPREAD, MAKER, NOWHERE = STORE_NONE };

static const struct store_frame frames[] = {
	{"burst", "/nowhere/src/walk.c", 10},
	{"spread", "/nowhere/src/walk.c", 20},
	{"maker", "/nowhere/src/walk.c", 30},
};

/*
 * Samples of a window, 200: 98 begin in each of burst and spread, 4 in maker, whose lines nobody
 * touches again. Of each 98, 90 are reuses by the same code: other bytes at distance 0 in burst; in
 * spread half the same bytes at distance 2000, half other bytes at distance 5. The other 8 are far.
 */
struct kind {
	enum place begin, end;
	unsigned count;
	uint64_t distance;
	uint64_t end_offset; /* bytes into the line; the beginning has 0 */
};

static const struct kind kinds[] = {
	{BURST, BURST, 90, 0, 8},  {SPREAD, SPREAD, 45, 2000, 0}, {SPREAD, SPREAD, 45, 5, 8},
	{BURST, NOWHERE, 8, 0, 0}, {SPREAD, NOWHERE, 8, 0, 0},	  {MAKER, NOWHERE, 4, 0, 0},
};

static void put_samples(struct store *s, uint32_t window)
{
	struct store_window w = {1, window, LENGTH * window, LENGTH, LENGTH, PER_WINDOW, 1000};
	uint32_t k = 0;

	set_far(&w, (double)LENGTH / 10);
	assert_int_equal(store_put_window(s, &w, NULL), 0);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		for (unsigned n = 0; n < kinds[i].count; n++, k++) {
			const struct kind *x = &kinds[i];
			bool reused = x->end != NOWHERE;
			struct store_sample sample = {
				.process_id = 1,
				.window = window,
				.status = reused ? 0 : 1,
				.position = LENGTH * window + LENGTH / PER_WINDOW * k,
				.distance = reused ? x->distance : STORE_FAR,
				.line = 64 * k,
				.begin = {x->begin, 64 * k, 8, 1, 0, 0, 0},
				.end = {x->end, 64 * k + x->end_offset, 8, 1, 0, 0, 0}};

			if (!reused)
				sample.end = (struct store_access){.location = STORE_NONE};
			assert_int_equal(store_put_sample(s, &sample, NULL), 0);
		}
	assert_int_equal(k, PER_WINDOW);
}

/*
 * A tenth of the accesses are far: 8 in each of burst and spread, other bytes of lines that burst
 * touched last, and the 4 first touches of maker.
 */
static void put_far(struct store *s, uint32_t window)
{
	for (uint32_t k = 0; k < PER_WINDOW / 10; k++) {
		const enum place end = k < 8 ? BURST : k < 16 ? SPREAD : MAKER;

		put_far_reuse(s,
			      (struct store_far){.process_id = 1,
						 .window = window,
						 .position = LENGTH * window + 5000 * k,
						 .begin = {BURST, 64 * k, 8, 1, 0, 0, 0},
						 .end = {end, 64 * k + 8, 8, 1, 0, 0, 0}},
			      end == MAKER ? 0 : FAR, (double)LENGTH / PER_WINDOW);
	}
}

static int make_profile(void **state)
{
	struct store_process p = {.id = 1,
				  .parent_id = STORE_NONE,
				  .cause = "start",
				  .exe = "/bin/walk",
				  .command = "walk",
				  .state = "exited",
				  .accesses = LENGTH * WINDOWS};
	struct store *s;

	if (scratch_enter(state) != 0)
		return -1;
	s = create_profile(PATH);
	set_far_lines(&p, 4 * WINDOWS, (double)LENGTH / PER_WINDOW);
	assert_int_equal(store_put_process(s, &p, NULL), 0);
	for (int64_t id = 0; id < 3; id++) {
		struct store_location l = {.id = id,
					   .process_id = 1,
					   .pc = 0x1000 + (uint64_t)id,
					   .module_id = STORE_NONE};

		assert_int_equal(store_put_location(s, &l, NULL), 0);
		assert_int_equal(store_put_frames(s, id, &frames[id], 1, NULL), 0);
	}
	for (uint32_t w = 0; w < WINDOWS; w++)
		put_samples(s, w);
	for (uint32_t w = 0; w < WINDOWS; w++)
		put_far(s, w);
	finish_profile(s);
	return 0;
}

static struct profile load(void)
{
	struct profile p;
	struct err err;

	if (profile_open(&p, PATH, STORE_NONE, &err) != 0)
		fail_msg("%s", err.text);
	return p;
}

static void near(double value, double expected, double by)
{
	if (!(fabs(value - expected) <= by))
		fail_msg("%g is not within %g of %g", value, by, expected);
}

/* 90 reuses of 200 end near in each of burst and spread: 45 % of the accesses; 4 % more are far. */
static void far_reuses_belong_to_the_code_that_makes_them(void **state)
{
	struct profile p = load();
	struct hot_cost *costs = hot_costs(&p, &random_at_mb, NULL);

	(void)state;
	assert_non_null(costs);
	near(costs[BURST].accesses, 0.49, 0.004);
	near(costs[SPREAD].accesses, 0.49, 0.004);
	assert_true(costs[BURST].misses > 0.02 && costs[BURST].misses < 0.04 + 1e-9);
	/* Some of spread's reuses at 2000 miss, too. */
	assert_true(costs[SPREAD].misses > costs[BURST].misses);
	near(costs[SPREAD].misses, costs[BURST].misses, 0.225 * 2000 * 0.103 / 16384);
	free(costs);
	profile_close(&p);
}

/* Maker makes 2 % of the accesses, and reuses nothing. */
static void first_touches_belong_to_the_code_that_makes_them(void **state)
{
	struct profile p = load();
	struct hot_cost *costs = hot_costs(&p, &random_at_mb, NULL), sum = {0};

	(void)state;
	assert_non_null(costs);
	for (size_t i = 0; i <= p.location_count; i++)
		hot_add(&sum, &costs[i]);
	near(sum.accesses, 1, 1e-9);
	near(costs[MAKER].accesses, 0.02, 0.002);
	near(costs[MAKER].cold, costs[MAKER].accesses, 1e-9);
	near(costs[MAKER].misses, 0, 1e-9);
	near(costs[MAKER].cold, sum.cold, 1e-9);
	free(costs);
	profile_close(&p);
}

static const struct reuse_row *find_row(const struct reuse *r, uint32_t from, uint32_t to)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->rows[i].from.line == from && r->rows[i].to.line == to)
			return &r->rows[i];
	fail_msg("no row from line %u to line %u", from, to);
	return NULL;
}

/* 45 % of the accesses are near reuses of each, and 8 % more are far: 4 % each. */
static void a_line_says_where_its_data_is_from(void **state)
{
	struct profile p = load();
	const struct reuse_row *self, *other;
	struct reuse r;

	(void)state;
	assert_int_equal(reuse_init(&r, &p, &random_at_mb, "walk.c:20", NULL), 0);
	assert_int_equal(r.count, 2);
	self = find_row(&r, 20, 20);
	other = find_row(&r, 10, 20);
	assert_ptr_equal(self, &r.rows[0]);
	assert_true(reuse_is_self(self));
	assert_false(reuse_is_self(other));
	near(self->cost.accesses, 0.45, 1e-3);
	near(self->cost.temporal, 0.225, 1e-3);
	near(self->cost.far, 0, 1e-12);
	near(other->cost.accesses, 0.04, 0.004);
	near(other->cost.far, other->cost.accesses, 1e-12);
	near(other->cost.temporal, 0, 1e-12);
	/* Distance 5 is in 4 - 7, the third octave, and 2000 in 1024 - 2047. */
	near(r.bins[3].spatial, 0.225, 1e-3);
	near(r.bins[3].temporal, 0, 1e-12);
	near(r.bins[11].temporal, 0.225, 1e-3);
	near(r.bins[19].spatial, other->cost.far, 1e-12); /* 262144 - 524287 */
	near(r.beyond.spatial + r.beyond.temporal, 0, 1e-12);
	reuse_release(&r);
	profile_close(&p);
}

static void the_whole_program_has_pairs_that_add_up(void **state)
{
	struct profile p = load();
	double misses = 0, accesses = 0;
	struct reuse r;

	(void)state;
	assert_int_equal(reuse_init(&r, &p, &random_at_mb, NULL, NULL), 0);
	assert_int_equal(r.count, 4 - 1); /* nothing goes from spread to burst */
	for (size_t i = 0; i < r.count; i++) {
		misses += r.rows[i].cost.misses;
		accesses += r.rows[i].cost.accesses;
		assert_true(i == 0 || r.rows[i - 1].cost.misses >= r.rows[i].cost.misses);
	}
	near(misses + r.cold_misses, r.ratio, 1e-9);
	near(accesses + r.cold, 1, 1e-9);
	reuse_release(&r);
	profile_close(&p);
}

static void a_line_without_reuses_names_the_nearest(void **state)
{
	static const struct {
		const char *argument, *says;
	} cases[] = {
		{"walk.c:19",
		 "no sample saw 'walk.c:19' touch data again; the nearest lines that do: "
		 "20, 10"},
		{"maker", "no sample saw 'maker' touch data again"},
		{"walk.c:0", "file or function 'walk.c:0'"},
		{"talk.c:10", "file or function 'talk.c'; near it: walk.c"},
		{"spread:20", "'spread' is a function and no file"},
	};
	struct profile p = load();
	struct reuse r;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(reuse_init(&r, &p, &random_at_mb, cases[i].argument, &err), -1);
		if (strstr(err.text, cases[i].says) == NULL)
			fail_msg("%s: %s", cases[i].argument, err.text);
	}
	profile_close(&p);
}

static void the_forms_agree(void **state)
{
	static const struct display plain = {0};
	static const struct profile_cache caches[PROFILE_CACHES];
	struct query query = query_at(&random_at_mb, random_at_mb.size_bytes);
	const struct question q = {
		.file = PATH, .query = &query, .caches = caches, .word = "spread"};
	struct text out = {0};
	struct answer a;
	json_t *root;

	(void)state;
	query.process = QUERY_ANY;
	assert_int_equal(answer_init(&a, "reuse", &q, NULL), 0);
	assert_int_equal(answer_text(&a, 10, &plain, &out, NULL), 0);
	assert_non_null(strstr(text_get(&out), "self"));
	assert_non_null(strstr(text_get(&out), "walk.c:10 burst"));
	assert_non_null(strstr(text_get(&out), "1,024 - 2,047"));
	assert_non_null(strstr(text_get(&out), "262,144 - 524,287"));
	text_release(&out);
	answer_csv(&a, 0, &out);
	assert_non_null(strstr(text_get(&out), "\nreuse,spread,/nowhere/src/walk.c,20,spread,"));
	assert_non_null(strstr(text_get(&out), "\ndistance,,,,,,,1024,2047,"));
	text_release(&out);
	assert_int_equal(answer_json(&a, 0, &out, NULL), 0);
	root = json_loads(text_get(&out), 0, NULL);
	assert_non_null(root);
	assert_int_equal(json_array_size(json_object_get(root, "reuses")), 2);
	near(json_real_value(json_object_get(root, "access_share")), 0.49, 0.004);
	json_decref(root);
	text_release(&out);
	answer_release(&a);
}

/* The hottest line is burst's or spread's, whose far reuses are as many; each says where from. */
static void annotated_source_says_where_its_data_is_from(void **state)
{
	static const struct display plain = {0};
	struct profile p = load();
	struct text out = {0};
	struct annotation a;
	const char *text;
	json_t *places;

	(void)state;
	assert_int_equal(annotation_init(&a, &p, &random_at_mb, "walk.c", NULL), 0);
	assert_int_equal(annotation_text(&a, false, &plain, &out, NULL, NULL), 0);
	text_release(&out);
	assert_int_equal(annotation_sources_text(&a, 3, &plain, &out, NULL), 0);
	text = text_get(&out);
	assert_non_null(strstr(text, "\nwalk.c:20\n"));
	assert_non_null(strstr(text, "\nwalk.c:10\n"));
	assert_non_null(strstr(text, "  walk.c:10 burst\n"));
	assert_non_null(strstr(text, "\nwalk.c:30  no reuse was seen\n"));
	text_release(&out);
	assert_int_equal(annotation_sources_text(&a, 1, &plain, &out, NULL), 0);
	text = text_get(&out);
	assert_true((strstr(text, "\nwalk.c:20\n") != NULL) !=
		    (strstr(text, "\nwalk.c:10\n") != NULL));
	text_release(&out);
	assert_int_equal(annotation_sources_text(&a, 0, &plain, &out, NULL), 0);
	assert_int_equal(out.count, 0);
	/* Line 20 is the second of the three rows. */
	places = annotation_sources_json(&a, &a.rows[1]);
	assert_int_equal(json_array_size(places), 2);
	assert_true(json_is_true(json_object_get(json_array_get(places, 0), "self")));
	near(json_real_value(json_object_get(json_array_get(places, 0), "reuse_share")),
	     0.45 / 0.49, 0.01);
	json_decref(places);
	annotation_release(&a);
	profile_close(&p);
}

/* Half of spread's reuses are temporal: 22.5 % of the accesses. 2 % are first touches. */
static void the_summary_splits_reuse(void **state)
{
	struct profile p = load();
	struct summary s;

	(void)state;
	assert_int_equal(summary_init(&s, &p, &random_at_mb, NULL), 0);
	near(s.temporal, 0.225, 1e-3);
	near(s.spatial, 0.755, 3e-3);
	near(s.cold, 0.02, 2e-3);
	summary_release(&s);
	profile_close(&p);
}

static void code_of_no_line_has_the_name_of_its_function(void **state)
{
	const struct reuse_place of_line = {.file = "/src/walk.c", .line = 3, .function = "main"};
	const struct reuse_place of_none = {.file = "/src/walk.c", .function = "main"};
	struct text name = {0};

	(void)state;
	figure_place(of_line.file, of_line.line, of_line.function, &name);
	text_add(&name, ", ");
	figure_place(of_none.file, of_none.line, of_none.function, &name);
	assert_string_equal(text_get(&name), "walk.c:3 main, main");
	text_release(&name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(far_reuses_belong_to_the_code_that_makes_them),
		cmocka_unit_test(first_touches_belong_to_the_code_that_makes_them),
		cmocka_unit_test(a_line_says_where_its_data_is_from),
		cmocka_unit_test(the_whole_program_has_pairs_that_add_up),
		cmocka_unit_test(a_line_without_reuses_names_the_nearest),
		cmocka_unit_test(the_forms_agree),
		cmocka_unit_test(annotated_source_says_where_its_data_is_from),
		cmocka_unit_test(the_summary_splits_reuse),
		cmocka_unit_test(code_of_no_line_has_the_name_of_its_function),
	};

	return cmocka_run_group_tests(tests, make_profile, scratch_leave);
}
