/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell spatial: the miss ratio for each line size, and how much of a line is used. */
#include "cli/cli.h"
#include "cli/view.h"
#include "cli/view_options.h"

static const struct option_use uses[] = {
	VIEW_INPUT,
	{OPTION_PROCESS_ID, .shown = "the one with the most accesses"},
	{OPTION_THREAD_ID, .shown = "all"},
	{OPTION_FUNCTION},
	{OPTION_OBJECT},
	{OPTION_LINE_AT},
	{OPTION_CACHE_SIZE,
	 .shown = "the caches of the machine that recorded, or 32K and 1M; up to 8 "
		  "may be given",
	 .adds_up = true},
	VIEW_SETS,
	{OPTION_BASE, .usual = "4"},
	VIEW_OTHER,
	{0},
};

static int spatial(struct options *o)
{
	struct err err;

	if (o->part_count <= 1)
		return view_answer(o, "spatial");
	err_set(&err, "'%s' and '%s': it shows one part of the accesses at a time",
		o->parts_of[0].name, o->parts_of[1].name);
	return cli_fail(&err, EXIT_USAGE);
}

const struct command command_spatial = {
	.run = spatial,
	.words = WORDS_PROFILE,
	.summary = "show the miss ratio for each line size, and how much of a line is used",
	.options =
		{
			.name = "spatial",
			.arguments = "[FILE]",
			.doc = "Show the miss ratio for each line size from 4 to 4096 bytes in "
			       "caches of some sizes, how far longer lines help, and how much of "
			       "what is fetched is used.",
			.uses = uses,
		},
};
