/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `dwell simulate` is asked for; see simulate_plan.h. */
#include "cli/commands/simulate_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "collector/simulation/geometry_text.h"
#include "sim/plan/plan.h"

#define ALL_PPM 1000000u

/* ---- Caches ---- */

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

/* ---- Asks ---- */

static const struct {
	int option;
	uint32_t ask;
} of_options[] = {
	{OPTION_NO_FILTER, SIM_ASK_NO_FILTER},
	{OPTION_ALSO, SIM_ASK_ALSO},
	{OPTION_SAMPLE, SIM_ASK_SAMPLE},
	{OPTION_SETS, SIM_ASK_SETS},
	{OPTION_CONTEXT, SIM_ASK_CONTEXT},
	{OPTION_SEPARATE_THREADS, SIM_ASK_THREADS},
	{OPTION_JUMPS, SIM_ASK_JUMPS},
	{OPTION_WHOSE, SIM_ASK_DATA},
	{OPTION_REFERENCES, SIM_ASK_REFERENCES},
	{OPTION_CONFLICTS, SIM_ASK_CONFLICTS},
	{OPTION_NO_CALL_GRAPH, SIM_ASK_NO_GRAPH},
};

/* What options and caches ask for; values such as --context=0 or --sample=100% ask for nothing. */
static uint32_t asks_of(const struct options *o, const struct sim_geometry *g)
{
	const uint32_t none = (o->run.config.context_depth == 0 ? SIM_ASK_CONTEXT : 0) |
			      (o->run.config.sample_ppm == ALL_PPM ? SIM_ASK_SAMPLE : 0) |
			      (o->sets.parts == 1 ? SIM_ASK_SETS : 0);
	uint32_t asks =
		(g->line_use ? SIM_ASK_LINE_USE : 0) | (g->write_backs ? SIM_ASK_WRITE_BACKS : 0);

	for (size_t i = 0; i < sizeof(of_options) / sizeof(of_options[0]); i++)
		if (options_given(o, of_options[i].option))
			asks |= of_options[i].ask;
	return asks & ~none;
}

static int check_asks(uint32_t asks, struct err *err)
{
	uint32_t one, other;
	const char *why = sim_plan_contradiction(asks, &one, &other);

	if (why == NULL)
		return 0;
	return err_set(err, "%s does not go with %s, as %s: leave one out", sim_ask_option(one),
		       sim_ask_option(other), why);
}

/*
 * Outside of the stretches of a sample calls are not followed: what they cost then would be
 * missing.
 */
static void take_sample(struct options *o, struct sim_geometry *g, uint32_t *asks)
{
	struct channel_config *c = &o->run.config;

	if (!(*asks & SIM_ASK_SAMPLE)) {
		c->sample_ppm = 0;
		return;
	}
	g->is_sampled = true;
	if (c->sample_length == 0)
		c->sample_length = stretch_length(g);
	c->seed = o->seed;
	*asks |= SIM_ASK_NO_GRAPH;
}

/* Some sets: the caches have sets in common. */
static int take_sets(const struct options *o, struct sim_geometry *g, uint32_t asks,
		     struct err *err)
{
	const uint64_t sets = sim_geometry_least_sets(g);

	if (!(asks & SIM_ASK_SETS))
		return 0;
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

/* Several hierarchies are replayed with all lines. */
static void take_line_share(const struct options *o, struct channel_config *c,
			    struct sim_geometry *g)
{
	if (o->also_count > 0)
		g->line_share = 0;
	if (g->line_share > 0)
		c->seed = o->seed;
}

/* Read the request into the configuration, without a look at what can be done. */
static int read_request(struct options *o, struct err *err)
{
	struct channel_config *c = &o->run.config;
	struct sim_geometry g;

	if (geometry_options_build(&o->geometry, &g, err) != 0)
		return -1;
	c->asks = asks_of(o, &g);
	if (check_asks(c->asks, err) != 0 || take_sets(o, &g, c->asks, err) != 0)
		return -1;
	take_sample(o, &g, &c->asks);
	take_line_share(o, c, &g);
	if (c->asks & (SIM_ASK_REFERENCES | SIM_ASK_CONFLICTS))
		c->asks |= SIM_ASK_DATA;
	if (c->asks & SIM_ASK_DATA)
		c->objects = 1;
	if (add_geometry(c, &g, err) != 0)
		return -1;
	if (o->also_count + 1 > CHANNEL_MAX_GEOMETRIES)
		return err_set(err, "more than %u hierarchies: simulate fewer in one run",
			       CHANNEL_MAX_GEOMETRIES);
	for (size_t i = 0; i < o->also_count; i++)
		if (add_also(c, o->also[i], err) != 0)
			return -1;
	return 0;
}

static struct sim_request request_of(const struct channel_config *c)
{
	return (struct sim_request){.geometries = (const struct sim_geometry *)c->geometry,
				    .count = c->geometry_count,
				    .asks = c->asks};
}

int simulate_plan(struct options *o, struct err *err)
{
	struct sim_request r;
	struct sim_plan plan;

	if (read_request(o, err) != 0)
		return -1;
	r = request_of(&o->run.config);
	sim_plan_make(&r, &plan);
	if (plan.missing == 0)
		return 0;
	return err_set(err, "%s needs %s: leave it out, or change the caches ('--plan' tells all)",
		       sim_ask_option(plan.missing),
		       sim_plan_why_missing(&r, &plan, plan.missing & -plan.missing));
}

/* ---- --plan ---- */

static void print_rules(enum sim_way way)
{
	const char *needs;

	for (unsigned i = 0; (needs = sim_way_rule(way, i)) != NULL; i++)
		printf("    %s\n", needs);
}

/* All ways, the best first, and what each needs. */
static void print_ways(void)
{
	printf("\nWays to simulate, the best first; a run takes the first one that fits.\n"
	       "All but 'replay' need:\n");
	print_rules(SIM_WAYS);
	for (enum sim_way way = 0; way < SIM_WAYS; way++) {
		printf("\n%s: %s; %s times the time of the run alone%s\n", sim_way_texts[way].name,
		       sim_way_texts[way].how, sim_way_texts[way].price,
		       sim_way_rule(way, 0) != NULL ? ". Needs:" : "");
		print_rules(way);
	}
}

int simulate_show_plan(struct options *o)
{
	struct sim_request r;
	struct sim_plan plan;
	struct err err;

	if (read_request(o, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	r = request_of(&o->run.config);
	sim_plan_make(&r, &plan);
	printf("This run: %s: %s; usually %s times the time of the run alone.\n",
	       sim_way_texts[plan.way].name, sim_way_texts[plan.way].how,
	       sim_way_texts[plan.way].price);
	if (plan.why != NULL)
		printf("A faster way would need %s.\n", plan.why);
	for (uint32_t left = plan.missing; left != 0; left &= left - 1)
		printf("%s cannot be done: it needs %s.\n", sim_ask_option(left),
		       sim_plan_why_missing(&r, &plan, left & -left));
	print_ways();
	return plan.missing == 0 ? 0 : EXIT_USAGE;
}
