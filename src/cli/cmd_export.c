/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell export: a profile in the format of another tool. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/view.h"
#include "export/callgrind.h"
#include "export/formats.h"
#include "profile/machines.h"

#define EVENTS_MOST 64

enum { KEY_TO = 't', KEY_EVENT = 'e', KEY_PROCESS = 0x200, KEY_PARTS, KEY_CACHES };

struct export_options {
	const struct format *format; /* NULL: none is named yet */
	const char *input, *output;  /* output NULL: stdout */
	const char *events[EVENTS_MOST];
	size_t event_count;
	int64_t process; /* or STORE_NONE */
	bool parts;
	const char *machine; /* NULL: the one that recorded */
	struct profile_cache caches[PROFILE_CACHES];
};

/* What a format is written from, and where to. */
struct job {
	const struct export_options *options;
	struct export_data data;
	struct export_columns columns;
	struct text out, notes;
};

static int to_callgrind(struct job *j, struct err *err)
{
	return export_callgrind(&j->data, &j->columns, j->options->parts, &j->out, &j->notes, err);
}

static int to_csv(struct job *j, struct err *err)
{
	return export_csv(&j->data, &j->columns, &j->out, err);
}

static int to_json(struct job *j, struct err *err)
{
	return export_json(&j->data, &j->columns, &j->out, err);
}

static bool has_calls(const struct export_data *d)
{
	for (size_t i = 0; i < d->arc_count; i++)
		if (d->arcs[i].caller_id != STORE_NONE)
			return true;
	return false;
}

static bool has_contexts(const struct export_data *d)
{
	for (size_t i = 0; i < d->node_count; i++)
		if (d->nodes[i].caller_id != STORE_NONE)
			return true;
	return false;
}

static void note_estimates(const struct export_data *d, struct text *notes)
{
	text_addf(notes,
		  "%s where a function has several callers, their parts of its cost are "
		  "estimates\n",
		  has_contexts(d)
			  ? "stacks are exact as far as the profile's contexts go: further up,"
			  : "the profile has no contexts:");
}

static int to_stacks(struct job *j, struct err *err,
		     int (*write)(const struct export_data *d, const struct export_columns *c,
				  const struct stacks *s, struct text *out, struct err *err))
{
	struct stacks s;
	int status;

	if (stacks_init(&s, &j->data, &j->columns, err) != 0)
		return -1;
	if (!has_calls(&j->data))
		text_add(&j->notes, "the profile has no calls: each stack is one function\n");
	else if (s.estimated)
		note_estimates(&j->data, &j->notes);
	status = write(&j->data, &j->columns, &s, &j->out, err);
	stacks_release(&s);
	return status;
}

static int write_folded(const struct export_data *d, const struct export_columns *c,
			const struct stacks *s, struct text *out, struct err *err)
{
	return export_folded(d, s, out, err);
}

static int to_folded(struct job *j, struct err *err)
{
	return to_stacks(j, err, write_folded);
}

static int to_speedscope(struct job *j, struct err *err)
{
	return to_stacks(j, err, export_speedscope);
}

static int to_pprof(struct job *j, struct err *err)
{
	return to_stacks(j, err, export_pprof);
}

static const struct format {
	const char *name;
	int (*write)(struct job *j, struct err *err);
	bool of_one_event;	 /* no more can be in a file */
	bool first_event;	 /* that one, unless others are named */
	bool inlined_are_called; /* it has no other way to show them */
	bool is_binary;
} formats[] = {
	{"callgrind", to_callgrind},
	{"folded", to_folded, .of_one_event = true, .first_event = true,
	 .inlined_are_called = true},
	{"speedscope", to_speedscope, .first_event = true, .inlined_are_called = true},
	{"pprof", to_pprof, .is_binary = true},
	{"csv", to_csv},
	{"json", to_json},
};

#define FORMATS "callgrind, folded, speedscope, pprof, csv or json"

static const struct argp_option option_list[] = {
	{"to", KEY_TO, "FORMAT", 0, "The format: " FORMATS, 0},
	{"input", 'i', "FILE", 0, "Read the profile FILE (default: " DEFAULT_PROFILE ")", 0},
	{"output", 'o', "FILE", 0, "Write to FILE instead of standard output", 0},
	{"event", KEY_EVENT, "EVENT", 0,
	 "Export this event: its name, or a formula as 'CEst = Ir + 10*L1m'; may be given again "
	 "(default: all, or the first one where the format has one)",
	 0},
	{"process", KEY_PROCESS, "ID", 0,
	 "Export process ID of the run, from 0 (default: all; of samples: the one with the most "
	 "accesses)",
	 0},
	{"parts", KEY_PARTS, NULL, 0,
	 "callgrind: a part for each process and thread, which KCachegrind shows apart", 0},
	{"caches", KEY_CACHES, "LIST", 0,
	 "Of samples: misses in the caches of another machine, as 32K,1M,32M, or zen4", 0},
	{0},
};

static const struct format *find_format(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	return NULL;
}

static void check_options(const struct export_options *o, struct argp_state *state)
{
	if (o->format == NULL)
		argp_error(state, "which format? --to " FORMATS);
	else if (o->parts && o->format->write != to_callgrind)
		argp_error(state, "--parts is for --to callgrind: %s has no parts",
			   o->format->name);
	else if (o->format->of_one_event && o->event_count > 1)
		argp_error(state, "--to %s is of one event: name one", o->format->name);
	else if (o->format->is_binary && o->output == NULL && isatty(STDOUT_FILENO))
		argp_error(state, "--to %s writes no text: name a file with -o", o->format->name);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct export_options *o = state->input;
	struct err err;

	switch (key) {
	case ARGP_KEY_INIT:
		*o = (struct export_options){.input = DEFAULT_PROFILE, .process = STORE_NONE};
		return 0;
	case KEY_TO:
		o->format = find_format(arg);
		if (o->format == NULL)
			argp_error(state, "'%s' is no format: " FORMATS, arg);
		return 0;
	case 'i':
		o->input = arg;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case KEY_EVENT:
		if (o->event_count == EVENTS_MOST)
			argp_error(state, "--event: up to %d events", EVENTS_MOST);
		o->events[o->event_count++] = arg;
		return 0;
	case KEY_PROCESS:
		o->process = (int64_t)view_parse_count("process", arg, 0, INT32_MAX, state);
		return 0;
	case KEY_PARTS:
		o->parts = true;
		return 0;
	case KEY_CACHES:
		o->machine = arg;
		if (machine_caches(arg, o->caches, &err) != 0)
			argp_error(state, "%s", err.text);
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' is no option: the profile is named with -i", arg);
		return EINVAL;
	case ARGP_KEY_SUCCESS:
		check_options(o, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- Output ---- */

static int write_out(const char *path, const struct text *out)
{
	struct err err;

	if (path == NULL) {
		/* main looks whether it worked. */
		fwrite(text_get(out), 1, out->count, stdout);
		return EXIT_OK;
	}
	if (file_replace(path, text_get(out), out->count, &err) != 0)
		return cli_fail(&err, EXIT_OUTPUT);
	return EXIT_OK;
}

static int run(struct job *j)
{
	const struct export_options *o = j->options;
	const char *primary = j->data.p.columns[j->data.primary].name;
	const char *const *events = o->events;
	size_t count = o->event_count;
	struct err err;
	int code;

	if (count == 0 && o->format->first_event) {
		events = &primary;
		count = 1;
	}
	if (export_columns_init(&j->columns, &j->data, events, count, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (o->machine != NULL && !j->data.is_sampled)
		text_add(&j->notes, "--caches is not used: the events of this profile were counted "
				    "in the caches that were simulated\n");
	if (o->format->write(j, &err) != 0)
		code = cli_fail(&err, EXIT_USAGE);
	else
		code = write_out(o->output, &j->out);
	if (code == EXIT_OK)
		view_notes(&j->notes);
	export_columns_release(&j->columns);
	return code;
}

int cmd_export(int argc, char **argv)
{
	static const struct argp argp = {
		option_list,
		parse,
		"--to FORMAT",
		"Write a profile in the format of another tool: callgrind for KCachegrind and "
		"callgrind_annotate, folded for flame graphs, speedscope and pprof for the tools "
		"of these names, csv and json for others.",
		NULL,
		NULL,
		NULL};
	struct export_options o;
	struct job j = {.options = &o};
	struct export_request request;
	struct err err;
	int code;

	options_parse(&argp, argc, argv, 0, &o);
	request = (struct export_request){
		.input = o.input,
		.process = o.process,
		.machine = o.machine,
		.caches = o.caches,
		.inlined_are_called = o.format->inlined_are_called,
	};
	if (export_data_open(&j.data, &request, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	code = run(&j);
	export_data_release(&j.data);
	text_release(&j.out);
	text_release(&j.notes);
	return code;
}
