/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell simulate: every access of a run or of a trace, simulated exactly. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/geometry_options.h"
#include "cli/options.h"
#include "cli/simulate_curve.h"
#include "cli/simulate_output.h"
#include "cli/simulate_run.h"
#include "cli/simulate_trace.h"
#include "cli/view.h"

static const char *const policies[] = {"random", "lru", "both", NULL};
static const char *const by_names[] = {"line", "function", "data", "object", NULL};
static const char *const trace_formats[] = {"lackey", "dinero", NULL};

static const struct option_use uses[] = {
	{OPTION_OUTPUT, .shown = DEFAULT_PROFILE "; of --curve and --trace stderr"},
	{OPTION_FORMAT, .shown = "by the name of FILE, else text"},
	{OPTION_PROCESS_ID, .shown = "the one with the most accesses"},
	{OPTION_CACHE_SIZE},
	{OPTION_SIZES, .usual = "8K:64M"},
	{OPTION_POINTS, .usual = "1"},
	{OPTION_POLICY, .usual = "both", .choices = policies},
	{OPTION_LINES, .shown = "64"},
	{OPTION_BY, .choices = by_names},
	{OPTION_EVENT, .adds_up = true},
	{OPTION_ROWS, .usual = "20"},
	{OPTION_SEED, .usual = "1"},
	{OPTION_DELAY},
	{OPTION_DURATION},
	{OPTION_START_AT},
	{OPTION_STOP_AT},
	{OPTION_WAIT},
	{OPTION_TOGGLE},
	{OPTION_CURVE},
	{OPTION_TRACE},
	{OPTION_TRACE_FORMAT, .shown = "by its first access", .choices = trace_formats},
	{OPTION_CACHE, .shown = "the first level and the last of this machine"},
	{OPTION_MACHINE},
	{OPTION_CONFIG},
	{OPTION_ALSO, .adds_up = true},
	{OPTION_LINE_USE},
	{OPTION_WRITE_BACKS},
	{OPTION_NO_INSTRUCTIONS},
	{OPTION_NO_FILTER},
	{OPTION_CONTEXT, .usual = "0"},
	{OPTION_SEPARATE_THREADS},
	{OPTION_JUMPS},
	{OPTION_NO_CALL_GRAPH},
	{OPTION_QUIET},
	{OPTION_NO_PAGER},
	{OPTION_HELP},
	{OPTION_VERSION},
	{0},
};

static const int of_curve[] = {
	OPTION_SIZES,	   OPTION_POINTS, OPTION_POLICY,     OPTION_LINES, OPTION_SEED,
	OPTION_PROCESS_ID, OPTION_BY,	  OPTION_CACHE_SIZE, OPTION_ROWS,  0};
static const int of_run[] = {OPTION_ALSO,     OPTION_NO_FILTER,	    OPTION_QUIET,
			     OPTION_EVENT,    OPTION_DELAY,	    OPTION_DURATION,
			     OPTION_START_AT, OPTION_STOP_AT,	    OPTION_WAIT,
			     OPTION_TOGGLE,   OPTION_CONTEXT,	    OPTION_SEPARATE_THREADS,
			     OPTION_JUMPS,    OPTION_NO_CALL_GRAPH, 0};
static const int of_caches[] = {OPTION_CACHE,
				OPTION_MACHINE,
				OPTION_CONFIG,
				OPTION_LINE_USE,
				OPTION_WRITE_BACKS,
				OPTION_NO_INSTRUCTIONS,
				0};

/* Options that contradict what is asked for. */
static int check(const struct options *o, struct err *err)
{
	const char *live = options_first(o, of_run), *curve = options_first(o, of_curve);
	const char *other = o->curve ? "curve" : curve != NULL ? curve : live;

	if (o->trace != NULL) {
		if (o->state.word_count == 0 && other == NULL)
			return 0;
		return err_set(err, "--trace simulates the accesses in a file: leave out %s%s",
			       other != NULL ? "--" : "the command", other != NULL ? other : "");
	}
	if (options_given(o, OPTION_TRACE_FORMAT))
		return err_set(err, "--trace-format is for --trace: add that, or leave it out");
	if (!o->curve) {
		if (curve == NULL && options_given(o, OPTION_FORMAT))
			curve = "format";
		return curve == NULL
			       ? 0
			       : err_set(err, "--%s is for --curve: add that, or leave it out",
					 curve);
	}
	if (live != NULL)
		return err_set(err, "--%s is for runs without --curve", live);
	if (options_first(o, of_caches) != NULL)
		return err_set(err, "a curve is of fully associative caches of data: leave out "
				    "--cache and what else describes caches, or --curve");
	return 0;
}

static int run_trace(const struct options *o, struct simulate_output *output)
{
	struct simulate_trace t = {.file = o->trace};
	struct sim_geometry g;
	struct display d = view_display();
	struct text out = {0};
	struct err err;
	int code;

	if (geometry_options_build(&o->geometry, &g, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (options_set(o, OPTION_TRACE_FORMAT))
		t.trace_format = (enum trace_format)(o->trace_format + 1);
	simulate_output_guess(output);
	t.geometry = &g;
	t.format = output->format;
	if (simulate_output_try(output, &err) != 0)
		return cli_fail(&err, EXIT_OUTPUT);
	if (output->file != NULL)
		d = (struct display){.unicode = d.unicode};
	code = simulate_trace_run(&t, &d, &out, &err);
	if (code == 0 && output->file == NULL)
		return view_show(&out, 0, &err);
	if (code == 0 && simulate_output_write(output, &out, &err) != 0)
		code = EXIT_OUTPUT;
	if (code != 0)
		simulate_output_forget(output);
	text_release(&out);
	return code == 0 ? EXIT_OK : cli_fail(&err, code);
}

static int simulate(struct options *o)
{
	struct simulate_output output = {.file = o->output,
					 .has_format = options_set(o, OPTION_FORMAT),
					 .format = (enum view_format)o->format};
	struct err err;

	if (o->trace == NULL && o->state.word_count == 0) {
		err_set(&err, "no command to simulate: give it after the options");
		return cli_fail(&err, EXIT_USAGE);
	}
	if (check(o, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (o->trace != NULL)
		return run_trace(o, &output);
	if (o->curve)
		return simulate_curve_run(o, &output);
	return simulate_run(o);
}

const struct command command_simulate = {
	.run = simulate,
	.words = WORDS_COMMAND,
	.summary = "run a program through simulated caches, exactly",
	.options =
		{
			.name = "simulate",
			.arguments = "[--] COMMAND [ARGUMENT...]\n--trace FILE",
			.doc = "Run a command, or read a trace, and simulate each of its memory "
			       "accesses.",
			.notes = "The command's output, exit status and signals are its own. Its "
				 "caches are "
				 "simulated while it runs, and what happens there goes to a "
				 "profile, by "
				 "instruction: see it with dwell report. With --curve the result "
				 "comes to "
				 "stderr when the command has ended.",
			.uses = uses,
			.runs_a_command = true,
		},
};
