/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes of a run as text, CSV and JSON. */
#include <inttypes.h>
#include <jansson.h>

#include "base/signal_name.h"
#include "base/text.h"
#include "estimate/processes.h"
#include "views/cost_columns.h"
#include "views/figures.h"
#include "views/json.h"
#include "views/table.h"
#include "views/views.h"

/* ---- Columns ---- */

struct row {
	struct store_process x;
	double share;
	const struct model_ratio *ratios;
};

static struct row row_of(const struct processes *s, size_t i)
{
	return (struct row){*s->rows[i].process, s->rows[i].share, s->rows[i].ratios};
}

static const struct store_process *process_of(const void *row)
{
	return &((const struct row *)row)->x;
}

/* A number that may be none. */
static void put_number(int64_t number, struct value *v)
{
	v->whole = (uint64_t)number;
	v->is_missing = number == STORE_NONE;
}

static void get_parent(const void *row, struct value *v)
{
	put_number(process_of(row)->parent_id, v);
}

/* With the name of the signal. */
static void get_end(const void *row, struct value *v)
{
	char state[FIGURE_BYTES];

	text_add(v->made, figure_state(process_of(row), state));
	v->text = text_get(v->made);
}

static void get_exit_status(const void *row, struct value *v)
{
	put_number(process_of(row)->exit_status, v);
}

static void get_signal(const void *row, struct value *v)
{
	v->whole = (uint64_t)process_of(row)->signal;
	v->is_missing = process_of(row)->signal <= 0;
}

static void get_signal_name(const void *row, struct value *v)
{
	char name[SIGNAL_NAME_BYTES];

	v->is_missing = process_of(row)->signal <= 0;
	if (!v->is_missing)
		text_add(v->made, signal_name(process_of(row)->signal, name));
	v->text = text_get(v->made);
}

static void get_command_or_exe(const void *row, struct value *v)
{
	const struct store_process *x = process_of(row);

	v->text = x->command[0] != '\0' ? x->command : x->exe;
}

static void put_cache(const void *row, size_t cache, struct value *v)
{
	const struct model_ratio *r = &((const struct row *)row)->ratios[cache];

	v->real = r->ratio;
	v->is_missing = !r->known;
}

static void get_l1(const void *row, struct value *v)
{
	put_cache(row, 0, v);
}

static void get_l2(const void *row, struct value *v)
{
	put_cache(row, 1, v);
}

static void get_l3(const void *row, struct value *v)
{
	put_cache(row, 2, v);
}

enum {
	ID,
	PID,
	PARENT,
	STATE,
	END,
	EXIT_STATUS,
	SIGNAL,
	SIGNAL_NAME,
	ACCESSES,
	SHARE,
	SAMPLES,
	WINDOWS,
	L1,
	L2,
	L3,
	EXE,
	COMMAND,
	COMMAND_OR_EXE,
};

static const struct column columns[] = {
	[ID] = {"ID", "id", UNIT_NUMBER, COLUMN_MEMBER(struct row, x.id)},
	[PID] = {"PID", "pid", UNIT_NUMBER, COLUMN_MEMBER(struct row, x.pid)},
	[PARENT] = {"PARENT", "parent", UNIT_NUMBER, get_parent},
	[STATE] = {NULL, "state", UNIT_TEXT, COLUMN_MEMBER(struct row, x.state)},
	[END] = {"STATE", NULL, UNIT_TEXT, get_end},
	[EXIT_STATUS] = {NULL, "exit_status", UNIT_NUMBER, get_exit_status},
	[SIGNAL] = {NULL, "signal", UNIT_NUMBER, get_signal},
	[SIGNAL_NAME] = {NULL, "signal_name", UNIT_TEXT, get_signal_name},
	[ACCESSES] = {"ACCESSES", "accesses", UNIT_COUNT, COLUMN_MEMBER(struct row, x.accesses)},
	[SHARE] = {"SHARE", "share", UNIT_SHARE, COLUMN_MEMBER(struct row, share)},
	[SAMPLES] = {"SAMPLES", "samples", UNIT_COUNT, COLUMN_MEMBER(struct row, x.samples)},
	[WINDOWS] = {NULL, "windows", UNIT_COUNT, COLUMN_MEMBER(struct row, x.windows)},
	[L1] = {"L1d", "L1d", UNIT_RATIO, get_l1},
	[L2] = {"L2", "L2", UNIT_RATIO, get_l2},
	[L3] = {"L3", "L3", UNIT_RATIO, get_l3},
	[EXE] = {NULL, "exe", UNIT_TEXT, COLUMN_MEMBER(struct row, x.exe)},
	[COMMAND] = {NULL, "command", UNIT_TEXT, COLUMN_MEMBER(struct row, x.command)},
	[COMMAND_OR_EXE] = {"COMMAND", NULL, UNIT_TEXT, get_command_or_exe, .may_cut = TABLE_WORDS},
};

#define C(column) (&columns[column])
#define ENDING	  C(EXIT_STATUS), C(SIGNAL), C(SIGNAL_NAME)
#define TEXT_COLUMNS                                                                              \
	C(ID), C(PID), C(PARENT), C(END), C(ACCESSES), C(SHARE), C(SAMPLES), C(L1), C(L2), C(L3), \
		C(COMMAND_OR_EXE)

/* ---- Text ---- */

int processes_text(const struct processes *s, size_t rows, const struct display *d,
		   struct text *out, struct err *err)
{
	static const unsigned least_important[] = {6, 2, 3}; /* samples, parent, state */
	const struct column_list *list = COLUMN_LIST(TEXT_COLUMNS);
	struct table *t = columns_table(list, d);
	size_t shown = rows > 0 && rows < s->count ? rows : s->count;
	int status;

	table_may_leave_out(t, least_important, 3);
	for (size_t i = 0; i < shown; i++) {
		struct row row = row_of(s, i);

		columns_table_row(list, t, &row);
	}
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
	const struct column_list *list =
		COLUMN_LIST(C(ID), C(PID), C(PARENT), C(STATE), ENDING, C(ACCESSES), C(SHARE),
			    C(SAMPLES), C(WINDOWS), C(L1), C(L2), C(L3), C(EXE), C(COMMAND));

	columns_csv_head(list, out);
	for (size_t i = 0; i < s->count; i++) {
		struct row row = row_of(s, i);

		columns_csv_row(list, &row, out);
	}
}

static json_t *json_row(const struct processes *s, size_t i)
{
	struct row row = row_of(s, i);
	json_t *caches = json_array();
	json_t *o =
		columns_json(COLUMN_LIST(C(ID), C(PID), C(PARENT), C(STATE), ENDING, C(EXE),
					 C(COMMAND), C(ACCESSES), C(SHARE), C(SAMPLES), C(WINDOWS)),
			     &row);

	for (size_t k = 0; k < PROFILE_CACHES; k++) {
		const struct ratio_row cache = {s->caches[k].name, s->caches[k].size_bytes,
						&row.ratios[k]};

		if (cache.size_bytes > 0)
			json_array_append_new(
				caches,
				columns_json(COLUMN_LIST(RATIO(NAME), RATIO(SIZE), RATIO_LIMITS),
					     &cache));
	}
	json_object_set_new(o, "caches", caches);
	return o;
}

int processes_json(const struct processes *s, struct text *out, struct err *err)
{
	json_t *root = json_object(), *rows = json_array();

	for (size_t i = 0; i < s->count; i++)
		json_array_append_new(rows, json_row(s, i));
	json_object_set_new(root, "processes", rows);
	return json_print(root, out, err);
}
