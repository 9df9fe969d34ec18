/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of runs whose values go into the engine's configuration. */
#include "cli/option_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "cli/allocator_option.h"
#include "cli/options.h"

static struct channel_config *config_of(void *options)
{
	return &((struct options *)options)->run.config;
}

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
		return err_set(err, "%s of %s makes no sense: it must be from %g to %g", what, arg,
			       least, most);
	return 0;
}

int record_take_period(void *options, const char *arg, struct err *err)
{
	struct channel_config *c = config_of(options);

	c->near_one_in = 0; /* a fixed period switches off the thinning of near samples */
	return number_parse("the period", arg, 1, UINT64_MAX, &c->sample_period, err);
}

/* Parse a percentage, with up to four digits after the point, into millionths. */
int record_take_duty(void *options, const char *arg, struct err *err)
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
		return err_set(err, "a duty of %s makes no sense: it must be from 0.0001 to 100",
			       arg);
	config_of(options)->duty_ppm = (uint32_t)(percent * 10000 + 0.5);
	return 0;
}

int record_take_overhead(void *options, const char *arg, struct err *err)
{
	struct channel_config *c = config_of(options);
	double percent = 0;

	if (parse_decimal("an overhead", arg, 0.1, 10000, &percent, err) != 0)
		return -1;
	c->overhead_ppm = (uint32_t)(percent * 10000 + 0.5);
	return 0;
}

int record_take_windows(void *options, const char *arg, struct err *err)
{
	struct channel_config *c = config_of(options);
	uint64_t n;

	if (number_parse("the number of windows", arg, 1, 1000000, &n, err) != 0)
		return -1;
	c->doubling_windows = (uint32_t)n;
	c->window_growth_ppm = (uint32_t)((pow(2, 1.0 / (double)n) - 1) * 1e6);
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

int record_take_start_at(void *options, const char *arg, struct err *err)
{
	return copy_name(config_of(options)->start_at, arg, err);
}

int record_take_stop_at(void *options, const char *arg, struct err *err)
{
	return copy_name(config_of(options)->stop_at, arg, err);
}

/*
 * Append a name. Names are stored one after another, each with its NUL; the rest of the array is
 * zero.
 */
int record_take_toggle(void *options, const char *arg, struct err *err)
{
	struct channel_config *c = config_of(options);
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

int record_take_wait(void *options, const char *arg, struct err *err)
{
	config_of(options)->start_off = 1;
	return 0;
}

int record_take_one_line(void *options, const char *arg, struct err *err)
{
	config_of(options)->nested_one_in = 0;
	return 0;
}

int record_take_paths(void *options, const char *arg, struct err *err)
{
	config_of(options)->paths = 1; /* of each window */
	return 0;
}

int record_take_no_objects(void *options, const char *arg, struct err *err)
{
	config_of(options)->objects = 0;
	return 0;
}

int record_take_allocator(void *options, const char *arg, struct err *err)
{
	return allocator_option_parse(config_of(options), arg, err);
}
