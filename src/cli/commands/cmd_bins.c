/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell bins: misses of a simulation by function and data structure. */
#include "cli/view.h"
#include "cli/view_options.h"

static const struct option_use uses[] = {
	VIEW_INPUT, {OPTION_PROCESS_ID, .shown = "all"},
	VIEW_SHOWN, {OPTION_ROWS, .usual = "20"},
	VIEW_OTHER, {0},
};

const struct command command_bins = {
	.words = WORDS_NAME,
	.names = OPTION_NAMES_OBJECT,
	.summary = "show misses by function and data structure",
	.options =
		{
			.name = "bins",
			.arguments = "[FILE] [FUNCTION|DATA]",
			.doc = "Show which function misses on which data structure, in a profile "
			       "of 'dwell simulate --data': the bins of MemSpy, with the functions "
			       "first that compute and wait most. Misses are exact; references, "
			       "hits too, are "
			       "estimated with a 95 % interval, or exact in a profile of "
			       "--references. Causes: cold misses, and lines "
			       "that accesses to other data structures evicted; and conflict "
			       "misses in a profile of --conflicts. With a name, only "
			       "this function or data structure.",
			.notes = VIEW_WORDS,
			.uses = uses,
		},
};
