/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by report, calls and annotate where they show an event profile. */
#include "cli/event_options.h"

#include <string.h>

#include "cli/cli.h"

int event_options_columns(const struct query *q, struct event_profile *p,
			  struct event_columns *columns, struct err *err)
{
	size_t i;

	*columns = (struct event_columns){.by_default = q->metric_count == 0};
	for (i = 0; i < q->metric_count; i++) {
		if (events_column(p, q->metrics[i], &columns->items[columns->count++], err) != 0)
			return -1;
	}
	columns->sort = columns->items[0];
	if (q->sort != NULL && events_column(p, q->sort, &columns->sort, err) != 0) {
		if (!q->is_sort_usual)
			return -1;
		columns->sort = columns->items[0];
	}
	for (i = 0; columns->by_default && i < p->column_count && i < EVENT_COLUMNS; i++) {
		/* skip columns whose formula was replaced */
		if (p->columns[i].name[0] != '\0' && !event_use_is_variance(p, i))
			columns->items[columns->count++] = i;
	}
	return 0;
}

bool event_options_chosen(const struct options *o)
{
	return o->query.metric_count > 0 || o->query.sort != NULL;
}

static void move_to_front(struct event_columns *c, size_t column)
{
	size_t at = 0;

	while (at < c->count && c->items[at] != column)
		at++;
	if (at == c->count)
		return;
	memmove(&c->items[1], &c->items[0], at * sizeof(c->items[0]));
	c->items[0] = column;
}

/* The column with the name of another and `ending`; SIZE_MAX: there is none. */
static size_t column_named(const struct event_profile *p, size_t other, const char *ending)
{
	const char *name = p->columns[other].name;
	const size_t n = strlen(name);

	for (size_t i = 0; i < p->column_count; i++)
		if (strncmp(p->columns[i].name, name, n) == 0 &&
		    strcmp(p->columns[i].name + n, ending) == 0)
			return i;
	return SIZE_MAX;
}

bool event_options_prefer_misses(const struct options *o, const struct event_profile *p,
				 const struct event_caches *caches, struct event_columns *c)
{
	const struct event_cache *last = event_caches_last(caches);

	if (o->format != VIEW_TEXT || event_options_chosen(o) || last == NULL)
		return false;
	for (size_t i = 0; i < caches->count; i++)
		if (!caches->items[i].is_code && caches->items[i].column != SIZE_MAX) {
			move_to_front(c, column_named(p, caches->items[i].column, ".high"));
			move_to_front(c, column_named(p, caches->items[i].column, ".low"));
			move_to_front(c, caches->items[i].column);
		}
	c->sort = last->column;
	return true;
}

int event_options_thread(const struct query *q, struct event_profile *p, struct err *err)
{
	return q->thread == QUERY_ANY ? 0 : events_keep_thread(p, q->thread, err);
}

int event_options_open(const struct options *o, struct event_profile *p, int *code)
{
	struct err err;
	int status = events_open(p, o->input, o->query.process, &err);

	if (status == 0 && event_options_thread(&o->query, p, &err) != 0) {
		events_close(p);
		status = -1;
	}
	if (status < 0)
		*code = cli_fail(&err, EXIT_INPUT);
	return status;
}

/*
 * Refuse an option that the kind of profile that the options name does not take. Returns an exit
 * code, after printing the reason.
 */
static int check(const struct options *o, const struct event_or_sample_view *view)
{
	const unsigned kinds = view_kinds(o->input);
	const char *unused;
	struct err err;

	if (kinds == 0) /* opening it says why */
		return EXIT_OK;
	if ((kinds & KINDS_COUNTED) != 0) {
		unused = options_first(o, view->of_samples);
		err_set(&err,
			"profile '%s' has events and no samples: --%s is for those of 'dwell "
			"record'",
			o->input, unused);
	} else {
		unused = options_first(o, view->of_events);
		err_set(&err,
			"profile '%s' has %s and no events: --%s is for those of 'dwell "
			"simulate' and 'dwell import'",
			o->input, kinds == KIND_COUNTS ? "counts" : "samples", unused);
	}
	return unused == NULL ? EXIT_OK : cli_fail(&err, EXIT_USAGE);
}

int event_options_run(struct options *o, const struct event_or_sample_view *view)
{
	struct event_profile p;
	int code = check(o, view), status;

	if (code != EXIT_OK)
		return code;
	status = event_options_open(o, &p, &code);
	if (status < 0)
		return code;
	if (status > 0)
		return view_run(o, PROFILE_SAMPLES, view->samples);
	code = view->events(o, &p);
	events_close(&p);
	return code;
}

int event_options_answer(const struct options *o, const struct event_or_sample_view *v,
			 const char *view)
{
	const int code = check(o, v);

	return code == EXIT_OK ? view_answer(o, view) : code;
}
