/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two threads request the same views of one stored profile at the same time, and get the same
 * results as one thread. With ThreadSanitizer this also fails if they share anything mutable.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <pthread.h>

#include "answer/calls.h"
#include "answer/curves.h"
#include "answer/diff.h"
#include "answer/processes.h"
#include "answer/report.h"
#include "estimate/annotate.h"
#include "estimate/summary.h"
#include "scratch.h"
#include "views/answer_print.h"
#include "views/views.h"
#include "walk_profile.h"

#define SAMPLED "sampled.db"
#define COUNTED "counted.db"
#define SIZE	(64u << 10)

static const struct query random_at_size = {.policy = QUERY_RANDOM, .size_bytes = SIZE};
static const struct query lru_8_ways = {.policy = QUERY_LRU, .ways = 8};

/*
 * The C library locks its tables of character sets and locales itself, which the sanitizer cannot
 * see.
 */
const char *__tsan_default_suppressions(void);

const char *__tsan_default_suppressions(void)
{
	return "race:__gconv_\nrace:_nl_\nrace:freelocale\nrace:newlocale\n";
}

static const struct display display = {.width = 70, .unicode = true};

struct query_thread {
	pthread_t thread;
	struct text out;
	const char *failed; /* the view; NULL: all went well */
};

static void write_counted(const char *path)
{
	static const struct store_event event = {"Ir", NULL, NULL};
	static const uint64_t cost = 7;
	static const struct store_process process = {A_PROCESS, .state = "exited"};
	struct store *s = create_profile(path);

	assert_int_equal(store_put_process(s, &process, NULL), 0);
	assert_int_equal(store_put_events(s, &event, 1, NULL), 0);
	for (int64_t id = 1; id <= 3; id++) {
		struct store_node n = {.id = id,
				       .thread = STORE_NONE,
				       .function = id == 1   ? "main"
						   : id == 2 ? "h\xc3\xb6ren"
							     : "leaf",
				       .caller_id = STORE_NONE};
		struct store_cost c = {id, STORE_NONE, &cost};
		struct store_arc a = {.caller_id = id > 1 ? id - 1 : STORE_NONE,
				      .location_id = STORE_NONE,
				      .callee_id = id,
				      .calls = 1,
				      .values = &cost};

		assert_int_equal(store_put_node(s, &n, NULL), 0);
		assert_int_equal(store_put_cost(s, &c, NULL), 0);
		assert_int_equal(store_put_arc(s, &a, NULL), 0);
	}
	finish_profile(s);
}

static int make_profiles(void **state)
{
	if (scratch_enter(state) != 0)
		return -1;
	write_profile(SAMPLED);
	write_counted(COUNTED);
	return 0;
}

/* ---- Views of samples: each returns 0, or -1 ---- */

static int show_summary(const struct profile *p, struct text *out)
{
	const struct summary_page page = {.file = "dwell.db", .rows = 10};
	struct summary s;
	int status;

	if (summary_init(&s, p, &random_at_size, NULL) != 0)
		return -1;
	status = summary_text(&s, &page, &display, out, NULL);
	status |= summary_json(&s, out, NULL);
	summary_csv(&s, out);
	summary_release(&s);
	return status;
}

static int show_curve(const struct profile *p, struct text *out)
{
	struct answer a = {0};
	struct curve c;
	int status;

	if (curve_compute(p, &lru_8_ways, 4096, MB, 2, &c, NULL) != 0)
		return -1;
	status = curve_plot(&c, 1, &display, out, NULL);
	status |= curves_shown(&a, &c, 1, NULL);
	answer_csv(&a, 0, out);
	answer_release(&a);
	curve_release(&c);
	return status;
}

static int show(const char *view, const struct query *query, struct text *out)
{
	static const struct profile_cache caches[PROFILE_CACHES];
	const struct question q = {.file = SAMPLED, .query = query, .caches = caches};
	struct answer a;
	int status = answer_init(&a, view, &q, NULL);

	if (status == 0)
		status = answer_text(&a, 0, &display, out, NULL);
	answer_release(&a);
	return status;
}

static int show_paths(const struct profile *p, struct text *out)
{
	(void)p;
	return show("paths", &random_at_size, out);
}

static int show_reuse(const struct profile *p, struct text *out)
{
	(void)p;
	return show("reuse", &random_at_size, out);
}

static int show_source(const struct profile *p, struct text *out)
{
	struct annotation a;
	struct text notes = {0};
	int status;

	if (annotation_init(&a, p, &random_at_size, "walk.c", NULL) != 0)
		return -1;
	status = annotation_text(&a, true, &display, out, &notes, NULL);
	text_release(&notes);
	annotation_release(&a);
	return status;
}

static int show_processes(const struct profile *p, struct text *out)
{
	struct answer a = {0};
	int status = processes_of_samples(&a, p, &random_at_size, NULL);

	if (status == 0)
		status = answer_text(&a, 0, &display, out, NULL);
	answer_release(&a);
	return status;
}

static int show_difference(const struct profile *p, struct text *out)
{
	struct diff_samples d;
	struct answer a = {0};
	int status;

	if (diff_samples_init(&d, p, p, &random_at_size, HOT_LINE, DATA_BY_ORDER, NULL) != 0)
		return -1;
	d.path_a = d.path_b = SAMPLED;
	status = diff_of_samples(&a, &d, NULL, 0, NULL);
	if (status == 0)
		status = answer_text(&a, 10, &display, out, NULL);
	answer_release(&a);
	diff_samples_release(&d);
	return status;
}

/* ---- Views of counted events ---- */

static int show_report(struct event_profile *p, struct text *out)
{
	struct event_choice choice = {.columns = {.items = {0}, .count = 1}};
	struct answer a = {0};
	struct event_report r;
	int status;

	if (event_report_init(&r, p, EVENT_BY_FUNCTION, &choice, NULL) != 0)
		return -1;
	status = report_of_events(&a, &r, 10, NULL);
	if (status == 0)
		status = answer_text(&a, 10, &display, out, NULL);
	answer_release(&a);
	event_report_release(&r);
	return status;
}

static int show_calls(struct event_profile *p, struct text *out)
{
	const struct event_columns columns = {.items = {0}, .count = 1};
	const struct calls_choice choice = {.direction = CALLS_BOTH, .top = 10};
	struct answer a = {0};
	struct calls c;
	int status;

	if (calls_init(&c, p, &columns, NULL) != 0)
		return -1;
	status = calls_shown(&a, &c, &choice, NULL);
	if (status == 0)
		status = answer_text(&a, 10, &display, out, NULL);
	answer_release(&a);
	calls_release(&c);
	return status;
}

static int show_event_difference(struct event_profile *p, struct text *out)
{
	struct diff d = {.a = {.path = COUNTED, .profile = p},
			 .b = {.path = COUNTED, .profile = p}};
	struct answer a = {0};
	int status = diff_columns(&d, &random_at_size, NULL);

	if (status == 0)
		status = diff_rows(&d, &random_at_size, EVENT_BY_FUNCTION, false, NULL);
	if (status == 0)
		status = diff_of_events(&a, &d, NULL, 0, NULL);
	if (status == 0)
		status = answer_text(&a, 10, &display, out, NULL);
	answer_release(&a);
	diff_release(&d);
	return status;
}

/* ---- Threads ---- */

static const struct {
	const char *name;
	int (*show)(const struct profile *p, struct text *out);
} of_samples[] = {
	{"summary", show_summary},	 {"curve", show_curve},	  {"paths", show_paths},
	{"reuse", show_reuse},		 {"source", show_source}, {"processes", show_processes},
	{"difference", show_difference},
};

static const struct {
	const char *name;
	int (*show)(struct event_profile *p, struct text *out);
} of_events[] = {
	{"report", show_report},
	{"calls", show_calls},
	{"event difference", show_event_difference},
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static void *ask(void *context)
{
	struct query_thread *q = context;
	struct event_profile counted;
	struct profile sampled;

	q->failed = "opening";
	if (profile_open(&sampled, SAMPLED, STORE_NONE, NULL) != 0)
		return NULL;
	if (events_open(&counted, COUNTED, STORE_NONE, NULL) != 0) {
		profile_close(&sampled);
		return NULL;
	}
	q->failed = NULL;
	for (size_t i = 0; i < COUNT(of_samples) && q->failed == NULL; i++)
		if (of_samples[i].show(&sampled, &q->out) != 0)
			q->failed = of_samples[i].name;
	for (size_t i = 0; i < COUNT(of_events) && q->failed == NULL; i++)
		if (of_events[i].show(&counted, &q->out) != 0)
			q->failed = of_events[i].name;
	events_close(&counted);
	profile_close(&sampled);
	return NULL;
}

static void two_threads_serve_two_queries(void **state)
{
	struct query_thread two[2] = {0}, alone = {0};

	(void)state;
	for (size_t i = 0; i < COUNT(two); i++)
		assert_int_equal(pthread_create(&two[i].thread, NULL, ask, &two[i]), 0);
	for (size_t i = 0; i < COUNT(two); i++)
		assert_int_equal(pthread_join(two[i].thread, NULL), 0);
	ask(&alone);
	assert_null(alone.failed);
	for (size_t i = 0; i < COUNT(two); i++) {
		assert_null(two[i].failed);
		assert_string_equal(text_get(&two[i].out), text_get(&alone.out));
		text_release(&two[i].out);
	}
	text_release(&alone.out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_threads_serve_two_queries),
	};

	return cmocka_run_group_tests(tests, make_profiles, scratch_leave);
}
