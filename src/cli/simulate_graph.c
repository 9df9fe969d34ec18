/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options for the call graph of a simulated run; see simulate_graph.h. */
#include "cli/simulate_graph.h"

#include "base/size.h"
#include "cli/exit_codes.h"
#include "sim/calls/contexts.h"

enum { KEY_CONTEXT = 0x410, KEY_SEPARATE_THREADS, KEY_JUMPS, KEY_NO_CALL_GRAPH };

static const struct argp_option options[] = {
	{"context", KEY_CONTEXT, "N", 0,
	 "Tell calls of a function apart by their last N callers (default 0: only the function "
	 "counts)",
	 8},
	{"separate-threads", KEY_SEPARATE_THREADS, NULL, 0,
	 "Tell what a function costs in each thread", 8},
	{"jumps", KEY_JUMPS, NULL, 0, "Count where branches and jumps go to", 8},
	{"no-call-graph", KEY_NO_CALL_GRAPH, NULL, 0,
	 "Do not follow calls: costs of code only, in less time", 8},
	{0},
};

static const struct {
	int key;
	const char *name;
	uint32_t flag;
} flags[] = {
	{KEY_SEPARATE_THREADS, "separate-threads", CHANNEL_SEPARATE_THREADS},
	{KEY_JUMPS, "jumps", CHANNEL_JUMPS},
	{KEY_NO_CALL_GRAPH, "no-call-graph", CHANNEL_NO_GRAPH},
};

/* Options that say how calls are followed, and one that says that they are not. */
static void check(const struct simulate_graph *o, struct argp_state *state)
{
	const struct channel_config *c = o->config;
	const char *other = c->context_depth != 0			   ? "context"
			    : c->simulate_flags & CHANNEL_SEPARATE_THREADS ? "separate-threads"
			    : c->simulate_flags & CHANNEL_JUMPS		   ? "jumps"
									   : NULL;

	if ((c->simulate_flags & CHANNEL_NO_GRAPH) && other != NULL)
		argp_failure(state, EXIT_USAGE, 0,
			     "--%s wants the call graph: leave out --no-call-graph", other);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct simulate_graph *o = state->input;
	struct err err;
	uint64_t depth;

	if (key == ARGP_KEY_END) {
		check(o, state);
		return 0;
	}
	if (key == KEY_CONTEXT) {
		if (number_parse("the number of callers", arg, 0, SIM_MAX_DEPTH, &depth, &err) != 0)
			argp_failure(state, EXIT_USAGE, 0, "%s", err.text);
		o->config->context_depth = (uint32_t)depth;
		o->first = o->first != NULL ? o->first : "context";
		return 0;
	}
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (flags[i].key == key) {
			o->config->simulate_flags |= flags[i].flag;
			o->first = o->first != NULL ? o->first : flags[i].name;
			return 0;
		}
	return ARGP_ERR_UNKNOWN;
}

const struct argp simulate_graph_argp = {options, parse, NULL, NULL, NULL, NULL, NULL};
