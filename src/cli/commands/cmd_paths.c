/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell paths: who calls the functions that miss. */
#include "answer/paths.h"
#include "cli/cli.h"
#include "cli/view.h"
#include "cli/view_options.h"

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

static int paths(struct options *o)
{
	struct err err;

	if (!o->folded)
		return view_answer(o, "paths");
	if (!options_given(o, OPTION_FORMAT))
		return view_answer_as(o, "paths", paths_folded);
	err_set(&err, "--folded is a format of its own: leave --format away");
	return cli_fail(&err, EXIT_USAGE);
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
