/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes of a run as text, CSV and JSON. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/text.h"
#include "estimate/processes.h"
#include "views/cost_columns.h"
#include "views/figures.h"
#include "views/process_columns.h"
#include "views/rows.h"
#include "views/views.h"

/* ---- Columns ---- */

struct row {
	struct store_process x;
	double share;
	const struct model_ratio *ratios;
	const struct profile_cache *caches;
};

static void get_cache(const void *row, struct value *v)
{
	const struct model_ratio *r = &((const struct row *)row)->ratios[v->number];

	v->real = r->ratio;
	v->is_missing = !r->known;
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

enum { SHARE, L1, L2, L3, CACHES };

static const struct column columns[] = {
	[SHARE] = {"SHARE", "share", UNIT_SHARE, COLUMN_MEMBER(struct row, share)},
	[L1] = {"L1d", "L1d", UNIT_RATIO, get_cache},
	[L2] = {"L2", "L2", UNIT_RATIO, get_cache, .number = 1},
	[L3] = {"L3", "L3", UNIT_RATIO, get_cache, .number = 2},
	[CACHES] = {NULL, "caches", UNIT_LIST, get_caches},
};

#define C(column) (&columns[column])
#define TEXT_COLUMNS                                                                         \
	PROCESS(ID), PROCESS(PID), PROCESS(PARENT), PROCESS(SHOWN_STATE), PROCESS(ACCESSES), \
		C(SHARE), PROCESS(SAMPLES), C(L1), C(L2), C(L3), PROCESS(COMMAND_OR_EXE)
#define CSV_COLUMNS                                                                            \
	PROCESS(ID), PROCESS(PID), PROCESS(PARENT), PROCESS(STATE), PROCESS_ENDING,            \
		PROCESS(ACCESSES), C(SHARE), PROCESS(SAMPLES), PROCESS(WINDOWS), C(L1), C(L2), \
		C(L3), PROCESS(EXE), PROCESS(COMMAND)
#define JSON_COLUMNS                                                                               \
	PROCESS(ID), PROCESS(PID), PROCESS(PARENT), PROCESS(STATE), PROCESS_ENDING, PROCESS(EXE),  \
		PROCESS(COMMAND), PROCESS(ACCESSES), C(SHARE), PROCESS(SAMPLES), PROCESS(WINDOWS), \
		C(CACHES)

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
	const struct assumed assumed = assumed_by(s->query);
	struct row *items = rows_new(s);
	struct rows r = rows_of(s, items);

	r.csv = COLUMN_LIST(CSV_COLUMNS, ASSUMED(assumed));
	out->failed |= items == NULL;
	rows_csv(&r, out);
	free(items);
}

int processes_json(const struct processes *s, struct text *out, struct err *err)
{
	const struct assumed assumed = assumed_by(s->query);
	struct row *items = rows_new(s);
	struct rows r = rows_of(s, items);
	int status;

	r.json = COLUMN_LIST(JSON_COLUMNS);
	r.key = "processes";
	r.about = COLUMN_LIST(ASSUMED(assumed));
	status = items == NULL ? err_set(err, "not enough memory for %zu processes", s->count)
			       : rows_json(&r, out, err);
	free(items);
	return status;
}
