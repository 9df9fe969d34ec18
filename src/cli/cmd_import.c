/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell import: another profiler's file becomes a profile, which the views show. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/new_profile.h"
#include "cli/options.h"
#include "cli/view.h"
#include "import/callgrind.h"

struct import_options {
	const char *input, *output;
};

static const struct argp_option option_list[] = {
	{"output", 'o', "FILE", 0, "Write the profile to FILE instead of " DEFAULT_PROFILE, 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct import_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		*o = (struct import_options){.output = DEFAULT_PROFILE};
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (o->input != NULL)
			argp_error(state, "'%s' is one too many: one file at a time", arg);
		o->input = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which file? 'dwell import callgrind.out.1234' for instance");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int import_file(FILE *in, const char *name, const char *output)
{
	struct new_profile made;
	struct text notes = {0};
	struct err err;
	int status;

	if (new_profile_create(&made, output, &err) != 0)
		return cli_fail(&err, EXIT_OUTPUT);
	status = callgrind_import(in, name, made.store, &notes, &err);
	if (status == 0)
		status = store_put_meta_text(made.store, "imported_from", name, &err);
	if (new_profile_end(&made, status, &err) != 0) {
		text_release(&notes);
		return cli_fail(&err, made.write_failed ? EXIT_OUTPUT : EXIT_INPUT);
	}
	view_notes(&notes);
	return EXIT_OK;
}

int cmd_import(int argc, char **argv)
{
	static const struct argp argp = {
		option_list,
		parse,
		"FILE",
		"Make a profile of a file that another profiler has written in the format of "
		"Callgrind (callgrind.out.PID), for dwell report, calls and annotate. FILE may be "
		"- for standard input.",
		NULL,
		NULL,
		NULL};
	struct import_options o;
	struct err err;
	FILE *in = stdin;
	bool is_stdin;
	int code;

	options_parse(&argp, argc, argv, 0, &o);
	is_stdin = strcmp(o.input, "-") == 0;
	if (!is_stdin)
		in = fopen(o.input, "re");
	if (in == NULL) {
		err_set(&err, "cannot read '%s': %s", o.input, strerror(errno));
		return cli_fail(&err, EXIT_INPUT);
	}
	code = import_file(in, is_stdin ? "standard input" : o.input, o.output);
	if (!is_stdin)
		fclose(in);
	return code;
}
