/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell simulate -- COMMAND: a run through simulated caches, and its event profile. */
#include "cli/commands/simulate_run.h"

#include <stdio.h>

#include "cli/cli.h"
#include "cli/commands/simulate_events.h"
#include "cli/commands/simulate_plan.h"
#include "cli/commands/target_end.h"

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

static int prepare(struct options *o, struct simulate_events *events, struct err *err)
{
	if (simulate_plan(o, err) != 0)
		return -1;
	o->run.config.mode = CHANNEL_MODE_SIMULATE;
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
