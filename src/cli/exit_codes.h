/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exit codes of dwell, for its own failures. `dwell record` otherwise exits as its program did, by
 * the same signal, too.
 */
#ifndef DWELL_CLI_EXIT_CODES_H
#define DWELL_CLI_EXIT_CODES_H

enum cli_exit {
	EXIT_OK = 0,
	EXIT_CONDITION = 1,	   /* dwell diff: a condition of --fail-if holds */
	EXIT_USAGE = 2,		   /* unknown command or option, a value out of range */
	EXIT_INPUT = 3,		   /* the profile is missing, damaged, or not a profile */
	EXIT_CANNOT_RUN = 4,	   /* dwell is unable to run the target */
	EXIT_OUTPUT = 5,	   /* the profile or stdout cannot be written */
	EXIT_NOT_EXECUTABLE = 126, /* as in a shell: found, but cannot be executed */
	EXIT_NOT_FOUND = 127,	   /* as in a shell: no such command */
};

#endif
