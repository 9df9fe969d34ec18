/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell stop: end the profiling of a run that goes on; its programs run on without. */
#include <argp.h>
#include <stdio.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "collector/door.h"

static const struct argp_option options[] = {
	OPTION_PID,
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	return options_parse_pid(key, arg, state, "stop profiling", state->input);
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
	uint64_t pid = 0;
	struct text file = {0};
	struct err err;
	int status;

	options_parse(&argp, argc, argv, 0, &pid);
	status = door_ask(DOOR_STOP, (uint32_t)pid, NULL, &file, &err);
	if (status != 0) {
		text_release(&file);
		return cli_fail(&err, status == DOOR_REFUSED ? EXIT_OUTPUT : EXIT_INPUT);
	}
	if (file.count > 0) /* a run may write none */
		printf("%s\n", text_get(&file));
	text_release(&file);
	return EXIT_OK;
}
