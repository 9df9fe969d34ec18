/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of simulations whose values a type alone does not describe. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "cli/option_values.h"
#include "cli/options.h"
#include "collector/simulation/geometry_text.h"
#include "sim/calls/contexts.h"

static int add_line(struct simulate_curve *o, const char *word, struct err *err)
{
	uint64_t bytes;

	if (size_parse(word, &bytes, err) != 0)
		return -1;
	if (bytes < 4 || bytes > 4096 || (bytes & (bytes - 1)) != 0)
		return err_set(err, "a line of '%s': it is a power of two from 4 to 4096 bytes",
			       word);
	for (unsigned i = 0; i < o->exact.line_count; i++)
		if (o->exact.line_bytes[i] == bytes)
			return err_set(err, "a line of '%s' is in the list twice", word);
	o->exact.line_bytes[o->exact.line_count++] = (uint32_t)bytes;
	return 0;
}

/* 1/N, or 1/N:MOST. */
static int take_sample_of_lines(struct simulate_curve *o, char *word, struct err *err)
{
	char *most = strchr(word, ':');

	if (o->exact.one_in > 0)
		return err_set(err, "two samples of lines: '%s' is the second", word);
	if (strncmp(word, "1/", 2) != 0)
		return err_set(err, "a sample of '%s' of the lines: write 1/128 for one of 128",
			       word);
	if (most != NULL) {
		*most++ = '\0';
		if (number_parse("the most lines of the sample", most, SIMULATE_LEAST_SAMPLED,
				 (uint64_t)1 << 31, &o->exact.most_sampled, err) != 0)
			return -1;
	}
	return number_parse("the N of --lines 1/N", word + 2, 1, SIMULATE_MOST_ONE_IN,
			    &o->exact.one_in, err);
}

int simulate_take_lines(void *options, const char *arg, struct err *err)
{
	struct simulate_curve *o = &((struct options *)options)->exact;
	char *list = strdup(arg), *rest = list, *word;
	int status = list != NULL ? 0 : err_set(err, "out of memory");

	o->exact.line_count = 0;
	o->exact.one_in = o->exact.most_sampled = 0;
	while (status == 0 && (word = strsep(&rest, ",")) != NULL)
		status = strchr(word, '/') != NULL ? take_sample_of_lines(o, word, err)
						   : add_line(o, word, err);
	if (o->exact.line_count == 0)
		o->exact.line_bytes[o->exact.line_count++] = 64;
	free(list);
	return status;
}

int simulate_take_cache(void *options, const char *text, struct err *err)
{
	struct geometry_options *g = &((struct options *)options)->geometry;

	if (g->cache_count < GEOMETRY_MOST_CACHES)
		g->caches[g->cache_count] = text;
	g->cache_count++;
	return 0;
}

int simulate_take_context(void *options, const char *text, struct err *err)
{
	struct options *o = options;
	uint64_t depth;

	if (number_parse("the number of callers", text, 0, SIM_MAX_DEPTH, &depth, err) != 0)
		return -1;
	o->run.config.context_depth = (uint32_t)depth;
	return 0;
}

/* ---- A part of the accesses ---- */

#define LEAST_LENGTH 1000u
#define MOST_LENGTH  UINT64_C(1000000000000)
#define ALL_PPM	     1000000u

/* Parse "10%", "1/10" or "0.1". Returns the part, or NAN. */
static double parse_share(const char *text)
{
	char *end;
	double share = strtod(text, &end), whole;

	if (text[0] < '0' || text[0] > '9')
		return NAN;
	if (*end == '%') {
		share /= 100;
		end++;
	} else if (*end == '/' && end[1] >= '0' && end[1] <= '9') {
		whole = strtod(end + 1, &end);
		share = whole > 0 ? share / whole : NAN;
	}
	return *end == '\0' ? share : NAN;
}

static int take_share(struct channel_config *c, const char *text, struct err *err)
{
	const double share = parse_share(text);

	if (isnan(share))
		return err_set(err, "a sample of '%s': a share is '10%%', '1/10' or '0.1'", text);
	if (share * ALL_PPM < 1 || share > 1)
		return err_set(err,
			       "a sample of %s makes no sense: it is more than 0 and at most "
			       "100 %% of the accesses",
			       text);
	c->sample_ppm = (uint32_t)(share * ALL_PPM + 0.5);
	return 0;
}

/* Parse accesses: "500000", "500K" or "4M". */
static int take_length(struct channel_config *c, const char *text, struct err *err)
{
	char *end;
	uint64_t n = strtoull(text, &end, 10), unit = 1;

	if (*end == 'K' || *end == 'k')
		unit = 1000;
	else if (*end == 'M')
		unit = 1000000;
	end += unit > 1;
	if (text[0] < '0' || text[0] > '9' || *end != '\0')
		return err_set(err,
			       "a sample's length of '%s': it is a number of accesses, such "
			       "as 500K or 4M",
			       text);
	if (n > MOST_LENGTH / unit || n * unit < LEAST_LENGTH)
		return err_set(err,
			       "a sample's length of %s makes no sense: it is from 1000 to "
			       "1000000M accesses",
			       text);
	c->sample_length = n * unit;
	return 0;
}

int simulate_take_sample(void *options, const char *text, struct err *err)
{
	struct channel_config *c = &((struct options *)options)->run.config;
	char *copy = strdup(text), *rest = copy, *word;
	int status = copy != NULL ? take_share(c, strsep(&rest, ","), err)
				  : err_set(err, "out of memory");

	c->sample_length = 0; /* as the caches want it */
	c->sample_fixed = 0;
	while (status == 0 && (word = strsep(&rest, ",")) != NULL) {
		if (strcmp(word, "fixed") == 0)
			c->sample_fixed = 1;
		else
			status = take_length(c, word, err);
	}
	free(copy);
	return status;
}

int simulate_take_line_use(void *options, const char *text, struct err *err)
{
	struct geometry_options *o = &((struct options *)options)->geometry;

	o->line_use = true;
	return geometry_line_share(text, &o->line_share, err);
}

/* Parse "1/8" or "1/8,3". */
int simulate_take_sets(void *options, const char *text, struct err *err)
{
	struct sim_set_choice *c = &((struct options *)options)->sets;
	unsigned parts = 0, part = 0;
	int length = 0;

	if (sscanf(text, "1/%u%n,%u%n", &parts, &length, &part, &length) < 1 ||
	    text[length] != '\0')
		return err_set(err,
			       "sets '%s': one of N parts is '1/N', or '1/N,K' from 0 on, such "
			       "as 1/8,3",
			       text);
	if (parts == 0 || (parts & (parts - 1)) != 0)
		return err_set(err, "sets '%s': the number of parts is a power of two", text);
	if (part >= parts)
		return err_set(err,
			       "sets '%s': that leaves no set, as parts are numbered from 0 to "
			       "%u",
			       text, parts - 1);
	*c = (struct sim_set_choice){parts, part};
	return 0;
}
