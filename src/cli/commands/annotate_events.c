/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell annotate on an event profile: source or machine code, or the list of functions. */
#include "cli/commands/annotate_events.h"

#include "base/text.h"
#include "cli/cli.h"
#include "cli/view_options.h"
#include "events/event_annotate.h"
#include "events/event_report.h"
#include "views/views.h"

static int print_list(const struct options *o, const struct event_profile *p,
		      const struct event_columns *columns)
{
	struct event_choice choice = {
		.columns = *columns,
		.query = &o->query,
	};
	struct display d = view_display();
	struct event_report r;
	struct text out = {0};
	struct err err;
	int ret = 0;

	if (event_report_init(&r, p, EVENT_BY_FUNCTION, &choice, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	ret = VIEW_WRITE(event_report, o, &r, &out, &err, o->query.limit, &d);
	event_report_release(&r);
	return view_show(&out, ret, &err);
}

static int print_code(const struct options *o, const struct event_annotation *a)
{
	struct display d = view_display();
	struct text out = {0}, notes = {0};
	struct err err;
	int ret = 0;

	if (o->format == VIEW_CSV && o->is_asm)
		event_code_csv(a, &out);
	else if (o->format == VIEW_CSV)
		event_annotation_csv(a, &out);
	else if (o->format == VIEW_JSON)
		ret = o->is_asm ? event_code_json(a, &out, &err)
				: event_annotation_json(a, &out, &err);
	else
		ret = o->is_asm ? event_code_text(a, &d, &out, &notes, &err)
				: event_annotation_text(a, o->all, &d, &out, &notes, &err);
	text_add(&notes, a->function.note);
	view_notes(&notes);
	return view_show(&out, ret, &err);
}

int annotate_events(const struct options *o, struct event_profile *p)
{
	struct event_annotation a;
	struct event_columns columns;
	struct err err;
	int code;

	if (event_options_columns(&o->query, p, &columns, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (o->word == NULL)
		return print_list(o, p, &columns);
	if (event_annotation_init(&a, p, &columns, o->word, o->is_asm, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	code = print_code(o, &a);
	event_annotation_release(&a);
	return code;
}
