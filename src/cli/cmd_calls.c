/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell calls: who calls whom in an event profile, and what the calls cost. */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/event_options.h"
#include "events/calls.h"
#include "views/views.h"

#define DEFAULT_ROWS	       40
#define DEFAULT_DEPTH	       8
#define MAX_DEPTH	       100
#define DEFAULT_TREE_THRESHOLD 0.01

enum { KEY_TREE = 't', KEY_DEPTH = 'd', KEY_ROWS = 'n', KEY_THRESHOLD = 0x540 };

struct calls_options {
	struct view view;
	struct event_options events;
	struct calls_choice choice;
	bool has_depth, has_threshold;
	const char *name; /* function; NULL: all */
};

static const struct argp_option option_list[] = {
	{"tree", KEY_TREE, "DIRECTION", 0,
	 "Show the callers of callers (up), or the callees of callees (down)", 0},
	{"depth", KEY_DEPTH, "N", 0, "Show a tree down or up to N calls (default 8)", 0},
	{"rows", KEY_ROWS, "N", 0, "Show N rows of the text (default 40)", 0},
	{"threshold", KEY_THRESHOLD, "PERCENT", 0,
	 "Leave out calls with less than this of the whole (default 0; of trees 1)", 0},
	{0},
};

static void parse_tree(struct calls_options *o, const char *direction, struct argp_state *state)
{
	if (strcmp(direction, "up") == 0)
		o->choice.direction = CALLS_UP;
	else if (strcmp(direction, "down") == 0)
		o->choice.direction = CALLS_DOWN;
	else
		argp_error(state, "--tree '%s' is unknown: it is up or down", direction);
}

static void check(const struct calls_options *o, struct argp_state *state)
{
	if (o->has_depth && o->choice.direction == CALLS_BOTH)
		argp_error(state, "--depth is of a tree: add --tree up or --tree down");
	if (o->choice.direction == CALLS_UP && o->name == NULL)
		argp_error(state, "--tree up begins at a function: name it");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct calls_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		*o = (struct calls_options){.choice = {.direction = CALLS_BOTH,
						       .depth = DEFAULT_DEPTH,
						       .top = DEFAULT_ROWS}};
		state->child_inputs[0] = &o->view;
		state->child_inputs[1] = &o->events;
		return 0;
	case KEY_TREE:
		parse_tree(o, arg, state);
		return 0;
	case KEY_DEPTH:
		o->choice.depth = (unsigned)view_parse_count("depth", arg, 1, MAX_DEPTH, state);
		o->has_depth = true;
		return 0;
	case KEY_ROWS:
		o->choice.top = view_parse_count("rows", arg, 1, 1000000, state);
		return 0;
	case KEY_THRESHOLD:
		o->choice.threshold = event_parse_percent("threshold", arg, state);
		o->has_threshold = true;
		return 0;
	case ARGP_KEY_ARG:
		if (o->name != NULL)
			argp_error(state, "'%s' is one too many: one function at a time", arg);
		o->name = arg;
		return 0;
	case ARGP_KEY_SUCCESS:
		check(o, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The functions to begin with. */
static int choose(struct calls_options *o, const struct calls *c, size_t **rows, struct err *err)
{
	size_t *count = &o->choice.count;

	*rows = NULL;
	if (o->choice.direction != CALLS_BOTH && !o->has_threshold)
		o->choice.threshold = DEFAULT_TREE_THRESHOLD;
	if (o->name != NULL && calls_find(c, o->name, rows, count, err) != 0)
		return -1;
	if (o->name == NULL && o->choice.direction == CALLS_DOWN &&
	    calls_find_roots(c, rows, count, err) != 0)
		return -1;
	o->choice.rows = *rows;
	return 0;
}

static int print(struct calls_options *o, struct event_profile *p)
{
	struct display d = view_display();
	struct event_columns columns;
	struct text out = {0};
	struct calls c;
	struct err err;
	size_t *rows;
	int ret;

	if (event_options_columns(&o->events, p, &columns, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (calls_init(&c, p, &columns, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	if (choose(o, &c, &rows, &err) != 0) {
		calls_release(&c);
		return cli_fail(&err, EXIT_USAGE);
	}
	if (o->view.common.format == VIEW_CSV)
		ret = calls_csv(&c, &o->choice, &out, &err);
	else if (o->view.common.format == VIEW_JSON)
		ret = calls_json(&c, &o->choice, &out, &err);
	else
		ret = calls_text(&c, &o->choice, &d, &out, &err);
	free(rows);
	calls_release(&c);
	return view_show(&out, ret, &err);
}

int cmd_calls(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{&process_argp, 0, NULL, 0}, {&event_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		option_list,
		parse,
		"[FUNCTION]",
		"Show who calls FUNCTION and what it calls, how often, and what these calls cost "
		"with all that is called from there; or, with --tree, whole chains of calls. "
		"Without FUNCTION, the calls that cost most. The profile is one that counts "
		"events, made by dwell simulate or dwell import.",
		children,
		NULL,
		NULL};
	struct event_profile p;
	struct calls_options o;
	struct err err;
	int code = EXIT_OK, status;

	options_parse(&argp, argc, argv, 0, &o);
	status = event_options_open(&o.view, &p, &code);
	if (status < 0)
		return code;
	if (status > 0) {
		const char *has = event_options_instead(&o.view);

		err_set(&err, "profile '%s' has %s and no calls: %s", o.view.common.input, has,
			strcmp(has, "samples") == 0 ? "'dwell paths' shows its callers"
						    : "'dwell simulate' makes profiles with them");
		return cli_fail(&err, EXIT_USAGE);
	}
	code = print(&o, &p);
	events_close(&p);
	return code;
}
