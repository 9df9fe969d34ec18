/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell report on an event profile: its options, and the table. */
#include "cli/commands/report_events.h"

#include <string.h>

#include "answer/report.h"
#include "cli/cli.h"
#include "cli/view.h"
#include "estimate/counted/structures.h"
#include "events/event_caches.h"
#include "views/screen/first_screen.h"

#define DEFAULT_ROWS 40

/* The first screen is for functions only. Users who ask for other rows have already seen it. */
static bool has_first_screen(const struct options *o, const struct event_caches *caches)
{
	return o->by == EVENT_BY_FUNCTION && !event_options_chosen(o) && !o->is_inclusive &&
	       event_caches_last(caches) != NULL;
}

/* The first screen with the data structures of a process, if the profile has counted them. */
static int print_first_screen(const struct options *o, const struct event_report *r,
			      const struct event_caches *caches, const struct display *d,
			      struct text *out, struct err *err)
{
	const int64_t process = r->p->process == STORE_ALL ? STORE_NONE : r->p->process;
	struct query q = query_at(&o->query, 0);
	struct structures data;
	struct profile p;
	int status;

	/* Bins are not kept apart by thread. */
	if (r->p->thread != STORE_NONE || !view_is_counted(o->input))
		return first_screen_events(r, caches, NULL, o->input, d, out, err);
	if (profile_open_parts(&p, o->input, process, PROFILE_BINS, err) != 0)
		return -1;
	q.sort = event_caches_last(caches)->name;
	q.is_sort_usual = true;
	status = structures_init(&data, &p, &q, DATA_BY_LINE, NULL, err);
	if (status == 0) {
		status = first_screen_events(r, caches, &data, o->input, d, out, err);
		structures_release(&data);
	}
	profile_close(&p);
	return status;
}

static int print(const struct options *o, const struct event_report *r,
		 const struct event_caches *caches, struct text *out, struct err *err)
{
	const size_t rows = o->query.limit != 0 ? o->query.limit : DEFAULT_ROWS;
	const struct display d = view_display();
	struct answer a = {0};
	int status = 0;

	if (o->format == VIEW_TEXT && has_first_screen(o, caches)) {
		status = print_first_screen(o, r, caches, &d, out, err);
		text_add(out, "\n");
	}
	if (status == 0)
		status = report_of_events(&a, r, rows, err);
	if (status == 0)
		status = view_write(o, &a, out, err);
	answer_release(&a);
	return status;
}

int report_events_print(const struct options *o, struct event_profile *p)
{
	static const size_t first_of_profile = 0;
	struct event_choice choice = {
		.is_inclusive = o->is_inclusive,
		.threshold = o->threshold,
		.query = &o->query,
	};
	struct event_caches caches;
	struct event_report r;
	struct text out = {0};
	struct err err;
	int ret;

	if (event_options_columns(&o->query, p, &choice.columns, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (event_caches_read(&caches, p, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	if (event_options_prefer_misses(o, p, &caches, &choice.columns))
		choice.second = &first_of_profile;
	if (event_report_init(&r, p, (enum event_by)o->by, &choice, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	ret = print(o, &r, &caches, &out, &err);
	view_notes(&r.rows.notes);
	event_report_release(&r);
	return view_show(&out, ret, &err);
}
