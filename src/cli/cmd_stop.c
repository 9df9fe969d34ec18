/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell stop: end the profiling of a run that goes on; its programs run on without. */
#include <argp.h>
#include <stdio.h>

#include "base/size.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "collector/door.h"

struct stop_options {
	uint64_t pid; /* 0: not given */
};

static const struct argp_option options[] = {
	{"pid", 'p', "PID", 0, "Process PID: one that is profiled, or its dwell record or dwell simulate", 1},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct stop_options *o = state->input;
	struct err err;

	switch (key) {
	case 'p':
		if (number_parse("the process", arg, 1, INT32_MAX, &o->pid, &err) != 0)
			argp_failure(state, EXIT_USAGE, 0, "%s", err.text);
		return 0;
	case ARGP_KEY_ARG:
		argp_failure(state, EXIT_USAGE, 0, "'%s' is no option: name the process by -p",
			     arg);
		return 0;
	case ARGP_KEY_END:
		if (o->pid == 0)
			argp_failure(state, EXIT_USAGE, 0,
				     "no process to stop profiling: name one by -p");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	options,
	parse,
	"",
	"End the profiling of a run that goes on.\v"
	"Its programs run on, unprofiled, and the profile is complete when this command returns.",
	NULL,
	NULL,
	NULL,
};

int cmd_stop(int argc, char **argv)
{
	struct stop_options o = {0};
	struct text file = {0};
	struct err err;

	options_parse(&argp, argc, argv, 0, &o);
	if (door_ask(DOOR_STOP, (uint32_t)o.pid, NULL, &file, &err) != 0) {
		text_release(&file);
		return cli_fail(&err, EXIT_INPUT);
	}
	printf("%s\n", text_get(&file));
	text_release(&file);
	return EXIT_OK;
}
