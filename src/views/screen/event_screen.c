/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first screen of an event profile; see first_screen.h. */
#include <math.h>
#include <string.h>

#include "base/size.h"
#include "base/text.h"
#include "events/event_caches.h"
#include "events/event_report.h"
#include "views/event_figures.h"
#include "views/figures.h"
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
	if (accesses > 0)
		text_addf(out, "%s%s accesses, %s instructions", out->count > from ? "; " : "",
			  figure_count(accesses, a), figure_count(instructions, b));
	if (out->count > from)
		text_add(out, "\n");
	fit_prose(out, from, 2, d);
}

/* ---- The caches ---- */

static int put_caches(const struct event_caches *c, const struct display *d, struct text *out,
		      struct err *err)
{
	static const struct table_column columns[] = {{"CACHE", false, false},
						      {"SIZE", true, false},
						      {"WAYS", true, false},
						      {"MISS RATIO", true, false},
						      {"MISSES", true, false}};
	struct table *t = table_new(columns, sizeof(columns) / sizeof(columns[0]), d);
	size_t from = out->count;
	int status;

	text_add(out, "\nMisses per access, of L1i per instruction: exact, in simulated caches\n");
	fit_prose(out, from, 2, d);
	for (size_t i = 0; i < c->count; i++) {
		const struct event_cache *x = &c->items[i];
		char size[SIZE_TEXT_BYTES] = "", ways[FIGURE_BYTES] = "", ratio[FIGURE_BYTES],
		     misses[FIGURE_BYTES];

		if (x->size_bytes > 0)
			size_format(x->size_bytes, size);
		if (x->ways > 0)
			figure_count(x->ways, ways);
		figure_percent(x->misses / x->accesses, ratio);
		event_figure(x->misses, misses);
		table_row(t, (const char *const[]){x->name, size, ways, ratio, misses});
	}
	status = table_print(t, out, err);
	table_free(t);
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

static int put_functions(const struct event_report *r, const struct event_cache *last,
			 const struct display *d, struct text *out, struct err *err)
{
	const struct event_profile *p = r->p;
	size_t sort = r->choice->columns.sort, ir = instructions_of(p), from = out->count;
	const struct table_column columns[] = {{"MISSES", true, false},
					       {p->columns[sort].name, true, false},
					       {ir != SIZE_MAX ? "Ir" : "", true, false},
					       {"FUNCTION", false, true}};
	struct table *t = table_new(columns, sizeof(columns) / sizeof(columns[0]), d);
	int status;

	text_addf(out, "\nMisses in %s, code's and data's\n", last->name);
	fit_prose(out, from, 2, d);
	for (size_t i = 0; i < r->count && i < SCREEN_FUNCTIONS; i++) {
		char share[FIGURE_BYTES], misses[FIGURE_BYTES], part[FIGURE_BYTES] = "";
		const char *name = r->rows.items[r->order[i]].name;

		event_share(self_of(r, i, sort), r->total, share);
		event_figure(self_of(r, i, sort), misses);
		if (ir != SIZE_MAX)
			event_share(self_of(r, i, ir), events_value(p, ir, p->totals), part);
		table_row(t, (const char *const[]){share, misses, part,
						   name[0] != '\0' ? name : "(unknown)"});
	}
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

static void put_verdict(const struct event_report *r, const struct event_caches *c,
			const char *file, const struct display *d, struct text *out)
{
	const struct event_cache *at = deciding(c);
	struct verdict v = {.is_exact = true,
			    .file = file,
			    .ranked = VERDICT_SIZE_OTHER,
			    .size_bytes = at->size_bytes,
			    .ratio = at->misses / at->accesses,
			    .process = r->p->process == STORE_ALL ? QUERY_ANY : r->p->process};

	add_caches(c, &v);
	for (size_t i = 0; i < v.cache_count; i++)
		if (strcmp(v.caches[i].name, at->name) == 0)
			v.ranked = i;
	find_function(r, at->column, &v);
	verdict_put(&v, d, out);
}

int first_screen_events(const struct event_report *r, const struct event_caches *caches,
			const char *file, const struct display *d, struct text *out,
			struct err *err)
{
	const struct event_cache *last = event_caches_last(caches);
	size_t from;

	put_run(r->p, d, out);
	if (put_caches(caches, d, out, err) != 0 || put_functions(r, last, d, out, err) != 0)
		return -1;
	from = out->count;
	text_add(out, "Events are counted by code: 'dwell record' tells the data structures.\n");
	fit_prose(out, from, 2, d);
	put_verdict(r, caches, file, d, out);
	return 0;
}
