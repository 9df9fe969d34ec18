/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of commands, in the order in which help shows them. Included by main.c only. */
#ifndef DWELL_CLI_COMMANDS_H
#define DWELL_CLI_COMMANDS_H

#include "cli/cli.h"

struct command {
	const char *name;
	const char *summary; /* one line of `dwell --help` */
	int (*run)(int argc, char **argv);
};

static const struct command commands[] = {
	{"record", "run a program and write its profile", cmd_record},
	{"report", "show what ran, its miss ratios, and the hottest functions and lines",
	 cmd_report},
	{"curve", "show the miss ratio for each cache size", cmd_curve},
	{"annotate", "show source code with the misses of each line", cmd_annotate},
	{"spatial", "show the miss ratio for each line size, and what of the lines is used",
	 cmd_spatial},
	{"reuse", "show which code touched the data of a line before, and how long ago", cmd_reuse},
	{"info", "show what a profile holds", cmd_info},
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

#endif
