/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands as an array. */
#include "cli/commands.h"

#include <string.h>

#define ADDRESS(name) &command_##name,
const struct command *const commands[] = {COMMANDS(ADDRESS) NULL};

const struct command *command_find(const char *name)
{
	for (size_t i = 0; commands[i] != NULL; i++)
		if (strcmp(commands[i]->options.name, name) == 0)
			return commands[i];
	return NULL;
}
