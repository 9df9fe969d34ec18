/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The view `processes`: all processes of a run with their miss ratios, in the caches of the machine
 * or in simulated ones.
 */
#include "answer/processes.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/cost_columns.h"
#include "answer/process_columns.h"
#include "estimate/processes.h"
#include "events/event_processes.h"

/* In the order of columns. */
static const char *const names[] = {"L1i", "L1d", "L2", "L3", "L4", "LL"};
#define NAMES (sizeof(names) / sizeof(names[0]))

struct row {
	struct store_process x; /* first, for the columns of processes */
	double share;
	uint64_t stretches;
	struct model_ratio ratios[NAMES];
	const struct profile_cache *caches; /* of samples */
	const struct query *query;
};

/* ---- Columns ---- */

#define FIGURES 3 /* a ratio, and its bounds */

/* The column's number says which cache, and which of the figures. */
static void get_ratio(const void *row, struct value *v)
{
	const struct model_ratio *r = &((const struct row *)row)->ratios[v->number / FIGURES];

	v->is_missing = !r->known;
	v->real = v->number % FIGURES == 0 ? r->ratio : v->number % FIGURES == 1 ? r->low : r->high;
}

static const struct model_ratio *ratio_of(const struct row *r, const char *name)
{
	size_t i = 0;

	while (i < NAMES && strcmp(names[i], name) != 0)
		i++;
	return i < NAMES ? &r->ratios[i] : NULL;
}

static void get_caches(const void *row, struct value *v)
{
	const struct row *r = row;

	v->list = json_array();
	for (size_t i = 0; i < PROFILE_CACHES; i++) {
		const struct ratio_row cache = {r->caches[i].name, r->caches[i].size_bytes,
						ratio_of(r, r->caches[i].name)};

		if (cache.size_bytes > 0 && cache.ratio != NULL)
			json_array_append_new(
				v->list,
				columns_json(COLUMN_LIST(RATIO(NAME), RATIO(SIZE), RATIO_LIMITS),
					     &cache));
	}
}

static void get_policy(const void *row, struct value *v)
{
	v->text = policy_word(profile_policy(((const struct row *)row)->query));
}

static void get_ways(const void *row, struct value *v)
{
	v->whole = ((const struct row *)row)->query->ways;
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

enum { SHARE, STRETCHES, CACHES, POLICY, WAYS };

static const struct column columns[] = {
	[SHARE] = {"SHARE", "share", UNIT_SHARE, COLUMN_MEMBER(struct row, share), .adds_up = true},
	[STRETCHES] = {"STRETCHES", "stretches", UNIT_COUNT, COLUMN_MEMBER(struct row, stretches),
		       .adds_up = true},
	[CACHES] = {NULL, "caches", UNIT_LIST, get_caches},
	[POLICY] = {NULL, "policy", UNIT_TEXT, get_policy},
	[WAYS] = {NULL, "ways", UNIT_NUMBER, get_ways, .zero_is_missing = true},
};

#define C(column) &columns[column]

/* What rows have: a bit for each cache behind these. */
enum { SAMPLES = ROWS_OF_VIEW, SOME_STRETCHES = ROWS_OF_VIEW << 1, OF_CACHE = ROWS_OF_VIEW << 2 };

/* Of samples JSON has a list of caches instead, which knows their sizes. */
#define RATIO_SHOWN(at)                                                                 \
	{&ratios[FIGURES * (at)], .needs = OF_CACHE << (at), .in = IN_TEXT | IN_CSV},   \
		{&ratios[FIGURES * (at)], .needs = OF_CACHE << (at), .lacks = SAMPLES,  \
		 .in = IN_JSON},                                                        \
		{&ratios[FIGURES * (at) + 1], .needs = ROWS_BOUNDS | OF_CACHE << (at)}, \
	{                                                                               \
		&ratios[FIGURES * (at) + 2], .needs = ROWS_BOUNDS | OF_CACHE << (at)    \
	}

static const struct shown shown[] = {
	{PROCESS(ID)},
	{PROCESS(PID)},
	{PROCESS(PARENT), .less = 2},
	{PROCESS(SHOWN_STATE), .less = 3},
	{PROCESS(STATE), .in = IN_FILES},
	{PROCESS(EXIT_STATUS), .in = IN_FILES},
	{PROCESS(SIGNAL), .in = IN_FILES},
	{PROCESS(SIGNAL_NAME), .in = IN_FILES},
	{PROCESS(ACCESSES)},
	{C(SHARE)},
	{PROCESS(SAMPLES), .needs = SAMPLES, .less = 1},
	{PROCESS(WINDOWS), .needs = SAMPLES, .in = IN_FILES},
	{C(STRETCHES), .needs = SOME_STRETCHES},
	RATIO_SHOWN(0),
	RATIO_SHOWN(1),
	RATIO_SHOWN(2),
	RATIO_SHOWN(3),
	RATIO_SHOWN(4),
	RATIO_SHOWN(5),
	{C(CACHES), .needs = SAMPLES, .in = IN_JSON},
	{PROCESS(EXE), .in = IN_FILES},
	{PROCESS(COMMAND), .in = IN_FILES},
	{PROCESS(COMMAND_OR_EXE), .in = IN_TEXT},
	{C(POLICY), .needs = SAMPLES, .in = IN_CSV},
	{C(WAYS), .needs = SAMPLES, .in = IN_CSV},
};

/* ---- Rows ---- */

struct held {
	bool has_events;
	struct event_profile profile;
	struct event_processes counted;
	struct processes sampled;
	struct row *rows;
};

static void release(void *held)
{
	struct held *h = held;

	if (h->has_events) {
		event_processes_release(&h->counted);
		events_close(&h->profile);
	} else {
		processes_release(&h->sampled);
	}
	free(h->rows);
}

static int make_rows(struct held *h, size_t count, struct answer *a, struct err *err)
{
	h->rows = calloc(count + 1, sizeof(*h->rows));
	a->rows = (struct rows){.items = h->rows,
				.count = count,
				.bytes_each = sizeof(*h->rows),
				.key = "processes",
				.none = "No process has this command."};
	return h->rows != NULL ? 0 : err_set(err, "not enough memory for %zu processes", count);
}

static unsigned bit_of(const char *name)
{
	for (unsigned i = 0; i < NAMES; i++)
		if (strcmp(names[i], name) == 0)
			return OF_CACHE << i;
	return 0;
}

/* ---- Of samples ---- */

static void put_title(const struct processes *s, const struct profile *p, struct text *out)
{
	const struct query ranked = query_at(s->query, s->ranked_bytes);

	text_add(out, "Misses per access, by cache");
	if (s->ranked_bytes > 0) {
		text_addf(out, "; first those with %s in a cache of ",
			  s->order == QUERY_BY_RATIO ? "the highest miss ratio" : "most misses");
		figure_cache(p, &ranked, out);
	}
	text_add(out, ":\n");
}

static void fill_samples(struct held *h, struct answer *a)
{
	const struct processes *s = &h->sampled;

	for (size_t i = 0; i < s->count; i++) {
		struct row *row = &h->rows[i];

		*row = (struct row){.x = *s->rows[i].process,
				    .share = s->rows[i].share,
				    .caches = s->caches,
				    .query = s->query};
		for (size_t k = 0; k < PROFILE_CACHES; k++)
			row->ratios[k + 1] = s->rows[i].ratios[k];
		if (s->rows[i].is_unreadable)
			text_addf(&a->remarks,
				  "The profile of process %" PRId64
				  " is damaged: its misses are unknown.\n",
				  row->x.id);
	}
}

int processes_of_samples(struct answer *a, const struct profile *p, const struct query *q,
			 struct err *err)
{
	struct held *h = a->held != NULL ? a->held : answer_hold(a, sizeof(*h), err);
	unsigned has = SAMPLES;

	if (h == NULL || processes_init(&h->sampled, p, q, err) != 0)
		return -1;
	a->release = release;
	if (make_rows(h, h->sampled.count, a, err) != 0)
		return -1;
	fill_samples(h, a);
	for (size_t k = 1; k <= PROFILE_CACHES; k++)
		has |= OF_CACHE << k;
	put_title(&h->sampled, p, &a->title);
	ROWS_SHOW(&a->rows, shown, has);
	a->about = json_object();
	assumed_json(q, a->about);
	return 0;
}

/* ---- Of a simulation ---- */

static struct row counted_row(const struct event_process *from)
{
	struct row row = {.x = from->process, .share = from->share, .stretches = from->stretches};

	for (size_t i = 0; i < from->caches.count; i++) {
		const struct event_cache *c = &from->caches.items[i];

		for (size_t k = 0; k < NAMES; k++)
			if (strcmp(names[k], c->name) == 0)
				row.ratios[k] =
					(struct model_ratio){.ratio = c->misses / c->accesses,
							     .low = c->low / c->accesses,
							     .high = c->high / c->accesses,
							     .known = true};
	}
	return row;
}

static int answer_events(const struct question *q, struct answer *a, struct held *h,
			 struct err *err)
{
	const bool is_sampled = h->profile.sample.is_sampled;
	unsigned has = is_sampled ? ROWS_BOUNDS | SOME_STRETCHES : 0;

	if (event_processes_init(&h->counted, &h->profile, q->file, q->query, err) != 0) {
		events_close(&h->profile);
		return -1;
	}
	a->release = release;
	if (make_rows(h, h->counted.count, a, err) != 0)
		return -1;
	for (size_t i = 0; i < h->counted.count; i++)
		h->rows[i] = counted_row(&h->counted.rows[i]);
	for (size_t i = 0; i < h->counted.caches.count; i++)
		has |= bit_of(h->counted.caches.items[i].name);
	if (h->counted.caches.count > 0)
		text_addf(&a->title,
			  "Misses per access, of L1i per instruction, in simulated caches%s:\n",
			  is_sampled ? ": estimates" : "");
	ROWS_SHOW(&a->rows, shown, has);
	return 0;
}

int view_processes(const struct question *q, struct answer *a, struct err *err)
{
	struct held *h = answer_hold(a, sizeof(*h), err);
	const int status =
		h != NULL ? events_open(&h->profile, q->file, q->query->process, err) : -1;

	if (status < 0)
		return -1;
	h->has_events = status == 0;
	if (!h->has_events && answer_open(a, q, PROFILE_SAMPLES, err) != 0)
		return -1;
	a->is_question_wrong = q->query->sort != NULL && !q->query->is_sort_usual;
	return h->has_events ? answer_events(q, a, h, err)
			     : processes_of_samples(a, &a->profile, q->query, err);
}
