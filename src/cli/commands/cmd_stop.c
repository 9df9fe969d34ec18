/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell stop: end the profiling of a run in progress; its programs continue. */
#include <stdio.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "collector/target/control_socket.h"

static const struct option_use uses[] = {
	{OPTION_PID},
	{OPTION_HELP},
	{OPTION_VERSION},
	{0},
};

static int stop(struct options *o)
{
	struct text file = {0};
	struct err err;
	int status;

	if (o->pid == 0) {
		err_set(&err, "no process to stop profiling: name one by -p");
		return cli_fail(&err, EXIT_USAGE);
	}
	status = control_ask(CONTROL_STOP, (uint32_t)o->pid, NULL, &file, &err);
	if (status != 0) {
		text_release(&file);
		return cli_fail(&err, status == CONTROL_REFUSED ? EXIT_OUTPUT : EXIT_INPUT);
	}
	if (file.count > 0) /* a run may write no profile */
		printf("%s\n", text_get(&file));
	text_release(&file);
	return EXIT_OK;
}

const struct command command_stop = {
	.run = stop,
	.words = WORDS_NONE,
	.summary = "end profiling; the program continues",
	.options =
		{
			.name = "stop",
			.doc = "End the profiling of a run in progress.",
			.notes = "Its programs continue, unprofiled, and the profile is complete "
				 "when this command returns.",
			.uses = uses,
		},
};
