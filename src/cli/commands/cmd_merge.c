/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell merge: several profiles become one. */
#include "cli/cli.h"
#include "cli/commands/new_profile.h"
#include "cli/outputs.h"
#include "cli/view.h"
#include "merge/merge.h"

static const struct option_use uses[] = {
	{OPTION_OUTPUT, .usual = DEFAULT_PROFILE},
	{OPTION_HELP},
	{OPTION_VERSION},
	{0},
};

static int check(const struct options *o, struct err *err)
{
	if (o->state.word_count < 2)
		return err_set(err, "name two profiles or more: 'dwell merge rank0.db rank1.db -o "
				    "all.db'");
	return outputs_check_profile(o->output, (const char *const *)o->state.words,
				     (size_t)o->state.word_count, err);
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
