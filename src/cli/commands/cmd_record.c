/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell record: options, one run, one line at the end, and the target's own exit status. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

#include "answer/figures.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/commands/target_end.h"
#include "collector/collector.h"
#include "profile/profile.h"

#define MISSED_POINTS 10 /* percentage points above the budget that count as missed */

struct record {
	struct options *o;
	bool has_progress; /* a progress line is on the terminal */
};

static const struct option_use uses[] = {
	{OPTION_OUTPUT, .usual = DEFAULT_PROFILE},
	{OPTION_LINE_BYTES, .usual = "64", .least = 8},
	{OPTION_PERIOD},
	{OPTION_DUTY, .shown = "10"},
	{OPTION_OVERHEAD},
	{OPTION_WINDOWS},
	{OPTION_SEED, .shown = "by chance"},
	{OPTION_ONE_LINE},
	{OPTION_MODE, .usual = "sample"},
	{OPTION_PATHS},
	{OPTION_NO_OBJECTS},
	{OPTION_ALLOCATOR},
	{OPTION_DELAY},
	{OPTION_DURATION},
	{OPTION_START_AT},
	{OPTION_STOP_AT},
	{OPTION_WAIT},
	{OPTION_QUIET},
	{OPTION_HELP},
	{OPTION_VERSION},
	{0},
};

/* Options for when and how to sample. Without sampling they are errors, not silently ignored. */
static const int of_control[] = {OPTION_DELAY, OPTION_DURATION, OPTION_START_AT, OPTION_STOP_AT,
				 OPTION_WAIT,  OPTION_WINDOWS,	OPTION_OVERHEAD, 0};
static const int of_samples[] = {OPTION_PERIOD,
				 OPTION_DUTY,
				 OPTION_LINE_BYTES,
				 OPTION_ONE_LINE,
				 OPTION_PATHS,
				 OPTION_ALLOCATOR,
				 0};

/* Check for options that exclude each other, in any order. */
static int check_together(const struct options *o, struct err *err)
{
	const char *control = options_first(o, of_control), *sampled = options_first(o, of_samples);
	bool is_counted = o->run.config.mode == CHANNEL_MODE_COUNT;

	if (is_counted && control != NULL)
		return err_set(
			err, "--%s says when to sample: there is nothing to say with --mode=count",
			control);
	if (is_counted && sampled != NULL)
		return err_set(err, "--%s is about samples: with --mode=count there are none",
			       sampled);
	if (o->run.config.allocator_count > 0 && o->run.config.objects == 0)
		return err_set(err, "--allocator says what allocates, and --no-objects that nobody "
				    "asks: give one of them");
	if (options_given(o, OPTION_DUTY) && options_given(o, OPTION_OVERHEAD))
		return err_set(err, "--duty and --overhead both say how much to sample: give one "
				    "of them");
	return 0;
}

/* ---- What the user sees while it runs ---- */

static void clear_progress(struct record *r)
{
	if (r->has_progress)
		fputs("\r\033[K", stderr);
	r->has_progress = false;
}

static void show_notice(void *context, const char *line)
{
	struct record *r = context;

	clear_progress(r);
	fprintf(stderr, "dwell: %s\n", line);
}

static void show_progress(void *context, const struct collector_progress *p)
{
	struct record *r = context;

	fprintf(stderr,
		"\rdwell: %.0f s, %.3g accesses, %" PRIu64 " sample%s in %" PRIu64
		" window%s\033[K",
		(double)p->elapsed_ns / 1e9, (double)p->accesses, p->samples,
		p->samples == 1 ? "" : "s", p->windows, p->windows == 1 ? "" : "s");
	r->has_progress = true;
}

static void show_summary(struct options *o, const struct collector_result *r)
{
	bool is_counted = o->run.config.mode == CHANNEL_MODE_COUNT;
	char samples[FIGURE_BYTES], windows[FIGURE_BYTES];

	if (o->is_quiet)
		return;
	target_end_losses(r, "profiled", "the program was too fast");
	if (r->was_native || r->was_cut_off)
		return;
	target_end_summary(r->accesses, o->run.output, "report");
	/* The same limits as in the report of a process. */
	if (!is_counted &&
	    (r->samples < PROFILE_ENOUGH_SAMPLES || r->windows < PROFILE_ENOUGH_WINDOWS))
		fprintf(stderr, "dwell: few samples (%s in %s): its numbers will be imprecise\n",
			figure_count(r->samples, samples),
			figure_things(r->windows, "window", windows));
}

/*
 * Show the measured overhead against the budget: sampling compared with counting, as explained in
 * dwell-record(1).
 */
static void show_overhead(const struct options *o, const struct collector_result *r)
{
	double asked = o->run.config.overhead_ppm / 1e4;
	double got =
		r->counting_ns > 0 ? 100.0 * (double)r->sampling_ns / (double)r->counting_ns : 0;

	if (o->is_quiet || asked <= 0 || r->counting_ns == 0)
		return;
	fprintf(stderr,
		"dwell: sampling cost %.1f %% of the CPU time of counting; asked for: %g %%\n", got,
		asked);
	if (100.0 * (double)r->translate_ns / (double)r->counting_ns > asked)
		fprintf(stderr,
			"dwell: translating the program alone cost %.1f %%: in such a short run no "
			"sampling is cheaper\n",
			100.0 * (double)r->translate_ns / (double)r->counting_ns);
	else if (got > asked + MISSED_POINTS)
		fprintf(stderr, "dwell: that is more than requested: the run was too short, or the "
				"machine too busy\n");
}

/* ---- The end ---- */

static uint64_t random_seed(void)
{
	uint64_t seed = 0;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != (ssize_t)sizeof(seed))
		seed = (uint64_t)getpid();
	return seed & INT32_MAX; /* short enough to type */
}

static void prepare(struct options *o)
{
	o->run.config = collector_default_config();
}

static int record(struct options *o)
{
	struct record r = {.o = o};
	struct channel_config *c = &o->run.config;
	struct collector_result result;
	struct err err;
	int status;

	c->mode = o->mode == 0 ? CHANNEL_MODE_SAMPLE : CHANNEL_MODE_COUNT;
	c->line_bytes = (uint32_t)o->query.line_bytes;
	if (o->state.word_count == 0) {
		err_set(&err, "no command to record: give it after the options");
		return cli_fail(&err, EXIT_USAGE);
	}
	if (check_together(o, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	/* Counting takes no samples, so it needs neither data structures nor call paths. */
	if (c->mode == CHANNEL_MODE_COUNT)
		c->objects = c->paths = 0;
	c->seed = options_set(o, OPTION_SEED) ? o->seed : random_seed();
	o->run.command = o->state.words;
	o->run.output = o->output;
	o->run.context = &r;
	/* Warn, even with --quiet, of a profile that is not what was asked for. */
	o->run.warning = show_notice;
	o->run.note = o->run.notice = o->is_quiet ? NULL : show_notice;
	o->run.config.only_failures = o->is_quiet;
	/* A target that draws on the terminal must not find our line in its picture. */
	if (!o->is_quiet && isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO))
		o->run.progress = show_progress;
	status = collector_run(&o->run, &result, &err);
	clear_progress(&r);
	if (status != 0)
		return cli_fail(&err, target_failure_code(result.failure));
	show_summary(o, &result);
	show_overhead(o, &result);
	return target_end_alike(result.wait_status);
}

const struct command command_record = {
	.run = record,
	.prepare = prepare,
	.words = WORDS_COMMAND,
	.summary = "run a program and write its profile",
	.options =
		{
			.name = "record",
			.arguments = "[--] COMMAND [ARGUMENT...]",
			.doc = "Run a command and write its profile. An older profile is "
			       "kept as "
			       "FILE.old.",
			.notes = "The command's output, exit status and signals are its own; dwell "
				 "writes "
				 "to stderr only. Processes that it starts are profiled as well.",
			.uses = uses,
			.runs_a_command = true,
		},
};
