/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell merge: several profiles become one. */
#include <argp.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/array.h"
#include "cli/cli.h"
#include "cli/new_profile.h"
#include "cli/view.h"
#include "merge/merge.h"

struct merge_options {
	const char *output;
	const char **items; /* inputs */
	size_t count, room;
};

static const struct argp_option option_list[] = {
	{"output", 'o', "FILE", 0, "Write the profile to FILE instead of " DEFAULT_PROFILE, 0},
	{0},
};

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static void check_options(const struct merge_options *o, struct argp_state *state)
{
	if (o->count < 2)
		argp_error(state,
			   "name two profiles or more: 'dwell merge rank0.db rank1.db -o all.db'");
	for (size_t i = 0; i < o->count; i++)
		if (is_same_file(o->items[i], o->output))
			argp_error(state,
				   "'%s' is merged and cannot be the output, too: name another "
				   "file with -o",
				   o->output);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct merge_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		*o = (struct merge_options){.output = DEFAULT_PROFILE};
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (!ARRAY_GROW(o))
			return ENOMEM;
		o->items[o->count++] = arg;
		return 0;
	case ARGP_KEY_SUCCESS:
	case ARGP_KEY_NO_ARGS:
		check_options(o, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int merge(const struct merge_options *o)
{
	struct new_profile made;
	struct text notes = {0};
	struct err err;
	int status;

	if (merge_check(o->items, o->count, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	if (new_profile_create(&made, o->output, &err) != 0)
		return cli_fail(&err, EXIT_OUTPUT);
	status = merge_profiles(o->items, o->count, made.store, &notes, &err);
	if (new_profile_end(&made, status, &err) != 0) {
		text_release(&notes);
		return cli_fail(&err, made.write_failed ? EXIT_OUTPUT : EXIT_INPUT);
	}
	view_notes(&notes);
	return EXIT_OK;
}

int cmd_merge(int argc, char **argv)
{
	static const struct argp argp = {
		option_list,
		parse,
		"PROFILE PROFILE...",
		"Make one profile of several: of runs, or of the ranks of a parallel program. "
		"Their "
		"processes stand side by side, as if one run had started them all.",
		NULL,
		NULL,
		NULL};
	struct merge_options o;
	int code;

	options_parse(&argp, argc, argv, 0, &o);
	code = merge(&o);
	free(o.items);
	return code;
}
