/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell info: what a profile holds, in totals and per process; no model, no estimate. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/signal_name.h"
#include "base/size.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/commands/info_events.h"
#include "cli/options.h"
#include "cli/view.h"
#include "store/store_read.h"
#include "views/figures.h"
#include "views/fit.h"
#include "views/json.h"
#include "views/table.h"

struct info {
	struct store *store;
	struct store_process *processes;
	size_t process_count;
	struct store_message *messages;
	size_t message_count;
	struct info_events events;
};

/* The numbers of a process, in the order of output; totals are their sums. */
static const struct number {
	const char *name;
	size_t offset;
	const char *heading; /* in the text table; NULL: left out of it */
} numbers[] = {
	{"accesses", offsetof(struct store_process, accesses), "ACCESSES"},
	{"loads", offsetof(struct store_process, loads), "LOADS"},
	{"stores", offsetof(struct store_process, stores), "STORES"},
	{"modifies", offsetof(struct store_process, modifies), "MODIFIES"},
	{"instructions", offsetof(struct store_process, instructions), "INSTRUCTIONS"},
	{"rep_iterations", offsetof(struct store_process, rep_iterations), NULL},
	{"vector_elements", offsetof(struct store_process, vector_elements), NULL},
	{"watch_accesses", offsetof(struct store_process, watch_accesses), NULL},
	{"windows", offsetof(struct store_process, windows), "WINDOWS"},
	{"samples", offsetof(struct store_process, samples), "SAMPLES"},
	{"resolved", offsetof(struct store_process, resolved), "RESOLVED"},
	{"censored", offsetof(struct store_process, censored), "CENSORED"},
	{"dangling", offsetof(struct store_process, dangling), "DANGLING"},
	{"followed", offsetof(struct store_process, followed), "FOLLOWED"},
	{"followed_touched", offsetof(struct store_process, followed_touched), "TOUCHED"},
	{"footprint_pages", offsetof(struct store_process, footprint_pages), NULL},
	{"engine_bytes", offsetof(struct store_process, engine_bytes), NULL},
	{"translate_cycles", offsetof(struct store_process, translate_cycles), NULL},
	{"scan_cycles", offsetof(struct store_process, scan_cycles), NULL},
	{"lost_records", offsetof(struct store_process, lost_records), NULL},
};

#define NUMBER_COUNT (sizeof(numbers) / sizeof(numbers[0]))

static uint64_t total_of(const struct info *n, size_t i);

/* Hide zero numbers of an event profile: it has no samples. */
static bool is_shown(const struct info *n, size_t i)
{
	return numbers[i].heading != NULL && (n->events.event_count == 0 || total_of(n, i) != 0);
}

static uint64_t number_of(const struct store_process *p, size_t i)
{
	return *(const uint64_t *)(const void *)((const char *)p + numbers[i].offset);
}

static uint64_t total_of(const struct info *n, size_t i)
{
	uint64_t sum = 0;
	size_t p;

	for (p = 0; p < n->process_count; p++)
		sum += number_of(&n->processes[p], i);
	return sum;
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
	{"max_windows", META_NUMBER, "windows at most"},
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

static json_t *json_id(int64_t id)
{
	return id == STORE_NONE ? json_null() : json_integer(id);
}

static json_t *json_process(const struct store_process *p)
{
	json_t *o = json_object();
	size_t i;

	json_object_set_new(o, "id", json_integer(p->id));
	json_object_set_new(o, "pid", json_integer(p->pid));
	json_object_set_new(o, "parent", json_id(p->parent_id));
	json_object_set_new(o, "cause", json_text(p->cause));
	json_object_set_new(o, "state", json_text(p->state));
	json_put_ending(o, p);
	json_object_set_new(o, "exe", json_text(p->exe));
	json_object_set_new(o, "command", json_text(p->command));
	json_object_set_new(o, "start_ns", json_integer((json_int_t)p->start_ns));
	json_object_set_new(o, "end_ns",
			    p->end_ns != 0 ? json_integer((json_int_t)p->end_ns) : json_null());
	for (i = 0; i < NUMBER_COUNT; i++)
		json_object_set_new(o, numbers[i].name, json_integer((json_int_t)number_of(p, i)));
	return o;
}

static void print_json(const struct info *n)
{
	json_t *root = json_object(), *list = json_array(), *messages = json_array();
	size_t i;

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
		json_object_set_new(root, numbers[i].name,
				    json_integer((json_int_t)total_of(n, i)));
	if (n->events.event_count > 0)
		info_events_json(&n->events, root);
	for (i = 0; i < n->process_count; i++)
		json_array_append_new(list, json_process(&n->processes[i]));
	json_object_set_new(root, "processes", list);
	for (i = 0; i < n->message_count; i++)
		json_array_append_new(messages, json_text(n->messages[i].text));
	json_object_set_new(root, "messages", messages);
	json_dumpf(root, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(root);
}

/* ---- CSV: one line per process ---- */

static void print_csv(const struct info *n)
{
	size_t i, p;

	printf("id,pid,parent,cause,state," CSV_ENDING);
	for (i = 0; i < NUMBER_COUNT; i++)
		printf(",%s", numbers[i].name);
	printf(",exe,command\n");
	for (p = 0; p < n->process_count; p++) {
		const struct store_process *x = &n->processes[p];
		struct text ending = {0}, names = {0};

		printf("%" PRId64 ",%" PRIu32 ",", x->id, x->pid);
		if (x->parent_id != STORE_NONE)
			printf("%" PRId64, x->parent_id);
		text_add(&ending, ",");
		csv_field(&ending, x->cause);
		text_add(&ending, ",");
		csv_field(&ending, x->state);
		text_add(&ending, ",");
		csv_ending(&ending, x);
		fputs(text_get(&ending), stdout);
		text_release(&ending);
		for (i = 0; i < NUMBER_COUNT; i++)
			printf(",%" PRIu64, number_of(x, i));
		csv_line(&names, (const char *const[]){x->exe, x->command}, 2);
		printf(",%s", text_get(&names));
		text_release(&names);
	}
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

enum { AT_ID, AT_PID, AT_STATE, AT_NUMBERS };

/*
 * Set the columns, in the order of the table above. In narrow output, leave out first what became
 * of the samples.
 */
static size_t set_columns(const struct info *n, struct table_column *columns, unsigned *less)
{
	static const char *const least_important[] = {"TOUCHED",  "FOLLOWED", "DANGLING",
						      "CENSORED", "RESOLVED", "MODIFIES",
						      "STORES",	  "LOADS",    "WINDOWS"};
	size_t count = AT_NUMBERS, found = 0;

	columns[AT_ID] = (struct table_column){"ID", true, false};
	columns[AT_PID] = (struct table_column){"PID", true, false};
	columns[AT_STATE] = (struct table_column){"STATE", false, false};
	for (size_t i = 0; i < NUMBER_COUNT; i++) {
		if (is_shown(n, i))
			columns[count++] = (struct table_column){numbers[i].heading, true, false};
	}
	for (size_t k = 0; k < sizeof(least_important) / sizeof(least_important[0]); k++) {
		for (size_t i = AT_NUMBERS; i < count; i++) {
			if (strcmp(columns[i].title, least_important[k]) == 0)
				less[found++] = (unsigned)i;
		}
	}
	columns[count] = (struct table_column){"COMMAND", false, TABLE_WORDS};
	return found;
}

static void add_process(const struct info *n, const struct store_process *x, struct table *table)
{
	char figures[AT_NUMBERS + NUMBER_COUNT][24];
	const char *cells[AT_NUMBERS + NUMBER_COUNT + 1];
	char state[FIGURE_BYTES];
	size_t count = AT_NUMBERS;

	snprintf(figures[AT_ID], sizeof(figures[0]), "%" PRId64, x->id);
	snprintf(figures[AT_PID], sizeof(figures[0]), "%" PRIu32, x->pid);
	for (size_t i = 0; i < NUMBER_COUNT; i++) {
		if (is_shown(n, i))
			snprintf(figures[count++], sizeof(figures[0]), "%" PRIu64, number_of(x, i));
	}
	for (size_t i = 0; i < count; i++)
		cells[i] = figures[i];
	cells[AT_STATE] = figure_state(x, state);
	cells[count] = x->command;
	table_row(table, cells);
}

static int add_processes(const struct info *n, const struct display *d, struct text *out,
			 struct err *err)
{
	struct table_column columns[AT_NUMBERS + NUMBER_COUNT + 1];
	unsigned less[NUMBER_COUNT];
	size_t less_count = set_columns(n, columns, less), count = AT_NUMBERS + 1;
	struct table *table;
	int status;

	for (size_t i = 0; i < NUMBER_COUNT; i++)
		count += is_shown(n, i);
	table = table_new(columns, count, d);
	table_may_leave_out(table, less, less_count);
	for (size_t p = 0; p < n->process_count; p++)
		add_process(n, &n->processes[p], table);
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
			add_total(numbers[i].name, total_of(n, i), out);
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

static int print_text(const struct info *n)
{
	struct display d = view_display();
	struct text out = {0};
	struct err err;
	int status = put_text(n, &d, &out, &err);

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
	int code = EXIT_OK;

	if (store_open_readonly(o->input, &n.store, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	if (store_read_processes(n.store, &n.processes, &n.process_count, &err) != 0 ||
	    store_read_messages(n.store, &n.messages, &n.message_count, &err) != 0 ||
	    info_events_read(&n.events, n.store, &err) != 0) {
		code = cli_fail(&err, EXIT_INPUT);
	} else if (o->format == VIEW_JSON) {
		print_json(&n);
	} else if (o->format == VIEW_CSV) {
		print_csv(&n);
	} else {
		code = print_text(&n);
	}
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
