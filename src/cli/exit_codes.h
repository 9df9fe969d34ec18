/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exit codes of dwell. `dwell record` exits as the program it ran did (killed by the same signal,
 * too); these are for conditions of dwell itself.
 */
#ifndef DWELL_CLI_EXIT_CODES_H
#define DWELL_CLI_EXIT_CODES_H

enum cli_exit {
	EXIT_OK = 0,
	EXIT_CONDITION = 1,	   /* dwell diff: what --fail-if names has happened */
	EXIT_USAGE = 2,		   /* unknown command or option, a value out of range */
	EXIT_INPUT = 3,		   /* the profile is missing, damaged or not one */
	EXIT_CANNOT_RUN = 4,	   /* the target cannot be run for a reason of ours */
	EXIT_OUTPUT = 5,	   /* the profile or stdout cannot be written */
	EXIT_NOT_EXECUTABLE = 126, /* as a shell: found, but cannot be executed */
	EXIT_NOT_FOUND = 127,	   /* as a shell: no such command */
};

#endif
