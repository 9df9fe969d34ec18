/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by report, calls and annotate where they show an event profile. */
#include "cli/event_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { KEY_EVENT = 'e', KEY_SORT = 0x500 };

static const struct argp_option option_list[] = {
	{"event", KEY_EVENT, "EVENT", 0,
	 "Show this event: its name, or a formula as 'CEst = Ir + 10*L1m + 100*LLm'; may be given "
	 "again for more columns (default: all)",
	 2},
	{"sort", KEY_SORT, "EVENT", 0,
	 "Sort by this event, and show shares of it (default: the first one shown)", 2},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct event_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		*o = (struct event_options){0};
		return 0;
	case KEY_EVENT:
		if (o->event_count == EVENT_OPTIONS_MOST)
			argp_error(state, "more than %d events", EVENT_OPTIONS_MOST);
		o->events[o->event_count++] = arg;
		return 0;
	case KEY_SORT:
		o->sort = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp event_argp = {option_list, parse, NULL, NULL, NULL, NULL, NULL};

bool event_options_given(const struct event_options *o)
{
	return o->event_count > 0 || o->sort != NULL;
}

int event_options_columns(const struct event_options *o, struct event_profile *p,
			  struct event_columns *columns, struct err *err)
{
	size_t i;

	*columns = (struct event_columns){.by_default = o->event_count == 0};
	for (i = 0; i < o->event_count; i++) {
		if (events_column(p, o->events[i], &columns->items[columns->count++], err) != 0)
			return -1;
	}
	columns->sort = columns->items[0];
	if (o->sort != NULL && events_column(p, o->sort, &columns->sort, err) != 0)
		return -1;
	for (i = 0; columns->by_default && i < p->column_count && i < EVENT_COLUMNS; i++) {
		if (p->columns[i].name[0] != '\0') /* not one that was given another formula */
			columns->items[columns->count++] = i;
	}
	return 0;
}

int event_options_open(const struct view *v, struct event_profile *p, int *code)
{
	struct err err;
	int status = events_open(p, v->common.input, v->process, &err);

	if (status < 0)
		*code = cli_fail(&err, EXIT_INPUT);
	return status;
}

const char *event_options_instead(const struct view *v)
{
	const char *has = "samples";
	struct store *s;

	if (store_open_readonly(v->common.input, &s, NULL) != 0)
		return has;
	if (store_is_counted(s))
		has = "counts";
	store_close(s);
	return has;
}

double event_parse_percent(const char *name, const char *text, struct argp_state *state)
{
	char *end;
	double percent;

	errno = 0;
	percent = strtod(text, &end);
	if (end == text || *end != '\0' || errno != 0 || !(percent >= 0 && percent <= 100))
		argp_error(state, "%s '%s': a percentage is from 0 to 100", name, text);
	return percent / 100;
}
