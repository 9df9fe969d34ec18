/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell simulate --trace. */
#include "cli/simulate_trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/exit_codes.h"
#include "collector/geometry_text.h"
#include "collector/sim_heap.h"
#include "views/figures.h"
#include "views/fit.h"
#include "views/json.h"
#include "views/table.h"

struct result {
	const struct simulate_trace *of;
	const struct sim_events *list;
	uint64_t events[SIM_MAX_EVENTS];
};

/* ---- Output ---- */

/* The accesses that an event of misses is a part of: an index; SIM_NO_EVENT where it is none. */
static unsigned whole_of(enum sim_event_id id)
{
	return id >= SIM_MISSES && id < SIM_WRITE_BACKS ? (id - SIM_MISSES) % 3 : SIM_NO_EVENT;
}

static int put_table(const struct result *r, const struct display *d, struct text *out,
		     struct err *err)
{
	static const struct table_column heads[] = {{"EVENT", false, false},
						    {"COUNT", true, false},
						    {"RATIO", true, false},
						    {"WHAT", false, TABLE_WORDS}};
	struct table *t = table_new(heads, 4, d);
	int status;

	for (unsigned i = 0; i < r->list->count; i++) {
		const struct sim_event *e = &r->list->items[i];
		unsigned whole = whole_of(e->id);
		uint64_t n = r->events[i], all = whole != SIM_NO_EVENT ? r->events[whole] : 0;
		char count[FIGURE_BYTES], ratio[FIGURE_BYTES] = "";

		if (all > 0)
			figure_percent((double)n / (double)all, ratio);
		table_row(t, (const char *const[]){e->name, figure_count(n, count), ratio,
						   e->description});
	}
	status = table_print(t, out, err);
	table_free(t);
	return status;
}

static int put_text(const struct result *r, const struct display *d, struct text *out,
		    struct err *err)
{
	struct geometry_row rows[GEOMETRY_ROWS];
	size_t count = geometry_rows(r->of->geometry, rows), from = out->count;

	text_add(out, "Simulated caches: trace ");
	fit_add(out, r->of->file, d);
	text_add(out, "\n");
	for (size_t i = 0; i < count; i++)
		text_addf(out, "%s%s%s%s", i > 0 ? "; " : "", rows[i].name,
			  rows[i].value[0] != '\0' ? " " : "", rows[i].value);
	text_add(out, "\n\n");
	fit_prose(out, from, 0, d);
	return put_table(r, d, out, err);
}

static void put_csv(const struct result *r, struct text *out)
{
	text_add(out, "event,count,description\n");
	for (unsigned i = 0; i < r->list->count; i++) {
		text_addf(out, "%s,%" PRIu64 ",", r->list->items[i].name, r->events[i]);
		csv_field(out, r->list->items[i].description);
		text_add(out, "\n");
	}
}

static int put_json(const struct result *r, struct text *out, struct err *err)
{
	json_t *root = json_object(), *geometry = json_object(), *events = json_object();
	struct geometry_row rows[GEOMETRY_ROWS];
	size_t count = geometry_rows(r->of->geometry, rows);

	for (size_t i = 0; i < count; i++)
		json_object_set_new(geometry, rows[i].name, json_text(rows[i].value));
	for (unsigned i = 0; i < r->list->count; i++)
		json_object_set_new(events, r->list->items[i].name,
				    json_integer((json_int_t)r->events[i]));
	json_object_set_new(root, "trace", json_text(r->of->file));
	json_object_set_new(root, "geometry", geometry);
	json_object_set_new(root, "events", events);
	return json_print(root, out, err);
}

static int put(const struct result *r, const struct display *d, struct text *out, struct err *err)
{
	if (r->of->format == VIEW_TEXT)
		return put_text(r, d, out, err);
	if (r->of->format == VIEW_JSON)
		return put_json(r, out, err);
	put_csv(r, out);
	return 0;
}

/* ---- The run ---- */

static int simulate(const struct simulate_trace *t, struct sim_hierarchy *h, struct result *r,
		    struct err *err)
{
	bool is_stdin = strcmp(t->file, "-") == 0;
	const char *name = is_stdin ? "standard input" : t->file;
	FILE *in = is_stdin ? stdin : fopen(t->file, "re");
	int status;

	if (in == NULL)
		return err_set(err, "cannot read %s: %s", name, strerror(errno));
	status = trace_simulate(in, name, t->trace_format, h, r->events, err);
	if (!is_stdin)
		fclose(in);
	return status;
}

int simulate_trace_run(const struct simulate_trace *t, const struct display *d, struct text *out,
		       struct err *err)
{
	static struct sim_hierarchy h;
	struct result r = {.of = t, .list = &h.list};
	int code = 0;

	if (sim_hierarchy_init(&h, t->geometry, true, &sim_heap) != 0) {
		err_set(err, "not enough memory to simulate caches of that size");
		code = EXIT_CANNOT_RUN;
	} else if (simulate(t, &h, &r, err) != 0) {
		code = EXIT_INPUT;
	} else if (put(&r, d, out, err) != 0) {
		code = EXIT_OUTPUT;
	}
	sim_hierarchy_release(&h);
	return code;
}
