/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell reuse: where data is touched, and touched again. */
#include <argp.h>

#include "base/size.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/view.h"
#include "estimate/reuse.h"
#include "views/views.h"

#define DEFAULT_ROWS 10

struct reuse_options {
	struct view view;
	struct view_choice choice;
};

static const struct argp_option option_list[] = {
	{"size", VIEW_KEY_SIZE, "BYTES", 0,
	 "Misses in a cache of this size (default: the L2 of the machine that recorded, or 1M)", 0},
	{"rows", VIEW_KEY_ROWS, "N", 0, "Show N rows of the text (default 10)", 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct reuse_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		*o = (struct reuse_options){.choice = {.rows = DEFAULT_ROWS,
						       .rows_are = "rows",
						       .takes = "line, file or function"}};
		state->child_inputs[0] = &o->view;
		return 0;
	default:
		return view_parse_choice(&o->choice, key, arg, state);
	}
}

static int print(const void *options, const struct profile *p)
{
	const struct reuse_options *o = options;
	struct display d = view_display();
	struct text out = {0};
	struct reuse r;
	uint64_t size;
	struct err err;
	int ret = 0;

	if (profile_choose_size(p, o->choice.size_bytes, &size, &err) != 0 ||
	    reuse_init(&r, p, size, o->choice.name, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (o->view.common.format == VIEW_CSV)
		reuse_csv(&r, &out);
	else if (o->view.common.format == VIEW_JSON)
		ret = reuse_json(&r, &out, &err);
	else
		ret = reuse_text(&r, o->choice.rows, &d, &out, &err);
	reuse_release(&r);
	return view_show(&out, ret, &err);
}

int cmd_reuse(int argc, char **argv)
{
	static const struct argp_child children[] = {{&line_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		option_list,
		parse,
		"[FILE:LINE|FILE|FUNCTION]",
		"Show where the data of a line comes from: which code touched it before, how long "
		"ago, and whether it is still in the cache. FILE is the end of a path: walk.c, "
		"src/walk.c. Without it, list the pairs of lines between which data misses most.",
		children,
		NULL,
		NULL};
	struct reuse_options o;

	options_parse(&argp, argc, argv, 0, &o);
	return view_run(&o.view, print, &o);
}
