/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell simulate: every access of a run or of a trace, simulated exactly. */
#include <argp.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/geometry_options.h"
#include "cli/options.h"
#include "cli/simulate_curve.h"
#include "cli/simulate_output.h"
#include "cli/simulate_run.h"
#include "cli/simulate_trace.h"
#include "cli/view.h"

enum { KEY_FORMAT = 0x100, KEY_CURVE, KEY_TRACE, KEY_TRACE_FORMAT };

struct simulate_options {
	struct geometry_options geometry;
	struct simulate_run live;
	struct simulate_curve curve;
	struct simulate_output output;
	bool has_curve;
	const char *trace; /* NULL: run a command */
	enum trace_format trace_format;
	char *const *command; /* NULL: none was given */
};

static const struct argp_option options[] = {
	{"curve", KEY_CURVE, NULL, 0, "Exact miss ratios of fully associative caches by their size",
	 1},
	{"trace", KEY_TRACE, "FILE", 0,
	 "Simulate the accesses in FILE, - for standard input, instead of those of a command", 1},
	{"trace-format", KEY_TRACE_FORMAT, "NAME", 0,
	 "The trace is one of lackey or dinero (default: by its first access)", 1},
	{"output", 'o', "FILE", 0,
	 "Write the profile to FILE instead of " DEFAULT_PROFILE
	 "; of --curve and --trace the result, instead of to stderr",
	 2},
	{"format", KEY_FORMAT, "FORMAT", 0,
	 "Print as text, csv or json (by the name of FILE, else text)", 2},
	{0},
};

static int parse_format(struct simulate_options *o, const char *arg, struct err *err)
{
	static const char *const names[] = {
		[VIEW_TEXT] = "text", [VIEW_CSV] = "csv", [VIEW_JSON] = "json"};
	size_t i;

	if (options_choose("format", names, 3, arg, &i, err) != 0)
		return -1;
	o->output.format = (enum view_format)i;
	o->output.has_format = true;
	return 0;
}

static int parse_trace_format(struct simulate_options *o, const char *arg, struct err *err)
{
	size_t i;

	if (options_choose("trace format", trace_format_names + 1, TRACE_FORMATS - 1, arg, &i,
			   err) != 0)
		return -1;
	o->trace_format = (enum trace_format)(i + 1);
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct simulate_options *o = state->input;
	struct err err;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->curve;
		state->child_inputs[1] = &o->geometry;
		state->child_inputs[2] = &o->live;
		return 0;
	case KEY_FORMAT:
		if (parse_format(o, arg, &err) != 0)
			argp_failure(state, EXIT_USAGE, 0, "%s", err.text);
		return 0;
	case KEY_TRACE_FORMAT:
		if (parse_trace_format(o, arg, &err) != 0)
			argp_failure(state, EXIT_USAGE, 0, "%s", err.text);
		return 0;
	case KEY_TRACE:
		o->trace = arg;
		return 0;
	case KEY_CURVE:
		o->has_curve = true;
		return 0;
	case 'o':
		o->output.file = arg;
		return 0;
	case ARGP_KEY_ARGS:
		o->command = state->argv + state->next;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		if (o->trace != NULL)
			return 0;
		argp_failure(state, EXIT_USAGE, 0,
			     "no command to simulate: give it after the options");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {{&simulate_curve_argp, 0, NULL, 0},
					     {&geometry_argp, 0, NULL, 0},
					     {&simulate_run_argp, 0, NULL, 0},
					     {0}};

static const struct argp argp = {
	options,
	parse,
	"[--] COMMAND [ARGUMENT...]\n--trace FILE",
	"Run a command, or read a trace, and simulate each of its memory accesses.\v"
	"The command's output, exit status and signals are its own. Its caches are simulated while "
	"it "
	"runs, and what happens there goes to a profile, by instruction: see it with dwell report. "
	"With --curve the result comes to stderr when the command has ended.",
	children,
	NULL,
	NULL,
};

/* Options that contradict what is asked for. */
static int check(const struct simulate_options *o, struct err *err)
{
	const char *live = simulate_run_first(&o->live), *curve = o->curve.first;
	const char *other = o->has_curve ? "curve" : curve != NULL ? curve : live;

	if (o->trace != NULL) {
		if (o->command == NULL && other == NULL)
			return 0;
		return err_set(err, "--trace simulates the accesses in a file: leave out %s%s",
			       other != NULL ? "--" : "the command", other != NULL ? other : "");
	}
	if (o->trace_format != TRACE_GUESS)
		return err_set(err, "--trace-format is for --trace: add that, or leave it out");
	if (!o->has_curve) {
		if (curve == NULL && o->output.has_format)
			curve = "format";
		return curve == NULL
			       ? 0
			       : err_set(err, "--%s is for --curve: add that, or leave it out",
					 curve);
	}
	if (live != NULL)
		return err_set(err, "--%s is for runs without --curve", live);
	if (geometry_options_given(&o->geometry))
		return err_set(err, "a curve is of fully associative caches of data: leave out "
				    "--cache and what else describes caches, or --curve");
	return 0;
}

static int run_trace(struct simulate_options *o)
{
	struct simulate_trace t = {.file = o->trace, .trace_format = o->trace_format};
	struct sim_geometry g;
	struct display d = view_display();
	struct text out = {0};
	struct err err;
	int code;

	if (geometry_options_build(&o->geometry, &g, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	simulate_output_guess(&o->output);
	t.geometry = &g;
	t.format = o->output.format;
	if (simulate_output_try(&o->output, &err) != 0)
		return cli_fail(&err, EXIT_OUTPUT);
	if (o->output.file != NULL)
		d = (struct display){.unicode = d.unicode};
	code = simulate_trace_run(&t, &d, &out, &err);
	if (code == 0 && o->output.file == NULL)
		return view_show(&out, 0, &err);
	if (code == 0 && simulate_output_write(&o->output, &out, &err) != 0)
		code = EXIT_OUTPUT;
	if (code != 0)
		simulate_output_forget(&o->output);
	text_release(&out);
	return code == 0 ? EXIT_OK : cli_fail(&err, code);
}

int cmd_simulate(int argc, char **argv)
{
	static struct simulate_options o = {.curve = SIMULATE_CURVE_DEFAULTS};
	struct err err;

	options_parse(&argp, argc, argv, ARGP_IN_ORDER, &o);
	if (check(&o, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (o.trace != NULL)
		return run_trace(&o);
	if (o.has_curve)
		return simulate_curve_run(&o.curve, o.command, &o.output);
	o.live.run.command = o.command;
	o.live.run.output = o.output.file;
	return simulate_run(&o.live, &o.geometry);
}
