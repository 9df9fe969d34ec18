/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell annotate: source code with the misses of each line, or with its events; or machine code. */
#include <argp.h>

#include "base/size.h"
#include "base/text.h"
#include "cli/annotate_events.h"
#include "cli/cli.h"
#include "cli/view.h"
#include "estimate/annotate.h"
#include "views/views.h"

#define DEFAULT_ROWS	30
#define DEFAULT_SOURCES 3

enum { KEY_ALL = 'a', KEY_SOURCES = 0x300, KEY_ASM };

struct annotate_options {
	struct view view;
	struct view_choice choice;
	uint64_t sources;
	bool all;
	struct event_options events;
	bool has_sources, has_asm;
};

static const struct argp_option option_list[] = {
	{"size", VIEW_KEY_SIZE, "BYTES", 0,
	 "Misses in a cache of this size (default: the L2 of the machine that recorded, or 1M)", 0},
	{"all", KEY_ALL, NULL, 0, "Show whole files, not only what is near lines with samples", 0},
	{"rows", VIEW_KEY_ROWS, "N", 0, "List N files and functions in the text (default 30)", 0},
	{"sources", KEY_SOURCES, "N", 0,
	 "Say of the N lines with the most misses where their data comes from (default 3; 0: of "
	 "none)",
	 0},
	{"asm", KEY_ASM, NULL, 0,
	 "Show machine code, with the jumps in it (of profiles that count events)", 2},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct annotate_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		*o = (struct annotate_options){.choice = {.rows = DEFAULT_ROWS,
							  .rows_are = "rows",
							  .takes = "file or function"},
					       .sources = DEFAULT_SOURCES};
		state->child_inputs[0] = &o->view;
		state->child_inputs[1] = &o->events;
		return 0;
	case KEY_ALL:
		o->all = true;
		return 0;
	case KEY_SOURCES:
		o->has_sources = true;
		o->sources = view_parse_count("sources", arg, 0, 1000000, state);
		return 0;
	case KEY_ASM:
		o->has_asm = true;
		return 0;
	default:
		return view_parse_choice(&o->choice, key, arg, state);
	}
}

static int print_list(const struct annotate_options *o, const struct profile *p, uint64_t size)
{
	struct display d = view_display();
	struct annotation_list l;
	struct text out = {0};
	struct err err;
	int ret = 0;

	if (annotation_list_init(&l, p, size, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	if (o->view.common.format == VIEW_CSV)
		annotation_list_csv(&l, &out);
	else if (o->view.common.format == VIEW_JSON)
		ret = annotation_list_json(&l, &out, &err);
	else
		ret = annotation_list_text(&l, o->choice.rows, &d, &out, &err);
	annotation_list_release(&l);
	return view_show(&out, ret, &err);
}

static int print_source(const struct annotate_options *o, const struct profile *p, uint64_t size)
{
	struct display d = view_display();
	struct annotation a;
	struct text out = {0}, notes = {0};
	struct err err;
	int ret = 0;

	if (annotation_init(&a, p, size, o->choice.name, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (o->view.common.format == VIEW_CSV)
		annotation_csv(&a, &out);
	else if (o->view.common.format == VIEW_JSON)
		ret = annotation_json(&a, &out, &err);
	else
		ret = annotation_text(&a, o->all, &d, &out, &notes, &err);
	if (ret == 0 && o->view.common.format == VIEW_TEXT)
		ret = annotation_sources_text(&a, o->sources, &d, &out, &err);
	annotation_release(&a);
	view_notes(&notes);
	return view_show(&out, ret, &err);
}

static int print(const void *options, const struct profile *p)
{
	const struct annotate_options *o = options;
	uint64_t size;
	struct err err;

	if (profile_choose_size(p, o->choice.size_bytes, &size, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	return o->choice.name != NULL ? print_source(o, p, size) : print_list(o, p, size);
}

/* A profile has events or samples; options for the one are none for the other. */
static int annotate(const struct annotate_options *o)
{
	bool for_samples = o->choice.size_bytes != 0 || o->view.line_bytes != 0 ||
			   o->view.machine != NULL || o->has_sources;
	struct event_profile p;
	struct err err;
	int code = EXIT_OK, status = event_options_open(&o->view, &p, &code);

	if (status < 0)
		return code;
	if (status > 0 && !o->has_asm && !event_options_given(&o->events))
		return view_run(&o->view, print, o);
	if (status > 0) {
		err_set(&err,
			"profile '%s' has %s and no events: --asm, --event and --sort are for "
			"those of 'dwell simulate' and 'dwell import'",
			o->view.common.input, event_options_instead(&o->view));
		return cli_fail(&err, EXIT_USAGE);
	}
	if (for_samples) {
		err_set(&err,
			"profile '%s' has events and no samples: --size, --line, --caches and "
			"--sources are for those of 'dwell record'",
			o->view.common.input);
		code = cli_fail(&err, EXIT_USAGE);
	} else {
		struct annotate_events how = {&o->events, o->choice.name, o->all,
					      o->has_asm, o->choice.rows, o->view.common.format};

		code = annotate_events(&how, &p);
	}
	events_close(&p);
	return code;
}

int cmd_annotate(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{&line_argp, 0, NULL, 0}, {&event_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {option_list,
					 parse,
					 "[FILE|FUNCTION]",
					 "Show source code with the miss ratio, the samples and "
					 "the share of all misses of each "
					 "line. FILE is the end of a path: walk.c, src/walk.c. "
					 "Without it, list the files and "
					 "functions that have samples. Of a profile that counts "
					 "events, show these, and the calls of each line.",
					 children,
					 NULL,
					 NULL};
	struct annotate_options o;

	options_parse(&argp, argc, argv, 0, &o);
	return annotate(&o);
}
