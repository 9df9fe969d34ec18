/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell objects: the data structures that miss. */
#include "cli/cli.h"
#include "cli/commands/objects_show.h"
#include "cli/view.h"
#include "cli/view_options.h"
#include "estimate/data.h"

static const char *const by_names[] = {
	[DATA_BY_FUNCTION] = "function",
	[DATA_BY_LINE] = "line",
	[DATA_BY_PATH] = "path",
	NULL,
};

static const struct option_use uses[] = {
	VIEW_INPUT,
	{OPTION_PROCESS_ID, .shown = "the one with the most accesses; of simulations all"},
	VIEW_SHOWN,
	VIEW_CACHE,
	VIEW_MACHINE,
	{OPTION_SITES_BY, .usual = "line", .choices = by_names},
	{OPTION_FIELDS},
	{OPTION_SORT, .shown = "cost; of a size misses"},
	{OPTION_ROWS, .shown = "20"},
	VIEW_OTHER,
	{0},
};

int objects_show(const struct options *o)
{
	static const int of_samples[] = {VIEW_OF_SAMPLES, 0};
	const char *unused = options_first(o, of_samples);
	struct err err;

	if (unused == NULL || !view_is_counted(o->input))
		return view_answer(o, "objects");
	err_set(&err, "profile '%s' has events and no samples: --%s is for those of 'dwell record'",
		o->input, unused);
	return cli_fail(&err, EXIT_USAGE);
}

static int objects(struct options *o)
{
	return o->fields ? view_answer(o, "fields") : objects_show(o);
}

const struct command command_objects = {
	.run = objects,
	.words = WORDS_NAME,
	.names = OPTION_NAMES_OBJECT,
	.summary = "show the data structures that miss",
	.options =
		{
			.name = "objects",
			.arguments = "[FILE] [NAME]",
			.doc = "Show the data structures behind the misses: variables, blocks of "
			       "memory by the code that allocated them, and the stacks, those with "
			       "the most misses first. With NAME, a variable or the function or "
			       "FILE:LINE that allocates, all that is known of these. Of a "
			       "profile of 'dwell simulate --data', exact misses in each cache.",
			.notes = VIEW_WORDS,
			.uses = uses,
		},
};
