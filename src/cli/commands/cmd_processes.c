/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell processes: all processes of a run, running or ended, and how each misses. */

#include "base/text.h"
#include "cli/cli.h"
#include "cli/view.h"
#include "cli/view_options.h"
#include "estimate/processes.h"
#include "views/views.h"

static const struct option_use uses[] = {
	VIEW_INPUT,
	VIEW_SHOWN,
	VIEW_SETS,
	{OPTION_CACHES, .shown = "those of the machine that recorded"},
	{OPTION_ROWS, .shown = "all"},
	VIEW_OTHER,
	{0},
};

static int print_processes(const struct options *o, const struct profile *p)
{
	struct display d = view_display();
	struct text out = {0};
	struct processes s;
	struct err err;
	int status = 0;

	if (processes_init(&s, p, &o->query, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	if (o->format == VIEW_TEXT)
		text_add(&out, "Misses per access, by cache:\n\n");
	status = VIEW_WRITE(processes, o, &s, &out, &err, o->query.limit, &d);
	processes_release(&s);
	return view_show(&out, status, &err);
}

static int processes(struct options *o)
{
	return view_run(o, print_processes);
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
			       "its miss ratio in the caches of the machine.",
			.uses = uses,
		},
};
