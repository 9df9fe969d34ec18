/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell export: a profile in the format of another tool. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/outputs.h"
#include "cli/view.h"
#include "export/formats.h"

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

static int make_stacks(struct export_job *j, const struct options *o, struct err *err)
{
	if (o->query.metric_count == 0)
		export_columns_keep_sums(&j->columns, &j->notes);
	if (stacks_init(&j->stacks, &j->data, &j->columns, err) != 0)
		return -1;
	if (!has_calls(&j->data))
		text_add(&j->notes, "the profile has no calls: each stack is one function\n");
	else if (j->stacks.estimated)
		note_estimates(&j->data, &j->notes);
	return 0;
}

#define FORMAT(id, ...) {.name = #id, .write = export_##id, __VA_ARGS__},
static const struct export_format formats[] = {EXPORT_FORMATS(FORMAT)};

#define FORMAT_NAME(id, ...) #id,
static const char *const format_names[] = {EXPORT_FORMATS(FORMAT_NAME) NULL};

static const struct option_use uses[] = {
	{OPTION_INPUT, .shown = DEFAULT_PROFILE},
	{OPTION_OUTPUT, .shown = "standard output"},
	{OPTION_TO, .choices = format_names},
	{OPTION_FORCE},
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
	const struct export_format *f = o->to >= 0 ? &formats[o->to] : NULL;

	if (f == NULL)
		return fail_format(err);
	if (o->parts && !f->has_parts)
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

static int write_format(struct export_job *j, const struct options *o,
			const struct export_format *f, struct err *err)
{
	int status = 0;

	if (f->has_stacks)
		status = make_stacks(j, o, err);
	if (status == 0)
		status = f->write(j, err);
	stacks_release(&j->stacks);
	return status;
}

static int run(struct export_job *j, const struct options *o, const struct export_format *f)
{
	const char *primary = j->data.p.columns[j->data.primary].name;
	const char *const *events = o->query.metrics;
	size_t count = o->query.metric_count;
	struct err err;
	int code;

	if (count == 0 && f->of_one_event) {
		events = &primary;
		count = 1;
	}
	if (export_columns_init(&j->columns, &j->data, events, count, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (o->query.machine != NULL && !j->data.is_sampled)
		text_add(&j->notes, "--caches is not used: the events of this profile were counted "
				    "in the caches that were simulated\n");
	if (write_format(j, o, f, &err) != 0)
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
	struct export_job j = {.apart = o->parts};
	struct export_request request;
	const struct export_format *f;
	struct err err;
	int code;

	if (check(o, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	f = &formats[o->to];
	if (o->output != NULL &&
	    outputs_check_export(o->output, o->input, f, o->is_forced, &err) != 0)
		return cli_fail(&err, EXIT_OUTPUT);
	request = (struct export_request){
		.input = o->input,
		.process = o->query.process,
		.machine = o->query.machine,
		.caches = o->caches,
		.inlined_are_called = f->inlined_are_called,
	};
	if (export_data_open(&j.data, &request, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	code = run(&j, o, f);
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
