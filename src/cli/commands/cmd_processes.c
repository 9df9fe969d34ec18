/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell processes: all processes of a run, running or ended, and how each misses. */
#include "cli/event_options.h"
#include "cli/view.h"
#include "cli/view_options.h"

static const struct option_use uses[] = {
	VIEW_INPUT,
	VIEW_SHOWN,
	VIEW_SETS,
	{OPTION_CACHES, .shown = "those of the machine that recorded"},
	{OPTION_SORT, .shown = "accesses"},
	{OPTION_ROWS, .shown = "all"},
	VIEW_OTHER,
	{0},
};

static int processes(struct options *o)
{
	static const int of_samples[] = {OPTION_POLICY, OPTION_WAYS, OPTION_CACHES, 0};
	static const int of_events[] = {0};
	static const struct event_or_sample_view view = {of_samples, of_events, NULL, NULL};

	return event_options_answer(o, &view, "processes");
}

const struct command command_processes = {
	.run = processes,
	.words = WORDS_PROFILE,
	.summary = "show all processes of a run and how each misses",
	.options =
		{
			.name = "processes",
			.arguments = "[FILE]",
			.doc = "Show all processes of a run, running or ended: what each did, and "
			       "its miss ratio in the caches of the machine, or in simulated "
			       "ones.",
			.uses = uses,
		},
};
