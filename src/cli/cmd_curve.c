/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell curve: the miss ratio for each cache size. */
#include <argp.h>
#include <inttypes.h>
#include <string.h>

#include "base/size.h"
#include "cli/cli.h"
#include "cli/view.h"
#include "report/curve.h"

#define DEFAULT_LOW  (8u << 10)
#define DEFAULT_HIGH (64u << 20)
#define PLOT_POINTS  8 /* per octave: the plot is smooth */

enum { KEY_SIZES = 's', KEY_POLICY = 'p', KEY_POINTS = 'n' };

struct curve_options {
	struct view view;
	uint64_t low, high;  /* bytes */
	uint64_t per_octave; /* 0: by format */
	enum model_policy policy;
};

static const struct argp_option option_list[] = {
	{"sizes", KEY_SIZES, "LOW:HIGH", 0, "Cache sizes from LOW to HIGH (default 8K:64M)", 0},
	{"policy", KEY_POLICY, "NAME", 0, "Replacement: random (the default) or lru", 0},
	{"points-per-octave", KEY_POINTS, "N", 0,
	 "Points for each doubling of the size (default 1, and enough for a smooth plot)", 0},
	{0},
};

static const char *const policy_names[] = {
	[MODEL_RANDOM] = "random",
	[MODEL_LRU] = "lru",
};

static void parse_policy(struct curve_options *o, const char *name, struct argp_state *state)
{
	for (size_t i = 0; i < sizeof(policy_names) / sizeof(policy_names[0]); i++) {
		if (strcmp(name, policy_names[i]) == 0) {
			o->policy = (enum model_policy)i;
			return;
		}
	}
	argp_error(state, "policy '%s' is unknown: it is random or lru", name);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct curve_options *o = state->input;
	struct err err;

	switch (key) {
	case ARGP_KEY_INIT:
		*o = (struct curve_options){.low = DEFAULT_LOW, .high = DEFAULT_HIGH};
		state->child_inputs[0] = &o->view;
		return 0;
	case KEY_SIZES:
		if (size_parse_range(arg, &o->low, &o->high, &err) != 0)
			argp_error(state, "%s", err.text);
		return 0;
	case KEY_POLICY:
		parse_policy(o, arg, state);
		return 0;
	case KEY_POINTS:
		if (number_parse("points-per-octave", arg, 1, 100, &o->per_octave, &err) != 0)
			argp_error(state, "%s", err.text);
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' is not expected: a profile is named with -i FILE", arg);
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int print_curve(const void *options, const struct profile *p)
{
	const struct curve_options *o = options;
	bool is_text = o->view.common.format == VIEW_TEXT;
	unsigned per_octave = o->per_octave > 0 ? (unsigned)o->per_octave
			      : is_text		? PLOT_POINTS
						: 1;
	struct display d = view_display();
	struct text out = {0};
	struct curve c;
	struct err err;
	int ret = 0;

	if (curve_compute(p, o->policy, o->low, o->high, per_octave, &c, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (is_text)
		ret = curve_plot(&c, p, &d, &out, &err);
	else if (o->view.common.format == VIEW_JSON)
		ret = curve_json(&c, p, &out, &err);
	else
		curve_csv(&c, &out);
	curve_release(&c);
	return view_show(&out, ret, &err);
}

int cmd_curve(int argc, char **argv)
{
	static const struct argp_child children[] = {{&line_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		option_list,
		parse,
		NULL,
		"Show the miss ratio of a fully associative cache by its size, with its 95 % "
		"interval: a plot, or a table for other programs.",
		children,
		NULL,
		NULL};
	struct curve_options o;

	options_parse(&argp, argc, argv, 0, &o);
	return view_run(&o.view, print_curve, &o);
}
