/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes of a run as text, CSV and JSON. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

#include "base/text.h"
#include "estimate/processes.h"
#include "views/figures.h"
#include "views/json.h"
#include "views/table.h"
#include "views/views.h"

/* ---- Text ---- */

enum { AT_ID, AT_PID, AT_PARENT, AT_STATE, AT_ACCESSES, AT_SHARE, AT_SAMPLES, AT_CACHES };
#define AT_COMMAND (AT_CACHES + PROFILE_CACHES)
#define COLUMNS	   (AT_COMMAND + 1)

static const struct table_column columns[COLUMNS] = {
	[AT_ID] = {"ID", true, false},
	[AT_PID] = {"PID", true, false},
	[AT_PARENT] = {"PARENT", true, false},
	[AT_STATE] = {"STATE", false, false},
	[AT_ACCESSES] = {"ACCESSES", true, false},
	[AT_SHARE] = {"SHARE", true, false},
	[AT_SAMPLES] = {"SAMPLES", true, false},
	[AT_CACHES] = {"L1d", true, false},
	[AT_CACHES + 1] = {"L2", true, false},
	[AT_CACHES + 2] = {"L3", true, false},
	[AT_COMMAND] = {"COMMAND", false, TABLE_WORDS},
};

static void put_row(struct table *t, const struct processes_row *r)
{
	const struct store_process *x = r->process;
	char cells[COLUMNS][FIGURE_BYTES];
	const char *list[COLUMNS];

	for (size_t i = 0; i < COLUMNS; i++) {
		cells[i][0] = '\0';
		list[i] = cells[i];
	}
	snprintf(cells[AT_ID], FIGURE_BYTES, "%" PRId64, x->id);
	snprintf(cells[AT_PID], FIGURE_BYTES, "%" PRIu32, x->pid);
	if (x->parent_id != STORE_NONE)
		snprintf(cells[AT_PARENT], FIGURE_BYTES, "%" PRId64, x->parent_id);
	figure_count(x->accesses, cells[AT_ACCESSES]);
	figure_share(r->share, cells[AT_SHARE]);
	figure_count(x->samples, cells[AT_SAMPLES]);
	for (size_t i = 0; i < PROFILE_CACHES; i++)
		if (r->ratios[i].known)
			figure_percent(r->ratios[i].ratio, cells[AT_CACHES + i]);
	figure_state(x, cells[AT_STATE]);
	list[AT_COMMAND] = x->command[0] != '\0' ? x->command : x->exe;
	table_row(t, list);
}

int processes_text(const struct processes *s, size_t rows, const struct display *d,
		   struct text *out, struct err *err)
{
	static const unsigned least_important[] = {AT_SAMPLES, AT_PARENT, AT_STATE};
	struct table *t = table_new(columns, COLUMNS, d);
	size_t shown = rows > 0 && rows < s->count ? rows : s->count;
	int status;

	table_may_leave_out(t, least_important, 3);
	for (size_t i = 0; i < shown; i++)
		put_row(t, &s->rows[i]);
	status = table_print(t, out, err);
	table_free(t);
	if (status == 0 && shown < s->count)
		figure_more(out, s->count - shown, "");
	for (size_t i = 0; i < s->count; i++)
		if (s->rows[i].is_unreadable)
			text_addf(out,
				  "What process %" PRId64
				  " told cannot be read: how it misses is not known.\n",
				  s->rows[i].process->id);
	return status;
}

/* ---- CSV and JSON ---- */

void processes_csv(const struct processes *s, struct text *out)
{
	text_add(out, "id,pid,parent,state," CSV_ENDING ",accesses,share,samples,windows");
	for (size_t i = 0; i < PROFILE_CACHES; i++)
		text_addf(out, ",%s", s->caches[i].name);
	text_add(out, ",exe,command\n");
	for (size_t i = 0; i < s->count; i++) {
		const struct processes_row *r = &s->rows[i];
		const struct store_process *x = r->process;

		text_addf(out, "%" PRId64 ",%" PRIu32 ",", x->id, x->pid);
		if (x->parent_id != STORE_NONE)
			text_addf(out, "%" PRId64, x->parent_id);
		text_add(out, ",");
		csv_field(out, x->state);
		text_add(out, ",");
		csv_ending(out, x);
		text_addf(out, ",%" PRIu64 ",%.8g,%" PRIu64 ",%" PRIu64, x->accesses, r->share,
			  x->samples, x->windows);
		for (size_t k = 0; k < PROFILE_CACHES; k++) {
			text_add(out, ",");
			if (r->ratios[k].known)
				text_addf(out, "%.8g", r->ratios[k].ratio);
		}
		text_add(out, ",");
		csv_field(out, x->exe);
		text_add(out, ",");
		csv_field(out, x->command);
		text_add(out, "\n");
	}
}

static json_t *json_id(int64_t id)
{
	return id == STORE_NONE ? json_null() : json_integer(id);
}

static json_t *json_row(const struct processes *s, const struct processes_row *r)
{
	const struct store_process *x = r->process;
	json_t *o = json_object(), *caches = json_array();

	json_object_set_new(o, "id", json_integer(x->id));
	json_object_set_new(o, "pid", json_integer(x->pid));
	json_object_set_new(o, "parent", json_id(x->parent_id));
	json_object_set_new(o, "state", json_text(x->state));
	json_put_ending(o, x);
	json_object_set_new(o, "exe", json_text(x->exe));
	json_object_set_new(o, "command", json_text(x->command));
	json_object_set_new(o, "accesses", json_integer((json_int_t)x->accesses));
	json_object_set_new(o, "share", json_real(r->share));
	json_object_set_new(o, "samples", json_integer((json_int_t)x->samples));
	json_object_set_new(o, "windows", json_integer((json_int_t)x->windows));
	for (size_t i = 0; i < PROFILE_CACHES; i++) {
		json_t *c = json_object();

		if (s->caches[i].size_bytes == 0) {
			json_decref(c);
			continue;
		}
		json_object_set_new(c, "name", json_text(s->caches[i].name));
		json_object_set_new(c, "size_bytes",
				    json_integer((json_int_t)s->caches[i].size_bytes));
		json_put_ratio(c, &r->ratios[i]);
		json_array_append_new(caches, c);
	}
	json_object_set_new(o, "caches", caches);
	return o;
}

int processes_json(const struct processes *s, struct text *out, struct err *err)
{
	json_t *root = json_object(), *rows = json_array();

	for (size_t i = 0; i < s->count; i++)
		json_array_append_new(rows, json_row(s, &s->rows[i]));
	json_object_set_new(root, "processes", rows);
	return json_print(root, out, err);
}
