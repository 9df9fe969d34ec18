/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options that more than one command has. */
#include "cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "cli/exit_codes.h"

static const char *const format_names[] = {
	[VIEW_TEXT] = "text",
	[VIEW_CSV] = "csv",
	[VIEW_JSON] = "json",
};

enum { KEY_FORMAT = 0x100 };

static const struct argp_option view_options[] = {
	{"input", 'i', "FILE", 0, "Read the profile FILE instead of " DEFAULT_PROFILE, 1},
	{"format", KEY_FORMAT, "FORMAT", 0, "Print as text (the default), csv or json", 1},
	{0},
};

error_t options_parse_format(struct view_options *v, const char *name, struct argp_state *state)
{
	size_t i;

	for (i = 0; i < sizeof(format_names) / sizeof(format_names[0]); i++) {
		if (strcmp(name, format_names[i]) == 0) {
			v->format = (enum view_format)i;
			return 0;
		}
	}
	argp_failure(state, EXIT_USAGE, 0, "format '%s' is unknown: it is text, csv or json", name);
	return EINVAL;
}

error_t options_parse_pid(int key, const char *arg, struct argp_state *state, const char *purpose,
			  uint64_t *pid)
{
	struct err err;

	switch (key) {
	case 'p':
		if (number_parse("the process", arg, 1, INT32_MAX, pid, &err) != 0)
			argp_failure(state, EXIT_USAGE, 0, "%s", err.text);
		return 0;
	case ARGP_KEY_ARG:
		argp_failure(state, EXIT_USAGE, 0, "'%s' is no option: name the process by -p",
			     arg);
		return 0;
	case ARGP_KEY_END:
		if (*pid == 0)
			argp_failure(state, EXIT_USAGE, 0, "no process to %s: name one by -p",
				     purpose);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int options_choose(const char *what, const char *const *names, size_t count, const char *arg,
		   size_t *chosen, struct err *err)
{
	for (*chosen = 0; *chosen < count; ++*chosen)
		if (strcmp(names[*chosen], arg) == 0)
			return 0;
	err_set(err, "%s '%s' is unknown: it is ", what, arg);
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(err->text);

		snprintf(err->text + length, sizeof(err->text) - length, "%s%s",
			 i == 0		  ? ""
			 : i + 1 == count ? " or "
					  : ", ",
			 names[i]);
	}
	return -1;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct view_options *v = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		*v = (struct view_options){.input = DEFAULT_PROFILE, .format = VIEW_TEXT};
		return 0;
	case 'i':
		v->input = arg;
		if (v->input_count < VIEW_MOST)
			v->inputs[v->input_count] = arg;
		v->input_count++;
		return 0;
	case KEY_FORMAT:
		return options_parse_format(v, arg, state);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp view_argp = {view_options, parse, NULL, NULL, NULL, NULL, NULL};

void options_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input)
{
	error_t code;

	argp_err_exit_status = EXIT_USAGE;
	code = argp_parse(argp, argc, argv, flags, NULL, input);
	if (code != 0)
		exit(EXIT_USAGE);
}
