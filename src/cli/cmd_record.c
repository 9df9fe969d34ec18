/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell record: options, one run, one line at the end, and the target's own exit status. */
#include <argp.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/size.h"
#include "cli/allocator_option.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/record_control.h"
#include "cli/target_end.h"
#include "collector/collector.h"

#define MISSED_POINTS 10 /* of percent: from there on a budget was not kept */

struct record_options {
	struct collector_options run;
	struct record_control control;
	bool is_quiet;
	bool has_seed;
	bool has_progress; /* a line of progress stands on the terminal */
	bool has_duty;
	const char *of_samples; /* the first option given that only samples have; NULL: none */
};

enum { KEY_ONE_LINE = 0x180, KEY_NO_OBJECTS, KEY_PATHS, KEY_ALLOCATOR };

static const struct argp_option options[] = {
	{"output", 'o', "FILE", 0,
	 "Write the profile to FILE instead of " DEFAULT_PROFILE
	 "; a profile that is there is kept as FILE.old",
	 1},
	{"quiet", 'q', NULL, 0, "Say nothing on stderr but errors", 1},
	{"period", 'p', "N", 0, "Take one sample in N accesses, instead of about 150 per window",
	 2},
	{"seed", 's', "N", 0, "Begin the random choice of samples with N, to repeat a run", 2},
	{"duty", 'd', "PERCENT", 0,
	 "At the run's 480 millionth access, have PERCENT of the accesses inside windows (10): "
	 "eight times as much up to half of that, less later, down to a fiftieth of it",
	 2},
	{"line", 'l', "BYTES", 0, "Watch lines of BYTES, a power of two from 8 to 4096 (64)", 2},
	{"one-line", KEY_ONE_LINE, NULL, 0,
	 "Watch lines of that size only; else one sample in four to eight is watched at all sizes "
	 "from 4 to "
	 "4096",
	 2},
	{"gear", 'g', "GEAR", 0, "sample, or count: count accesses only, no samples", 2},
	{"no-objects", KEY_NO_OBJECTS, NULL, 0,
	 "Do not follow allocations: samples know no blocks, and the profile no sites", 2},
	{"allocator", KEY_ALLOCATOR, "FUNCTION[:ARGUMENT][,free=FUNCTION[:ARGUMENT]]", 0,
	 "FUNCTION allocates, too: as many bytes as its argument of that number (1) says; may be "
	 "repeated",
	 2},
	{"paths", KEY_PATHS, NULL, 0, "Let samples know the calls that led to them, up to 16", 2},
	{0},
};

/* ---- Values ---- */

static int parse_period(struct record_options *o, const char *arg, struct err *err)
{
	o->run.config.near_one_in = 0; /* one in so many, and no other */
	return number_parse("the period", arg, 1, UINT64_MAX, &o->run.config.sample_period, err);
}

static int parse_seed(struct record_options *o, const char *arg, struct err *err)
{
	o->has_seed = true;
	return number_parse("the seed", arg, 0, INT64_MAX, &o->run.config.seed, err);
}

/* A percentage with up to four digits after the point, in millionths. */
static int parse_duty(struct record_options *o, const char *arg, struct err *err)
{
	char *end;
	double percent;

	if (arg[0] < '0' || arg[0] > '9')
		return err_set(err, "a duty of '%s' is not a number", arg);
	percent = strtod(arg, &end);
	if (end[0] == '%')
		end++;
	if (*end != '\0')
		return err_set(err, "a duty of '%s' is not a number", arg);
	if (percent < 0.0001 || percent > 100)
		return err_set(err, "a duty of %s makes no sense: it is above 0 and up to 100",
			       arg);
	o->run.config.duty_ppm = (uint32_t)(percent * 10000 + 0.5);
	return 0;
}

static int parse_line(struct record_options *o, const char *arg, struct err *err)
{
	uint64_t bytes;

	if (size_parse(arg, &bytes, err) != 0)
		return -1;
	if (bytes < 8 || bytes > 4096 || (bytes & (bytes - 1)) != 0)
		return err_set(err, "a line of '%s': it is a power of two from 8 to 4096 bytes",
			       arg);
	o->run.config.line_bytes = (uint32_t)bytes;
	return 0;
}

static int parse_gear(struct record_options *o, const char *arg, struct err *err)
{
	if (strcmp(arg, "sample") == 0)
		o->run.config.gear = CHANNEL_GEAR_SAMPLE;
	else if (strcmp(arg, "count") == 0)
		o->run.config.gear = CHANNEL_GEAR_COUNT;
	else
		return err_set(err, "gear '%s' is unknown: it is sample or count", arg);
	return 0;
}

static int parse_allocator(struct record_options *o, const char *arg, struct err *err)
{
	return allocator_option_parse(&o->run.config, arg, err);
}

static const struct {
	int key;
	int (*parse)(struct record_options *o, const char *arg, struct err *err);
} values[] = {
	{'p', parse_period}, {'s', parse_seed}, {'d', parse_duty},
	{'l', parse_line},   {'g', parse_gear}, {KEY_ALLOCATOR, parse_allocator},
};

/* What says how samples are taken: without samples it would be ignored in silence. */
static void note_option(struct record_options *o, int key)
{
	static const int of_samples[] = {'p', 'd', 'l', KEY_ONE_LINE, KEY_PATHS, KEY_ALLOCATOR};
	const struct argp_option *option = options;

	o->has_duty = o->has_duty || key == 'd';
	for (size_t i = 0; i < sizeof(of_samples) / sizeof(of_samples[0]); i++) {
		if (of_samples[i] != key || o->of_samples != NULL)
			continue;
		while (option->key != key)
			option++;
		o->of_samples = option->name;
	}
}

/* Options that cannot be had together, in whatever order they came. */
static void check_together(const struct record_options *o, struct argp_state *state)
{
	bool is_counted = o->run.config.gear == CHANNEL_GEAR_COUNT;

	if (is_counted && o->control.first != NULL)
		argp_failure(state, EXIT_USAGE, 0,
			     "--%s says when to sample: there is nothing to say with --gear=count",
			     o->control.first);
	if (is_counted && o->of_samples != NULL)
		argp_failure(state, EXIT_USAGE, 0,
			     "--%s is about samples: with --gear=count there are none",
			     o->of_samples);
	if (o->run.config.allocator_count > 0 && o->run.config.objects == 0)
		argp_failure(state, EXIT_USAGE, 0,
			     "--allocator says what allocates, and --no-objects that nobody asks: "
			     "give one of them");
	if (o->has_duty && o->run.config.overhead_ppm != 0)
		argp_failure(state, EXIT_USAGE, 0,
			     "--duty and --overhead both say how much to sample: give one of them");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct record_options *o = state->input;
	struct err err;
	size_t i;

	note_option(o, key);
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		if (values[i].key != key)
			continue;
		if (values[i].parse(o, arg, &err) != 0)
			argp_failure(state, EXIT_USAGE, 0, "%s", err.text);
		return 0;
	}
	switch (key) {
	case ARGP_KEY_INIT:
		o->control.config = &o->run.config;
		state->child_inputs[0] = &o->control;
		return 0;
	case ARGP_KEY_SUCCESS:
		check_together(o, state);
		return 0;
	case 'o':
		o->run.output = arg;
		return 0;
	case KEY_ONE_LINE:
		o->run.config.nested_one_in = 0;
		return 0;
	case 'q':
		o->is_quiet = true;
		return 0;
	case KEY_NO_OBJECTS:
		o->run.config.objects = 0;
		return 0;
	case KEY_PATHS:
		o->run.config.paths = 1;
		return 0;
	case ARGP_KEY_ARGS:
		o->run.command = state->argv + state->next;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_failure(state, EXIT_USAGE, 0,
			     "no command to record: give it after the options");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {{&control_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
	options,
	parse,
	"[--] COMMAND [ARGUMENT...]",
	"Run a command and write its profile.\v"
	"The command's output, exit status and signals are its own; dwell writes to stderr only. "
	"Processes that it starts are profiled as well.",
	children,
	NULL,
	NULL,
};

/* ---- What the user sees while it runs ---- */

static void clear_progress(struct record_options *o)
{
	if (o->has_progress)
		fputs("\r\033[K", stderr);
	o->has_progress = false;
}

static void show_notice(void *context, const char *line)
{
	struct record_options *o = context;

	clear_progress(o);
	fprintf(stderr, "dwell: %s\n", line);
}

static void show_progress(void *context, const struct collector_progress *p)
{
	struct record_options *o = context;

	fprintf(stderr,
		"\rdwell: %.0f s, %.3g accesses, %" PRIu64 " sample%s in %" PRIu64
		" window%s\033[K",
		(double)p->elapsed_ns / 1e9, (double)p->accesses, p->samples,
		p->samples == 1 ? "" : "s", p->windows, p->windows == 1 ? "" : "s");
	o->has_progress = true;
}

/* "12345" while it can be read at a glance, "1.23e+09" beyond. */
static const char *format_count(uint64_t n, char buf[32])
{
	if (n < 1000000)
		snprintf(buf, 32, "%" PRIu64, n);
	else
		snprintf(buf, 32, "%.3g", (double)n);
	return buf;
}

static void show_summary(struct record_options *o, const struct collector_result *r)
{
	char accesses[32];

	if (o->is_quiet)
		return;
	target_end_losses(r, "profiled", "the program was too fast");
	if (r->was_native)
		return;
	if (o->run.config.gear == CHANNEL_GEAR_COUNT)
		fprintf(stderr, "dwell: %s accesses, written to %s\n",
			format_count(r->accesses, accesses), o->run.output);
	else
		fprintf(stderr,
			"dwell: %" PRIu64 " sample%s in %" PRIu64
			" window%s, %s accesses, written to %s\n",
			r->samples, r->samples == 1 ? "" : "s", r->windows,
			r->windows == 1 ? "" : "s", format_count(r->accesses, accesses),
			o->run.output);
}

/* What a budget came to. The estimate is of sampling against counting; the manual page says of what. */
static void show_overhead(const struct record_options *o, const struct collector_result *r)
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
			"dwell: translating the program alone cost %.1f %%: in so short a run no "
			"sampling costs less\n",
			100.0 * (double)r->translate_ns / (double)r->counting_ns);
	else if (got > asked + MISSED_POINTS)
		fprintf(stderr, "dwell: that is more than asked for: the run was too short, or the "
				"machine too busy, to keep to it\n");
}

/* ---- The end ---- */

static uint64_t random_seed(void)
{
	uint64_t seed = 0;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != (ssize_t)sizeof(seed))
		seed = (uint64_t)getpid();
	return seed & INT32_MAX; /* short enough to be typed again */
}

int cmd_record(int argc, char **argv)
{
	struct record_options o = {
		.run = {.output = DEFAULT_PROFILE, .config = collector_default_config()},
	};
	struct collector_result result;
	struct err err;
	int status;

	options_parse(&argp, argc, argv, ARGP_IN_ORDER, &o);
	/* Without samples nobody asks whose blocks they touch, nor who called. */
	if (o.run.config.gear == CHANNEL_GEAR_COUNT)
		o.run.config.objects = o.run.config.paths = 0;
	if (!o.has_seed)
		o.run.config.seed = random_seed();
	o.run.context = &o;
	/* A profile that is not what was asked for is worth a line even to who wants silence. */
	o.run.warning = show_notice;
	o.run.notice = o.is_quiet ? NULL : show_notice;
	/* A target that draws on the terminal must not find our line in its picture. */
	if (!o.is_quiet && isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO))
		o.run.progress = show_progress;
	status = collector_run(&o.run, &result, &err);
	clear_progress(&o);
	if (status != 0)
		return cli_fail(&err, target_failure_code(result.failure));
	show_summary(&o, &result);
	show_overhead(&o, &result);
	return target_end_alike(result.wait_status);
}
