/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The views, with a synthetic profile. `test_views --write FILE` leaves it in FILE, for use with
 * the commands.
 */
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

#include "answer/cost_columns.h"
#include "answer/curves.h"
#include "estimate/annotate.h"
#include "estimate/summary.h"
#include "profiles.h"
#include "scratch.h"
#include "views/answer_print.h"
#include "views/views.h"
#include "walk_profile.h"

#define PATH "dwell.db"

static const struct query random_at_mb = {.policy = QUERY_RANDOM, .size_bytes = 1u << 20};
static const struct query ten_rows_at_mb = {
	.policy = QUERY_RANDOM, .size_bytes = 1u << 20, .limit = 10};
static const struct query random_at_l1 = {
	.process = QUERY_ANY, .policy = QUERY_RANDOM, .size_bytes = 48u << 10};
static const struct query lru_at_mb = {.policy = QUERY_LRU, .size_bytes = 1u << 20};
static const struct query lru_200_ways = {.policy = QUERY_LRU, .ways = 200};

static const struct display plain = {.width = 0, .color = false, .unicode = true};
static const struct summary_page page = {.file = PATH, .rows = 10, .is_verbose = true};

static int make_profile(void **state)
{
	if (scratch_enter(state) != 0)
		return -1;
	write_profile(PATH);
	return 0;
}

static struct profile load(int64_t process)
{
	struct profile p;
	struct err err;

	if (profile_open(&p, PATH, process, &err) != 0)
		fail_msg("%s", err.text);
	return p;
}

static void test_the_process_with_most_accesses_is_the_default(void **state)
{
	struct profile p = load(STORE_NONE);
	struct err err;

	assert_int_equal(p.process->id, 1);
	assert_int_equal(p.sample_count, WINDOWS * PER_WINDOW);
	assert_int_equal(p.unclosed_samples, 1);
	profile_close(&p);
	p = load(0);
	assert_int_equal(p.sample_count, 0);
	profile_close(&p);
	assert_int_equal(profile_open(&p, PATH, 7, &err), -1);
	assert_non_null(strstr(err.text, "no process 7"));
	assert_int_equal(profile_open(&p, "/nowhere/dwell.db", STORE_NONE, &err), -1);
}

static void test_rows_add_up(void **state)
{
	struct profile p = load(STORE_NONE);
	struct hot_cost *costs = hot_costs(&p, &random_at_mb, NULL);
	struct model_ratio r;

	assert_non_null(costs);
	profile_solve(&p, &random_at_mb, &r);
	for (int by = HOT_FUNCTION; by <= HOT_LINE; by++) {
		struct hot h;
		struct hot_cost sum = {0};

		assert_int_equal(hot_rows(&p, &random_at_mb, costs, (enum hot_by)by, &h, NULL), 0);
		for (size_t i = 0; i < h.count; i++)
			hot_add(&sum, &h.rows[i].cost);
		assert_true(fabs(sum.accesses - 1) < 1e-9);
		assert_true(fabs(sum.misses + sum.cold - r.ratio) < 1e-9);
		assert_true(fabs(h.ratio - r.ratio) < 1e-9);
		assert_int_equal(sum.samples, WINDOWS * PER_WINDOW);
		assert_int_equal(h.count, 4);
		hot_release(&h);
	}
	free(costs);
	profile_close(&p);
}

static void test_all_of_a_report_is_of_the_policy_asked_for(void **state)
{
	struct profile p = load(STORE_NONE);
	struct model_ratio random, lru;
	struct text out = {0};
	struct summary s;

	profile_solve(&p, &random_at_mb, &random);
	profile_solve(&p, &lru_at_mb, &lru);
	assert_true(fabs(random.ratio - lru.ratio) > 1e-6);
	assert_int_equal(summary_init(&s, &p, &lru_at_mb, NULL), 0);
	assert_true(fabs(s.functions.ratio - lru.ratio) < 1e-9);
	assert_true(fabs(s.lines.ratio - lru.ratio) < 1e-9);
	assert_true(fabs(s.data.total.misses + s.data.total.cold - lru.ratio) < 1e-9);
	assert_int_equal(summary_text(&s, &page, &plain, &out, NULL), 0);
	assert_non_null(strstr(text_get(&out), "LRU replacement"));
	text_release(&out);
	summary_release(&s);
	profile_close(&p);
}

static void test_the_report_says_what_ran_and_how_it_misses(void **state)
{
	static const char *const sentences[] = {
		"2 processes",
		"walk 2896",
		"exited with status 3 after 2.00 s",
		"1.50e8",
		"6.00e7 (4.00e7 loads, 1.90e7 stores, 1.00e6 both)",
		"12,001 in 60 windows (9,001 near, 2,700 far, 300 cut short)",
		"3,000 of 600 far lines\n",
		"translating 0.50 %, watching 1.00 %,\n                collecting 0.50 %",
		"10.00 % of the accesses in windows",
		"L1d",
		"48K",
		"95 % INTERVAL",
		"walk.c:5 walk(int, double*)",
		"[libm.so.6+0x1234]",
		"1 of them left out",
		"distances up to"};
	struct profile p = load(STORE_NONE);
	struct summary s;
	struct text out = {0};

	assert_int_equal(summary_init(&s, &p, &ten_rows_at_mb, NULL), 0);
	assert_int_equal(summary_text(&s, &page, &plain, &out, NULL), 0);
	for (size_t i = 0; i < sizeof(sentences) / sizeof(sentences[0]); i++)
		if (strstr(text_get(&out), sentences[i]) == NULL)
			fail_msg("'%s' is not in:\n%s", sentences[i], text_get(&out));
	assert_null(strstr(text_get(&out), "Few samples"));
	text_release(&out);
	summary_release(&s);
	profile_close(&p);
}

/* The profile has four lines; walk.c:5 makes less than 0.005 % of the misses. */
static void test_rows_without_misses_are_left_out_of_the_report(void **state)
{
	struct profile p = load(STORE_NONE);
	struct summary s;
	struct text out = {0};

	assert_int_equal(summary_init(&s, &p, &random_at_mb, NULL), 0);
	assert_int_equal(s.lines.count, 4);
	assert_int_equal(summary_text(&s, &page, &plain, &out, NULL), 0);
	assert_null(strstr(text_get(&out), "walk.c:5 "));
	assert_non_null(strstr(text_get(&out), "\n... and 1 more\n\nlibm.so.6 has no names"));
	text_release(&out);
	summary_csv(&s, &out);
	assert_non_null(strstr(text_get(&out), "walk.c,5,"));
	text_release(&out);
	summary_release(&s);
	profile_close(&p);
}

static void test_a_row_is_left_out_if_its_share_reads_zero(void **state)
{
	const struct hot_cost whole = {.misses = 0.5, .cold = 0.5};
	/* 90 %, 0.006 % (reads 0.01 %), and 0.004 % */
	const struct hot_cost most = {.misses = 0.5, .cold = 0.4}, some = {.misses = 6e-5},
			      little = {.misses = 2e-5, .cold = 2e-5};
	const struct query by_accesses = {.sort = "accesses"}, by_misses = {.sort = "misses"};
	struct cost_limit l = cost_limit_of(&by_misses, &whole, 10);

	assert_true(cost_limit_shows(&l, &most));
	assert_true(cost_limit_shows(&l, &some));
	assert_false(cost_limit_shows(&l, &little));
	assert_false(cost_limit_shows(&l, &little));
	assert_int_equal(l.shown, 2);
	assert_int_equal(l.left, 2);
	/* in another order, for a number of rows, or as the first */
	l = cost_limit_of(&by_accesses, &whole, 10);
	assert_true(cost_limit_shows(&l, &most) && cost_limit_shows(&l, &little));
	l = cost_limit_of(&ten_rows_at_mb, &whole, 2);
	assert_true(cost_limit_shows(&l, &most) && cost_limit_shows(&l, &little));
	assert_false(cost_limit_shows(&l, &little));
	l = cost_limit_of(&random_at_mb, &whole, 10);
	assert_true(cost_limit_shows(&l, &little) && cost_limit_shows(&l, &little));
}

static size_t width_of(const char *line)
{
	size_t width = 0;

	for (; *line != '\0' && *line != '\n'; line++)
		width += (*line & 0xc0) != 0x80; /* not the middle of a character */
	return width;
}

/* 20 lines, so that a prompt and more fit below on a terminal of 24. */
static void test_the_first_screen_has_a_verdict_and_the_next_command(void **state)
{
	const struct display narrow = {.width = 80, .unicode = true};
	const struct summary_page brief = {.file = "a b.db", .rows = 10};
	struct profile p = load(STORE_NONE);
	struct text out = {0};
	struct summary s;
	const char *next, *line;
	size_t lines = 1;

	assert_int_equal(summary_init(&s, &p, &random_at_l1, NULL), 0);
	assert_int_equal(summary_text(&s, &brief, &narrow, &out, NULL), 0);
	next = strstr(text_get(&out), "\nNext: dwell ");
	assert_non_null(next);
	assert_non_null(strstr(next, " -i 'a b.db'"));
	for (line = text_get(&out); line <= next; line = strchr(line, '\n') + 1)
		lines++;
	assert_in_range(lines, 15, 20);
	for (line = text_get(&out); *line != '\0'; line = strchr(line, '\n') + 1)
		assert_true(width_of(line) <= 80);
	/* How samples were taken is for --verbose. */
	assert_null(strstr(text_get(&out), "far line"));
	assert_null(strstr(text_get(&out), "watching"));
	text_release(&out);
	summary_release(&s);
	profile_close(&p);
}

static void test_a_process_without_samples_is_reported_without_a_ratio(void **state)
{
	struct profile p = load(0);
	struct summary s;
	struct text out = {0};

	assert_int_equal(summary_init(&s, &p, &random_at_mb, NULL), 0);
	assert_int_equal(summary_text(&s, &page, &plain, &out, NULL), 0);
	assert_non_null(strstr(text_get(&out), "No samples"));
	text_release(&out);
	summary_csv(&s, &out);
	assert_non_null(strstr(text_get(&out), "cache,L2,,2097152,,0,1,,,,,,random,\n"));
	text_release(&out);
	summary_release(&s);
	profile_close(&p);
}

/* Each line of CSV has as many separators, outside of quotes, as the first. */
static void check_csv(const char *csv)
{
	size_t expected = 0, now = 0;
	bool quoted = false;

	for (const char *c = csv; *c != '\0'; c++) {
		quoted ^= *c == '"';
		now += *c == ',' && !quoted;
		if (*c != '\n' || quoted)
			continue;
		if (expected == 0)
			expected = now;
		assert_int_equal(now, expected);
		now = 0;
	}
	assert_false(quoted);
}

static json_t *check_json(const struct text *t)
{
	json_error_t error;
	json_t *root = json_loads(text_get(t), 0, &error);

	if (root == NULL)
		fail_msg("%s in:\n%s", error.text, text_get(t));
	return root;
}

static void test_the_report_is_there_for_programs_too(void **state)
{
	struct profile p = load(STORE_NONE);
	struct summary s;
	struct text out = {0};
	json_t *root;

	assert_int_equal(summary_init(&s, &p, &random_at_mb, NULL), 0);
	summary_csv(&s, &out);
	check_csv(text_get(&out));
	text_release(&out);
	assert_int_equal(summary_json(&s, &out, NULL), 0);
	root = check_json(&out);
	assert_int_equal(json_array_size(json_object_get(root, "processes")), 2);
	assert_int_equal(json_array_size(json_object_get(root, "caches")), 3);
	assert_int_equal(json_array_size(json_object_get(root, "functions")), 4);
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(root, "process"), "samples")),
		WINDOWS * PER_WINDOW + 1);
	json_decref(root);
	text_release(&out);
	summary_release(&s);
	profile_close(&p);
}

static void ask(struct answer *a, const struct curve *c)
{
	*a = (struct answer){0};
	assert_int_equal(curves_shown(a, c, 1, NULL), 0);
}

/* 8K:64M has 14 powers of two; the ratio can only fall with the size. */
static void test_the_curve_has_a_point_at_each_power_of_two(void **state)
{
	struct profile p = load(STORE_NONE);
	struct text out = {0};
	struct curve c;
	struct answer a;
	json_t *root;

	assert_int_equal(curve_compute(&p, &random_at_mb, 8 << 10, 64 * MB, 1, &c, NULL), 0);
	assert_int_equal(c.count, 14);
	for (size_t i = 0; i < c.count; i++) {
		const struct model_ratio *r = &c.points[i].ratio;

		assert_true(c.points[i].size_bytes == (uint64_t)8192 << i);
		assert_true(r->low <= r->ratio && r->ratio <= r->high);
		assert_true(i == 0 || r->ratio <= c.points[i - 1].ratio.ratio + 1e-12);
	}
	ask(&a, &c);
	answer_csv(&a, 0, &out);
	assert_int_equal(
		strncmp(text_get(&out), "size_bytes,miss_ratio,low,high,policy,ways\n8192,0.", 50),
		0);
	check_csv(text_get(&out));
	text_release(&out);
	assert_int_equal(answer_json(&a, 0, &out, NULL), 0);
	answer_release(&a);
	root = check_json(&out);
	assert_int_equal(json_array_size(json_object_get(root, "points")), 14);
	json_decref(root);
	text_release(&out);
	curve_release(&c);

	assert_int_equal(curve_compute(&p, &lru_at_mb, 10000, 50000, 2, &c, NULL), 0);
	assert_int_equal(c.points[0].size_bytes, 9984);		   /* 156 lines */
	assert_int_equal(c.points[c.count - 1].size_bytes, 49984); /* 781 lines */
	curve_release(&c);
	assert_int_equal(curve_compute(&p, &lru_at_mb, 32, 50000, 2, &c, NULL), -1);
	assert_int_equal(curve_compute(&p, &lru_200_ways, 10000, 50000, 2, &c, NULL), -1);
	profile_close(&p);
}

static void test_the_plot_fits_its_display(void **state)
{
	static const unsigned widths[] = {0, 40, 80, 200};
	struct profile p = load(STORE_NONE);
	struct curve c;

	assert_int_equal(curve_compute(&p, &random_at_mb, 8 << 10, 64 * MB, 8, &c, NULL), 0);
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		struct display d = {.width = widths[i]};
		struct text out = {0};
		const char *body;

		assert_int_equal(curve_plot(&c, 1, &d, &out, NULL), 0);
		body = strstr(text_get(&out), "\n\n");
		assert_non_null(body);
		for (const char *line = body + 2; *line != '\0' && *line != '\n';) {
			size_t length = strcspn(line, "\n");

			assert_true(length <= (widths[i] > 0 ? widths[i] : 80));
			line += length + 1;
		}
		assert_non_null(strstr(body, "8K"));
		assert_non_null(strstr(body, "64M"));
		assert_non_null(strstr(body, "^L2"));
		assert_null(strchr(body, '\033'));
		text_release(&out);
	}
	curve_release(&c);
	profile_close(&p);
}

static void test_a_plot_without_samples_says_so(void **state)
{
	struct profile p = load(0);
	struct text out = {0};
	struct curve c;
	struct answer a;

	assert_int_equal(curve_compute(&p, &random_at_mb, 8 << 10, 64 * MB, 8, &c, NULL), 0);
	assert_int_equal(curve_plot(&c, 1, &plain, &out, NULL), 0);
	assert_non_null(strstr(text_get(&out), "not known"));
	text_release(&out);
	ask(&a, &c);
	answer_csv(&a, 0, &out);
	answer_release(&a);
	assert_non_null(strstr(text_get(&out), "\n8192,,0,1,random,\n"));
	text_release(&out);
	curve_release(&c);
	profile_close(&p);
}

static void test_a_file_is_found_by_the_end_of_its_path(void **state)
{
	static const char *const good[] = {"walk.c", "src/walk.c", "./src/walk.c", SOURCE_PATH};
	struct profile p = load(STORE_NONE);
	struct annotation a;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(annotation_init(&a, &p, &random_at_mb, good[i], NULL), 0);
		/* Line 5 itself, and what was inlined into line 6. */
		assert_int_equal(a.count, 2);
		assert_int_equal(a.rows[0].line, 5);
		assert_int_equal(a.rows[1].line, 6);
		annotation_release(&a);
	}
	profile_close(&p);
}

static void test_a_function_is_found_with_and_without_its_arguments(void **state)
{
	static const char *const good[] = {"sum", "list::sum", "list::sum(list const&)"};
	struct profile p = load(STORE_NONE);
	struct annotation a;
	struct err err;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(annotation_init(&a, &p, &random_at_mb, good[i], NULL), 0);
		assert_int_equal(a.count, 1);
		assert_int_equal(a.rows[0].line, 12);
		annotation_release(&a);
	}
	assert_int_equal(annotation_init(&a, &p, &random_at_mb, "um", &err), -1);
	profile_close(&p);
}

static void test_an_unknown_name_is_answered_with_near_ones(void **state)
{
	struct profile p = load(STORE_NONE);
	struct annotation a;
	struct err err;

	assert_int_equal(annotation_init(&a, &p, &random_at_mb, "wakl.c", &err), -1);
	assert_non_null(strstr(err.text, "near it: walk.c"));
	assert_int_equal(annotation_init(&a, &p, &random_at_mb, "zzzzzzzzzz", &err), -1);
	assert_non_null(strstr(err.text, "alone lists"));
	profile_close(&p);
}

static void test_source_is_shown_beside_its_figures(void **state)
{
	struct profile p = load(STORE_NONE);
	struct annotation a;
	struct text out = {0}, notes = {0};
	json_t *root;

	assert_int_equal(annotation_init(&a, &p, &random_at_mb, "walk.c", NULL), 0);
	assert_int_equal(annotation_text(&a, false, &plain, &out, &notes, NULL), 0);
	assert_string_equal(text_get(&notes), ""); /* the profile has a copy */
	assert_non_null(strstr(text_get(&out), "    5  {       for (;;)\n"));
	assert_non_null(strstr(text_get(&out), "    4  int walk(int n, double *a)\n"));
	assert_null(strstr(text_get(&out), "/* one */"));
	text_release(&out);
	assert_int_equal(annotation_text(&a, true, &plain, &out, &notes, NULL), 0);
	assert_non_null(strstr(text_get(&out), "    1  /* one */\n"));
	assert_non_null(strstr(text_get(&out), "    7  }\n"));
	text_release(&out);
	annotation_csv(&a, &out);
	check_csv(text_get(&out));
	assert_non_null(strstr(text_get(&out), "\"\"quoted\"\", with"));
	text_release(&out);
	assert_int_equal(annotation_json(&a, &out, NULL), 0);
	root = check_json(&out);
	json_decref(root);
	text_release(&out);
	annotation_release(&a);
	profile_close(&p);
}

static void test_source_that_is_nowhere_is_said_and_the_figures_shown(void **state)
{
	struct profile p = load(STORE_NONE);
	struct annotation a;
	struct text out = {0}, notes = {0};

	assert_int_equal(annotation_init(&a, &p, &random_at_mb, "sum", NULL), 0);
	assert_int_equal(annotation_text(&a, false, &plain, &out, &notes, NULL), 0);
	assert_string_equal(text_get(&notes), "cannot read the source file /nowhere/src/list.c: "
					      "No such file or directory\n");
	assert_non_null(strstr(text_get(&out), "   12  \n"));
	text_release(&out);
	text_release(&notes);
	annotation_release(&a);
	profile_close(&p);
}

static void test_what_can_be_annotated_is_listed(void **state)
{
	const struct profile_cache none[PROFILE_CACHES] = {0};
	const struct query at_mb = {.process = QUERY_ANY, .size_bytes = 1u << 20};
	const struct question q = {.file = PATH, .query = &at_mb, .caches = none};
	struct answer a;
	struct text out = {0};
	json_t *root;

	assert_int_equal(answer_init(&a, "code_list", &q, NULL), 0);
	assert_int_equal(answer_text(&a, 10, &plain, &out, NULL), 0);
	assert_non_null(strstr(text_get(&out), SOURCE_PATH));
	assert_non_null(strstr(text_get(&out), "list::sum(list const&)"));
	text_release(&out);
	answer_csv(&a, 0, &out);
	check_csv(text_get(&out));
	text_release(&out);
	assert_int_equal(answer_json(&a, 0, &out, NULL), 0);
	root = check_json(&out);
	assert_int_equal(json_array_size(json_object_get(root, "files")), 3);
	json_decref(root);
	text_release(&out);
	answer_release(&a);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_process_with_most_accesses_is_the_default),
		cmocka_unit_test(test_rows_add_up),
		cmocka_unit_test(test_all_of_a_report_is_of_the_policy_asked_for),
		cmocka_unit_test(test_the_report_says_what_ran_and_how_it_misses),
		cmocka_unit_test(test_rows_without_misses_are_left_out_of_the_report),
		cmocka_unit_test(test_a_row_is_left_out_if_its_share_reads_zero),
		cmocka_unit_test(test_the_first_screen_has_a_verdict_and_the_next_command),
		cmocka_unit_test(test_a_process_without_samples_is_reported_without_a_ratio),
		cmocka_unit_test(test_the_report_is_there_for_programs_too),
		cmocka_unit_test(test_the_curve_has_a_point_at_each_power_of_two),
		cmocka_unit_test(test_the_plot_fits_its_display),
		cmocka_unit_test(test_a_plot_without_samples_says_so),
		cmocka_unit_test(test_a_file_is_found_by_the_end_of_its_path),
		cmocka_unit_test(test_a_function_is_found_with_and_without_its_arguments),
		cmocka_unit_test(test_an_unknown_name_is_answered_with_near_ones),
		cmocka_unit_test(test_source_is_shown_beside_its_figures),
		cmocka_unit_test(test_source_that_is_nowhere_is_said_and_the_figures_shown),
		cmocka_unit_test(test_what_can_be_annotated_is_listed),
	};

	if (argc == 3 && strcmp(argv[1], "--write") == 0) {
		write_profile(argv[2]);
		return 0;
	}
	return cmocka_run_group_tests(tests, make_profile, scratch_leave);
}
