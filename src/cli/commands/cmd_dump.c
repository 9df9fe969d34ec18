/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell dump: a profile of a run in progress, up to now. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "collector/target/control_socket.h"

static const struct option_use uses[] = {
	{OPTION_OUTPUT, .usual = "dwell.dump.db"},
	{OPTION_PID},
	{OPTION_HELP},
	{OPTION_VERSION},
	{0},
};

/* Make the file's name absolute: the run has its own working directory. */
static int find_file(const char *name, struct text *file, struct err *err)
{
	char folder[PATH_MAX];

	if (name[0] == '\0' || strchr(name, '\n') != NULL)
		return err_set(err, "'%s' is no name for a file to write", name);
	if (name[0] != '/' && getcwd(folder, sizeof(folder)) == NULL)
		return err_set(err, "cannot find the working directory: %s", strerror(errno));
	if (name[0] != '/')
		text_addf(file, "%s/", folder);
	text_add(file, name);
	return 0;
}

static int dump(struct options *o)
{
	struct text file = {0}, answer = {0};
	struct err err;
	int status, code = EXIT_OK;

	if (o->pid == 0) {
		err_set(&err, "no process to dump a profile of: name one by -p");
		return cli_fail(&err, EXIT_USAGE);
	}
	status = find_file(o->output, &file, &err);
	if (status != 0)
		code = EXIT_USAGE;
	else
		status =
			control_ask(CONTROL_DUMP, (uint32_t)o->pid, text_get(&file), &answer, &err);
	if (status == 0)
		printf("%s\n", text_get(&answer));
	else if (code == EXIT_OK)
		code = status == CONTROL_REFUSED ? EXIT_OUTPUT : EXIT_INPUT;
	text_release(&answer);
	text_release(&file);
	return status == 0 ? EXIT_OK : cli_fail(&err, code);
}

const struct command command_dump = {
	.run = dump,
	.words = WORDS_NONE,
	.summary = "write a profile of a run in progress, which continues",
	.options =
		{
			.name = "dump",
			.doc = "Write a profile of a run in progress, up to now.",
			.notes = "Its programs continue and remain profiled; the profile is "
				 "complete when this command returns.",
			.uses = uses,
		},
};
