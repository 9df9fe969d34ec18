/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell merge: several profiles become one. */
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/commands/new_profile.h"
#include "cli/view.h"
#include "merge/merge.h"

static const struct option_use uses[] = {
	{OPTION_OUTPUT, .usual = DEFAULT_PROFILE},
	{OPTION_HELP},
	{OPTION_VERSION},
	{0},
};

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static int check(const struct options *o, struct err *err)
{
	if (o->state.word_count < 2)
		return err_set(err, "name two profiles or more: 'dwell merge rank0.db rank1.db -o "
				    "all.db'");
	for (int i = 0; i < o->state.word_count; i++)
		if (is_same_file(o->state.words[i], o->output))
			return err_set(err,
				       "'%s' is merged and cannot be the output, too: name another "
				       "file with -o",
				       o->output);
	return 0;
}

static int merge(struct options *o)
{
	const char **items = (const char **)o->state.words;
	size_t count = (size_t)o->state.word_count;
	struct new_profile made;
	struct text notes = {0};
	struct err err;
	int status;

	if (check(o, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (merge_check(items, count, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	if (new_profile_create(&made, o->output, &err) != 0)
		return cli_fail(&err, EXIT_OUTPUT);
	status = merge_profiles(items, count, made.store, &notes, &err);
	if (new_profile_end(&made, status, &err) != 0) {
		text_release(&notes);
		return cli_fail(&err, made.write_failed ? EXIT_OUTPUT : EXIT_INPUT);
	}
	view_notes(&notes);
	return EXIT_OK;
}

const struct command command_merge = {
	.run = merge,
	.words = WORDS_FILES,
	.summary = "make one profile from several",
	.options =
		{
			.name = "merge",
			.arguments = "PROFILE PROFILE...",
			.doc = "Make one profile from several: from runs, or from the ranks of a "
			       "parallel program. It lists their processes as if one "
			       "run had started them all.",
			.uses = uses,
		},
};
