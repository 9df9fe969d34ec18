/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell import: makes a profile, for the views, from another profiler's file. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/commands/new_profile.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "cli/view.h"
#include "import/callgrind.h"

static const struct option_use uses[] = {
	{OPTION_OUTPUT, .usual = DEFAULT_PROFILE},
	{OPTION_HELP},
	{OPTION_VERSION},
	{0},
};

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

static int import(struct options *o)
{
	const char *input = o->state.words[0];
	bool is_stdin;
	FILE *in = stdin;
	struct err err;
	int code;

	if (o->state.word_count != 1) {
		if (o->state.word_count == 0)
			err_set(&err, "which file? 'dwell import callgrind.out.1234' for instance");
		else
			err_set(&err, "'%s' is one too many: one file at a time",
				o->state.words[1]);
		return cli_fail(&err, EXIT_USAGE);
	}
	is_stdin = strcmp(input, "-") == 0;
	if (!is_stdin && outputs_check_profile(o->output, &input, 1, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (!is_stdin)
		in = fopen(input, "re");
	if (in == NULL) {
		err_set(&err, "cannot read '%s': %s", input, strerror(errno));
		return cli_fail(&err, EXIT_INPUT);
	}
	code = import_file(in, is_stdin ? "standard input" : input, o->output);
	if (!is_stdin)
		fclose(in);
	return code;
}

const struct command command_import = {
	.run = import,
	.words = WORDS_FILES,
	.summary = "make a profile from the file of another profiler",
	.options =
		{
			.name = "import",
			.arguments = "FILE",
			.doc = "Make a profile from a file that another profiler wrote in the "
			       "format of Callgrind (callgrind.out.PID), for dwell report, calls "
			       "and annotate. FILE may be - for standard input.",
			.uses = uses,
		},
};
