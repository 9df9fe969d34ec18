/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell simulate --trace: simulates a recorded trace, and writes its event profile. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands/new_profile.h"
#include "cli/commands/simulate_run.h"
#include "cli/outputs.h"
#include "collector/simulation/trace_profile.h"

/* Where the profile goes. */
static const char *output_of(const struct options *o)
{
	return o->output != NULL ? o->output : DEFAULT_PROFILE;
}

static int simulate(const struct options *o, FILE *in, const char *name,
		    const struct sim_geometry *g)
{
	const char *output = output_of(o);
	enum trace_format format = options_set(o, OPTION_TRACE_FORMAT)
					   ? (enum trace_format)(o->trace_format + 1)
					   : TRACE_GUESS;
	struct new_profile made;
	uint64_t accesses = 0;
	struct err err;
	int status;

	if (new_profile_create(&made, output, &err) != 0)
		return cli_fail(&err, EXIT_OUTPUT);
	status = trace_profile_write(in, name, format, g, made.store, &accesses, &err);
	if (new_profile_end(&made, status, &err) != 0)
		return cli_fail(&err, made.write_failed ? EXIT_OUTPUT : EXIT_INPUT);
	simulate_summary(o, accesses, output);
	return EXIT_OK;
}

int simulate_trace(const struct options *o)
{
	bool is_stdin = strcmp(o->trace, "-") == 0;
	const char *name = is_stdin ? "standard input" : o->trace;
	struct sim_geometry g;
	FILE *in = stdin;
	struct err err;
	int code;

	if (geometry_options_build(&o->geometry, &g, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	g.line_share = 0;
	if (!is_stdin && outputs_check_profile(output_of(o), &o->trace, 1, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (!is_stdin)
		in = fopen(o->trace, "re");
	if (in == NULL) {
		err_set(&err, "cannot read %s: %s", name, strerror(errno));
		return cli_fail(&err, EXIT_INPUT);
	}
	code = simulate(o, in, name, &g);
	if (!is_stdin)
		fclose(in);
	return code;
}
