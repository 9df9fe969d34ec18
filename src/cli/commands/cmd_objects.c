/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell objects: the data structures that miss. */
#include <stdlib.h>
#include <string.h>

#include "answer/figures.h"
#include "cli/cli.h"
#include "cli/commands/objects_counted.h"
#include "cli/view.h"
#include "cli/view_options.h"
#include "estimate/data.h"
#include "views/views.h"

static const char *const by_names[] = {
	[DATA_BY_FUNCTION] = "function",
	[DATA_BY_LINE] = "line",
	[DATA_BY_PATH] = "path",
	NULL,
};

static const struct option_use uses[] = {
	VIEW_INPUT,
	{OPTION_PROCESS_ID, .shown = "the one with the most accesses; of simulations all"},
	VIEW_SHOWN,
	VIEW_CACHE,
	VIEW_MACHINE,
	{OPTION_SITES_BY, .usual = "line", .choices = by_names},
	{OPTION_FIELDS},
	{OPTION_SORT, .shown = "misses; of simulations stall"},
	{OPTION_ROWS, .usual = "20"},
	VIEW_OTHER,
	{0},
};

static int print_data(const struct options *o, const struct data *d, const bool *marks)
{
	struct display display = view_display();
	struct text out = {0};
	struct err err;
	int ret = 0;

	if (o->format == VIEW_CSV)
		data_csv(d, marks, &out);
	else if (o->format == VIEW_JSON)
		ret = data_json(d, marks, &out, &err);
	else
		ret = data_text(d, o->query.limit, marks, &display, &out, &err);
	return view_show(&out, ret, &err);
}

static int print(const struct options *o, const struct profile *p)
{
	bool *marks = NULL;
	struct query q;
	struct data d;
	struct err err;
	int code;

	if (profile_choose(p, &o->query, &q, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (!options_set(o, OPTION_ROWS))
		q.limit = 0; /* 20 by default: not asked for */
	if (data_init(&d, p, &q, (enum data_by)o->sites_by, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	if (options_set(o, OPTION_POLICY) && d.policy != profile_policy(&q)) {
		data_release(&d);
		err_set(&err, "the run was not simulated with %s replacement",
			policy_word(profile_policy(&q)));
		return cli_fail(&err, EXIT_USAGE);
	}
	if (o->word != NULL)
		marks = calloc(d.count + 1, sizeof(*marks));
	if (o->word != NULL && marks == NULL) {
		err_set(&err, "not enough memory for %zu data structures", d.count);
		code = cli_fail(&err, EXIT_OUTPUT);
	} else if (marks != NULL && data_find(&d, o->word, marks, &err) == 0) {
		code = cli_fail(&err, EXIT_USAGE);
	} else {
		code = print_data(o, &d, marks);
	}
	free(marks);
	data_release(&d);
	return code;
}

int objects_show(const struct options *o)
{
	if (view_is_counted(o->input))
		return objects_counted(o);
	return view_run(o, PROFILE_CURVES | PROFILE_SAMPLES, print);
}

static int objects(struct options *o)
{
	return o->fields ? view_answer(o, "fields") : objects_show(o);
}

const struct command command_objects = {
	.run = objects,
	.words = WORDS_NAME,
	.names = OPTION_NAMES_OBJECT,
	.summary = "show the data structures that miss",
	.options =
		{
			.name = "objects",
			.arguments = "[FILE] [NAME]",
			.doc = "Show the data structures behind the misses: variables, blocks of "
			       "memory by the code that allocated them, and the stacks, those with "
			       "the most misses first. With NAME, a variable or the function or "
			       "FILE:LINE that allocates, all that is known of these. Of a "
			       "profile of 'dwell simulate --data', exact misses in each cache.",
			.notes = VIEW_WORDS,
			.uses = uses,
		},
};
