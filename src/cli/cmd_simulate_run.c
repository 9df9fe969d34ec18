/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell simulate -- COMMAND: a run through simulated caches, and its event profile. */
#include "cli/simulate_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/target_end.h"
#include "sim/geometry.h"

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

	if (r->lost_processes > 0)
		fprintf(stderr,
			"dwell: %" PRIu64 " processes were not simulated: too many ran at once\n",
			r->lost_processes);
	if (r->lost_records > 0)
		fprintf(stderr, "dwell: %" PRIu64 " records were lost: the profile is not complete\n",
			r->lost_records);
	if (!r->was_native && !o->is_quiet)
		fprintf(stderr, "dwell: %s accesses simulated, written to %s\n",
			format_count(r->accesses, accesses), o->run.output);
}

int simulate_run(struct simulate_run *o)
{
	struct collector_result result;
	struct err err;

	o->run.config.gear = CHANNEL_GEAR_SIMULATE;
	o->run.config.objects = o->run.config.paths = 0;
	if (o->run.output == NULL)
		o->run.output = DEFAULT_PROFILE;
	o->run.warning = show_notice;
	o->run.notice = o->is_quiet ? NULL : show_notice;
	if (collector_run(&o->run, &result, &err) != 0)
		return cli_fail(&err, target_failure_code(result.failure));
	show_summary(o, &result);
	return target_end_alike(result.wait_status);
}
