/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell calls: callers and callees in an event profile, with their costs. */
#include <stdlib.h>
#include <string.h>

#include "answer/calls.h"
#include "cli/cli.h"
#include "cli/event_options.h"
#include "cli/view_options.h"

#define DEFAULT_TREE_THRESHOLD 0.01

static const char *const directions[] = {"up", "down", NULL};

static const struct option_use uses[] = {
	VIEW_INPUT,
	{OPTION_PROCESS_ID, .shown = "all"},
	{OPTION_THREAD_ID, .shown = "all"},
	VIEW_SHOWN,
	{OPTION_EVENT, .shown = "all", .adds_up = true},
	{OPTION_SORT, .shown = "the first one shown"},
	{OPTION_THRESHOLD, .shown = "0; of trees 1"},
	{OPTION_ROWS, .usual = "40"},
	{OPTION_TREE, .choices = directions},
	{OPTION_DEPTH, .usual = "8"},
	VIEW_OTHER,
	{0},
};

static int check(const struct options *o, const struct calls_choice *choice, struct err *err)
{
	if (options_given(o, OPTION_DEPTH) && choice->direction == CALLS_BOTH)
		return err_set(err, "--depth is of a tree: add --tree up or --tree down");
	if (choice->direction == CALLS_UP && o->word == NULL)
		return err_set(err, "--tree up begins at a function: name it");
	return 0;
}

/* Choose the functions to begin with. */
static int choose(const struct options *o, struct calls_choice *choice, const struct calls *c,
		  size_t **rows, struct err *err)
{
	size_t *count = &choice->count;

	*rows = NULL;
	if (choice->direction != CALLS_BOTH && !options_set(o, OPTION_THRESHOLD))
		choice->threshold = DEFAULT_TREE_THRESHOLD;
	if (o->word != NULL && calls_find(c, o->word, rows, count, err) != 0)
		return -1;
	if (o->word == NULL && choice->direction == CALLS_DOWN &&
	    calls_find_roots(c, rows, count, err) != 0)
		return -1;
	choice->rows = *rows;
	return 0;
}

static int print(const struct options *o, struct event_profile *p)
{
	struct calls_choice choice = {
		.direction = o->tree < 0    ? CALLS_BOTH
			     : o->tree == 0 ? CALLS_UP
					    : CALLS_DOWN,
		.depth = (unsigned)o->depth,
		.top = o->query.limit,
		.query = &o->query,
		.threshold = o->threshold,
	};
	struct event_columns columns;
	struct answer a = {0};
	struct text out = {0};
	struct calls c;
	struct err err;
	size_t *rows;
	int ret;

	if (check(o, &choice, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (event_options_columns(&o->query, p, &columns, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (calls_init(&c, p, &columns, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	if (choose(o, &choice, &c, &rows, &err) != 0) {
		calls_release(&c);
		return cli_fail(&err, EXIT_USAGE);
	}
	ret = calls_shown(&a, &c, &choice, &err);
	if (ret == 0)
		ret = view_write(o, &a, &out, &err);
	answer_release(&a);
	free(rows);
	calls_release(&c);
	return view_show(&out, ret, &err);
}

static int calls(struct options *o)
{
	struct event_profile p;
	int code = EXIT_OK;

	if (event_options_open(o, &p, &code) != 0)
		return code;
	code = print(o, &p);
	events_close(&p);
	return code;
}

const struct command command_calls = {
	.run = calls,
	.words = WORDS_NAME,
	.names = OPTION_NAMES_FUNCTION,
	.summary = "show callers and callees with their costs",
	.options =
		{
			.name = "calls",
			.arguments = "[FILE] [FUNCTION]",
			.doc = "Show who calls FUNCTION and what it calls, how often, and what "
			       "these calls cost with all that is called from there; or, with "
			       "--tree, whole chains of calls. Without FUNCTION, the calls that "
			       "cost most. The profile is one that counts events, made by dwell "
			       "simulate or dwell import.",
			.notes = VIEW_WORDS,
			.uses = uses,
		},
};
