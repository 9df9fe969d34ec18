/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell processes: all processes of a run, running or ended, and how each misses. */
#include <argp.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/view.h"
#include "estimate/processes.h"
#include "views/views.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->input;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' is not expected: a profile is named with -i FILE", arg);
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int print_processes(const void *options, const struct profile *p)
{
	const struct view *v = options;
	struct display d = view_display();
	struct text out = {0};
	struct processes s;
	struct err err;
	int status = 0;

	if (processes_init(&s, p, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	if (v->common.format == VIEW_CSV)
		processes_csv(&s, &out);
	else if (v->common.format == VIEW_JSON)
		status = processes_json(&s, &out, &err);
	else
		status = processes_text(&s, 0, &d, &out, &err);
	processes_release(&s);
	return view_show(&out, status, &err);
}

int cmd_processes(int argc, char **argv)
{
	static const struct argp_child children[] = {{&view_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {NULL,
					 parse,
					 NULL,
					 "Show all processes of a run, running or ended: what each "
					 "did, and its miss ratio in "
					 "the caches of the machine.",
					 children,
					 NULL,
					 NULL};
	struct view v = {.process = STORE_NONE};

	options_parse(&argp, argc, argv, 0, &v.common);
	return view_run(&v, print_processes, &v);
}
