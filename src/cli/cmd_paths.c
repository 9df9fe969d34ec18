/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell paths: who calls the functions that miss. */
#include <argp.h>

#include "base/size.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/view.h"
#include "estimate/paths.h"
#include "views/views.h"

#define DEFAULT_TOP 10

enum { KEY_FOLDED = 'f' };

struct paths_options {
	struct view view;
	struct view_choice choice;
	bool folded;
};

static const struct argp_option option_list[] = {
	{"size", VIEW_KEY_SIZE, "BYTES", 0,
	 "Misses in a cache of this size (default: the L2 of the machine that recorded, or 1M)", 0},
	{"top", VIEW_KEY_ROWS, "N", 0, "Show N functions of the text (default 10)", 0},
	{"folded", KEY_FOLDED, NULL, 0,
	 "Print a line a path, 'main;work;read 1234': misses per billion accesses, for flame "
	 "graphs",
	 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct paths_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		*o = (struct paths_options){.choice = {.rows = DEFAULT_TOP,
						       .rows_are = "top",
						       .takes = "function or file"}};
		state->child_inputs[0] = &o->view;
		return 0;
	case KEY_FOLDED:
		o->folded = true;
		return 0;
	case ARGP_KEY_SUCCESS:
		if (o->folded && o->view.common.format != VIEW_TEXT)
			argp_error(state, "--folded is a format of its own: leave --format away");
		return 0;
	default:
		return view_parse_choice(&o->choice, key, arg, state);
	}
}

static int print(const void *options, const struct profile *p)
{
	const struct paths_options *o = options;
	struct display d = view_display();
	struct text out = {0};
	struct paths t;
	uint64_t size;
	struct err err;
	int ret = 0;

	if (profile_choose_size(p, o->choice.size_bytes, &size, &err) != 0 ||
	    paths_init(&t, p, size, o->choice.name, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (o->folded)
		paths_folded(&t, &out);
	else if (o->view.common.format == VIEW_CSV)
		paths_csv(&t, &out);
	else if (o->view.common.format == VIEW_JSON)
		ret = paths_json(&t, &out, &err);
	else
		ret = paths_text(&t, o->choice.rows, &d, &out, &err);
	paths_release(&t);
	return view_show(&out, ret, &err);
}

int cmd_paths(int argc, char **argv)
{
	static const struct argp_child children[] = {{&line_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		option_list,
		parse,
		"[FUNCTION|FILE]",
		"Show the functions that miss, those with the most misses first, and below each "
		"the "
		"functions that called it, with their part of its misses. Callers with less "
		"than one percent of all misses are left out. With an argument, show only the "
		"paths to this code.",
		children,
		NULL,
		NULL};
	struct paths_options o;

	options_parse(&argp, argc, argv, 0, &o);
	return view_run(&o.view, print, &o);
}
