/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell export: a profile in the format of another tool. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/view.h"
#include "export/callgrind.h"
#include "export/formats.h"

/* Input and output of a format's writer. */
struct job {
	const struct options *options;
	const struct format *format;
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

	if (j->options->query.metric_count == 0)
		export_columns_keep_sums(&j->columns, &j->notes);
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
	bool of_one_event;	 /* a file holds one event only */
	bool first_event;	 /* takes the first event of the profile by default */
	bool inlined_are_called; /* shows inlined functions as calls, as it has no other way */
	bool is_binary;
} formats[] = {
/* The formats, in the order of help; each with its name and properties. */
/* clang-format off */
#define FORMATS(row) \
	row(callgrind, ) \
	row(folded, .of_one_event = true, .first_event = true, .inlined_are_called = true) \
	row(speedscope, .inlined_are_called = true) \
	row(pprof, .is_binary = true) \
	row(csv, ) \
	row(json, )
/* clang-format on */
#define FORMAT(id, ...) {.name = #id, .write = to_##id, __VA_ARGS__},
	FORMATS(FORMAT)};

#define FORMAT_NAME(id, ...) #id,
static const char *const format_names[] = {FORMATS(FORMAT_NAME) NULL};

static const struct option_use uses[] = {
	{OPTION_INPUT, .shown = DEFAULT_PROFILE},
	{OPTION_OUTPUT, .shown = "standard output"},
	{OPTION_TO, .choices = format_names},
	{OPTION_PARTS},
	{OPTION_PROCESS_ID, .shown = "all; of samples: the one with the most accesses"},
	{OPTION_CACHES, .shown = "those of the machine that recorded; of samples"},
	{OPTION_EVENT, .shown = "all, or the first one where the format has one", .adds_up = true},
	{OPTION_HELP},
	{OPTION_VERSION},
	{0},
};

static int fail_format(struct err *err)
{
	struct text names = {0};

	for (size_t i = 0; format_names[i] != NULL; i++)
		text_addf(&names, "%s%s%s", i > 0 && format_names[i + 1] != NULL ? ", " : "",
			  format_names[i + 1] == NULL ? " or " : "", format_names[i]);
	err_set(err, "which format? --to %s", text_get(&names));
	text_release(&names);
	return -1;
}

static int check(const struct options *o, struct err *err)
{
	const struct format *f = o->to >= 0 ? &formats[o->to] : NULL;

	if (f == NULL)
		return fail_format(err);
	if (o->parts && f->write != to_callgrind)
		return err_set(err, "--parts is for --to callgrind: %s has no parts", f->name);
	if (f->of_one_event && o->query.metric_count > 1)
		return err_set(err, "--to %s is of one event: name one", f->name);
	if (f->is_binary && o->output == NULL && isatty(STDOUT_FILENO))
		return err_set(err, "--to %s writes no text: name a file with -o", f->name);
	return 0;
}

/* ---- Output ---- */

static int write_out(const char *path, const struct text *out)
{
	struct err err;

	if (path == NULL) {
		/* main checks whether this succeeded. */
		fwrite(text_get(out), 1, out->count, stdout);
		return EXIT_OK;
	}
	if (file_replace(path, text_get(out), out->count, &err) != 0)
		return cli_fail(&err, EXIT_OUTPUT);
	return EXIT_OK;
}

static int run(struct job *j)
{
	const struct options *o = j->options;
	const char *primary = j->data.p.columns[j->data.primary].name;
	const char *const *events = o->query.metrics;
	size_t count = o->query.metric_count;
	struct err err;
	int code;

	if (count == 0 && j->format->first_event) {
		events = &primary;
		count = 1;
	}
	if (export_columns_init(&j->columns, &j->data, events, count, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (o->query.machine != NULL && !j->data.is_sampled)
		text_add(&j->notes, "--caches is not used: the events of this profile were counted "
				    "in the caches that were simulated\n");
	if (j->format->write(j, &err) != 0)
		code = cli_fail(&err, EXIT_USAGE);
	else
		code = write_out(o->output, &j->out);
	if (code == EXIT_OK)
		view_notes(&j->notes);
	export_columns_release(&j->columns);
	return code;
}

static int export(struct options *o)
{
	struct job j = {.options = o};
	struct export_request request;
	struct err err;
	int code;

	if (check(o, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	j.format = &formats[o->to];
	request = (struct export_request){
		.input = o->input,
		.process = o->query.process,
		.machine = o->query.machine,
		.caches = o->caches,
		.inlined_are_called = j.format->inlined_are_called,
	};
	if (export_data_open(&j.data, &request, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	code = run(&j);
	export_data_release(&j.data);
	text_release(&j.out);
	text_release(&j.notes);
	return code;
}

const struct command command_export = {
	.run = export,
	.words = WORDS_PROFILE,
	.summary = "write a profile in the format of another tool",
	.options =
		{
			.name = "export",
			.arguments = "--to FORMAT [FILE]",
			.doc = "Write a profile in the format of another tool: callgrind for "
			       "KCachegrind and callgrind_annotate, folded for flame graphs, "
			       "speedscope and pprof for the tools of these names, csv and json "
			       "for others.",
			.uses = uses,
		},
};
