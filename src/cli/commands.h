/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A command. Each is defined in its file, commands/cmd_NAME.c, and has a row here. */
#ifndef DWELL_CLI_COMMANDS_H
#define DWELL_CLI_COMMANDS_H

#include "cli/options.h"

/* The meaning of a command's words that are not options. */
enum command_words {
	WORDS_NONE,
	WORDS_PROFILE,	/* a profile */
	WORDS_PROFILES, /* any number of profiles */
	WORDS_NAME,	/* a profile, and the name of what to show: see words.h */
	WORDS_FILES,	/* files that the command counts itself */
	WORDS_COMMAND,	/* a command to run, with its arguments */
};

struct command {
	const char *summary; /* one line of `dwell --help` */
	/* Returns an exit code of exit_codes.h. NULL: the view of its name answers (answer.h). */
	int (*run)(struct options *o);
	/* Called before the options are parsed; may be NULL. */
	void (*prepare)(struct options *o);
	enum command_words words;
	enum option_names names; /* what the name of WORDS_NAME is, for completion */
	struct option_command options;
};

/* In the order of help; ends with NULL. */
extern const struct command *const commands[];

/* Returns NULL for an unknown name. */
const struct command *command_find(const char *name);

/* All commands, in the order of help. */
/* clang-format off */
#define COMMANDS(row) \
	row(record) \
	row(stop) \
	row(dump) \
	row(report) \
	row(curve) \
	row(annotate) \
	row(spatial) \
	row(objects) \
	row(bins) \
	row(causes) \
	row(paths) \
	row(reuse) \
	row(processes) \
	row(top) \
	row(calls) \
	row(import) \
	row(export) \
	row(merge) \
	row(diff) \
	row(info) \
	row(simulate)
/* clang-format on */

#define COMMAND_DECLARED(name) extern const struct command command_##name;
COMMANDS(COMMAND_DECLARED)
#undef COMMAND_DECLARED

#endif
