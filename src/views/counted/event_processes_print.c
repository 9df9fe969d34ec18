/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes of an event profile as text, CSV and JSON. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "events/event_processes.h"
#include "views/process_columns.h"
#include "views/rows.h"
#include "views/views.h"

/* ---- Columns ---- */

/* In the order of columns. */
static const char *const names[] = {"L1i", "L1d", "L2", "L3", "L4", "LL"};

#define NAMES	  (sizeof(names) / sizeof(names[0]))
#define FIGURES	  3 /* a ratio, and its bounds */
#define MOST_COLS 48

static const struct event_cache *cache_of(const struct event_caches *c, const char *name)
{
	for (size_t i = 0; i < c->count; i++)
		if (strcmp(c->items[i].name, name) == 0)
			return &c->items[i];
	return NULL;
}

/* The column's number says which cache, and which of the figures. */
static void get_ratio(const void *row, struct value *v)
{
	const struct event_process *p = row;
	const struct event_cache *c = cache_of(&p->caches, names[v->number / FIGURES]);

	v->is_missing = c == NULL;
	if (c != NULL)
		v->real = (v->number % FIGURES == 0   ? c->misses
			   : v->number % FIGURES == 1 ? c->low
						      : c->high) /
			  c->accesses;
}

#define RATIO_OF(name, at)                                                                \
	{name, name, UNIT_RATIO, get_ratio, .number = FIGURES * (at)},                    \
		{NULL, name "_low", UNIT_RATIO, get_ratio, .number = FIGURES * (at) + 1}, \
	{                                                                                 \
		NULL, name "_high", UNIT_RATIO, get_ratio, .number = FIGURES * (at) + 2   \
	}

static const struct column ratios[] = {
	RATIO_OF("L1i", 0), RATIO_OF("L1d", 1), RATIO_OF("L2", 2),
	RATIO_OF("L3", 3),  RATIO_OF("L4", 4),	RATIO_OF("LL", 5),
};

_Static_assert(sizeof(ratios) / sizeof(ratios[0]) == FIGURES * NAMES, "a column for each figure");

static const struct column share = {"SHARE", "share", UNIT_SHARE,
				    COLUMN_MEMBER(struct event_process, share)};
static const struct column stretches = {"STRETCHES", "stretches", UNIT_COUNT,
					COLUMN_MEMBER(struct event_process, stretches)};

/* ---- Lists ---- */

struct list {
	const struct column *items[MOST_COLS];
	size_t count;
};

static void add(struct list *l, const struct column_list *columns)
{
	for (size_t i = 0; i < columns->count; i++)
		l->items[l->count++] = columns->items[i];
}

/* Of the caches that the profile has; bounds in files about samples. */
static void add_ratios(struct list *l, const struct event_processes *s, bool has_bounds)
{
	if (s->sample->is_sampled)
		l->items[l->count++] = &stretches;
	for (size_t i = 0; i < NAMES; i++)
		for (size_t k = 0; k < FIGURES; k++)
			if (cache_of(&s->caches, names[i]) != NULL && (k == 0 || has_bounds))
				l->items[l->count++] = &ratios[FIGURES * i + k];
}

static struct rows rows_of(const struct event_processes *s)
{
	return (struct rows){.items = s->rows,
			     .count = s->count,
			     .bytes_each = sizeof(*s->rows),
			     .key = "processes"};
}

static void list_for_files(struct list *l, const struct event_processes *s)
{
	add(l, COLUMN_LIST(PROCESS(ID), PROCESS(PID), PROCESS(PARENT), PROCESS(STATE),
			   PROCESS_ENDING, PROCESS(ACCESSES), &share));
	add_ratios(l, s, s->sample->is_sampled);
	add(l, COLUMN_LIST(PROCESS(EXE), PROCESS(COMMAND)));
}

/* ---- Formats ---- */

int event_processes_text(const struct event_processes *s, size_t rows, const struct display *d,
			 struct text *out, struct err *err)
{
	static const unsigned least_important[] = {2, 3}; /* parent, state */
	struct rows r = rows_of(s);
	struct list l = {0};

	add(&l, COLUMN_LIST(PROCESS(ID), PROCESS(PID), PROCESS(PARENT), PROCESS(SHOWN_STATE),
			    PROCESS(ACCESSES), &share));
	add_ratios(&l, s, false);
	add(&l, COLUMN_LIST(PROCESS(COMMAND_OR_EXE)));
	r.text = &(const struct column_list){l.items, l.count};
	r.none = "No process has this command.";
	r.least_important = least_important;
	r.least_count = 2;
	return rows_text(&r, rows, d, out, err);
}

void event_processes_csv(const struct event_processes *s, struct text *out)
{
	struct rows r = rows_of(s);
	struct list l = {0};

	list_for_files(&l, s);
	r.csv = &(const struct column_list){l.items, l.count};
	rows_csv(&r, out);
}

int event_processes_json(const struct event_processes *s, struct text *out, struct err *err)
{
	struct rows r = rows_of(s);
	struct list l = {0};

	list_for_files(&l, s);
	r.json = &(const struct column_list){l.items, l.count};
	return rows_json(&r, out, err);
}
