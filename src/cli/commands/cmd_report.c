/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwell report: what ran, its miss ratios, and the functions, lines and data that miss most; or its
 * events.
 */

#include "answer/answer.h"
#include "cli/cli.h"
#include "cli/commands/objects_show.h"
#include "cli/commands/report_events.h"
#include "cli/event_options.h"
#include "cli/view.h"
#include "cli/view_options.h"
#include "estimate/data.h"
#include "estimate/summary.h"
#include "events/event_rows.h"
#include "views/views.h"

#define DEFAULT_ROWS 10

static const char *const by_names[] = {"function", "class",   "file",	"object", "line",
				       "loop",	   "process", "thread", "data",	  NULL};

static const struct option_use uses[] = {
	VIEW_INPUT,
	{OPTION_PROCESS_ID, .shown = "the one with the most accesses; of events all"},
	{OPTION_THREAD_ID, .shown = "all"},
	VIEW_SHOWN,
	VIEW_CACHE,
	VIEW_MACHINE,
	{OPTION_BY, .usual = "function", .choices = by_names},
	{OPTION_EVENT, .shown = "all", .adds_up = true},
	{OPTION_SORT, .shown = "the first event shown; of samples misses"},
	{OPTION_INCLUSIVE},
	{OPTION_THRESHOLD, .usual = "0"},
	{OPTION_ROWS, .shown = "10; of events 40"},
	{OPTION_VERBOSE},
	VIEW_OTHER,
	{0},
};

static const int of_samples[] = {VIEW_OF_SAMPLES, 0};
static const int of_events[] = {OPTION_THREAD_ID, OPTION_EVENT, OPTION_INCLUSIVE, OPTION_THRESHOLD,
				0};

static int print_report(const struct options *o, const struct profile *p)
{
	const struct summary_page page = {
		.file = o->input,
		.rows = o->query.limit != 0 ? o->query.limit : DEFAULT_ROWS,
		.is_verbose = o->is_verbose,
	};
	struct display d = view_display();
	struct text out = {0};
	struct summary s;
	struct query q;
	struct err err;
	int ret = 0;

	if (profile_choose(p, &o->query, &q, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (summary_init(&s, p, &q, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	if (o->format == VIEW_CSV)
		summary_csv(&s, &out);
	else if (o->format == VIEW_JSON)
		ret = summary_json(&s, &out, &err);
	else
		ret = summary_text(&s, &page, &d, &out, &err);
	summary_release(&s);
	return view_show(&out, ret, &err);
}

/* What dwell objects shows. */
static int report_data(struct options *o)
{
	static const int of_code[] = {OPTION_THREAD_ID, OPTION_EVENT, OPTION_INCLUSIVE,
				      OPTION_THRESHOLD, 0};
	const char *unused = options_first(o, of_code);
	struct err err;

	if (unused != NULL) {
		err_set(&err, "--%s is for events by code, and not for --by data", unused);
		return cli_fail(&err, EXIT_USAGE);
	}
	if ((view_kinds(o->input) & KIND_EVENTS) != 0 && answer_takes("bins", o->input, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	o->sites_by = DATA_BY_LINE; /* as dwell objects without the option */
	return objects_show(o);
}

/* The rows that --by asks for. Of samples the environment asks for none: there is a summary. */
static bool wants_rows(const struct options *o)
{
	return options_given(o, OPTION_BY) && (view_kinds(o->input) & KINDS_RECORDED) != 0;
}

static int report(struct options *o)
{
	static const struct event_or_sample_view view = {of_samples, of_events, print_report,
							 report_events_print};

	if (o->by == EVENT_BY_DATA &&
	    (options_given(o, OPTION_BY) || (view_kinds(o->input) & KINDS_COUNTED) != 0))
		return report_data(o);
	return wants_rows(o) ? event_options_answer(o, &view, "code") : event_options_run(o, &view);
}

const struct command command_report = {
	.run = report,
	.words = WORDS_PROFILE,
	.summary = "show what ran, its miss ratios, and the hottest code and data",
	.options =
		{
			.name = "report",
			.arguments = "[FILE]",
			.doc = "Show what a profile holds at a glance: what ran, how much of it "
			       "was sampled, its miss ratio in the caches of the machine, and the "
			       "functions, lines and data structures that miss most. Of a profile "
			       "that counts events, made by dwell simulate or dwell import: the "
			       "functions with the most events. Rows of code or data with --by.",
			.uses = uses,
		},
};
