/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of simulations whose values a type alone does not describe. */
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "cli/option_values.h"
#include "cli/options.h"
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

int simulate_take_lines(void *options, const char *arg, struct err *err)
{
	struct simulate_curve *o = &((struct options *)options)->exact;
	char *list = strdup(arg), *rest = list, *word;
	int status = list != NULL ? 0 : err_set(err, "out of memory");

	o->exact.line_count = 0;
	while (status == 0 && (word = strsep(&rest, ",")) != NULL)
		status = add_line(o, word, err);
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

static int add_flag(void *options, uint32_t flag)
{
	((struct options *)options)->run.config.simulate_flags |= flag;
	return 0;
}

int simulate_take_threads(void *options, const char *text, struct err *err)
{
	return add_flag(options, CHANNEL_SEPARATE_THREADS);
}

int simulate_take_jumps(void *options, const char *text, struct err *err)
{
	return add_flag(options, CHANNEL_JUMPS);
}

int simulate_take_data(void *options, const char *text, struct err *err)
{
	((struct options *)options)->run.config.objects = 1;
	return add_flag(options, CHANNEL_DATA);
}

int simulate_take_no_graph(void *options, const char *text, struct err *err)
{
	return add_flag(options, CHANNEL_NO_GRAPH);
}
