/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Data structures of a simulation; see objects_counted.h. */
#include "cli/commands/objects_counted.h"

#include "cli/cli.h"
#include "cli/view.h"
#include "cli/view_options.h"
#include "views/counted/counted.h"

#define REPORT_ROWS 40 /* if the command has no default */

static int print(const struct options *o, const struct profile *p)
{
	const size_t rows = o->query.limit != 0 ? o->query.limit : REPORT_ROWS;
	struct display d = view_display();
	struct structures s;
	struct text out = {0};
	struct err err;
	int status;

	if (structures_init(&s, p, &o->query, (enum data_by)o->sites_by, o->word, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	status = VIEW_WRITE(structures, o, &s, &out, &err, rows, &d);
	structures_release(&s);
	return view_show(&out, status, &err);
}

int objects_counted(const struct options *o)
{
	static const int of_samples[] = {VIEW_OF_SAMPLES, 0};
	struct err err;

	if (options_first(o, of_samples) == NULL)
		return view_run(o, PROFILE_BINS, print);
	err_set(&err, "profile '%s' has events and no samples: --%s is for those of 'dwell record'",
		o->input, options_first(o, of_samples));
	return cli_fail(&err, EXIT_USAGE);
}
