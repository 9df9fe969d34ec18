/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell report on an event profile: its options, and the table. */
#include "cli/commands/report_events.h"

#include "cli/cli.h"
#include "views/views.h"

#define DEFAULT_ROWS 40

int report_events_print(const struct options *o, struct event_profile *p)
{
	struct event_choice choice = {
		.is_inclusive = o->is_inclusive,
		.threshold = o->threshold,
		.focus = o->query.has_focus ? &o->query.focus : NULL,
		.ignore = o->query.has_ignore ? &o->query.ignore : NULL,
	};
	size_t rows = o->query.limit != 0 ? o->query.limit : DEFAULT_ROWS;
	struct display d = view_display();
	struct event_report r;
	struct text out = {0};
	struct err err;
	int ret = 0;

	if (event_options_columns(&o->query, p, &choice.columns, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (event_report_init(&r, p, (enum event_by)o->by, &choice, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	if (o->format == VIEW_CSV)
		event_report_csv(&r, &out);
	else if (o->format == VIEW_JSON)
		ret = event_report_json(&r, &out, &err);
	else
		ret = event_report_text(&r, rows, &d, &out, &err);
	view_notes(&r.rows.notes);
	event_report_release(&r);
	return view_show(&out, ret, &err);
}
