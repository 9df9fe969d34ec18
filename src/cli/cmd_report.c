/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell report: what ran, its miss ratios, and the functions, lines and data that miss most; or its events. */
#include <argp.h>

#include "base/size.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/report_events.h"
#include "cli/view.h"
#include "estimate/summary.h"
#include "views/views.h"

#define DEFAULT_ROWS	   10
#define DEFAULT_EVENT_ROWS 40

struct report_options {
	struct view view;
	struct view_choice choice;
	struct report_events events;
};

static const struct argp_option option_list[] = {
	{"size", VIEW_KEY_SIZE, "BYTES", 0,
	 "Rank functions, lines and data by their misses in a cache of this size (default: the L2 "
	 "of the "
	 "machine that recorded, or 1M)",
	 0},
	{"rows", VIEW_KEY_ROWS, "N", 0,
	 "Show N functions, lines and data structures of the text (default 10; of events 40)", 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct report_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		*o = (struct report_options){.choice = {.rows_are = "rows"}};
		state->child_inputs[0] = &o->view;
		state->child_inputs[1] = &o->events;
		return 0;
	default:
		return view_parse_choice(&o->choice, key, arg, state);
	}
}

static int print_report(const void *options, const struct profile *p)
{
	const struct report_options *o = options;
	struct display d = view_display();
	struct text out = {0};
	struct summary s;
	uint64_t size;
	struct err err;
	int ret = 0;

	if (profile_choose_size(p, o->choice.size_bytes, &size, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (summary_init(&s, p, size, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	if (o->view.common.format == VIEW_CSV)
		summary_csv(&s, &out);
	else if (o->view.common.format == VIEW_JSON)
		ret = summary_json(&s, &out, &err);
	else
		ret = summary_text(&s, o->choice.rows != 0 ? o->choice.rows : DEFAULT_ROWS, &d,
				   &out, &err);
	summary_release(&s);
	return view_show(&out, ret, &err);
}

/* A profile has events or samples; options for the one are none for the other. */
static int report(struct report_options *o)
{
	bool for_samples =
		o->choice.size_bytes != 0 || o->view.line_bytes != 0 || o->view.machine != NULL;
	struct event_profile p;
	struct err err;
	int code, status = event_options_open(&o->view, &p, &code);

	if (status < 0)
		return code;
	if (status > 0) {
		if (!report_events_given(&o->events))
			return view_run(&o->view, print_report, o);
		err_set(&err,
			"profile '%s' has %s and no events: --by, --event, --sort, "
			"--inclusive, "
			"--focus, --ignore and --threshold are for those of 'dwell simulate' and "
			"'dwell import'",
			o->view.common.input, event_options_instead(&o->view));
		return cli_fail(&err, EXIT_USAGE);
	}
	if (for_samples) {
		err_set(&err,
			"profile '%s' has events and no samples: --size, --line and --caches are "
			"for those of 'dwell record'",
			o->view.common.input);
		code = cli_fail(&err, EXIT_USAGE);
	} else {
		code = report_events_print(&o->events, &p, o->view.common.format,
					   o->choice.rows != 0 ? o->choice.rows
							       : DEFAULT_EVENT_ROWS);
	}
	events_close(&p);
	return code;
}

int cmd_report(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{&line_argp, 0, NULL, 0}, {&report_events_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		option_list,
		parse,
		NULL,
		"Show what a profile holds at a glance: what ran, how much of it was sampled, its "
		"miss ratio in the caches of the machine, and the functions, lines and data "
		"structures that miss most. Of a profile that counts events, made by dwell "
		"simulate or dwell import: the functions with the most events, or what --by "
		"says.",
		children,
		NULL,
		NULL};
	struct report_options o;
	int code;

	options_parse(&argp, argc, argv, 0, &o);
	code = report(&o);
	report_events_release(&o.events);
	return code;
}
