/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell paths: who calls the functions that miss. */

#include "cli/cli.h"
#include "cli/view.h"
#include "cli/view_options.h"
#include "estimate/paths.h"
#include "views/views.h"

static const struct option_use uses[] = {
	VIEW_INPUT,
	{OPTION_FOLDED},
	{OPTION_PROCESS_ID, .shown = "the one with the most accesses"},
	VIEW_SHOWN,
	VIEW_CACHE,
	VIEW_MACHINE,
	{OPTION_SORT, .shown = "misses"},
	{OPTION_ROWS, .usual = "10"},
	VIEW_OTHER,
	{0},
};

static int print(const struct options *o, const struct profile *p)
{
	struct display d = view_display();
	struct text out = {0}, notes = {0};
	struct paths t;
	struct query q;
	struct err err;
	int ret = 0;

	if (profile_choose(p, &o->query, &q, &err) != 0 ||
	    paths_init(&t, p, &q, o->word, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (o->folded)
		paths_folded(&t, &out);
	else
		ret = VIEW_WRITE(paths, o, &t, &out, &err, o->query.limit, &d);
	text_add(&notes, t.code.function.note);
	paths_release(&t);
	view_notes(&notes);
	return view_show(&out, ret, &err);
}

static int paths(struct options *o)
{
	struct err err;

	if (o->folded && options_given(o, OPTION_FORMAT)) {
		err_set(&err, "--folded is a format of its own: leave --format away");
		return cli_fail(&err, EXIT_USAGE);
	}
	return view_run(o, PROFILE_SAMPLES, print);
}

const struct command command_paths = {
	.run = paths,
	.words = WORDS_NAME,
	.names = OPTION_NAMES_FUNCTION,
	.summary = "show the callers of the functions that miss",
	.options =
		{
			.name = "paths",
			.arguments = "[FILE] [FUNCTION|SOURCE]",
			.doc = "Show the functions that miss, those with the most misses first, "
			       "and below each the functions that called it, with their part of "
			       "its misses. Callers with less than one percent of all misses are "
			       "left out. With a name, show only the paths to this code.",
			.notes = VIEW_WORDS,
			.uses = uses,
		},
};
