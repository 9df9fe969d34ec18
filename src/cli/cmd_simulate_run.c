/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell simulate -- COMMAND: a run through simulated caches, and its event profile. */
#include "cli/simulate_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/target_end.h"
#include "collector/geometry_text.h"

enum { KEY_ALSO = 0x400, KEY_NO_FILTER };

static const struct argp_option options[] = {
	{"also", KEY_ALSO, "CACHES", 0,
	 "Simulate these caches, too, in the same run: 'NAME=SIZE,WAYS,LINE ...'; their events have "
	 "_2, _3, ... behind their names",
	 6},
	{"no-filter", KEY_NO_FILTER, NULL, 0,
	 "Take the long way for each access; the counts are the same, which this is to show", 6},
	{"quiet", 'q', NULL, 0, "Say nothing on stderr but errors", 6},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct simulate_run *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		o->control.config = &o->run.config;
		o->graph.config = &o->run.config;
		state->child_inputs[0] = &o->control;
		state->child_inputs[1] = &o->graph;
		state->child_inputs[2] = &o->events;
		return 0;
	case KEY_ALSO:
		if (o->also_count + 1 >= CHANNEL_MAX_GEOMETRIES)
			argp_failure(state, EXIT_USAGE, 0,
				     "more than %u hierarchies: simulate fewer in one run",
				     CHANNEL_MAX_GEOMETRIES);
		o->also[o->also_count++] = arg;
		break;
	case KEY_NO_FILTER:
		o->no_filter = true;
		break;
	case 'q':
		o->is_quiet = true;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	if (o->first == NULL)
		o->first = key == KEY_ALSO ? "also" : key == 'q' ? "quiet" : "no-filter";
	return 0;
}

static const struct argp_child children[] = {{&simulate_control_argp, 0, NULL, 0},
					     {&simulate_graph_argp, 0, NULL, 0},
					     {&simulate_events_argp, 0, NULL, 0},
					     {0}};

const struct argp simulate_run_argp = {options, parse, NULL, NULL, children, NULL, NULL};

const char *simulate_run_first(const struct simulate_run *o)
{
	if (o->first != NULL)
		return o->first;
	if (o->events.count > 0)
		return "event";
	return o->control.first != NULL ? o->control.first : o->graph.first;
}

static void show_notice(void *context, const char *line)
{
	(void)context;
	fprintf(stderr, "dwell: %s\n", line);
}

static const char *format_count(uint64_t n, char text[32])
{
	snprintf(text, 32, n < 1000000 ? "%.0f" : "%.3g", (double)n);
	return text;
}

static void show_summary(const struct simulate_run *o, const struct collector_result *r)
{
	char accesses[32];

	target_end_losses(r, "simulated", "the profile is not complete");
	if (!r->was_native && !o->is_quiet)
		fprintf(stderr, "dwell: %s accesses, written to %s\n",
			format_count(r->accesses, accesses), o->run.output);
}

/* ---- What to simulate ---- */

static int add_geometry(struct channel_config *c, const struct sim_geometry *g, struct err *err)
{
	if ((c->geometry_count + 1) * sizeof(*g) > sizeof(c->geometry))
		return err_set(err, "too many hierarchies: simulate fewer in one run");
	memcpy((char *)c->geometry + c->geometry_count++ * sizeof(*g), g, sizeof(*g));
	c->geometry_bytes = sizeof(*g);
	return 0;
}

/* "NAME=SIZE,WAYS,LINE NAME=..." */
static int add_also(struct channel_config *c, const char *text, struct err *err)
{
	char *copy = strdup(text), *rest = NULL, *word;
	struct geometry_plan plan = {0};
	struct sim_geometry g;
	int status = copy != NULL ? 0 : err_set(err, "out of memory");

	word = copy != NULL ? strtok_r(copy, " ", &rest) : NULL;
	if (status == 0 && word == NULL)
		status = err_set(err, "--also '%s' names no caches", text);
	for (; status == 0 && word != NULL; word = strtok_r(NULL, " ", &rest))
		status = geometry_add(&plan, word, err);
	if (status == 0)
		status = geometry_build(&plan, &g, err);
	free(copy);
	return status == 0 ? add_geometry(c, &g, err) : -1;
}

static int prepare(struct simulate_run *o, const struct geometry_options *geometry, struct err *err)
{
	struct channel_config *c = &o->run.config;
	struct sim_geometry g;

	if (geometry_options_build(geometry, &g, err) != 0 || add_geometry(c, &g, err) != 0)
		return -1;
	for (unsigned i = 0; i < o->also_count; i++)
		if (add_also(c, o->also[i], err) != 0)
			return -1;
	c->gear = CHANNEL_GEAR_SIMULATE;
	if (o->no_filter)
		c->simulate_flags |= CHANNEL_NO_FILTER;
	return simulate_events_take(&o->events, &o->run, err);
}

int simulate_run(struct simulate_run *o, const struct geometry_options *geometry)
{
	struct collector_result result;
	struct err err;

	if (prepare(o, geometry, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (o->run.output == NULL)
		o->run.output = DEFAULT_PROFILE;
	o->run.warning = show_notice;
	o->run.notice = o->is_quiet ? NULL : show_notice;
	if (collector_run(&o->run, &result, &err) != 0)
		return cli_fail(&err, target_failure_code(result.failure));
	simulate_events_release(&o->events);
	show_summary(o, &result);
	return target_end_alike(result.wait_status);
}
