/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell diff: what is different between two profiles, for people and for tests. */
#include <string.h>

#include "answer/diff.h"
#include "cli/cli.h"
#include "cli/event_options.h"
#include "cli/view.h"
#include "cli/view_options.h"
#include "estimate/data.h"
#include "views/counted/data_events.h"

static const char *const by_names[] = {"function", "line", "file", "object", "class", "data", NULL};
static const enum event_by kinds[] = {EVENT_BY_FUNCTION, EVENT_BY_LINE,	 EVENT_BY_FILE,
				      EVENT_BY_OBJECT,	 EVENT_BY_CLASS, EVENT_BY_DATA};
static const char *const sites_by_names[] = {
	[DATA_BY_FUNCTION] = "function",
	[DATA_BY_LINE] = "line",
	[DATA_BY_PATH] = "path",
	[DATA_BY_ORDER] = "order",
	NULL,
};

static const struct option_use uses[] = {
	{OPTION_FORMAT, .usual = "text"},
	{OPTION_PROCESS_ID, .shown = "all; of samples: those with the most accesses"},
	{OPTION_THREAD_ID, .shown = "all"},
	VIEW_SHOWN,
	{OPTION_CACHE_SIZE, .shown = "of samples: the level that costs most in both"},
	VIEW_SETS,
	{OPTION_BY, .usual = "function", .choices = by_names},
	{OPTION_SITES_BY, .usual = "order", .choices = sites_by_names},
	{OPTION_EVENT, .shown = "all", .adds_up = true},
	{OPTION_SORT, .shown = "the first event shown; of samples misses"},
	{OPTION_INCLUSIVE},
	{OPTION_ROWS, .usual = "20"},
	{OPTION_FAIL_IF, .adds_up = true},
	VIEW_OTHER,
	{0},
};

struct comparison {
	const struct options *options;
	char *const *inputs; /* two */
	enum event_by by;
	struct condition conditions[OPTIONS_CONDITIONS];
	size_t condition_count;
};

/* Show the answer, unless making it failed; name the conditions that hold, and fail if one does. */
static int finish(const struct comparison *o, struct answer *a, int status, struct text *notes,
		  struct err *err)
{
	struct text out = {0};
	size_t before = notes->count;
	int code;

	if (status == 0)
		status = view_write(o->options, a, &out, err);
	answer_release(a);
	code = view_show(&out, status, err);
	for (size_t i = 0; i < o->condition_count; i++)
		if (o->conditions[i].holds)
			diff_explain(&o->conditions[i], notes);
	if (code == EXIT_OK && notes->count > before)
		code = EXIT_CONDITION;
	view_notes(notes);
	return code;
}

/* ---- Events ---- */

static const int of_samples[] = {OPTION_CACHE_SIZE, OPTION_POLICY, OPTION_WAYS, 0};

/*
 * By default text is sorted by the estimate of cycles, as a change may be one of any level; files
 * keep the order of the profile.
 */
static void sort_by_cycles(const struct options *o, struct diff *d)
{
	if (o->format != VIEW_TEXT || event_options_chosen(o))
		return;
	for (size_t i = 0; i < d->columns; i++)
		if (strcmp(diff_name(d, i), "CEst") == 0)
			d->sort = i;
}

static int compare_events(struct comparison *o, struct diff *d)
{
	struct text notes = {0};
	struct answer a = {0};
	struct err err;
	int status;

	if (options_first(o->options, of_samples) != NULL) {
		err_set(&err,
			"--%s is for profiles of samples: these have events; choose one with "
			"--event",
			options_first(o->options, of_samples));
		return cli_fail(&err, EXIT_USAGE);
	}
	if (event_options_thread(&o->options->query, d->a.profile, &err) != 0 ||
	    event_options_thread(&o->options->query, d->b.profile, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	if (diff_columns(d, &o->options->query, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	sort_by_cycles(o->options, d);
	if (o->by == EVENT_BY_DATA && !options_given(o->options, OPTION_SORT) &&
	    o->options->query.metric_count == 0)
		d->sort = d->columns - 1; /* Cost, the last event */
	for (size_t i = 0; i < o->condition_count; i++)
		if (diff_check(d, &o->conditions[i], &err) != 0)
			return cli_fail(&err, EXIT_USAGE);
	if (diff_rows(d, &o->options->query, o->by, o->options->is_inclusive, &err) != 0 ||
	    diff_note_geometry(d, &notes, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	text_add(&notes, text_get(&d->a.rows.notes));
	text_add(&notes, text_get(&d->b.rows.notes));
	status = diff_of_events(&a, d, o->conditions, o->condition_count, &err);
	return finish(o, &a, status, &notes, &err);
}

/* ---- Samples ---- */

static int show_samples(struct comparison *o, struct diff_samples *d)
{
	struct text notes = {0};
	struct answer a = {0};
	struct err err;
	int status;

	for (size_t i = 0; i < o->condition_count; i++)
		if (diff_samples_check(d, &o->conditions[i], &err) != 0)
			return cli_fail(&err, EXIT_USAGE);
	status = diff_of_samples(&a, d, o->conditions, o->condition_count, &err);
	return finish(o, &a, status, &notes, &err);
}

static const int of_events[] = {OPTION_THREAD_ID, OPTION_EVENT, OPTION_INCLUSIVE, 0};

static int check_samples(const struct comparison *o, enum hot_by *by, struct err *err)
{
	*by = o->by == EVENT_BY_LINE   ? HOT_LINE
	      : o->by == EVENT_BY_FILE ? HOT_FILE
	      : o->by == EVENT_BY_DATA ? HOT_DATA
				       : HOT_FUNCTION;
	if (options_first(o->options, of_events) != NULL)
		return err_set(err, "--%s is for profiles of events: these have samples",
			       options_first(o->options, of_events));
	if (o->by == EVENT_BY_OBJECT || o->by == EVENT_BY_CLASS)
		return err_set(err,
			       "profiles of samples are compared by function, line, file or data");
	return 0;
}

static int compare_samples(struct comparison *o)
{
	struct profile a, b;
	struct diff_samples d;
	enum hot_by by;
	struct err err;
	int code;

	if (check_samples(o, &by, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (profile_open(&a, o->inputs[0], o->options->query.process, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	if (profile_open(&b, o->inputs[1], o->options->query.process, &err) != 0) {
		profile_close(&a);
		return cli_fail(&err, EXIT_INPUT);
	}
	profile_take_caches(&b, &a);
	if (diff_samples_init(&d, &a, &b, &o->options->query, by,
			      (enum data_by)o->options->sites_by, &err) == 0) {
		d.path_a = o->inputs[0];
		d.path_b = o->inputs[1];
		code = show_samples(o, &d);
		diff_samples_release(&d);
	} else {
		code = cli_fail(&err, EXIT_USAGE);
	}
	profile_close(&a);
	profile_close(&b);
	return code;
}

/* ---- Data structures ---- */

/* Blocks are matched by function and order: other lines change their numbers. */
static int compare_data(struct comparison *o)
{
	const int64_t process = o->options->query.process;
	const enum data_by by = (enum data_by)o->options->sites_by;
	struct event_profile a, b;
	struct diff d = {.a = {.path = o->inputs[0], .profile = &a},
			 .b = {.path = o->inputs[1], .profile = &b}};
	struct err err;
	int code;

	if (data_events_open(&a, o->inputs[0], process, by, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	if (data_events_open(&b, o->inputs[1], process, by, &err) == 0) {
		code = compare_events(o, &d);
		diff_release(&d);
		events_close(&b);
	} else {
		code = cli_fail(&err, EXIT_INPUT);
	}
	events_close(&a);
	return code;
}

static int compare(struct comparison *o)
{
	struct event_profile a, b;
	struct diff d = {.a = {.path = o->inputs[0], .profile = &a},
			 .b = {.path = o->inputs[1], .profile = &b}};
	int in_a, in_b, code;
	struct err err;

	in_a = events_open(&a, o->inputs[0], o->options->query.process, &err);
	if (in_a < 0)
		return cli_fail(&err, EXIT_INPUT);
	in_b = events_open(&b, o->inputs[1], o->options->query.process, &err);
	if (in_b < 0) {
		code = cli_fail(&err, EXIT_INPUT);
	} else if (in_a != in_b) {
		err_set(&err,
			"'%.200s' has events and '%.200s' has samples: two of a kind are "
			"compared",
			o->inputs[in_a != 0], o->inputs[in_a == 0]);
		code = cli_fail(&err, EXIT_INPUT);
	} else {
		code = in_a == 0 ? compare_events(o, &d) : compare_samples(o);
	}
	diff_release(&d);
	if (in_a == 0)
		events_close(&a);
	if (in_b == 0)
		events_close(&b);
	return code;
}

static bool are_recorded(const struct comparison *c)
{
	return (view_kinds(c->inputs[0]) & KINDS_RECORDED) != 0 &&
	       (view_kinds(c->inputs[1]) & KINDS_RECORDED) != 0;
}

static int diff(struct options *o)
{
	struct comparison c = {.options = o, .inputs = o->state.words, .by = kinds[o->by]};
	struct err err;

	if (o->state.word_count != 2) {
		if (o->state.word_count < 2)
			err_set(&err, "name two profiles: 'dwell diff before.db after.db'");
		else
			err_set(&err, "'%s' is one too many: two profiles are compared",
				o->state.words[2]);
		return cli_fail(&err, EXIT_USAGE);
	}
	c.condition_count = o->condition_count;
	for (size_t i = 0; i < o->condition_count; i++)
		c.conditions[i].text = o->conditions[i];
	return c.by == EVENT_BY_DATA && !are_recorded(&c) ? compare_data(&c) : compare(&c);
}

const struct command command_diff = {
	.run = diff,
	.words = WORDS_FILES,
	.summary = "show the differences between two profiles",
	.options =
		{
			.name = "diff",
			.arguments = "A B",
			.doc = "Show the differences between the profiles A and B, of two builds "
			       "or two inputs of a program: the totals, and the functions that "
			       "changed most. Code is matched by its name. Of samples, rows are "
			       "functions, lines or files. With --by data, the data structures of "
			       "samples, or of two profiles that 'dwell simulate --data' made.",
			.uses = uses,
		},
};
