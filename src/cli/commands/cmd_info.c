/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell info: what a profile holds, in totals and per process; no model, no estimate. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "answer/json.h"
#include "answer/process_columns.h"
#include "base/signal_name.h"
#include "base/size.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/commands/info_events.h"
#include "cli/options.h"
#include "cli/view.h"
#include "store/store_read.h"
#include "views/columns_table.h"
#include "views/fit.h"
#include "views/table.h"

struct info {
	struct store *store;
	struct store_process *processes;
	size_t process_count;
	struct store_message *messages;
	size_t message_count;
	struct info_events events;
};

#define FAR_64 4 /* of lines of 64 bytes */

#define NUMBER(member) #member, UNIT_NUMBER, COLUMN_MEMBER(struct store_process, member)

/* The numbers of a process, in the order of output; totals are their sums. */
static const struct column numbers[] = {
	{"ACCESSES", NUMBER(accesses)},
	{"LOADS", NUMBER(loads)},
	{"STORES", NUMBER(stores)},
	{"MODIFIES", NUMBER(modifies)},
	{"INSTRUCTIONS", NUMBER(instructions)},
	{NULL, NUMBER(rep_iterations)},
	{NULL, NUMBER(vector_elements)},
	{NULL, NUMBER(watch_accesses)},
	{"WINDOWS", NUMBER(windows)},
	{"SAMPLES", NUMBER(samples)},
	{"NEAR", NUMBER(near_samples)},
	{"FAR", NUMBER(far_samples)},
	{"CUT", NUMBER(cut_samples)},
	{"FAR REUSES", NUMBER(far_reuses)},
	{NULL, "far_lines", UNIT_NUMBER, COLUMN_MEMBER(struct store_process, far_lines[FAR_64])},
	{NULL, NUMBER(footprint_pages)},
	{NULL, NUMBER(engine_bytes)},
	{NULL, NUMBER(translate_cycles)},
	{NULL, NUMBER(scan_cycles)},
	{NULL, NUMBER(lost_records)},
};

#define NUMBER_COUNT (sizeof(numbers) / sizeof(numbers[0]))
#define MOST_COLUMNS (NUMBER_COUNT + 16)

/* Columns of one format: the numbers between others. */
struct layout {
	const struct column *items[MOST_COLUMNS];
	struct column_list list;
};

static void add_columns(struct layout *l, const struct column_list *columns)
{
	l->list.items = l->items;
	for (size_t i = 0; i < columns->count; i++)
		l->items[l->list.count++] = columns->items[i];
}

static void add_numbers(struct layout *l)
{
	for (size_t i = 0; i < NUMBER_COUNT; i++)
		add_columns(l, COLUMN_LIST(&numbers[i]));
}

static uint64_t total_of(const struct info *n, size_t i)
{
	uint64_t sum = 0;

	for (size_t p = 0; p < n->process_count; p++)
		sum += *(const uint64_t *)(const void *)((const char *)&n->processes[p] +
							 numbers[i].offset);
	return sum;
}

/* Hide zero numbers of an event profile: it has no samples. */
static bool is_shown(const struct info *n, size_t i)
{
	return numbers[i].title != NULL && (n->events.event_count == 0 || total_of(n, i) != 0);
}

/* Keys of the table meta. All are optional: an interrupted run has only the first ones. */
static const struct meta_key {
	const char *name;
	enum {
		META_TEXT,
		META_NUMBER,
		META_SIGNAL,
		META_SECONDS,
		META_SIZE,
		META_PPM,
		META_DATE
	} kind;
	const char *label; /* in text output */
} meta_keys[] = {
	{"command", META_TEXT, "command"},
	{"state", META_TEXT, "state"},
	{"exit_status", META_NUMBER, "exit status"},
	{"exit_signal", META_SIGNAL, "killed by"},
	{"version", META_TEXT, "written by dwell"},
	{"imported_from", META_TEXT, "imported from"},
	{"creator", META_TEXT, "counted by"},
	{"host", META_TEXT, "host"},
	{"cpu", META_TEXT, "processor"},
	{"start_time", META_DATE, "started"},
	{"wall_ns", META_SECONDS, "elapsed"},
	{"target_cpu_ns", META_SECONDS, "CPU time, target"},
	{"collector_cpu_ns", META_SECONDS, "CPU time, dwell"},
	{"tsc_hz", META_NUMBER, "time stamp counter, Hz"},
	{"mode", META_TEXT, "mode"},
	{"seed", META_NUMBER, "seed"},
	{"line_bytes", META_NUMBER, "line, bytes"},
	{"lines_one_in", META_NUMBER, "lines, one in"},
	{"exact_by", META_TEXT, "simulated by"},
	{"exact_size_bytes", META_SIZE, "in a cache of"},
	{"duty_ppm", META_PPM, "duty asked for"},
	{"sample_period", META_NUMBER, "sample period"},
	{"delay_ns", META_SECONDS, "delay of sampling"},
	{"duration_ns", META_SECONDS, "duration of sampling"},
	{"start_at", META_TEXT, "sampling from function"},
	{"stop_at", META_TEXT, "sampling up to function"},
	{"wait_for_mark", META_NUMBER, "sampling from a mark"},
	{"toggle_collect", META_TEXT, "collecting in functions"},
	{"doubling_windows", META_NUMBER, "windows per doubling"},
	{"overhead_ppm", META_PPM, "overhead asked for"},
	{"counting_ns", META_SECONDS, "CPU time, counting"},
	{"sampling_ns", META_SECONDS, "CPU time, sampling"},
	{"l1d_bytes", META_SIZE, "L1 data cache"},
	{"l2_bytes", META_SIZE, "L2 cache"},
	{"l3_bytes", META_SIZE, "L3 cache"},
	{"lost_processes", META_NUMBER, "not profiled: too many"},
	{"native_programs", META_NUMBER, "not profiled: cannot be"},
};

#define META_COUNT (sizeof(meta_keys) / sizeof(meta_keys[0]))

/* ---- JSON ---- */

static int put_json(const struct info *n, struct text *out, struct err *err)
{
	json_t *root = json_object(), *list = json_array(), *messages = json_array();
	struct layout l = {0};
	size_t i;

	add_columns(&l, COLUMN_LIST(PROCESS(ID), PROCESS(PID), PROCESS(PARENT), PROCESS(CAUSE),
				    PROCESS(STATE), PROCESS_ENDING, PROCESS(EXE), PROCESS(COMMAND),
				    PROCESS(START), PROCESS(END)));
	add_numbers(&l);
	for (i = 0; i < META_COUNT; i++) {
		const char *text = store_meta_text(n->store, meta_keys[i].name);

		if (text == NULL)
			continue;
		json_object_set_new(
			root, meta_keys[i].name,
			meta_keys[i].kind == META_TEXT
				? json_text(text)
				: json_integer(store_meta_int(n->store, meta_keys[i].name, 0)));
	}
	for (i = 0; i < NUMBER_COUNT; i++)
		json_object_set_new(root, numbers[i].key, json_integer((json_int_t)total_of(n, i)));
	if (n->events.event_count > 0)
		info_events_json(&n->events, root);
	for (i = 0; i < n->process_count; i++)
		json_array_append_new(list, columns_json(&l.list, &n->processes[i]));
	json_object_set_new(root, "processes", list);
	for (i = 0; i < n->message_count; i++)
		json_array_append_new(messages, json_text(n->messages[i].text));
	json_object_set_new(root, "messages", messages);
	return json_print(root, out, err);
}

/* ---- CSV: one line per process ---- */

static int put_csv(const struct info *n, struct text *out)
{
	struct layout l = {0};

	add_columns(&l, COLUMN_LIST(PROCESS(ID), PROCESS(PID), PROCESS(PARENT), PROCESS(CAUSE),
				    PROCESS(STATE), PROCESS_ENDING));
	add_numbers(&l);
	add_columns(&l, COLUMN_LIST(PROCESS(EXE), PROCESS(COMMAND)));
	columns_csv_head(&l.list, out);
	for (size_t p = 0; p < n->process_count; p++)
		columns_csv_row(&l.list, &n->processes[p], out);
	return 0;
}

/* ---- Text ---- */

/*
 * Tell whether an option of sampling is 0 and so means nothing for counted events. The exit status
 * is always shown.
 */
static bool says_nothing(const struct info *n, const struct meta_key *k, int64_t value)
{
	return value == 0 &&
	       (k->kind == META_SIZE ||
		(n->events.event_count > 0 && (k->kind == META_NUMBER || k->kind == META_PPM) &&
		 strcmp(k->name, "exit_status") != 0));
}

/* Add a date in the time zone of the reader. */
static void add_date(int64_t seconds, struct text *out)
{
	time_t when = (time_t)seconds;
	struct tm parts;
	char date[64];

	if (localtime_r(&when, &parts) != NULL &&
	    strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S %Z", &parts) > 0)
		text_add(out, date);
	else
		text_addf(out, "%" PRId64, seconds);
}

static void add_meta(const struct info *n, const struct meta_key *k, const struct display *d,
		     struct text *out)
{
	const char *text = store_meta_text(n->store, k->name);
	int64_t value = store_meta_int(n->store, k->name, 0);
	char size[SIZE_TEXT_BYTES], name[SIGNAL_NAME_BYTES];

	if (text == NULL || says_nothing(n, k, value) || text[0] == '\0')
		return;
	text_addf(out, "%-*s", INFO_LABEL_WIDTH, k->label);
	if (k->kind == META_SIZE)
		text_add(out, size_format((uint64_t)value, size));
	else if (k->kind == META_SIGNAL)
		text_addf(out, "%s (signal %" PRId64 ")", signal_name(value, name), value);
	else if (k->kind == META_SECONDS)
		text_addf(out, "%.3f s", (double)value / 1e9);
	else if (k->kind == META_PPM)
		text_addf(out, "%g %%", (double)value / 1e4);
	else if (k->kind == META_DATE)
		add_date(value, out);
	else
		fit_add(out, text, d);
	text_add(out, "\n");
}

static void add_total(const char *label, uint64_t value, struct text *out)
{
	text_addf(out, "%-*s%" PRIu64 "\n", INFO_LABEL_WIDTH, label, value);
}

/*
 * Add the actual share of accesses in windows. It differs from the duty, which falls in long runs;
 * and windows may end with the program.
 */
static void add_share(const struct info *n, struct text *out)
{
	uint64_t accesses = 0, watched = 0;
	size_t p;

	for (p = 0; p < n->process_count; p++) {
		accesses += n->processes[p].accesses;
		watched += n->processes[p].watch_accesses;
	}
	if (accesses > 0)
		text_addf(out, "%-*s%.2f %%\n", INFO_LABEL_WIDTH, "accesses in windows",
			  100.0 * (double)watched / (double)accesses);
}

/* Find what narrow output leaves out, the least important first: what became of the samples. */
static size_t find_less(const struct layout *l, unsigned *less)
{
	static const char *const least_important[] = {"TOUCHED",  "FOLLOWED", "DANGLING",
						      "CENSORED", "RESOLVED", "MODIFIES",
						      "STORES",	  "LOADS",    "WINDOWS"};
	size_t found = 0;

	for (size_t k = 0; k < sizeof(least_important) / sizeof(least_important[0]); k++)
		for (size_t i = 0; i < l->list.count; i++)
			if (strcmp(l->items[i]->title, least_important[k]) == 0)
				less[found++] = (unsigned)i;
	return found;
}

static int add_processes(const struct info *n, const struct display *d, struct text *out,
			 struct err *err)
{
	unsigned less[NUMBER_COUNT];
	struct layout l = {0};
	struct table *table;
	int status;

	add_columns(&l, COLUMN_LIST(PROCESS(ID), PROCESS(PID), PROCESS(SHOWN_STATE)));
	for (size_t i = 0; i < NUMBER_COUNT; i++)
		if (is_shown(n, i))
			add_columns(&l, COLUMN_LIST(&numbers[i]));
	add_columns(&l, COLUMN_LIST(PROCESS(COMMAND)));
	table = columns_table(&l.list, d);
	table_may_leave_out(table, less, find_less(&l, less));
	for (size_t p = 0; p < n->process_count; p++)
		columns_table_row(&l.list, table, &n->processes[p]);
	status = table_print(table, out, err);
	table_free(table);
	return status;
}

static int put_text(const struct info *n, const struct display *d, struct text *out,
		    struct err *err)
{
	size_t i;

	for (i = 0; i < META_COUNT; i++)
		add_meta(n, &meta_keys[i], d, out);
	add_total("processes", n->process_count, out);
	for (i = 0; i < NUMBER_COUNT; i++) {
		if (is_shown(n, i) || total_of(n, i) != 0)
			add_total(numbers[i].key, total_of(n, i), out);
	}
	if (n->events.event_count > 0)
		info_events_text(&n->events, d, out);
	else
		add_share(n, out);
	fit_prose(out, 0, INFO_LABEL_WIDTH, d);
	for (i = 0; i < n->message_count; i++) {
		size_t from = out->count;

		text_add(out, "note: ");
		fit_add(out, n->messages[i].text, d);
		text_add(out, "\n");
		fit_prose(out, from, strlen("note: "), d);
	}
	if (n->process_count == 0)
		return 0;
	text_add(out, "\n");
	return add_processes(n, d, out, err);
}

static int print(const struct info *n, int format)
{
	struct display d = view_display();
	struct text out = {0};
	struct err err;
	int status = format == VIEW_JSON  ? put_json(n, &out, &err)
		     : format == VIEW_CSV ? put_csv(n, &out)
					  : put_text(n, &d, &out, &err);

	return view_show(&out, status, &err);
}

/* ---- The command ---- */

static const struct option_use uses[] = {
	{OPTION_INPUT, .shown = DEFAULT_PROFILE},
	{OPTION_FORMAT, .usual = "text"},
	{OPTION_NO_PAGER},
	{OPTION_HELP},
	{OPTION_VERSION},
	{0},
};

static int info(struct options *o)
{
	struct info n = {0};
	struct err err;
	int code;

	if (store_open_readonly(o->input, &n.store, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	if (store_read_processes(n.store, &n.processes, &n.process_count, &err) != 0 ||
	    store_read_messages(n.store, &n.messages, &n.message_count, &err) != 0 ||
	    info_events_read(&n.events, n.store, &err) != 0)
		code = cli_fail(&err, EXIT_INPUT);
	else
		code = print(&n, o->format);
	info_events_release(&n.events);
	free(n.processes);
	free(n.messages);
	store_close(n.store);
	return code;
}

const struct command command_info = {
	.run = info,
	.words = WORDS_PROFILE,
	.summary = "show what a profile holds",
	.options =
		{
			.name = "info",
			.arguments = "[FILE]",
			.doc = "Show what a profile holds.",
			.uses = uses,
		},
};
