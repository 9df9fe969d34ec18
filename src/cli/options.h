/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options that all views share: -i FILE and --format=text|csv|json.
 *
 * A command takes them in as a child of its own parser:
 *
 *	static const struct argp_child children[] = { { &view_argp, 0, NULL, 0 }, { 0 } };
 *	static const struct argp argp = { options, parse, args, doc, children, NULL, NULL };
 *
 *	case ARGP_KEY_INIT:
 *		state->child_inputs[0] = &o->view;
 *		return 0;
 */
#ifndef DWELL_CLI_OPTIONS_H
#define DWELL_CLI_OPTIONS_H

#include <argp.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define DEFAULT_PROFILE "dwell.db"

enum view_format {
	VIEW_TEXT,
	VIEW_CSV,
	VIEW_JSON,
};

#define VIEW_MOST 12 /* times that an option counts which may be repeated */

struct view_options {
	const char *input;	       /* the last one; never NULL after parsing */
	const char *inputs[VIEW_MOST]; /* all, for the views of several; none: the default */
	size_t input_count;	       /* beyond VIEW_MOST: too many */
	enum view_format format;
};

/* Its input is a struct view_options, which it fills with the defaults first. */
extern const struct argp view_argp;

/* "text", "csv" or "json" into v->format; anything else is a usage error, which ends the program. */
error_t options_parse_format(struct view_options *v, const char *name, struct argp_state *state);

/* The option of who is asked about a run that goes on; parsed by options_parse_pid. */
#define OPTION_PID                                                                         \
	{                                                                                  \
		"pid", 'p', "PID", 0,                                                      \
			"Process PID: one that is profiled, or its dwell record or dwell " \
			"simulate",                                                        \
			1                                                                  \
	}

/*
 * The rest of a parser for a command whose only words are options: -p into *pid, which is 0 before; without it, or with
 * other words, a usage error ends the program. `purpose`: what the process is wanted for.
 */
error_t options_parse_pid(int key, const char *arg, struct argp_state *state, const char *purpose,
			  uint64_t *pid);

/* Which of the names `arg` is; else -1 and a sentence that lists them, about a WHAT. */
int options_choose(const char *what, const char *const *names, size_t count, const char *arg,
		   size_t *chosen, struct err *err);

/*
 * argp_parse for a command: usage errors print one sentence and end the program
 * with EXIT_USAGE, --help with 0.
 */
void options_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input);

#endif
