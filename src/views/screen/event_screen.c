/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first screen of an event profile; see first_screen.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/columns.h"
#include "answer/data_columns.h"
#include "answer/figures.h"
#include "base/machines.h"
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
#include "views/screen/own_callers.h"
#include "views/screen/verdict.h"
#include "views/table.h"

#define USUAL_INSTRUCTIONS 3	      /* per access, where they are not counted */
#define OWN_RANKED	   16	      /* functions whose callers are looked for */
#define BETWEEN_BYTES	   (1u << 20) /* of a cache between the first and a large one */

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

static size_t instructions_of(const struct event_profile *p)
{
	for (size_t i = 0; i < p->column_count; i++)
		if (strcmp(p->columns[i].name, "Ir") == 0)
			return i;
	return SIZE_MAX;
}

/* ---- What misses cost ---- */

/* Instructions per access; where they are not counted, the usual number. */
static double instructions_per(const struct event_profile *p, double accesses)
{
	const size_t ir = instructions_of(p);
	const double all = ir != SIZE_MAX ? events_value(p, ir, p->totals) : 0;

	return all > 0 && accesses > 0 ? all / accesses : USUAL_INSTRUCTIONS;
}

static void add_level(const struct event_cache *x, struct verdict *v)
{
	v->cost.levels[v->cost.count++] = (struct cost_level){.name = x->name,
							      .size_bytes = x->size_bytes,
							      .ratio = x->misses / x->accesses,
							      .low = x->low / x->accesses,
							      .high = x->high / x->accesses};
}

/*
 * What misses wait, by the next level. Where that is a large one, a machine has another between,
 * which may serve the miss.
 */
static void set_cycles(struct cost *c)
{
	for (size_t i = 0; i < c->count; i++) {
		struct cost_level *l = &c->levels[i];
		const uint64_t next = i + 1 < c->count ? l[1].size_bytes : 0;

		l->miss_cycles = l->least_cycles = l->most_cycles = machine_usual_cycles(next);
		if (i == 0 && next > BETWEEN_BYTES) {
			l->least_cycles = machine_usual_cycles(BETWEEN_BYTES);
			l->miss_cycles = (l->least_cycles + l->most_cycles) / 2;
		}
	}
}

/* What misses cost in the simulated caches, from their counts. */
static void add_cost(const struct event_profile *p, const struct event_caches *caches,
		     const struct structures *data, struct verdict *v)
{
	const struct event_cache *last = NULL;
	struct counted_misses all, at_last;
	struct cost *c = &v->cost;

	for (size_t i = 0; i < caches->count; i++) {
		const struct event_cache *x = &caches->items[i];

		if (x->is_code && v->code_cache == NULL) {
			v->code_cache = x->name;
			v->code_ratio = x->misses / x->accesses;
		} else if (!x->is_code) {
			add_level(x, v);
			last = x;
		}
	}
	if (last == NULL)
		return;
	set_cycles(c);
	c->instructions = instructions_per(p, last->accesses);
	if (data != NULL) {
		counted_sum(data->names.profile, &all, &at_last);
		c->cold = (double)at_last.cold / last->accesses;
	}
	/* Misses that nobody followed to their data may be first touches, too. */
	v->is_cold_known = data != NULL && !data->names.profile->has_unfollowed;
	c->cold_low = c->cold;
	c->cold_high = v->is_cold_known ? c->cold : c->levels[c->count - 1].high;
	cost_solve(c);
}

/* The level whose misses are shown, and the next one, which serves some of them. */
struct focus {
	const struct event_cache *at, *next; /* next: NULL, memory */
	size_t level, next_level;	     /* of data structures; SIZE_MAX: none */
	double total;			     /* misses that the next one serves */
	double data_total;		     /* the same of data structures */
	bool is_first;			     /* of the last level's data: first touches instead */
};

/* Those of data, of numbers of misses: first touches are apart, or all that counts. */
static double served_data(const struct focus *f, uint64_t all, uint64_t next, uint64_t cold)
{
	if (f->is_first)
		return (double)cold;
	return fmax(0, (double)all - (double)(f->next_level != SIZE_MAX ? next : cold));
}

static double served_row(const struct structures_row *x, const struct focus *f)
{
	const struct counted_misses *at = &x->misses[f->level];

	return served_data(f, at->all, f->next_level != SIZE_MAX ? x->misses[f->next_level].all : 0,
			   at->cold);
}

/* All of it, whatever rows are shown. */
static double served_total(const struct structures *data, const struct focus *f)
{
	struct counted_misses first, last;

	counted_sum(data->names.profile, &first, &last);
	return served_data(f, data->totals[f->level],
			   f->next_level != SIZE_MAX ? data->totals[f->next_level] : 0, last.cold);
}

/* The level that costs most, if it has a column of misses; else the last one. */
static struct focus find_focus(const struct event_profile *p, const struct event_caches *c,
			       const struct structures *data, const struct cost *cost)
{
	const bool is_first = cost->verdict == COST_FIRST || cost->focus == cost->count;
	const char *name = is_first ? "" : cost->levels[cost->focus].name;
	struct focus f = {.at = event_caches_last(c),
			  .level = SIZE_MAX,
			  .next_level = SIZE_MAX,
			  .is_first = is_first};

	for (size_t i = 0; i < c->count; i++)
		if (c->items[i].column != SIZE_MAX && !c->items[i].is_code &&
		    strcmp(c->items[i].name, name) == 0)
			f.at = &c->items[i];
	for (const struct event_cache *x = f.at + 1; x < c->items + c->count; x++)
		if (f.next == NULL && !x->is_code && x->column != SIZE_MAX)
			f.next = x;
	if (data != NULL) {
		f.level = structures_level(data, f.at->name);
		f.next_level = f.next != NULL ? structures_level(data, f.next->name) : SIZE_MAX;
		f.data_total = f.level != SIZE_MAX ? served_total(data, &f) : 0;
	}
	f.total = events_value(p, f.at->column, p->totals) -
		  (f.next != NULL ? events_value(p, f.next->column, p->totals) : 0);
	return f;
}

/* Misses of a row of code that the next level serves; of the last level, first touches too. */
static double served(const struct event_report *r, const struct focus *f, size_t row)
{
	const uint64_t *values = r->rows.items[row].self;
	const double below = f->next != NULL ? events_value(r->p, f->next->column, values) : 0;

	return fmax(0, events_value(r->p, f->at->column, values) - below);
}

/* ---- Code ---- */

struct function_row {
	double share, misses, part; /* part: of all instructions */
	const char *name;
};

/* A row of code or data with its misses that the next level serves, for the order. */
struct ranked {
	size_t row;
	double served;
};

static int compare_ranked(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;

	if (a->served != b->served)
		return a->served < b->served ? 1 : -1;
	return (a->row > b->row) - (a->row < b->row);
}

/* The first `most` of the functions, most costly first. Returns their number. */
static size_t rank_functions(const struct event_report *r, const struct focus *f, size_t most,
			     struct ranked *out)
{
	size_t count = 0;

	for (size_t i = 0; i < r->count; i++) {
		out[count++] = (struct ranked){r->order[i], served(r, f, r->order[i])};
		qsort(out, count, sizeof(*out), compare_ranked);
		count = count > most ? most : count;
	}
	return count;
}

/* The same of data structures. */
static size_t rank_data(const struct structures *data, const struct focus *f, size_t most,
			struct ranked *out)
{
	size_t count = 0;

	for (size_t i = 0; f->level != SIZE_MAX && i < data->count; i++) {
		out[count++] = (struct ranked){i, served_row(&data->rows[i], f)};
		qsort(out, count, sizeof(*out), compare_ranked);
		count = count > most ? most : count;
	}
	return count;
}

/* The top data structures, in the columns of the functions. */
static void put_data(const struct event_report *r, const struct structures *data,
		     const struct focus *f, const struct column_list *list, struct table *t)
{
	const char *titles[] = {"COST", r->p->columns[f->at->column].name, "BY OTHERS",
				"DATA STRUCTURE"};
	struct ranked top[SCREEN_DATA + 1];
	const size_t count = rank_data(data, f, SCREEN_DATA, top);

	if (count > 0)
		table_row(t, titles);
	for (size_t i = 0; i < count; i++) {
		const struct structures_row *x = &data->rows[top[i].row];
		const struct counted_misses *m = &x->misses[f->level];
		struct text name = {0};
		struct function_row row = {
			.misses = (double)m->all,
			.share = f->data_total > 0 ? top[i].served / f->data_total : NAN,
			.part = m->all > 0 ? (double)counted_by_others(m) / (double)m->all : NAN};

		data_put_name(x->data, &name);
		row.name = text_get(&name);
		columns_table_row(list, t, &row);
		text_release(&name);
	}
}

/* With the user's function behind it: "__memchr_evex < count_letters". */
static void put_name(const struct event_report *r, const struct focus *f, size_t row,
		     struct text *out)
{
	const size_t own = own_caller(r, row, f->at->column);

	text_add(out, r->rows.items[row].name);
	if (own != SIZE_MAX && own != row && r->rows.items[own].name[0] != '\0')
		text_addf(out, " < %s", r->rows.items[own].name);
}

static struct function_row function_row_of(const struct event_report *r, const struct focus *f,
					   const struct ranked *x)
{
	const struct event_row *e = &r->rows.items[x->row];
	const size_t ir = instructions_of(r->p);
	const double all = ir != SIZE_MAX ? events_value(r->p, ir, r->p->totals) : 0;

	return (struct function_row){
		.misses = events_value(r->p, f->at->column, e->self),
		.share = f->total > 0 ? x->served / f->total : NAN,
		.part = all > 0 ? events_value(r->p, ir, e->self) / all : NAN,
		.name = e->name[0] != '\0' ? e->name : NULL,
	};
}

static int put_functions(const struct event_report *r, const struct structures *data,
			 const struct focus *f, const struct display *d, struct text *out,
			 struct err *err)
{
	static const struct column share = {"COST", NULL, UNIT_SHARE,
					    COLUMN_MEMBER(struct function_row, share)};
	static const struct column name = {
		"FUNCTION",	 NULL,
		UNIT_TEXT,	 COLUMN_MEMBER(struct function_row, name),
		.may_cut = true, .missing = "(unknown)",
	};
	const struct column misses = {.title = r->p->columns[f->at->column].name,
				      .unit = UNIT_EVENT,
				      .offset = offsetof(struct function_row, misses)};
	const struct column part = {.title = instructions_of(r->p) != SIZE_MAX ? "Ir" : "",
				    .unit = UNIT_SHARE,
				    .offset = offsetof(struct function_row, part)};
	const struct column_list *list = COLUMN_LIST(&share, &misses, &part, &name);
	/* Data structures take the place of a function: the screen should not get longer. */
	const size_t most = data != NULL ? SCREEN_FUNCTIONS - 1 : SCREEN_FUNCTIONS;
	struct ranked top[SCREEN_FUNCTIONS + 1];
	const size_t count = rank_functions(r, f, most, top), from = out->count;
	struct table *t = columns_table(list, d);
	int status;

	text_addf(out, "\nMisses in %s, code's and data's; COST: those that %s serves\n",
		  f->at->name, f->next != NULL ? f->next->name : "memory");
	fit_prose(out, from, 2, d);
	for (size_t i = 0; i < count; i++) {
		struct function_row row = function_row_of(r, f, &top[i]);
		struct text shown = {0};

		put_name(r, f, top[i].row, &shown);
		row.name = row.name != NULL ? text_get(&shown) : NULL;
		columns_table_row(list, t, &row);
		text_release(&shown);
	}
	if (data != NULL)
		put_data(r, data, f, list, t);
	status = table_print(t, out, err);
	table_free(t);
	return status;
}

/* ---- The verdict ---- */

/* The user's function that costs most, with what it calls in libraries. */
static void find_function(const struct event_report *r, const struct focus *f, struct verdict *v)
{
	struct ranked top[OWN_RANKED + 1], best = {SIZE_MAX, 0};
	size_t owns[OWN_RANKED];
	const size_t count = rank_functions(r, f, OWN_RANKED, top);
	const struct event_row *found;

	for (size_t i = 0; i < count; i++) {
		const size_t own = own_caller(r, top[i].row, f->at->column);

		owns[i] = own != SIZE_MAX ? own : top[i].row;
	}
	for (size_t i = 0; i < count; i++) {
		struct ranked all = {owns[i], 0};

		for (size_t k = 0; k < count; k++)
			all.served += owns[k] == owns[i] ? top[k].served : 0;
		best = all.served > best.served ? all : best;
	}
	if (best.row == SIZE_MAX || !(f->total > 0))
		return;
	found = &r->rows.items[best.row];
	if (found->name[0] == '\0')
		return;
	v->function = found->name;
	v->function_share = best.served / f->total;
	if (found->file != NULL && found->file[0] != '\0')
		v->source_of = found->name;
}

/* The data structure that costs most; code is none. */
static void find_data(const struct structures *data, const struct focus *f, struct verdict *v)
{
	double most = 0;

	v->has_bins = true;
	for (size_t i = 0; f->level != SIZE_MAX && i < data->count; i++) {
		const struct structures_row *x = &data->rows[i];
		const double mine = served_row(x, f);

		if (mine <= most || x->data->kind == DATA_CODE || x->data == &counted_unfollowed)
			continue;
		most = mine;
		v->data = x->data->name;
		v->has_fields = members_are_known(data->names.profile, x->data->layout);
	}
	v->data_share = f->data_total > 0 ? most / f->data_total : 0;
}

static void put_verdict(const struct event_report *r, const struct focus *f,
			const struct structures *data, struct verdict *v, const struct display *d,
			struct text *out)
{
	find_function(r, f, v);
	if (data != NULL)
		find_data(data, f, v);
	verdict_put(v, d, out);
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
	struct verdict v = {.is_exact = true,
			    .is_sampled = r->p->sample.is_sampled,
			    .file = file,
			    .process = r->p->process == STORE_ALL ? QUERY_ANY : r->p->process,
			    .has_thread = r->p->thread != STORE_NONE,
			    .thread = r->p->thread};
	struct focus f;
	size_t from;

	add_cost(r->p, caches, data, &v);
	f = find_focus(r->p, caches, data, &v.cost);
	put_run(r->p, d, out);
	if (put_caches(r->p, caches, d, out, err) != 0 ||
	    put_functions(r, data, &f, d, out, err) != 0)
		return -1;
	from = out->count;
	if (data == NULL)
		text_add(out,
			 "Events are counted by code: 'dwell record' tells the data structures.\n");
	else if (data->names.profile->has_unfollowed || data->names.profile->followed_share < 1)
		put_how(data->names.profile, out);
	fit_prose(out, from, 2, d);
	put_verdict(r, &f, data, &v, d, out);
	return 0;
}
