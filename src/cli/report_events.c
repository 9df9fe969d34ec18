/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell report on an event profile: its options, and the table. */
#include "cli/report_events.h"

#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "views/views.h"

#define MOST_EXPRESSION 1000 /* bytes */

enum { KEY_BY = 'b', KEY_INCLUSIVE = 'I', KEY_FOCUS = 0x520, KEY_IGNORE, KEY_THRESHOLD };

static const struct argp_option option_list[] = {
	{"by", KEY_BY, "WHAT", 0,
	 "A row for each function (the default), class, file, object, line, loop, process or "
	 "thread",
	 2},
	{"inclusive", KEY_INCLUSIVE, NULL, 0, "Sort by what functions cost with all that they call",
	 2},
	{"focus", KEY_FOCUS, "REGEX", 0, "Only rows whose name, source file or object file matches",
	 2},
	{"ignore", KEY_IGNORE, "REGEX", 0, "Without rows that match", 2},
	{"threshold", KEY_THRESHOLD, "PERCENT", 0,
	 "Leave out rows with less than this of the whole (default 0)", 2},
	{0},
};

static enum event_by parse_by(const char *name, struct argp_state *state)
{
	size_t i;

	for (i = 0; i < EVENT_BY_COUNT; i++) {
		if (strcmp(name, event_by_names[i]) == 0)
			return (enum event_by)i;
	}
	argp_error(state,
		   "--by '%s' is unknown: it is function, class, file, object, line, loop, process "
		   "or thread",
		   name);
	return EVENT_BY_FUNCTION;
}

/* The last one counts. */
static void parse_regex(regex_t *regex, const regex_t **chosen, const char *text,
			struct argp_state *state)
{
	char reason[128];
	int code;

	if (*chosen != NULL)
		regfree(regex);
	/* The library follows brackets by calling itself, and takes a gigabyte for each {1000}. */
	if (strlen(text) > MOST_EXPRESSION)
		argp_error(state, "an expression of %zu bytes is too long: %d are the most",
			   strlen(text), MOST_EXPRESSION);
	code = regcomp(regex, text, REG_EXTENDED | REG_NOSUB);
	if (code != 0) {
		regerror(code, regex, reason, sizeof(reason));
		argp_error(state, "'%s' is no regular expression: %s", text, reason);
	}
	*chosen = regex;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct report_events *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		*o = (struct report_events){0};
		state->child_inputs[0] = &o->events;
		return 0;
	case KEY_BY:
		o->by = parse_by(arg, state);
		break;
	case KEY_INCLUSIVE:
		o->choice.is_inclusive = true;
		break;
	case KEY_FOCUS:
		parse_regex(&o->focus, &o->choice.focus, arg, state);
		break;
	case KEY_IGNORE:
		parse_regex(&o->ignore, &o->choice.ignore, arg, state);
		break;
	case KEY_THRESHOLD:
		o->choice.threshold = event_parse_percent("threshold", arg, state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	o->is_given = true;
	return 0;
}

static const struct argp_child children[] = {{&event_argp, 0, NULL, 0}, {0}};

const struct argp report_events_argp = {option_list, parse, NULL, NULL, children, NULL, NULL};

bool report_events_given(const struct report_events *o)
{
	return o->is_given || event_options_given(&o->events);
}

int report_events_print(struct report_events *o, struct event_profile *p, enum view_format format,
			uint64_t rows)
{
	struct display d = view_display();
	struct event_report r;
	struct text out = {0};
	struct err err;
	int ret = 0;

	if (event_options_columns(&o->events, p, &o->choice.columns, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (event_report_init(&r, p, o->by, &o->choice, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	if (format == VIEW_CSV)
		event_report_csv(&r, &out);
	else if (format == VIEW_JSON)
		ret = event_report_json(&r, &out, &err);
	else
		ret = event_report_text(&r, rows, &d, &out, &err);
	view_notes(&r.rows.notes);
	event_report_release(&r);
	return view_show(&out, ret, &err);
}

void report_events_release(struct report_events *o)
{
	if (o->choice.focus != NULL)
		regfree(&o->focus);
	if (o->choice.ignore != NULL)
		regfree(&o->ignore);
}
