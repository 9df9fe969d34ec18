/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell objects: the data structures that miss. */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/view.h"
#include "estimate/data.h"
#include "views/views.h"

#define DEFAULT_TOP 20

enum { KEY_BY = 'b', KEY_PATHS = 'p' };

struct objects_options {
	struct view view;
	struct view_choice choice;
	enum data_by by;
};

static const struct argp_option option_list[] = {
	{"size", VIEW_KEY_SIZE, "BYTES", 0,
	 "Misses in a cache of this size (default: the L2 of the machine that recorded, or 1M)", 0},
	{"sites-by", KEY_BY, "WHAT", 0,
	 "Blocks are one data structure that come from the same function, line (the default) or "
	 "path",
	 0},
	{"paths", KEY_PATHS, NULL, 0, "The same as --sites-by=path", 0},
	{"top", VIEW_KEY_ROWS, "N", 0, "Show N data structures of the text (default 20)", 0},
	{0},
};

static const char *const by_names[] = {
	[DATA_BY_FUNCTION] = "function",
	[DATA_BY_LINE] = "line",
	[DATA_BY_PATH] = "path",
};

static void parse_by(struct objects_options *o, const char *name, struct argp_state *state)
{
	for (size_t i = 0; i < sizeof(by_names) / sizeof(by_names[0]); i++) {
		if (strcmp(name, by_names[i]) == 0) {
			o->by = (enum data_by)i;
			return;
		}
	}
	argp_error(state, "blocks by '%s' is unknown: it is function, line or path", name);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct objects_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		*o = (struct objects_options){.choice = {.rows = DEFAULT_TOP,
							 .rows_are = "top",
							 .takes = "data structure"},
					      .by = DATA_BY_LINE};
		state->child_inputs[0] = &o->view;
		return 0;
	case KEY_BY:
		parse_by(o, arg, state);
		return 0;
	case KEY_PATHS:
		o->by = DATA_BY_PATH;
		return 0;
	default:
		return view_parse_choice(&o->choice, key, arg, state);
	}
}

static int print_data(const struct objects_options *o, const struct data *d, const bool *marks)
{
	struct display display = view_display();
	struct text out = {0};
	struct err err;
	int ret = 0;

	if (o->view.common.format == VIEW_CSV)
		data_csv(d, marks, &out);
	else if (o->view.common.format == VIEW_JSON)
		ret = data_json(d, marks, &out, &err);
	else
		ret = data_text(d, o->choice.rows, marks, &display, &out, &err);
	return view_show(&out, ret, &err);
}

static int print(const void *options, const struct profile *p)
{
	const struct objects_options *o = options;
	bool *marks = NULL;
	uint64_t size;
	struct data d;
	struct err err;
	int code;

	if (profile_choose_size(p, o->choice.size_bytes, &size, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (data_init(&d, p, size, o->by, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	if (o->choice.name != NULL)
		marks = calloc(d.count + 1, sizeof(*marks));
	if (o->choice.name != NULL && marks == NULL) {
		err_set(&err, "not enough memory for %zu data structures", d.count);
		code = cli_fail(&err, EXIT_OUTPUT);
	} else if (marks != NULL && data_find(&d, o->choice.name, marks, &err) == 0) {
		code = cli_fail(&err, EXIT_USAGE);
	} else {
		code = print_data(o, &d, marks);
	}
	free(marks);
	data_release(&d);
	return code;
}

int cmd_objects(int argc, char **argv)
{
	static const struct argp_child children[] = {{&line_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		option_list,
		parse,
		"[NAME]",
		"Show the data structures behind the misses: variables, blocks of memory by the "
		"code that allocated them, and the stacks, those with the most misses first. "
		"With NAME, a variable or the function or FILE:LINE that allocates, all that is "
		"known of these.",
		children,
		NULL,
		NULL};
	struct objects_options o;

	options_parse(&argp, argc, argv, 0, &o);
	return view_run(&o.view, print, &o);
}
