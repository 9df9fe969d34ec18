/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view `info`: what a profile holds, in totals and per process; no model, no estimate. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "answer/answer.h"
#include "answer/json.h"
#include "answer/process_columns.h"
#include "base/signal_name.h"
#include "base/size.h"
#include "store/events.h"

#define LABEL_WIDTH 26
#define FAR_64	    4 /* of lines of 64 bytes */

/* The events of a profile with their sums, and what was simulated. */
struct events {
	struct store_event *items; /* none: not an event profile */
	size_t count;
	struct store_geometry *geometry;
	size_t geometry_count;
	uint64_t totals[STORE_MAX_COLUMNS]; /* of the measured events, which are the first ones */
	size_t nodes, locations, arcs, jumps;
};

struct info {
	struct store *store;
	struct store_process *processes;
	size_t process_count;
	struct store_message *messages;
	size_t message_count;
	struct events events;
};

/* ---- Columns ---- */

#define NUMBER(member) \
#member, UNIT_NUMBER, COLUMN_MEMBER(struct store_process, member), .adds_up = true

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
	{NULL, "far_lines", UNIT_NUMBER, COLUMN_MEMBER(struct store_process, far_lines[FAR_64]),
	 .adds_up = true},
	{NULL, NUMBER(footprint_pages)},
	{NULL, NUMBER(engine_bytes)},
	{NULL, NUMBER(translate_cycles)},
	{NULL, NUMBER(scan_cycles)},
	{NULL, NUMBER(lost_records)},
};

#define NUMBER_COUNT (sizeof(numbers) / sizeof(numbers[0]))

static uint64_t total_of(const struct info *n, size_t i)
{
	uint64_t sum = 0;

	for (size_t p = 0; p < n->process_count; p++)
		sum += *(const uint64_t *)(const void *)((const char *)&n->processes[p] +
							 numbers[i].offset);
	return sum;
}

/* Tell whether text shows a number for each process. Most are 0 for an event profile. */
static bool is_shown(const struct info *n, size_t i)
{
	return numbers[i].title != NULL && (n->events.count == 0 || total_of(n, i) != 0);
}

/* When narrow text leaves it out. */
static unsigned less_of(const struct column *c)
{
	static const char *const least_important[] = {"MODIFIES", "STORES", "LOADS", "WINDOWS"};

	for (unsigned i = 0; i < sizeof(least_important) / sizeof(least_important[0]); i++)
		if (strcmp(c->title, least_important[i]) == 0)
			return i + 1;
	return 0;
}

static void show_columns(const struct info *n, struct rows *r)
{
	static const struct shown before[] = {
		{PROCESS(ID)},
		{PROCESS(PID)},
		{PROCESS(SHOWN_STATE), .in = IN_TEXT},
		{PROCESS(PARENT), .in = IN_FILES},
		{PROCESS(CAUSE), .in = IN_FILES},
		{PROCESS(STATE), .in = IN_FILES},
		{PROCESS(EXIT_STATUS), .in = IN_FILES},
		{PROCESS(SIGNAL), .in = IN_FILES},
		{PROCESS(SIGNAL_NAME), .in = IN_FILES},
	};
	static const struct shown after[] = {
		{PROCESS(EXE), .in = IN_FILES},
		{PROCESS(COMMAND)},
		{PROCESS(START), .in = IN_JSON},
		{PROCESS(END), .in = IN_JSON},
	};

	ROWS_SHOW(r, before, 0);
	for (size_t i = 0; i < NUMBER_COUNT; i++) {
		const struct shown one = {.column = &numbers[i],
					  .less = is_shown(n, i) ? less_of(&numbers[i]) : 0};

		rows_show(r, &one, 1, 0, IN_FILES | (is_shown(n, i) ? IN_TEXT : 0));
	}
	ROWS_SHOW(r, after, 0);
}

/* ---- The store ---- */

static int count_costs(struct events *e, struct store *s, struct err *err)
{
	struct store_cost *costs;
	size_t count, i, k;
	int64_t last = STORE_NONE;

	if (store_read_costs(s, STORE_ALL, &costs, &count, err) != 0)
		return -1;
	for (i = 0; i < count; i++) {
		for (k = 0; k < e->count && e->items[k].formula == NULL; k++)
			e->totals[k] += costs[i].values[k];
		e->nodes += costs[i].node_id != last;
		last = costs[i].node_id;
	}
	e->locations = count;
	free(costs);
	return 0;
}

static int count_calls(struct events *e, struct store *s, struct err *err)
{
	struct store_arc *arcs;
	struct store_jump *jumps;

	if (store_read_arcs(s, STORE_ALL, &arcs, &e->arcs, err) != 0)
		return -1;
	free(arcs);
	if (store_read_jumps(s, STORE_ALL, &jumps, &e->jumps, err) != 0)
		return -1;
	free(jumps);
	return 0;
}

static int read_events(struct events *e, struct store *s, struct err *err)
{
	if (store_read_events(s, &e->items, &e->count, err) != 0)
		return -1;
	if (e->count == 0)
		return 0;
	return store_read_geometry(s, &e->geometry, &e->geometry_count, err) == 0 &&
			       count_costs(e, s, err) == 0
		       ? count_calls(e, s, err)
		       : -1;
}

static void release(void *held)
{
	struct info *n = held;

	free(n->events.items);
	free(n->events.geometry);
	free(n->processes);
	free(n->messages);
	store_close(n->store);
}

/* ---- JSON ---- */

static void put_events(const struct events *e, json_t *root)
{
	json_t *events = json_array(), *geometry = json_object();

	for (size_t i = 0; i < e->count; i++)
		json_array_append_new(events,
				      json_pack("{s:o, s:o, s:o, s:o}", "name",
						json_text(e->items[i].name), "description",
						json_text(e->items[i].description), "formula",
						json_text(e->items[i].formula), "total",
						e->items[i].formula != NULL
							? json_null()
							: json_integer((json_int_t)e->totals[i])));
	for (size_t i = 0; i < e->geometry_count; i++)
		json_object_set_new(geometry, e->geometry[i].name, json_text(e->geometry[i].value));
	json_object_set_new(root, "events", events);
	json_object_set_new(root, "geometry", geometry);
}

/* ---- The facts ---- */

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

static json_t *about(const struct info *n)
{
	json_t *root = json_object(), *messages = json_array();

	for (size_t i = 0; i < META_COUNT; i++) {
		const char *text = store_meta_text(n->store, meta_keys[i].name);

		if (text != NULL)
			json_object_set_new(root, meta_keys[i].name,
					    meta_keys[i].kind == META_TEXT
						    ? json_text(text)
						    : json_integer(store_meta_int(
							      n->store, meta_keys[i].name, 0)));
	}
	for (size_t i = 0; i < NUMBER_COUNT; i++)
		json_object_set_new(root, numbers[i].key, json_integer((json_int_t)total_of(n, i)));
	if (n->events.count > 0)
		put_events(&n->events, root);
	for (size_t i = 0; i < n->message_count; i++)
		json_array_append_new(messages, json_text(n->messages[i].text));
	json_object_set_new(root, "messages", messages);
	return root;
}

/*
 * Tell whether an option of sampling is 0 and so means nothing for counted events. The exit status
 * is always shown.
 */
static bool says_nothing(const struct info *n, const struct meta_key *k, int64_t value)
{
	return value == 0 &&
	       (k->kind == META_SIZE ||
		(n->events.count > 0 && (k->kind == META_NUMBER || k->kind == META_PPM) &&
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

static void add_words(const char *words, struct text *out)
{
	text_add_printable(out, words, strlen(words));
}

static void add_meta(const struct info *n, const struct meta_key *k, struct text *out)
{
	const char *text = store_meta_text(n->store, k->name);
	int64_t value = store_meta_int(n->store, k->name, 0);
	char size[SIZE_TEXT_BYTES], name[SIGNAL_NAME_BYTES];

	if (text == NULL || says_nothing(n, k, value) || text[0] == '\0')
		return;
	text_addf(out, "%-*s", LABEL_WIDTH, k->label);
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
		add_words(text, out);
	text_add(out, "\n");
}

static void add_total(const char *label, uint64_t value, struct text *out)
{
	text_addf(out, "%-*s%" PRIu64 "\n", LABEL_WIDTH, label, value);
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
		text_addf(out, "%-*s%.2f %%\n", LABEL_WIDTH, "accesses in windows",
			  100.0 * (double)watched / (double)accesses);
}

static void add_event(const struct events *e, size_t i, struct text *out)
{
	const struct store_event *event = &e->items[i];
	const size_t from = out->count;

	text_add(out, "event ");
	add_words(event->name, out);
	text_addf(out, "%*s",
		  out->count - from < LABEL_WIDTH ? (int)(LABEL_WIDTH - (out->count - from)) : 1,
		  "");
	if (event->formula != NULL) {
		text_add(out, "= ");
		add_words(event->formula, out);
	} else {
		text_addf(out, "%" PRIu64, e->totals[i]);
	}
	if (event->description != NULL) {
		text_add(out, " (");
		add_words(event->description, out);
		text_add(out, ")");
	}
	text_add(out, "\n");
}

static void add_events(const struct events *e, struct text *out)
{
	for (size_t i = 0; i < e->count; i++)
		add_event(e, i, out);
	for (size_t i = 0; i < e->geometry_count; i++) {
		const size_t from = out->count;

		add_words(e->geometry[i].name, out);
		text_addf(out, "%*s",
			  out->count - from < LABEL_WIDTH ? (int)(LABEL_WIDTH - (out->count - from))
							  : 0,
			  "");
		add_words(e->geometry[i].value, out);
		text_add(out, "\n");
	}
	add_total("functions in contexts", e->nodes, out);
	add_total("their places in code", e->locations, out);
	add_total("calls between them", e->arcs, out);
	add_total("jumps", e->jumps, out);
}

static void add_facts(const struct info *n, struct answer *a)
{
	struct text *out = &a->title;

	for (size_t i = 0; i < META_COUNT; i++)
		add_meta(n, &meta_keys[i], out);
	add_total("processes", n->process_count, out);
	for (size_t i = 0; i < NUMBER_COUNT; i++)
		if (is_shown(n, i) || total_of(n, i) != 0)
			add_total(numbers[i].key, total_of(n, i), out);
	if (n->events.count > 0)
		add_events(&n->events, out);
	else
		add_share(n, out);
	a->title_indent = LABEL_WIDTH;
	for (size_t i = 0; i < n->message_count; i++) {
		add_words(n->messages[i].text, &a->notes);
		text_add(&a->notes, "\n");
	}
}

int view_info(const struct question *q, struct answer *a, struct err *err)
{
	struct info *n = answer_hold(a, sizeof(*n), err);

	if (n == NULL)
		return -1;
	a->release = release;
	if (store_open_readonly(q->file, &n->store, err) != 0 ||
	    store_read_processes(n->store, &n->processes, &n->process_count, err) != 0 ||
	    store_read_messages(n->store, &n->messages, &n->message_count, err) != 0 ||
	    read_events(&n->events, n->store, err) != 0)
		return -1;
	a->rows = (struct rows){.items = n->processes,
				.count = n->process_count,
				.bytes_each = sizeof(*n->processes),
				.key = "processes",
				.none = ""};
	show_columns(n, &a->rows);
	add_facts(n, a);
	a->about = about(n);
	return 0;
}
