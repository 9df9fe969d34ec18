/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell annotate on an event profile: source or machine code, or the list of functions. */
#include "cli/commands/annotate_events.h"

#include "answer/report.h"
#include "cli/cli.h"
#include "cli/view.h"
#include "cli/view_options.h"
#include "events/event_annotate.h"
#include "views/counted/counted.h"
#include "views/views.h"

static int print_list(const struct options *o, const struct event_profile *p,
		      const struct event_columns *columns)
{
	struct event_choice choice = {
		.columns = *columns,
		.query = &o->query,
	};
	struct event_report r;
	struct answer a = {0};
	struct text out = {0};
	struct err err;
	int ret;

	if (event_report_init(&r, p, EVENT_BY_FUNCTION, &choice, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	ret = report_of_events(&a, &r, o->query.limit, &err);
	if (ret == 0)
		ret = view_write(o, &a, &out, &err);
	answer_release(&a);
	event_report_release(&r);
	return view_show(&out, ret, &err);
}

static int print_code(const struct options *o, const struct event_annotation *a,
		      const struct code_data *data)
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
		ret = o->is_asm ? event_code_json(a, data, &out, &err)
				: event_annotation_json(a, data, &out, &err);
	else
		ret = o->is_asm ? event_code_text(a, &d, &out, &notes, &err)
				: event_annotation_text(a, o->all, &d, &out, &notes, &err);
	if (ret == 0 && o->format == VIEW_TEXT && data != NULL)
		ret = code_data_text(data, a, o->sources, &d, &out, &err);
	text_add(&notes, a->function.note);
	view_notes(&notes);
	return view_show(&out, ret, &err);
}

static size_t line_of(const void *annotation, int64_t location)
{
	return event_annotation_line(annotation, location);
}

/* The code with the data that it misses on. */
static int print_with_data(const struct options *o, const struct event_annotation *a)
{
	const int64_t process = a->p->process == STORE_ALL ? STORE_NONE : a->p->process;
	struct code_data data;
	struct profile p;
	struct err err;
	int code;

	if (profile_open_parts(&p, o->input, process, PROFILE_BINS | PROFILE_RANGES, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	if (code_data_init(&data, &p, &o->query, line_of, a, &err) == 0) {
		code = print_code(o, a, &data);
		code_data_release(&data);
	} else {
		code = cli_fail(&err, EXIT_INPUT);
	}
	profile_close(&p);
	return code;
}

/* Bins are not kept apart by thread, and CSV has no place for them. */
static bool has_data(const struct options *o, const struct event_annotation *a)
{
	return a->p->thread == STORE_NONE && o->format != VIEW_CSV && view_is_counted(o->input);
}

int annotate_events(const struct options *o, struct event_profile *p)
{
	static const int of_data[] = {OPTION_SOURCES, 0};
	struct event_annotation a;
	struct event_columns columns;
	struct event_caches caches;
	struct err err;
	int code;

	if (event_options_columns(&o->query, p, &columns, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (event_caches_read(&caches, p, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	event_options_prefer_misses(o, p, &caches, &columns);
	if (o->word == NULL)
		return print_list(o, p, &columns);
	if (event_annotation_init(&a, p, &columns, o->word, o->is_asm, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (has_data(o, &a)) {
		code = print_with_data(o, &a);
	} else if (options_given(o, OPTION_SOURCES)) {
		err_set(&err,
			"profile '%s' has no data of lines: --%s is for those of 'dwell record' "
			"and 'dwell simulate --data'",
			o->input, options_first(o, of_data));
		code = cli_fail(&err, EXIT_USAGE);
	} else {
		code = print_code(o, &a, NULL);
	}
	event_annotation_release(&a);
	return code;
}
