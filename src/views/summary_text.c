/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The summary as text: the first screen, then longer tables, and facts about the run. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/cost_columns.h"
#include "answer/figures.h"
#include "answer/process_columns.h"
#include "base/size.h"
#include "base/text.h"
#include "estimate/hints.h"
#include "estimate/processes.h"
#include "estimate/summary.h"
#include "profile/sampled.h"
#include "views/columns_table.h"
#include "views/fit.h"
#include "views/parts.h"
#include "views/screen/first_screen.h"
#include "views/table.h"
#include "views/views.h"

#define MAX_PROCESSES 20
#define LABEL_INDENT  16 /* column of the text after a label */

/* Put "  label        text". */
static void put_label(struct text *out, const char *label)
{
	text_addf(out, "  %-14s", label);
}

static void put_counts(const struct store_process *x, struct text *out)
{
	char a[FIGURE_BYTES], b[FIGURE_BYTES], c[FIGURE_BYTES], d[FIGURE_BYTES];

	put_label(out, "instructions");
	text_addf(out, "%s\n", figure_count(x->instructions, a));
	put_label(out, "accesses");
	text_addf(out, "%s (%s loads, %s stores, %s both)\n", figure_count(x->accesses, a),
		  figure_count(x->loads, b), figure_count(x->stores, c),
		  figure_count(x->modifies, d));
}

/* Say how far the size in put_footprint is limited. */
static const char *footprint_limit(const struct profile *p)
{
	uint64_t all = p->process->accesses;

	if (p->window_count == 0)
		return " at the end; before it may have been more, which only windows see";
	return sampled_accesses(p->windows, p->window_count, all) < all
		       ? ", or more: part of the run was not sampled"
		       : "";
}

/* Put the largest size seen: a program may free its memory before it ends. */
static void put_footprint(const struct profile *p, struct text *out)
{
	uint64_t pages = p->process->footprint_pages;
	char size[SIZE_TEXT_BYTES];

	for (size_t i = 0; i < p->window_count; i++)
		if (p->windows[i].footprint_pages > pages)
			pages = p->windows[i].footprint_pages;
	put_label(out, "memory held");
	if (pages > 0)
		text_addf(out, "%s%s\n", size_format(pages * 4096, size), footprint_limit(p));
	else
		text_add(out, "not known\n");
}

static void put_samples(const struct profile *p, struct text *out)
{
	const struct store_process *x = p->process;
	char a[FIGURE_BYTES], b[FIGURE_BYTES], c[FIGURE_BYTES], d[FIGURE_BYTES], e[FIGURE_BYTES];

	put_label(out, "samples");
	text_addf(out, "%s in %s (%s near, %s far, %s cut short)\n", figure_count(x->samples, a),
		  figure_things(x->windows, "window", b), figure_count(x->near_samples, c),
		  figure_count(x->far_samples, d), figure_count(x->cut_samples, e));
	if (p->unclosed_samples > 0) {
		put_label(out, "");
		text_addf(out, "%s of them left out: the window they are from never closed\n",
			  figure_count(p->unclosed_samples, a));
	}
	put_label(out, "far reuses");
	text_addf(out, "%s of %s\n", figure_count(x->far_reuses, a),
		  figure_things(x->far_lines[profile_far_size(p->line_bytes)], "far line", b));
}

static void put_losses(const struct profile *p, struct text *out)
{
	char count[FIGURE_BYTES];

	if (p->process->lost_records == 0)
		return;
	put_label(out, "lost");
	text_addf(out, "%s: the profiler could not keep up\n",
		  figure_things(p->process->lost_records, "record", count));
}

static void put_share(struct text *out, const char *before, double share)
{
	char percent[FIGURE_BYTES];

	if (share >= 0)
		text_addf(out, "%s %s", before, figure_percent(share, percent));
}

static void put_overhead(const struct profile *p, struct text *out)
{
	struct summary_overhead o;
	char percent[FIGURE_BYTES];

	summary_overhead(p, &o);
	put_label(out, "overhead");
	if (o.collector < 0 && o.translate < 0) {
		text_add(out, "not known: the run was cut short\n");
		return;
	}
	text_add(out, "of the run's time");
	put_share(out, ": translating", o.translate);
	put_share(out, ", watching", o.scan);
	put_share(out, o.translate < 0 ? ": collecting" : ", collecting", o.collector);
	if (p->process->accesses > 0)
		text_addf(out, "; %s of the accesses in windows",
			  figure_percent((double)p->process->watch_accesses /
						 (double)p->process->accesses,
					 percent));
	text_add(out, "\n");
}

static void put_resolution(const struct profile *p, struct text *out)
{
	struct model_resolution r;
	char distance[FIGURE_BYTES], size[SIZE_TEXT_BYTES], left[FIGURE_BYTES];
	uint64_t lines;

	if (p->sample_count == 0)
		return;
	model_resolve(p->model, &r);
	lines = (uint64_t)r.lines;
	put_label(out, "resolves");
	text_addf(out, "distances up to %s accesses", figure_count((uint64_t)r.distance, distance));
	if (r.unresolved > 0)
		text_addf(out, "; %s were longer, across gaps between windows.\n",
			  figure_percent(r.unresolved, left));
	else
		text_add(out, ", and there were no longer ones.\n");
	if (r.unresolved <= 0)
		return;
	put_label(out, "");
	text_addf(out, "Caches above %s: bounds only\n",
		  size_format((lines > 0 ? lines : 1) * p->line_bytes, size));
}

static void put_reuse(const struct summary *s, struct text *out)
{
	char temporal[FIGURE_BYTES], spatial[FIGURE_BYTES], rest[FIGURE_BYTES];
	char size[SIZE_TEXT_BYTES];

	if (s->profile->sample_count == 0)
		return;
	put_label(out, "reuse");
	text_addf(out,
		  "%s of the accesses touch bytes again, %s other bytes of a line; %s are first "
		  "touches\n",
		  figure_share(s->temporal, temporal), figure_share(s->spatial, spatial),
		  figure_share(s->cold, rest));
	if (isnan(s->used))
		return;
	put_label(out, "");
	text_addf(out, "%s of the bytes fetched into a cache of %s are asked for\n",
		  figure_share(s->used, rest), size_format(s->size_bytes, size));
}

/* Besides a longer run, what would give more windows; NULL if nothing would. */
static const char *more_windows(const struct profile *p, uint64_t sampled)
{
	struct store *s = p->store;

	if (store_meta_int(s, "duration_ns", 0) > 0)
		return "a longer --duration";
	if (store_meta_int(s, "overhead_ppm", 0) > 0)
		return "a larger --overhead";
	if (p->process->watch_accesses * 10 > sampled * 9)
		return NULL;
	return store_meta_int(s, "duty_ppm", 0) < 1000000 ? "a larger --duty" : "more --windows";
}

static uint64_t stood_for(const struct profile *p)
{
	uint64_t sampled = 0;

	for (size_t i = 0; i < p->window_count; i++)
		sampled += p->windows[i].stands_for;
	return sampled;
}

/*
 * Advise an option that would give enough samples, if there is one. Windows may be skipped, and the
 * last one is cut, so the advised period gives half as many samples again as needed.
 */
static void put_advice(const struct profile *p, struct text *out)
{
	uint64_t sampled = stood_for(p), period,
		 had = (uint64_t)store_meta_int(p->store, "sample_period", 0);
	const char *option = NULL;

	period = sampled / (PROFILE_ENOUGH_SAMPLES * 3 / 2);
	text_add(out, " Give the program more work");
	if (p->process->windows < PROFILE_ENOUGH_WINDOWS)
		option = more_windows(p, sampled);
	if (option != NULL)
		text_addf(out, ", or record with %s", option);
	else if (p->process->windows >= PROFILE_ENOUGH_WINDOWS && period > 0 &&
		 (had == 0 || period < had))
		text_addf(out, ", or record with --period %" PRIu64, period);
	text_add(out, ".");
}

/* Say that there are too few samples, and what to change; nothing if there are enough. */
static void put_caution(const struct profile *p, struct text *out)
{
	char samples[FIGURE_BYTES], windows[FIGURE_BYTES];
	const struct store_process *x = p->process;

	if (x->samples >= PROFILE_ENOUGH_SAMPLES && x->windows >= PROFILE_ENOUGH_WINDOWS)
		return;
	if (x->samples == 0) {
		const bool counted = store_is_counted(p->store);

		text_addf(out, "No samples: the program was %s. The miss ratio is not known.",
			  counted ? "only counted (--mode count)"
				  : "too short, or too little of it sampled");
		if (!counted)
			put_advice(p, out);
		return;
	}
	text_addf(out, "Few samples (%s in %s; ", figure_count(x->samples, samples),
		  figure_things(x->windows, "window", windows));
	text_addf(out, "%s in %s would do): the numbers are imprecise.",
		  figure_count(PROFILE_ENOUGH_SAMPLES, samples),
		  figure_count(PROFILE_ENOUGH_WINDOWS, windows));
	put_advice(p, out);
}

struct process_row {
	struct store_process x;
	bool is_shown; /* the one that the page is about */
};

static void get_marked_id(const void *row, struct value *v)
{
	const struct process_row *r = row;

	text_addf(v->made, "%s%" PRId64, r->is_shown ? "* " : "", r->x.id);
	v->text = text_get(v->made);
}

static int put_process_table(const struct profile *p, const struct display *d, struct text *out,
			     struct err *err)
{
	static const struct column id = {"PROCESS", NULL, UNIT_TEXT, get_marked_id,
					 .to_right = true};
	const struct column_list *list = COLUMN_LIST(&id, PROCESS(PID), PROCESS(ACCESSES),
						     PROCESS(SHOWN_STATE), PROCESS(COMMAND));
	struct table *t = columns_table(list, d);
	int ret;

	for (size_t i = 0; i < p->process_count && i < MAX_PROCESSES; i++) {
		const struct process_row row = {p->processes[i], &p->processes[i] == p->process};

		columns_table_row(list, t, &row);
	}
	ret = table_print(t, out, err);
	table_free(t);
	return ret;
}

static int put_processes(const struct profile *p, const struct display *d, struct text *out,
			 struct err *err)
{
	char count[FIGURE_BYTES];
	size_t from = out->count;

	if (p->process_count < 2)
		return 0;
	text_addf(out,
		  "\n%s processes; the above is about process %" PRId64
		  " (*), --process ID shows another\n\n",
		  figure_count(p->process_count, count), p->process->id);
	fit_prose(out, from, 0, d);
	if (put_process_table(p, d, out, err) != 0)
		return -1;
	if (p->process_count > MAX_PROCESSES)
		figure_more(out, p->process_count - MAX_PROCESSES, "");
	return 0;
}

/* `place`: the column that names the code. */
static int put_hot(const struct summary *s, const struct hot *h, const struct column *place,
		   size_t rows, const struct display *d, struct text *out, struct err *err)
{
	const struct column_list *columns =
		COLUMN_LIST(COST(CYCLES), COST(ALL_MISSES), COST(COLD), COST(RATIO), COST(ACCESSES),
			    COST(SAMPLES), place);
	struct cost_limit limit = cost_limit_of(s->query, &h->total, rows);
	struct table *t = columns_table(columns, d);
	int ret;

	for (size_t i = 0; i < h->count; i++) {
		struct cost_row row = cost_row_of(h, i);

		if (cost_limit_shows(&limit, row.cost))
			columns_table_row(columns, t, &row);
	}
	text_add(out, "\n");
	ret = table_print(t, out, err);
	table_free(t);
	figure_more(out, limit.left, "");
	return ret;
}

/* Warn that the ranking of lines is uncertain if only few windows saw their misses. */
static void put_order(const struct summary *s, const struct display *d, struct text *out)
{
	const struct order *o = &s->order;
	const char *option = more_windows(s->profile, stood_for(s->profile));
	char count[FIGURE_BYTES];
	size_t from = out->count;

	if (o->rows < ORDER_LEAST_ROWS || !(o->likeness < ORDER_GOOD))
		return;
	text_addf(
		out,
		"\nThe order of the lines is uncertain: %s make %.0f %% of the misses, and the two "
		"halves of the windows disagree about them: expect a rank correlation of %.2f "
		"with the order of the whole run. Give the program more work%s%s.\n",
		figure_things(o->rows, "line", count), 100 * ORDER_PART, o->likeness,
		option != NULL ? ", or record with " : "", option != NULL ? option : "");
	fit_prose(out, from, 0, d);
}

/* If code without a name is among the rows shown, tell how to get names. */
static void put_nameless(const struct summary *s, size_t rows, const struct display *d,
			 struct text *out)
{
	const struct hot *h = &s->functions;
	struct cost_limit limit = cost_limit_of(s->query, &h->total, rows);
	size_t from = out->count;

	for (size_t i = 0; i < h->count; i++) {
		if (!cost_limit_shows(&limit, &h->rows[i].cost) ||
		    strcmp(h->rows[i].function, STORE_NAMELESS) != 0)
			continue;
		text_addf(out,
			  "\n" STORE_NAMELESS " is code made at run time that /tmp/perf-%" PRIu32
			  ".map does not name. 'node --perf-basic-prof', 'python3 -X perf' (from "
			  "3.12 "
			  "on) and 'java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit' "
			  "write such a file; see dwell-record(1).\n",
			  s->profile->process->pid);
		fit_prose(out, from, 0, d);
		return;
	}
}

/* What would give more rows a name. */
static void put_hints(const struct summary *s, const struct display *d, struct text *out)
{
	struct text hints = {0};
	const size_t from = out->count;

	hints_put(&s->functions, &s->data, &hints);
	if (hints.count > 0)
		text_addf(out, "\n%s", text_get(&hints));
	text_release(&hints);
	fit_prose(out, from, 2, d);
}

static void put_hot_title(const struct summary *s, const struct display *d, struct text *out)
{
	size_t from = out->count;

	text_add(out, "\nMore of the misses in a cache of ");
	figure_cache(s->profile, s->query, out);
	text_add(out, "; COLD, first touches, is a part of MISSES\n");
	fit_prose(out, from, 0, d);
}

static int put_messages(const struct profile *p, const struct display *d, struct text *out,
			struct err *err)
{
	struct store_message *messages = NULL;
	size_t count = 0;

	if (store_read_messages(p->store, &messages, &count, err) != 0)
		return -1;
	if (count > 0)
		text_add(out, "\nNotes of the run:\n");
	for (size_t i = 0; i < count; i++) {
		size_t from = out->count;

		text_add(out, "  ");
		fit_add(out, messages[i].text, d);
		text_add(out, "\n");
		fit_prose(out, from, 4, d);
	}
	free(messages);
	return 0;
}

/* Put what ran, and how much of it was seen. */
static void put_run(const struct summary *s, bool is_verbose, const struct display *d,
		    struct text *out)
{
	const struct profile *p = s->profile;
	size_t from = out->count;

	text_add(out, "\n");
	put_counts(p->process, out);
	put_footprint(p, out);
	put_reuse(s, out);
	if (is_verbose) {
		put_samples(p, out);
		put_overhead(p, out);
		put_resolution(p, out);
	}
	put_losses(p, out);
	fit_prose(out, from, LABEL_INDENT, d);
}

static int put_tables(const struct summary *s, size_t rows, const struct display *d,
		      struct text *out, struct err *err)
{
	put_hot_title(s, d, out);
	if (put_hot(s, &s->functions, COST(FUNCTION), rows, d, out, err) != 0 ||
	    put_hot(s, &s->lines, COST(PLACE), rows, d, out, err) != 0)
		return -1;
	put_order(s, d, out);
	put_nameless(s, rows, d, out);
	put_hints(s, d, out);
	text_add(out, "\nWhich data it is ('dwell objects' tells more)\n\n");
	return data_table(&s->data, rows, NULL, d, out, err);
}

int summary_text(const struct summary *s, const struct summary_page *page, const struct display *d,
		 struct text *out, struct err *err)
{
	const struct profile *p = s->profile;
	struct text caution = {0};
	int status;

	put_caution(p, &caution);
	status = first_screen_samples(s, page->file, caution.count > 0 ? text_get(&caution) : NULL,
				      d, out, err);
	text_release(&caution);
	if (status != 0 || (p->sample_count > 0 && put_tables(s, page->rows, d, out, err) != 0))
		return -1;
	put_run(s, page->is_verbose, d, out);
	if (put_processes(p, d, out, err) != 0)
		return -1;
	return put_messages(p, d, out, err);
}
