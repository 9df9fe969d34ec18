/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes of a run as text, CSV and JSON. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/signal_name.h"
#include "base/text.h"
#include "estimate/processes.h"
#include "views/cost_columns.h"
#include "views/figures.h"
#include "views/rows.h"
#include "views/views.h"

/* ---- Columns ---- */

struct row {
	struct store_process x;
	double share;
	const struct model_ratio *ratios;
	const struct profile_cache *caches;
};

static const struct store_process *process_of(const void *row)
{
	return &((const struct row *)row)->x;
}

/* Set a number that may be missing. */
static void put_number(int64_t number, struct value *v)
{
	v->whole = (uint64_t)number;
	v->is_missing = number == STORE_NONE;
}

static void get_parent(const void *row, struct value *v)
{
	put_number(process_of(row)->parent_id, v);
}

/* The end, with the name of the signal. */
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

static void get_caches(const void *row, struct value *v)
{
	const struct row *r = row;

	v->list = json_array();
	for (size_t i = 0; i < PROFILE_CACHES; i++) {
		const struct ratio_row cache = {r->caches[i].name, r->caches[i].size_bytes,
						&r->ratios[i]};

		if (cache.size_bytes > 0)
			json_array_append_new(
				v->list,
				columns_json(COLUMN_LIST(RATIO(NAME), RATIO(SIZE), RATIO_LIMITS),
					     &cache));
	}
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
	CACHES,
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
	[CACHES] = {NULL, "caches", UNIT_LIST, get_caches},
};

#define C(column) (&columns[column])
#define ENDING	  C(EXIT_STATUS), C(SIGNAL), C(SIGNAL_NAME)
#define TEXT_COLUMNS                                                                              \
	C(ID), C(PID), C(PARENT), C(END), C(ACCESSES), C(SHARE), C(SAMPLES), C(L1), C(L2), C(L3), \
		C(COMMAND_OR_EXE)
#define CSV_COLUMNS                                                                                \
	C(ID), C(PID), C(PARENT), C(STATE), ENDING, C(ACCESSES), C(SHARE), C(SAMPLES), C(WINDOWS), \
		C(L1), C(L2), C(L3), C(EXE), C(COMMAND)
#define JSON_COLUMNS                                                                           \
	C(ID), C(PID), C(PARENT), C(STATE), ENDING, C(EXE), C(COMMAND), C(ACCESSES), C(SHARE), \
		C(SAMPLES), C(WINDOWS), C(CACHES)

/* ---- Rows ---- */

/* NULL when memory runs out. The caller frees them. */
static struct row *rows_new(const struct processes *s)
{
	struct row *rows = calloc(s->count + 1, sizeof(*rows));

	for (size_t i = 0; rows != NULL && i < s->count; i++)
		rows[i] = (struct row){*s->rows[i].process, s->rows[i].share, s->rows[i].ratios,
				       s->caches};
	return rows;
}

static struct rows rows_of(const struct processes *s, const struct row *items)
{
	return (struct rows){.items = items,
			     .count = items == NULL ? 0 : s->count,
			     .bytes_each = sizeof(*items)};
}

/* ---- Text ---- */

int processes_text(const struct processes *s, size_t rows, const struct display *d,
		   struct text *out, struct err *err)
{
	static const unsigned least_important[] = {6, 2, 3}; /* samples, parent, state */
	struct row *items = rows_new(s);
	struct rows r = rows_of(s, items);
	int status;

	r.text = COLUMN_LIST(TEXT_COLUMNS);
	r.least_important = least_important;
	r.least_count = 3;
	status = items == NULL ? err_set(err, "not enough memory for %zu processes", s->count)
			       : rows_text(&r, rows, d, out, err);
	free(items);
	for (size_t i = 0; i < s->count; i++)
		if (s->rows[i].is_unreadable)
			text_addf(out,
				  "The profile of process %" PRId64
				  " is damaged: its misses are unknown.\n",
				  s->rows[i].process->id);
	return status;
}

/* ---- CSV and JSON ---- */

void processes_csv(const struct processes *s, struct text *out)
{
	struct row *items = rows_new(s);
	struct rows r = rows_of(s, items);

	r.csv = COLUMN_LIST(CSV_COLUMNS);
	out->failed |= items == NULL;
	rows_csv(&r, out);
	free(items);
}

int processes_json(const struct processes *s, struct text *out, struct err *err)
{
	struct row *items = rows_new(s);
	struct rows r = rows_of(s, items);
	int status;

	r.json = COLUMN_LIST(JSON_COLUMNS);
	r.key = "processes";
	status = items == NULL ? err_set(err, "not enough memory for %zu processes", s->count)
			       : rows_json(&r, out, err);
	free(items);
	return status;
}
