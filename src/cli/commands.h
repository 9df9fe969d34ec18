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
	{"stop", "end the profiling of a program, which runs on", cmd_stop},
	{"dump", "write a profile of a run that goes on", cmd_dump},
	{"report", "show what ran, its miss ratios, and the hottest code and data",
	 cmd_report},
	{"curve", "show the miss ratio for each cache size", cmd_curve},
	{"annotate", "show source code with the misses of each line", cmd_annotate},
	{"spatial", "show the miss ratio for each line size, and what of the lines is used",
	 cmd_spatial},
	{"objects", "show the data structures that miss", cmd_objects},
	{"paths", "show the callers of the functions that miss", cmd_paths},
	{"reuse", "show which code touched the data of a line before, and how long ago", cmd_reuse},
	{"processes", "show all processes of a run and how each misses", cmd_processes},
	{"top", "show a run while it goes on, in the terminal", cmd_top},
	{"calls", "show who calls whom, and what the calls cost", cmd_calls},
	{"import", "make a profile of the file of another profiler", cmd_import},
	{"export", "write a profile in the format of another tool", cmd_export},
	{"merge", "make one profile of several", cmd_merge},
	{"diff", "show what is different between two profiles", cmd_diff},
	{"info", "show what a profile holds", cmd_info},
	{"simulate", "run a program through simulated caches, exactly",
	 cmd_simulate},
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

#endif
