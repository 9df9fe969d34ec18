/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell causes: who evicted the lines that a simulation missed. */
#include "cli/view.h"
#include "cli/view_options.h"
#include "estimate/counted/causes.h"

static const char *const by_names[] = {
	[CAUSES_BY_DATA] = "data",
	[CAUSES_BY_FUNCTION] = "function",
	[CAUSES_BY_BOTH] = "both",
	NULL,
};

static const struct option_use uses[] = {
	VIEW_INPUT,
	{OPTION_PROCESS_ID, .shown = "all"},
	VIEW_SHOWN,
	{OPTION_BY, .usual = "data", .choices = by_names},
	{OPTION_ROWS, .usual = "20"},
	VIEW_OTHER,
	{0},
};

const struct command command_causes = {
	.words = WORDS_NAME,
	.names = OPTION_NAMES_OBJECT,
	.summary = "show which data evicts which",
	.options =
		{
			.name = "causes",
			.arguments = "[FILE] [FUNCTION|DATA]",
			.doc = "Show why lines were missing, in a profile of 'dwell simulate "
			       "--data': cold misses, and for lines that were in the cache before "
			       "the data structure, or function, whose access took their place; "
			       "of these the conflict misses, in a profile of --conflicts. "
			       "What costs most comes first. "
			       "With a name, only the misses of this function or data structure.",
			.notes = VIEW_WORDS,
			.uses = uses,
		},
};
