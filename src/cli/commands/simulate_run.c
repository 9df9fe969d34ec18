/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell simulate -- COMMAND: a run through simulated caches, and its event profile. */
#include "cli/commands/simulate_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands/simulate_events.h"
#include "cli/commands/target_end.h"
#include "collector/simulation/geometry_text.h"

void simulate_notice(void *context, const char *line)
{
	(void)context;
	fprintf(stderr, "dwell: %s\n", line);
}

/* The command that shows the profile. */
static const char *view_of(const struct options *o)
{
	static const char *const of_curves[EXACT_BYS] = {
		[EXACT_BY_NOTHING] = "curve",	[EXACT_BY_LINE] = "report --by line",
		[EXACT_BY_FUNCTION] = "report", [EXACT_BY_DATA] = "objects",
		[EXACT_BY_OBJECT] = "objects",
	};

	return o->curve ? of_curves[o->exact.exact.by] : "report";
}

void simulate_summary(const struct options *o, uint64_t accesses, const char *output)
{
	if (!o->is_quiet)
		target_end_summary(accesses, output, view_of(o));
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

/* Add the hierarchy "NAME=SIZE,WAYS,LINE NAME=...". */
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
	g.line_share = 0;
	free(copy);
	return status == 0 ? add_geometry(c, &g, err) : -1;
}

/* Check that --no-call-graph excludes the options of the call graph. */
static int check_graph(const struct options *o, struct err *err)
{
	static const int of_graph[] = {OPTION_CONTEXT, OPTION_SEPARATE_THREADS, OPTION_JUMPS, 0};
	const char *other = options_first(o, of_graph);

	if (options_given(o, OPTION_NO_CALL_GRAPH) && other != NULL)
		return err_set(err, "--%s needs the call graph: leave out --no-call-graph", other);
	return 0;
}

/* Whose data misses is counted by the filter, of one hierarchy. */
static int check_data(const struct options *o, struct err *err)
{
	static const int others[] = {OPTION_ALSO, OPTION_NO_FILTER, 0};
	static const int of_data[] = {OPTION_WHOSE, OPTION_REFERENCES, OPTION_CONFLICTS, 0};
	static const int parts[] = {OPTION_SAMPLE, OPTION_SETS, 0};
	const char *other = options_first(o, others), *one = options_first(o, of_data);
	const char *part = options_first(o, parts);

	if (one != NULL && other != NULL)
		return err_set(err, "--%s cannot be counted with --%s: leave one out", one, other);
	if (options_given(o, OPTION_REFERENCES) && options_given(o, OPTION_SETS))
		return err_set(err, "--references needs all sets: leave out --sets");
	if (options_given(o, OPTION_CONFLICTS) && part != NULL)
		return err_set(err,
			       "--conflicts needs all accesses, to compare with a cache of one "
			       "set: leave out --%s",
			       part);
	return 0;
}

/*
 * The mean length of stretches, unless the user gives one. Each place of a cache is unknown once in
 * a stretch. Where few are, more and shorter stretches make a smaller error.
 */
static uint64_t stretch_length(const struct sim_geometry *g)
{
	const uint64_t for_a_place = 64, least = 100000, most = 1000000;
	uint64_t length = least;

	for (unsigned i = 0; i < g->level_count; i++) {
		const struct sim_cache_geometry *c = &g->levels[i];
		const uint64_t all = for_a_place * (c->size_bytes / c->line_bytes);

		length = all > length ? all : length;
	}
	return length < most ? length : most;
}

/*
 * A part of the accesses is simulated by the filter, in one hierarchy, and without calls: what a
 * call costs while the simulation is off would be missing.
 */
static int take_sample(struct options *o, struct sim_geometry *g, struct err *err)
{
	static const int others[] = {OPTION_ALSO, OPTION_NO_FILTER, OPTION_LINE_USE,
				     OPTION_WRITE_BACKS, 0};
	static const int of_calls[] = {OPTION_CONTEXT, OPTION_SEPARATE_THREADS, OPTION_JUMPS, 0};
	struct channel_config *c = &o->run.config;
	const char *other = options_first(o, others), *of_call = options_first(o, of_calls);

	if (!options_given(o, OPTION_SAMPLE))
		return 0;
	if (other != NULL)
		return err_set(err, "--sample does not go with --%s: leave one out", other);
	if (of_call != NULL)
		return err_set(err,
			       "--%s needs all calls, and --sample follows none: leave one out",
			       of_call);
	if (c->sample_ppm == 1000000) { /* all of them: an exact simulation */
		c->sample_ppm = 0;
		return 0;
	}
	g->is_sampled = true;
	if (c->sample_length == 0)
		c->sample_length = stretch_length(g);
	c->seed = o->seed;
	c->simulate_flags |= CHANNEL_NO_GRAPH;
	return 0;
}

/* Some sets are simulated by the filter, in one hierarchy whose caches have sets in common. */
static int take_sets(const struct options *o, struct sim_geometry *g, struct err *err)
{
	static const int others[] = {OPTION_ALSO, OPTION_NO_FILTER, OPTION_LINE_USE,
				     OPTION_WRITE_BACKS, 0};
	const char *other = options_first(o, others);
	const uint64_t sets = sim_geometry_least_sets(g);

	if (!options_given(o, OPTION_SETS) || o->sets.parts == 1)
		return 0;
	if (other != NULL)
		return err_set(err, "--sets does not go with --%s: leave one out", other);
	if (sets == 0)
		return err_set(err,
			       "--sets needs caches with lines of one size, and numbers of sets "
			       "that are multiples of the smallest");
	if (o->sets.parts > sets)
		return err_set(err, "--sets 1/%u leaves no set: a cache has %" PRIu64 " sets",
			       o->sets.parts, sets);
	g->sets = o->sets;
	return 0;
}

/* Replay counts the uses of all lines. */
static void take_line_share(const struct options *o, struct channel_config *c,
			    struct sim_geometry *g)
{
	if (o->also_count > 0)
		g->line_share = 0;
	if (g->line_share > 0)
		c->seed = o->seed;
}

static int prepare(struct options *o, struct simulate_events *events, struct err *err)
{
	struct channel_config *c = &o->run.config;
	struct sim_geometry g;

	if (check_graph(o, err) != 0 || check_data(o, err) != 0 ||
	    geometry_options_build(&o->geometry, &g, err) != 0 || take_sample(o, &g, err) != 0 ||
	    take_sets(o, &g, err) != 0)
		return -1;
	take_line_share(o, c, &g);
	if (add_geometry(c, &g, err) != 0)
		return -1;
	if (o->also_count + 1 > CHANNEL_MAX_GEOMETRIES)
		return err_set(err, "more than %u hierarchies: simulate fewer in one run",
			       CHANNEL_MAX_GEOMETRIES);
	for (size_t i = 0; i < o->also_count; i++)
		if (add_also(c, o->also[i], err) != 0)
			return -1;
	c->mode = CHANNEL_MODE_SIMULATE;
	if (o->no_filter)
		c->simulate_flags |= CHANNEL_NO_FILTER;
	return simulate_events_take(events, &o->run, err);
}

int simulate_run(struct options *o)
{
	struct simulate_events events = {.texts = o->query.metrics, .count = o->query.metric_count};
	struct collector_result result;
	struct err err;

	if (prepare(o, &events, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	o->run.command = o->state.words;
	o->run.output = o->output != NULL ? o->output : DEFAULT_PROFILE;
	o->run.warning = simulate_notice;
	o->run.note = o->run.notice = o->is_quiet ? NULL : simulate_notice;
	o->run.config.only_failures = o->is_quiet;
	if (collector_run(&o->run, &result, &err) != 0)
		return cli_fail(&err, target_failure_code(result.failure));
	simulate_events_release(&events);
	target_end_losses(&result, "simulated", "the profile is not complete");
	if (!result.was_native && result.pieces == 0 && o->run.config.sample_ppm != 0)
		simulate_notice(NULL, "no access was simulated, as the run is too short for this "
				      "--sample: give it a greater share, or a shorter length");
	if (!result.was_native && !result.was_cut_off)
		simulate_summary(o, result.accesses, o->run.output);
	return target_end_alike(result.wait_status);
}
