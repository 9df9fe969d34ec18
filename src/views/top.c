/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The screen of a run in progress; see views.h. */
#include "views/views.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "answer/cost_columns.h"
#include "answer/figures.h"
#include "answer/objects.h"
#include "answer/processes.h"
#include "base/size.h"
#include "base/text.h"
#include "estimate/hot.h"
#include "views/answer_print.h"
#include "views/columns_table.h"
#include "views/counted/counted.h"
#include "views/fit.h"
#include "views/table.h"

static const char *name_of(const struct store_process *x)
{
	return x->command[0] != '\0' ? x->command : x->exe;
}

/* Put the state of the run, and its duration; its start is known to the second. */
static void put_state(const struct profile *p, struct text *line)
{
	const char *state = store_meta_text(p->store, "state");
	int64_t seconds = (int64_t)time(NULL) - store_meta_int(p->store, "start_time", 0);
	int64_t ns = store_meta_int(p->store, "wall_ns", 0);
	char t[FIGURE_BYTES];

	if (state != NULL && strncmp(state, "cut off", strlen("cut off")) == 0)
		text_add(line, state);
	else if (state != NULL && strcmp(state, "running") != 0)
		text_addf(line, "ended, %s", figure_duration(ns > 0 ? (uint64_t)ns : 0, t));
	else if (store_writer(p->store) == 0)
		text_add(line, "cut off with its profiler");
	else if (seconds < 120)
		text_addf(line, "running, %" PRId64 " s", seconds > 0 ? seconds : 0);
	else
		text_addf(line, "running, %s", figure_duration((uint64_t)seconds * 1000000000, t));
}

/* Put a line of the head, cut to the terminal, and without control characters. */
static void put_line(struct text *out, const struct display *d, const struct text *line)
{
	struct text safe = {0};

	fit_add(&safe, text_get(line), d);
	fit_words(out, text_get(&safe), d->width > 0 ? d->width : SIZE_MAX, d);
	text_add(out, "\n");
	text_release(&safe);
}

/* Put what runs, and for how long. */
static void put_command(const struct profile *p, const struct display *d, struct text *out)
{
	const char *command = store_meta_text(p->store, "command");
	struct text line = {0};

	put_state(p, &line);
	text_addf(&line, ": %s", command != NULL ? command : "");
	put_line(out, d, &line);
	text_release(&line);
}

/* Put how much of it was seen. */
static void put_run(const struct profile *p, const struct display *d, struct text *out)
{
	uint64_t accesses = 0, samples = 0, windows = 0, live = 0;
	char a[FIGURE_BYTES], b[FIGURE_BYTES], c[FIGURE_BYTES];
	struct text line = {0};

	for (size_t i = 0; i < p->process_count; i++) {
		accesses += p->processes[i].accesses;
		samples += p->processes[i].samples;
		windows += p->processes[i].windows;
		live += strcmp(p->processes[i].state, "running") == 0;
	}
	text_addf(&line, "%zu process%s, %" PRIu64 " running; %s accesses; ", p->process_count,
		  p->process_count == 1 ? "" : "es", live, figure_count(accesses, a));
	text_addf(&line, "%s in %s", figure_things(samples, "sample", b),
		  figure_things(windows, "window", c));
	put_line(out, d, &line);
	text_release(&line);
}

/* Put the chosen process's miss ratios in the machine's caches. */
static void put_process(const struct profile *p, const struct query *q, const struct display *d,
			struct text *out)
{
	struct profile_cache caches[PROFILE_CACHES];
	struct text line = {0};

	profile_caches(p, caches);
	text_addf(&line, "process %" PRId64 " misses:", p->process->id);
	for (size_t i = 0; i < PROFILE_CACHES; i++) {
		char size[SIZE_TEXT_BYTES], ratio[FIGURE_BYTES] = "not known";
		const struct query at = query_at(q, caches[i].size_bytes);
		struct model_ratio r;

		if (caches[i].size_bytes < p->line_bytes)
			continue;
		profile_solve(p, &at, &r);
		if (r.known)
			figure_percent(r.ratio, ratio);
		text_addf(&line, " %s (%s) %s;", caches[i].name,
			  size_format(caches[i].size_bytes, size), ratio);
	}
	text_addf(&line, " %s", name_of(p->process));
	put_line(out, d, &line);
	text_release(&line);
}

/* Put the title of the table, in the line between it and the head. */
static void put_title(const struct profile *p, enum top_view view, const struct query *q,
		      const struct display *d, struct text *out)
{
	struct text line = {0};

	if (view == TOP_PROCESSES) {
		text_add(&line, "Misses per access, by cache:");
	} else {
		text_addf(&line, "Misses of process %" PRId64 " in a cache of ", p->process->id);
		figure_cache(p, q, &line);
		text_add(&line, ":");
	}
	put_line(out, d, &line);
	text_release(&line);
}

static int put_hot(const struct profile *p, enum top_view view, const struct query *q, size_t rows,
		   const struct display *d, struct text *out, struct err *err)
{
	const struct column_list *columns =
		COLUMN_LIST(COST(CYCLES), COST(ALL_MISSES), COST(RATIO), COST(ACCESSES),
			    COST(SAMPLES), view == TOP_LINES ? COST(PLACE) : COST(FUNCTION));
	struct hot_cost *costs = hot_costs(p, q, err);
	struct table *t;
	struct hot hot;
	int status;

	if (costs == NULL)
		return -1;
	status = hot_rows(p, q, costs, view == TOP_LINES ? HOT_LINE : HOT_FUNCTION, &hot, err);
	free(costs);
	if (status != 0)
		return -1;
	t = columns_table(columns, d);
	for (size_t i = 0; i < hot.count && i < rows; i++) {
		struct cost_row row = cost_row_of(&hot, i);

		columns_table_row(columns, t, &row);
	}
	status = table_print(t, out, err);
	table_free(t);
	hot_release(&hot);
	return status;
}

static int put_processes(const struct profile *p, const struct query *q, size_t rows,
			 const struct display *d, struct text *out, struct err *err)
{
	struct answer a = {0};
	int status = processes_of_samples(&a, p, q, err);

	if (status == 0)
		status = rows_text(&a.rows, rows, d, out, err);
	if (status == 0)
		text_add(out, text_get(&a.remarks));
	answer_release(&a);
	return status;
}

int top_text(const struct profile *p, enum top_view view, const struct query *q, size_t rows,
	     const struct display *d, struct text *out, struct err *err)
{
	struct query chosen;

	if (profile_choose(p, q, &chosen, err) != 0)
		return -1;
	put_command(p, d, out);
	put_run(p, d, out);
	put_process(p, &chosen, d, out);
	put_title(p, view, &chosen, d, out);
	return view == TOP_PROCESSES ? put_processes(p, &chosen, rows, d, out, err)
				     : put_hot(p, view, &chosen, rows, d, out, err);
}

int top_data_text(const struct structures *s, size_t rows, const struct display *d,
		  struct text *out, struct err *err)
{
	const struct profile *p = s->names.profile;
	char figure[FIGURE_BYTES];
	struct text line = {0};
	struct answer a = {0};
	int status = 0;

	put_command(p, d, out);
	text_addf(&line, "process %" PRId64 " of %zu: ", p->process->id, p->process_count);
	text_add(&line, name_of(p->process));
	put_line(out, d, &line);
	line.count = 0;
	text_add(&line, "exact misses:");
	for (size_t i = 0; i < s->level_count; i++)
		text_addf(&line, "%s %s %s", i > 0 ? "," : "", s->levels[i],
			  figure_count(s->totals[i], figure));
	put_line(out, d, &line);
	line.count = 0;
	text_add(&line, s->count > 0 ? "Data structures:" : "No data structure has missed yet.");
	put_line(out, d, &line);
	text_release(&line);
	if (s->count > 0)
		status = objects_of_structures(&a, s, rows, err);
	a.rows.count = rows_shown(&a.rows, rows);
	if (a.rows.count > 0)
		status = rows_text(&a.rows, rows, d, out, err);
	answer_release(&a);
	return status;
}
