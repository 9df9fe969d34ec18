/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of commands, in the order in which help shows them. */
#include "cli/commands.h"

#include <string.h>

const struct command *const commands[] = {
	&command_record,    &command_stop,    &command_dump,	&command_report,   &command_curve,
	&command_annotate,  &command_spatial, &command_objects, &command_paths,	   &command_reuse,
	&command_processes, &command_top,     &command_calls,	&command_import,   &command_export,
	&command_merge,	    &command_diff,    &command_info,	&command_simulate, NULL,
};

const struct command *command_find(const char *name)
{
	for (size_t i = 0; commands[i] != NULL; i++)
		if (strcmp(commands[i]->options.name, name) == 0)
			return commands[i];
	return NULL;
}
