/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell dump: a profile of what there is of a run that goes on. */
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "collector/door.h"

#define DEFAULT_DUMP "dwell.dump.db"

struct dump_options {
	uint64_t pid; /* 0: not given */
	const char *output;
};

static const struct argp_option options[] = {
	OPTION_PID,
	{"output", 'o', "FILE", 0, "Write the profile to FILE instead of " DEFAULT_DUMP, 1},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct dump_options *o = state->input;

	if (key != 'o')
		return options_parse_pid(key, arg, state, "dump a profile of", &o->pid);
	o->output = arg;
	return 0;
}

static const struct argp argp = {
	options,
	parse,
	"",
	"Write a profile of what there is of a run that goes on.\v"
	"Its programs run on, and are profiled on; the profile is complete when this command "
	"returns.",
	NULL,
	NULL,
	NULL,
};

/* The run has a working directory of its own: the file's name from the root. */
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

int cmd_dump(int argc, char **argv)
{
	struct dump_options o = {.output = DEFAULT_DUMP};
	struct text file = {0}, answer = {0};
	struct err err;
	int status, code = EXIT_OK;

	options_parse(&argp, argc, argv, 0, &o);
	status = find_file(o.output, &file, &err);
	if (status != 0)
		code = EXIT_USAGE;
	else
		status = door_ask(DOOR_DUMP, (uint32_t)o.pid, text_get(&file), &answer, &err);
	if (status == 0)
		printf("%s\n", text_get(&answer));
	else if (code == EXIT_OK)
		code = status == DOOR_REFUSED ? EXIT_OUTPUT : EXIT_INPUT;
	text_release(&answer);
	text_release(&file);
	return status == 0 ? EXIT_OK : cli_fail(&err, code);
}
