/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell reuse: where data is first touched, and where it is touched again. */
#include "cli/view.h"
#include "cli/view_options.h"

static const struct option_use uses[] = {
	VIEW_INPUT,
	{OPTION_PROCESS_ID, .shown = "the one with the most accesses"},
	VIEW_SHOWN,
	VIEW_CACHE,
	VIEW_MACHINE,
	{OPTION_SORT, .shown = "misses; of one piece of code accesses"},
	{OPTION_ROWS, .usual = "10"},
	VIEW_OTHER,
	{0},
};

const struct command command_reuse = {
	.words = WORDS_NAME,
	.names = OPTION_NAMES_LINE,
	.summary = "show which code touched the data of a line before, and how long ago",
	.options =
		{
			.name = "reuse",
			.arguments = "[FILE] [FILE:LINE|SOURCE|FUNCTION]",
			.doc = "Show where the data of a line comes from: which code touched it "
			       "before, how long ago, and whether it is still in the cache. SOURCE "
			       "is the end of a path: walk.c, src/walk.c. Without a name, list the "
			       "pairs of lines between which most data is lost from the cache.",
			.notes = VIEW_WORDS,
			.uses = uses,
		},
};
