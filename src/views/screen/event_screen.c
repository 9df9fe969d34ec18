/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first screen of an event profile; see first_screen.h. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "answer/columns.h"
#include "answer/data_columns.h"
#include "answer/figures.h"
#include "base/size.h"
#include "base/text.h"
#include "estimate/counted/structures.h"
#include "estimate/fields/members.h"
#include "events/event_caches.h"
#include "events/event_report.h"
#include "views/columns_table.h"
#include "views/event_figures.h"
#include "views/parts.h"
#include "views/screen/first_screen.h"
#include "views/screen/verdict.h"
#include "views/table.h"

/* ---- What ran ---- */

static void put_run(const struct event_profile *p, const struct display *d, struct text *out)
{
	struct text command = {0};
	uint64_t instructions = 0, accesses = 0;
	char a[FIGURE_BYTES], b[FIGURE_BYTES];
	size_t from;

	event_put_command(p, &command);
	first_screen_command(text_get(&command), d, out);
	text_release(&command);
	for (size_t i = 0; i < p->process_count; i++) {
		const struct store_process *x = &p->processes[i];

		if (p->process != STORE_ALL && x->id != p->process)
			continue;
		instructions += x->instructions;
		accesses += x->accesses;
	}
	from = out->count;
	event_put_end(p, out);
	if (accesses > 0 && p->thread == STORE_NONE) /* both are of whole processes */
		text_addf(out, "%s%s accesses, %s instructions", out->count > from ? "; " : "",
			  figure_count(accesses, a), figure_count(instructions, b));
	if (out->count > from)
		text_add(out, "\n");
	fit_prose(out, from, 2, d);
}

/* ---- The caches ---- */

static void get_ratio(const void *row, struct value *v)
{
	const struct event_cache *c = row;

	v->real = c->misses / c->accesses;
}

static void get_low(const void *row, struct value *v)
{
	const struct event_cache *c = row;

	v->real = c->low / c->accesses;
}

static void get_high(const void *row, struct value *v)
{
	const struct event_cache *c = row;

	v->real = c->high / c->accesses;
}

static const struct column cache_columns[] = {
	{"CACHE", NULL, UNIT_TEXT, COLUMN_MEMBER(struct event_cache, name)},
	{"SIZE", NULL, UNIT_BYTES, COLUMN_MEMBER(struct event_cache, size_bytes),
	 .zero_is_missing = true},
	{"WAYS", NULL, UNIT_COUNT, COLUMN_MEMBER(struct event_cache, ways),
	 .zero_is_missing = true},
	{"MISS RATIO", NULL, UNIT_RATIO, get_ratio},
	{"LOW", NULL, UNIT_RATIO, get_low},
	{"HIGH", NULL, UNIT_RATIO, get_high},
	{"MISSES", NULL, UNIT_EVENT, COLUMN_MEMBER(struct event_cache, misses)},
};

static void put_title(const struct event_profile *p, struct text *out)
{
	const struct event_sample *s = &p->sample;
	char share[FIGURE_BYTES];

	text_add(out, "\nMisses per access, of L1i per instruction: ");
	if (!s->is_sampled && s->sets == 1) {
		text_add(out, "exact, in simulated caches\n");
		return;
	}
	text_add(out, "estimates from ");
	if (s->sets > 1)
		text_addf(out, "one of %" PRIu64 " parts of the sets%s", s->sets,
			  s->is_sampled ? " in " : "\n");
	if (!s->is_sampled)
		return;
	text_addf(out, "%zu stretches, %s of all accesses\n", s->stretches,
		  figure_percent(s->accesses > 0 ? (double)s->simulated / (double)s->accesses : 0,
				 share));
}

/* What the bounds mean, and whether to believe them. */
static void put_sample(const struct event_profile *p, const struct display *d, struct text *out)
{
	const size_t from = out->count;

	if (!p->sample.is_sampled)
		return;
	text_add(out, "LOW and HIGH: 95 %, as stretches differ, and for what is not known of "
		      "unknown references.\n");
	if (p->sample.stretches < EVENT_SAMPLE_FEW)
		text_addf(out,
			  "Few stretches (%zu; %d would do): give --sample a greater share, "
			  "or a shorter length.\n",
			  p->sample.stretches, EVENT_SAMPLE_FEW);
	fit_prose(out, from, 0, d);
}

static int put_caches(const struct event_profile *p, const struct event_caches *c,
		      const struct display *d, struct text *out, struct err *err)
{
#define C(i) (&cache_columns[i])
	static const struct column *const all[] = {C(0), C(1), C(2), C(3), C(4), C(5), C(6)};
	static const struct column *const exact[] = {C(0), C(1), C(2), C(3), C(6)};
#undef C
	const struct column_list list = p->sample.is_sampled ? (struct column_list){all, 7}
							     : (struct column_list){exact, 5};
	struct table *t = columns_table(&list, d);
	size_t from = out->count;
	int status;

	put_title(p, out);
	fit_prose(out, from, 2, d);
	for (size_t i = 0; i < c->count; i++)
		columns_table_row(&list, t, &c->items[i]);
	status = table_print(t, out, err);
	table_free(t);
	if (status == 0)
		put_sample(p, d, out);
	return status;
}

/* ---- Code ---- */

static double self_of(const struct event_report *r, size_t i, size_t column)
{
	return events_value(r->p, column, r->rows.items[r->order[i]].self);
}

static size_t instructions_of(const struct event_profile *p)
{
	for (size_t i = 0; i < p->column_count; i++)
		if (strcmp(p->columns[i].name, "Ir") == 0)
			return i;
	return SIZE_MAX;
}

struct function_row {
	double share, misses, part; /* part: of all instructions */
	const char *name;
};

/* The top data structures, in the columns of the functions. */
static void put_data(const struct event_report *r, const struct structures *data,
		     const struct event_cache *last, const struct column_list *list,
		     struct table *t)
{
	const size_t level = structures_level(data, last->name);
	const char *titles[] = {"MISSES", r->p->columns[r->choice->columns.sort].name, "BY OTHERS",
				"DATA STRUCTURE"};

	if (level != SIZE_MAX && data->count > 0)
		table_row(t, titles);
	for (size_t i = 0; level != SIZE_MAX && i < data->count && i < SCREEN_DATA; i++) {
		const struct counted_misses *m = &data->rows[i].misses[level];
		struct text name = {0};
		struct function_row row = {.misses = (double)m->all,
					   .share = (double)m->all / r->total,
					   .part = (double)counted_by_others(m) / (double)m->all};

		data_put_name(data->rows[i].data, &name);
		row.name = text_get(&name);
		columns_table_row(list, t, &row);
		text_release(&name);
	}
}

static int put_functions(const struct event_report *r, const struct structures *data,
			 const struct event_cache *last, const struct display *d, struct text *out,
			 struct err *err)
{
	static const struct column share = {"MISSES", NULL, UNIT_SHARE,
					    COLUMN_MEMBER(struct function_row, share)};
	static const struct column name = {
		"FUNCTION",	 NULL,
		UNIT_TEXT,	 COLUMN_MEMBER(struct function_row, name),
		.may_cut = true, .missing = "(unknown)",
	};
	const struct event_profile *p = r->p;
	size_t sort = r->choice->columns.sort, ir = instructions_of(p), from = out->count;
	const struct column misses = {.title = p->columns[sort].name,
				      .unit = UNIT_EVENT,
				      .offset = offsetof(struct function_row, misses)};
	const struct column part = {.title = ir != SIZE_MAX ? "Ir" : "",
				    .unit = UNIT_SHARE,
				    .offset = offsetof(struct function_row, part)};
	const struct column_list *list = COLUMN_LIST(&share, &misses, &part, &name);
	/* Data structures take the place of a function: the screen should not get longer. */
	const size_t most = data != NULL ? SCREEN_FUNCTIONS - 1 : SCREEN_FUNCTIONS;
	struct table *t = columns_table(list, d);
	int status;

	text_addf(out, "\nMisses in %s, code's and data's\n", last->name);
	fit_prose(out, from, 2, d);
	for (size_t i = 0; i < r->count && i < most; i++) {
		const char *function = r->rows.items[r->order[i]].name;
		double total = ir != SIZE_MAX ? events_value(p, ir, p->totals) : 0;
		struct function_row row = {.misses = self_of(r, i, sort),
					   .share = NAN,
					   .part = NAN,
					   .name = function[0] != '\0' ? function : NULL};

		if (r->total > 0)
			row.share = row.misses / r->total;
		if (total > 0)
			row.part = self_of(r, i, ir) / total;
		columns_table_row(list, t, &row);
	}
	if (data != NULL)
		put_data(r, data, last, list, t);
	status = table_print(t, out, err);
	table_free(t);
	return status;
}

/* ---- The verdict ---- */

static void add_caches(const struct event_caches *c, struct verdict *v)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct event_cache *x = &c->items[i];
		double ratio = x->misses / x->accesses;

		if (x->is_code) {
			v->code_cache = x->name;
			v->code_ratio = ratio;
			continue;
		}
		v->caches[v->cache_count++] =
			(struct verdict_cache){x->name, x->size_bytes, ratio, ratio, ratio};
	}
}

/* The largest cache that is too small; if there is none, the last one. */
static const struct event_cache *deciding(const struct event_caches *c)
{
	for (size_t i = c->count; i > 0; i--) {
		const struct event_cache *x = &c->items[i - 1];

		if (!x->is_code && x->column != SIZE_MAX &&
		    x->misses / x->accesses >= VERDICT_FITS_BELOW)
			return x;
	}
	return event_caches_last(c);
}

/* The function with the most events of this column. */
static void find_function(const struct event_report *r, size_t column, struct verdict *v)
{
	double total = events_value(r->p, column, r->p->totals), most = 0;
	const struct event_row *found = NULL;

	for (size_t i = 0; i < r->count; i++) {
		if (self_of(r, i, column) > most) {
			most = self_of(r, i, column);
			found = &r->rows.items[r->order[i]];
		}
	}
	if (found == NULL || found->name[0] == '\0' || !(total > 0))
		return;
	v->function = found->name;
	v->function_share = most / total;
	if (found->file != NULL && found->file[0] != '\0')
		v->source_of = found->name;
}

/* The data structure with the most misses in this cache; code is none. */
static void find_data(const struct event_report *r, const struct structures *data,
		      const struct event_cache *at, struct verdict *v)
{
	const size_t level = structures_level(data, at->name);
	const double total = events_value(r->p, at->column, r->p->totals);
	uint64_t most = 0;

	v->has_bins = true;
	for (size_t i = 0; level != SIZE_MAX && i < data->count; i++) {
		const struct structures_row *x = &data->rows[i];

		if (x->misses[level].all <= most || x->data->kind == DATA_CODE ||
		    x->data == &counted_unfollowed)
			continue;
		most = x->misses[level].all;
		v->data = x->data->name;
		v->has_fields = members_are_known(data->names.profile, x->data->layout);
		v->data_share = total > 0 ? (double)most / total : 0;
	}
}

static void put_verdict(const struct event_report *r, const struct event_caches *c,
			const struct structures *data, const char *file, const struct display *d,
			struct text *out)
{
	const struct event_cache *at = deciding(c);
	struct verdict v = {.is_exact = true,
			    .file = file,
			    .ranked = VERDICT_SIZE_OTHER,
			    .size_bytes = at->size_bytes,
			    .ratio = at->misses / at->accesses,
			    .process = r->p->process == STORE_ALL ? QUERY_ANY : r->p->process,
			    .has_thread = r->p->thread != STORE_NONE,
			    .thread = r->p->thread};

	add_caches(c, &v);
	for (size_t i = 0; i < v.cache_count; i++)
		if (strcmp(v.caches[i].name, at->name) == 0)
			v.ranked = i;
	find_function(r, at->column, &v);
	if (data != NULL)
		find_data(r, data, at, &v);
	verdict_put(&v, d, out);
}

/* Where something was given up. */
static void put_how(const struct profile *p, struct text *out)
{
	text_add(out, "Misses by data structure are ");
	counted_put_how(p, out);
	text_add(out, ".\n");
}

int first_screen_events(const struct event_report *r, const struct event_caches *caches,
			const struct structures *data, const char *file, const struct display *d,
			struct text *out, struct err *err)
{
	const struct event_cache *last = event_caches_last(caches);
	size_t from;

	put_run(r->p, d, out);
	if (put_caches(r->p, caches, d, out, err) != 0 ||
	    put_functions(r, data, last, d, out, err) != 0)
		return -1;
	from = out->count;
	if (data == NULL)
		text_add(out,
			 "Events are counted by code: 'dwell record' tells the data structures.\n");
	else if (data->names.profile->has_unfollowed || data->names.profile->followed_share < 1)
		put_how(data->names.profile, out);
	fit_prose(out, from, 2, d);
	put_verdict(r, caches, data, file, d, out);
	return 0;
}
