/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options that control sampling; see record_control.h. */
#include "cli/record_control.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "cli/cli.h"

#define MAX_SECONDS 1e9
/* With a limit of windows: the run, in millions of accesses, that has all of them. */
#define LONGEST_RUN 1e6
#define MOST_GROWTH 3 /* or a few windows would wait for a run that never gets so long */

enum {
	KEY_WINDOWS = 0x300,
	KEY_DELAY,
	KEY_DURATION,
	KEY_START_AT,
	KEY_STOP_AT,
	KEY_WAIT,
	KEY_OVERHEAD,
	KEY_TOGGLE,
};

static const struct argp_option options[] = {
	{"delay", KEY_DELAY, "SECONDS", 0, "Begin sampling SECONDS after the start", 3},
	{"duration", KEY_DURATION, "SECONDS", 0,
	 "Sample for SECONDS; then the command runs on, and accesses are only counted", 3},
	{"start-at", KEY_START_AT, "FUNCTION", 0,
	 "Begin sampling when a process first enters FUNCTION", 3},
	{"stop-at", KEY_STOP_AT, "FUNCTION", 0,
	 "End sampling when a process that is sampled enters FUNCTION", 3},
	{"wait-for-mark", KEY_WAIT, NULL, 0, "Begin sampling where the program says DWELL_START",
	 3},
	{"windows", KEY_WINDOWS, "N", 0, "Have N windows at most in each process", 3},
	{"overhead", KEY_OVERHEAD, "PERCENT", 0,
	 "Let sampling cost PERCENT of the CPU time that counting takes, instead of a --duty", 3},
	{0},
};

/* The same of a simulation, where nothing is chosen at random. */
static const struct argp_option simulate_options[] = {
	{"delay", KEY_DELAY, "SECONDS", 0, "Begin to simulate SECONDS after the start", 7},
	{"duration", KEY_DURATION, "SECONDS", 0,
	 "Simulate for SECONDS; then the command runs on, and accesses are only counted", 7},
	{"start-at", KEY_START_AT, "FUNCTION", 0,
	 "Begin to simulate when a process first enters FUNCTION", 7},
	{"stop-at", KEY_STOP_AT, "FUNCTION", 0,
	 "End when a process that is simulated enters FUNCTION", 7},
	{"wait-for-mark", KEY_WAIT, NULL, 0, "Begin where the program says DWELL_START", 7},
	{"toggle-collect", KEY_TOGGLE, "FUNCTION", 0,
	 "Simulate only while FUNCTION runs, and what it calls; may be repeated", 7},
	{0},
};

/* A decimal fraction in [least, most]. `what` names it: "a delay". */
static int parse_decimal(const char *what, const char *arg, double least, double most,
			 double *value, struct err *err)
{
	char *end = NULL;

	if (arg[0] >= '0' && arg[0] <= '9' && strspn(arg, "0123456789.") == strlen(arg))
		*value = strtod(arg, &end);
	if (end == NULL || *end != '\0')
		return err_set(err, "%s of '%s' is not a number", what, arg);
	if (*value < least || *value > most)
		return err_set(err, "%s of %s makes no sense: it is from %g to %g", what, arg,
			       least, most);
	return 0;
}

static int parse_windows(struct channel_config *c, const char *arg, struct err *err)
{
	uint64_t n;

	if (number_parse("the number of windows", arg, 1, 1000000, &n, err) != 0)
		return -1;
	c->max_windows = (uint32_t)n;
	c->window_growth_ppm =
		(uint32_t)(fmin(pow(LONGEST_RUN, 1.0 / (double)n) - 1, MOST_GROWTH) * 1e6);
	return 0;
}

static int parse_delay(struct channel_config *c, const char *arg, struct err *err)
{
	double seconds = 0;

	if (parse_decimal("a delay", arg, 0, MAX_SECONDS, &seconds, err) != 0)
		return -1;
	c->delay_ns = (uint64_t)(seconds * 1e9);
	return 0;
}

static int parse_duration(struct channel_config *c, const char *arg, struct err *err)
{
	double seconds = 0;

	if (parse_decimal("a duration", arg, 0.001, MAX_SECONDS, &seconds, err) != 0)
		return -1;
	c->duration_ns = (uint64_t)(seconds * 1e9);
	return 0;
}

static int copy_name(char to[CHANNEL_NAME_BYTES], const char *name, struct err *err)
{
	size_t bytes = strlen(name) + 1;

	if (bytes == 1 || bytes > CHANNEL_NAME_BYTES)
		return err_set(err, "a function's name has 1 to %u characters, not %zu",
			       CHANNEL_NAME_BYTES - 1, bytes - 1);
	memcpy(to, name, bytes);
	return 0;
}

static int parse_start_at(struct channel_config *c, const char *arg, struct err *err)
{
	return copy_name(c->start_at, arg, err);
}

static int parse_stop_at(struct channel_config *c, const char *arg, struct err *err)
{
	return copy_name(c->stop_at, arg, err);
}

/* The names lie one behind the other; room behind the last one is all zero. */
static int parse_toggle(struct channel_config *c, const char *arg, struct err *err)
{
	size_t used = 0, bytes = strlen(arg) + 1;
	char one[CHANNEL_NAME_BYTES];

	if (copy_name(one, arg, err) != 0)
		return -1;
	for (uint32_t i = 0; i < c->toggle_count; i++) {
		if (strcmp(c->toggles + used, arg) == 0)
			return err_set(err, "--toggle-collect has function '%s' twice", arg);
		used += strlen(c->toggles + used) + 1;
	}
	if (c->toggle_count == CHANNEL_MOST_TOGGLES || used + bytes > sizeof(c->toggles))
		return err_set(err,
			       "too many functions for --toggle-collect: up to %u, and %zu "
			       "characters in all",
			       CHANNEL_MOST_TOGGLES, sizeof(c->toggles) - CHANNEL_MOST_TOGGLES);
	memcpy(c->toggles + used, arg, bytes);
	c->toggle_count++;
	return 0;
}

static int parse_wait(struct channel_config *c, const char *arg, struct err *err)
{
	(void)arg;
	(void)err;
	c->start_off = 1;
	return 0;
}

static int parse_overhead(struct channel_config *c, const char *arg, struct err *err)
{
	double percent = 0;

	if (parse_decimal("an overhead", arg, 0.1, 10000, &percent, err) != 0)
		return -1;
	c->overhead_ppm = (uint32_t)(percent * 10000 + 0.5);
	return 0;
}

static const struct {
	int key;
	int (*parse)(struct channel_config *c, const char *arg, struct err *err);
} values[] = {
	{KEY_WINDOWS, parse_windows},	{KEY_DELAY, parse_delay},
	{KEY_DURATION, parse_duration}, {KEY_START_AT, parse_start_at},
	{KEY_STOP_AT, parse_stop_at},	{KEY_TOGGLE, parse_toggle},
	{KEY_WAIT, parse_wait},		{KEY_OVERHEAD, parse_overhead},
};

/* Options of both tables have the same name in both. */
static const char *name_of(int key)
{
	const struct argp_option *o = key == KEY_TOGGLE ? simulate_options : options;

	while (o->key != key)
		o++;
	return o->name;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct record_control *o = state->input;
	struct err err;
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		if (values[i].key != key)
			continue;
		if (values[i].parse(o->config, arg, &err) != 0)
			argp_failure(state, EXIT_USAGE, 0, "%s", err.text);
		if (o->first == NULL)
			o->first = name_of(key);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp control_argp = {options, parse, NULL, NULL, NULL, NULL, NULL};
const struct argp simulate_control_argp = {simulate_options, parse, NULL, NULL, NULL, NULL, NULL};
