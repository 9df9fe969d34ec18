/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell diff: what is different between two profiles, for people and for tests. */
#include <argp.h>
#include <string.h>

#include "base/condition.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/event_options.h"
#include "cli/view.h"
#include "estimate/diff_samples.h"
#include "events/diff.h"
#include "views/views.h"

#define DEFAULT_ROWS	20
#define CONDITIONS_MOST 64

enum {
	KEY_ROWS = 'n',
	KEY_SIZE = 's',
	KEY_BY = 'b',
	KEY_INCLUSIVE = 0x600,
	KEY_FAIL_IF,
	KEY_PROCESS,
	KEY_FORMAT
};

struct diff_options {
	struct event_options events;
	const char *inputs[2];
	size_t input_count;
	enum event_by by;
	bool by_given, is_inclusive;
	uint64_t rows;
	uint64_t size_bytes; /* 0: the default */
	int64_t process;     /* of both, or STORE_NONE */
	struct view_options format;
	struct condition conditions[CONDITIONS_MOST];
	size_t condition_count;
};

static const struct argp_option option_list[] = {
	{"by", KEY_BY, "WHAT", 0,
	 "Compare by function (the default), line, file, object or class; of samples by function, "
	 "line or file",
	 0},
	{"fail-if", KEY_FAIL_IF, "CONDITION", 0,
	 "Exit with 1 if it holds: 'D1mr > +2%', 'main:Ir > +1000', 'CEst > 5000000'; of samples "
	 "'L2 > +5%'; may be repeated",
	 0},
	{"inclusive", KEY_INCLUSIVE, NULL, 0, "Count what a function calls, too", 0},
	{"rows", KEY_ROWS, "N", 0, "Show N rows of the text (default 20)", 0},
	{"size", KEY_SIZE, "BYTES", 0,
	 "Of samples: the cache whose misses rows show (default: the L2 of the machine of A, or "
	 "1M)",
	 0},
	{"process", KEY_PROCESS, "ID", 0,
	 "Compare process ID of both (default: all; of samples: those with the most accesses)", 1},
	{"format", KEY_FORMAT, "FORMAT", 0, "Print as text (the default), csv or json", 1},
	{0},
};

static void parse_by(struct diff_options *o, const char *name, struct argp_state *state)
{
	o->by_given = true;
	for (size_t i = 0; i < EVENT_BY_COUNT; i++) {
		o->by = (enum event_by)i;
		if (strcmp(name, event_by_names[i]) == 0 && o->by != EVENT_BY_PROCESS &&
		    o->by != EVENT_BY_THREAD && o->by != EVENT_BY_LOOP)
			return;
	}
	argp_error(state, "--by '%s': it is function, line, file, object or class", name);
}

static error_t parse_input(struct diff_options *o, char *arg, struct argp_state *state)
{
	if (o->input_count == 2)
		argp_error(state, "'%s' is one too many: two profiles are compared", arg);
	o->inputs[o->input_count++] = arg;
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct diff_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		*o = (struct diff_options){.rows = DEFAULT_ROWS, .process = STORE_NONE};
		state->child_inputs[0] = &o->events;
		return 0;
	case KEY_BY:
		parse_by(o, arg, state);
		return 0;
	case KEY_FAIL_IF:
		if (o->condition_count == CONDITIONS_MOST)
			argp_error(state, "--fail-if: up to %d conditions", CONDITIONS_MOST);
		o->conditions[o->condition_count++].text = arg;
		return 0;
	case KEY_INCLUSIVE:
		o->is_inclusive = true;
		return 0;
	case KEY_ROWS:
		o->rows = view_parse_count("rows", arg, 1, 1000000, state);
		return 0;
	case KEY_SIZE:
		o->size_bytes = view_parse_size(arg, state);
		return 0;
	case KEY_PROCESS:
		o->process = (int64_t)view_parse_count("process", arg, 0, INT32_MAX, state);
		return 0;
	case KEY_FORMAT:
		return options_parse_format(&o->format, arg, state);
	case ARGP_KEY_ARG:
		return parse_input(o, arg, state);
	case ARGP_KEY_END:
		if (o->input_count < 2)
			argp_error(state, "name two profiles: 'dwell diff before.db after.db'");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Show the view; then say which conditions hold, and fail if one does. */
static int finish(const struct diff_options *o, struct text *out, struct text *notes, int status,
		  const struct err *err)
{
	int code = view_show(out, status, err);
	size_t before = notes->count;

	for (size_t i = 0; i < o->condition_count; i++)
		if (o->conditions[i].holds)
			diff_explain(&o->conditions[i], notes);
	if (code == EXIT_OK && notes->count > before)
		code = EXIT_CONDITION;
	view_notes(notes);
	return code;
}

/* ---- Events ---- */

static int compare_events(struct diff_options *o, struct diff *d)
{
	struct display display = view_display();
	struct text out = {0}, notes = {0};
	struct err err;
	int status = 0;

	if (o->size_bytes != 0) {
		err_set(&err, "--size is for profiles of samples: these have events, which --event "
			      "chooses");
		return cli_fail(&err, EXIT_USAGE);
	}
	if (diff_columns(d, o->events.events, o->events.event_count, o->events.sort, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	for (size_t i = 0; i < o->condition_count; i++)
		if (diff_check(d, &o->conditions[i], &err) != 0)
			return cli_fail(&err, EXIT_USAGE);
	if (diff_rows(d, o->by, o->is_inclusive, &err) != 0 ||
	    diff_note_geometry(d, &notes, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	text_add(&notes, text_get(&d->a.rows.notes));
	text_add(&notes, text_get(&d->b.rows.notes));
	if (o->format.format == VIEW_CSV)
		diff_csv(d, &out);
	else if (o->format.format == VIEW_JSON)
		status = diff_json(d, o->conditions, o->condition_count, &out, &err);
	else
		status = diff_text(d, o->rows, &display, &out, &err);
	return finish(o, &out, &notes, status, &err);
}

/* ---- Samples ---- */

static int show_samples(struct diff_options *o, struct diff_samples *d)
{
	struct display display = view_display();
	struct text out = {0}, notes = {0};
	struct err err;
	int status = 0;

	for (size_t i = 0; i < o->condition_count; i++)
		if (diff_samples_check(d, &o->conditions[i], &err) != 0)
			return cli_fail(&err, EXIT_USAGE);
	if (o->format.format == VIEW_CSV)
		diff_samples_csv(d, &out);
	else if (o->format.format == VIEW_JSON)
		status = diff_samples_json(d, o->conditions, o->condition_count, &out, &err);
	else
		status = diff_samples_text(d, o->rows, &display, &out, &err);
	return finish(o, &out, &notes, status, &err);
}

static int check_samples(const struct diff_options *o, enum hot_by *by, struct err *err)
{
	*by = o->by == EVENT_BY_LINE ? HOT_LINE : o->by == EVENT_BY_FILE ? HOT_FILE : HOT_FUNCTION;
	if (event_options_given(&o->events) || o->is_inclusive)
		return err_set(err,
			       "--event, --sort and --inclusive are for profiles of events: these "
			       "have samples");
	if (o->by == EVENT_BY_OBJECT || o->by == EVENT_BY_CLASS)
		return err_set(err, "profiles of samples are compared by function, line or file");
	return 0;
}

static int compare_samples(struct diff_options *o)
{
	struct profile a, b;
	struct diff_samples d;
	enum hot_by by;
	struct err err;
	int code;

	if (check_samples(o, &by, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (profile_open(&a, o->inputs[0], o->process, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	if (profile_open(&b, o->inputs[1], o->process, &err) != 0) {
		profile_close(&a);
		return cli_fail(&err, EXIT_INPUT);
	}
	if (diff_samples_init(&d, &a, &b, by, o->size_bytes, &err) == 0) {
		d.path_a = o->inputs[0];
		d.path_b = o->inputs[1];
		code = show_samples(o, &d);
		diff_samples_release(&d);
	} else {
		code = cli_fail(&err, EXIT_USAGE);
	}
	profile_close(&a);
	profile_close(&b);
	return code;
}

static int compare(struct diff_options *o)
{
	struct event_profile a, b;
	struct diff d = {.a = {.path = o->inputs[0], .profile = &a},
			 .b = {.path = o->inputs[1], .profile = &b}};
	int in_a, in_b, code;
	struct err err;

	in_a = events_open(&a, o->inputs[0], o->process, &err);
	if (in_a < 0)
		return cli_fail(&err, EXIT_INPUT);
	in_b = events_open(&b, o->inputs[1], o->process, &err);
	if (in_b < 0) {
		code = cli_fail(&err, EXIT_INPUT);
	} else if (in_a != in_b) {
		err_set(&err,
			"'%.200s' has events and '%.200s' has samples: two of a kind are "
			"compared",
			o->inputs[in_a != 0], o->inputs[in_a == 0]);
		code = cli_fail(&err, EXIT_INPUT);
	} else {
		code = in_a == 0 ? compare_events(o, &d) : compare_samples(o);
	}
	diff_release(&d);
	if (in_a == 0)
		events_close(&a);
	if (in_b == 0)
		events_close(&b);
	return code;
}

int cmd_diff(int argc, char **argv)
{
	static const struct argp_child children[] = {{&event_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		option_list,
		parse,
		"A B",
		"Show what is different between the profiles A and B, of two builds or two inputs "
		"of a program: the totals, and the functions that changed most. Code is matched by "
		"its name.",
		children,
		NULL,
		NULL};
	struct diff_options o;

	options_parse(&argp, argc, argv, 0, &o);
	return compare(&o);
}
