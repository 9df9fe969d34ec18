/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell simulate: every access of a run or of a trace, simulated exactly. */
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/commands/simulate_plan.h"
#include "cli/commands/simulate_run.h"

static const char *const policies[] = {"random", "lru", "both", NULL};
static const char *const by_names[] = {"line", "function", "data", "object", NULL};
static const char *const trace_formats[] = {"lackey", "dinero", NULL};

static const struct option_use uses[] = {
	{OPTION_OUTPUT, .shown = DEFAULT_PROFILE},
	{OPTION_PROCESS_ID, .shown = "the one with the most accesses"},
	{OPTION_CACHE_SIZE},
	{OPTION_SIZES, .usual = "8K:64M"},
	{OPTION_POINTS, .usual = "1"},
	{OPTION_POLICY, .usual = "both", .choices = policies},
	{OPTION_LINES, .shown = "64"},
	{OPTION_BY, .choices = by_names},
	{OPTION_EVENT, .adds_up = true},
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
	{OPTION_PLAN},
	{OPTION_SAMPLE},
	{OPTION_SETS},
	{OPTION_CONTEXT, .usual = "0"},
	{OPTION_SEPARATE_THREADS},
	{OPTION_JUMPS},
	{OPTION_WHOSE},
	{OPTION_REFERENCES},
	{OPTION_CONFLICTS},
	{OPTION_ALLOCATOR},
	{OPTION_NO_CALL_GRAPH},
	{OPTION_QUIET},
	{OPTION_HELP},
	{OPTION_VERSION},
	{0},
};

static const int of_curve[] = {OPTION_SIZES,	  OPTION_POINTS, OPTION_POLICY,	    OPTION_LINES,
			       OPTION_PROCESS_ID, OPTION_BY,	 OPTION_CACHE_SIZE, 0};
static const int of_run[] = {OPTION_ALSO,	   OPTION_NO_FILTER,
			     OPTION_PLAN,	   OPTION_SETS,
			     OPTION_SAMPLE,	   OPTION_EVENT,
			     OPTION_DELAY,	   OPTION_DURATION,
			     OPTION_START_AT,	   OPTION_STOP_AT,
			     OPTION_WAIT,	   OPTION_TOGGLE,
			     OPTION_CONTEXT,	   OPTION_SEPARATE_THREADS,
			     OPTION_JUMPS,	   OPTION_WHOSE,
			     OPTION_REFERENCES,	   OPTION_CONFLICTS,
			     OPTION_NO_CALL_GRAPH, 0};
static const int of_caches[] = {OPTION_CACHE,
				OPTION_MACHINE,
				OPTION_CONFIG,
				OPTION_LINE_USE,
				OPTION_WRITE_BACKS,
				OPTION_NO_INSTRUCTIONS,
				0};

static bool follows_allocations(const struct options *o)
{
	return o->curve ? options_given(o, OPTION_BY) && strcmp(by_names[o->by], "object") == 0
			: options_given(o, OPTION_WHOSE) || options_given(o, OPTION_REFERENCES) ||
				  options_given(o, OPTION_CONFLICTS);
}

/* Check for options that contradict the kind of simulation. */
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
	if (options_given(o, OPTION_ALLOCATOR) && !follows_allocations(o))
		return err_set(err,
			       "--allocator says what allocates, and nobody asks: add --data, or "
			       "--curve with --by=object");
	if (!o->curve && options_given(o, OPTION_SEED) && !options_given(o, OPTION_SAMPLE) &&
	    !options_given(o, OPTION_LINE_USE))
		return err_set(err, "--seed is for --curve, --sample and --line-use: add one, or "
				    "leave it out");
	if (!o->curve) {
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

static int simulate(struct options *o)
{
	struct err err;

	if (o->trace == NULL && o->state.word_count == 0 && !options_given(o, OPTION_PLAN)) {
		err_set(&err, "no command to simulate: give it after the options");
		return cli_fail(&err, EXIT_USAGE);
	}
	if (check(o, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (o->trace != NULL)
		return simulate_trace(o);
	if (o->curve)
		return simulate_curve_run(o);
	return options_given(o, OPTION_PLAN) ? simulate_show_plan(o) : simulate_run(o);
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
				 "instruction: see it with dwell report. With --curve see the "
				 "miss ratios with dwell curve.",
			.uses = uses,
			.runs_a_command = true,
		},
};
