/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell annotate: source code with the misses of each line, or with its events; or machine code. */

#include "cli/cli.h"
#include "cli/commands/annotate_events.h"
#include "cli/event_options.h"
#include "cli/view.h"
#include "cli/view_options.h"
#include "estimate/annotate.h"
#include "views/views.h"

static const struct option_use uses[] = {
	VIEW_INPUT,
	{OPTION_PROCESS_ID, .shown = "the one with the most accesses; of events all"},
	{OPTION_THREAD_ID, .shown = "all"},
	VIEW_SHOWN,
	VIEW_CACHE,
	VIEW_MACHINE,
	{OPTION_EVENT, .shown = "all", .adds_up = true},
	{OPTION_SORT, .shown = "the first event shown; of samples misses"},
	{OPTION_ROWS, .usual = "30"},
	{OPTION_ALL},
	{OPTION_SOURCES, .usual = "3"},
	{OPTION_ASM},
	VIEW_OTHER,
	{0},
};

static const int of_samples[] = {VIEW_OF_SAMPLES, 0};
static const int of_events[] = {OPTION_THREAD_ID, OPTION_ASM, OPTION_EVENT, 0};

static int print_source(const struct options *o, const struct profile *p, const struct query *q)
{
	struct display d = view_display();
	struct annotation a;
	struct text out = {0}, notes = {0};
	struct err err;
	int ret = 0;

	if (annotation_init(&a, p, q, o->word, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (o->format == VIEW_CSV)
		annotation_csv(&a, &out);
	else if (o->format == VIEW_JSON)
		ret = annotation_json(&a, &out, &err);
	else
		ret = annotation_text(&a, o->all, &d, &out, &notes, &err);
	if (ret == 0 && o->format == VIEW_TEXT)
		ret = annotation_sources_text(&a, o->sources, &d, &out, &err);
	text_add(&notes, a.code.function.note);
	annotation_release(&a);
	view_notes(&notes);
	return view_show(&out, ret, &err);
}

static int print(const struct options *o, const struct profile *p)
{
	struct query q;
	struct err err;

	if (profile_choose(p, &o->query, &q, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (options_given(o, OPTION_SORT)) {
		err_set(&err, "--sort is of the list of files and functions: lines stay in their "
			      "order");
		return cli_fail(&err, EXIT_USAGE);
	}
	return print_source(o, p, &q);
}

static int annotate(struct options *o)
{
	static const struct event_or_sample_view view = {of_samples, of_events, print,
							 annotate_events};
	static const int of_list[] = {OPTION_FOCUS, OPTION_IGNORE, 0};
	const char *unused = options_first(o, of_list);
	struct err err;

	if (o->word != NULL && unused != NULL) {
		err_set(&err,
			"--%s is of the list of files and functions: '%s' already chooses the code",
			unused, o->word);
		return cli_fail(&err, EXIT_USAGE);
	}
	if (o->word == NULL && (view_kinds(o->input) & KINDS_RECORDED) != 0)
		return event_options_answer(o, &view, "code_list");
	return event_options_run(o, &view);
}

const struct command command_annotate = {
	.run = annotate,
	.words = WORDS_NAME,
	.names = OPTION_NAMES_FUNCTION,
	.summary = "show source code with the misses of each line",
	.options =
		{
			.name = "annotate",
			.arguments = "[FILE] [SOURCE|FUNCTION]",
			.doc = "Show source code with the miss ratio, the samples and the share of "
			       "all misses of each line. SOURCE is the end of a path: walk.c, "
			       "src/walk.c. Without a name, list the files and functions that have "
			       "samples. Of a profile that counts events, show these, and the "
			       "calls of each line.",
			.notes = VIEW_WORDS,
			.uses = uses,
		},
};
