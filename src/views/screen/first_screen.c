/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first screen of a sampled profile; see first_screen.h. */
#include "views/screen/first_screen.h"
#include "answer/data_columns.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "answer/cost_columns.h"
#include "answer/figures.h"
#include "base/size.h"
#include "base/text.h"
#include "estimate/summary.h"
#include "views/columns_table.h"
#include "views/parts.h"
#include "views/screen/verdict.h"
#include "views/table.h"

void first_screen_command(const char *command, const struct display *d, struct text *out)
{
	struct text safe = {0};

	fit_add(&safe, command, d);
	fit_words(out, text_get(&safe), d->width > 0 ? d->width : SIZE_MAX, d);
	text_add(out, "\n");
	text_release(&safe);
}

/* Remove blanks of empty cells at the ends of lines. */
static void trim_lines(struct text *out, size_t from)
{
	size_t to = from;

	for (size_t i = from; i < out->count; i++) {
		while (out->items[i] == '\n' && to > from && out->items[to - 1] == ' ')
			to--;
		out->items[to++] = out->items[i];
	}
	if (out->items != NULL)
		out->items[to] = '\0';
	out->count = to;
}

/* ---- What ran ---- */

/* Other processes may have been cut off where this one had ended. */
static void put_cut(const struct profile *p, const struct store_process *x, struct text *out)
{
	const char *state = store_meta_text(p->store, "state");

	if (state != NULL && strncmp(state, "cut off", strlen("cut off")) == 0 &&
	    strcmp(state, x->state) != 0)
		text_addf(out, "; the run was %s", state);
}

static void put_run(const struct profile *p, const struct display *d, struct text *out)
{
	const struct store_process *x = p->process;
	char count[FIGURE_BYTES];
	size_t from;

	first_screen_command(x->command[0] != '\0' ? x->command : x->exe, d, out);
	from = out->count;
	process_put_ending(x, out);
	text_addf(out, "; %s accesses", figure_count(x->accesses, count));
	if (p->process_count > 1)
		text_addf(out, "; process %" PRId64 " of %s (--process)", x->id,
			  figure_count(p->process_count, count));
	put_cut(p, x, out);
	text_add(out, "\n");
	fit_prose(out, from, 2, d);
}

/* ---- The caches ---- */

struct cache_row {
	struct ratio_row ratio;
	const char *note;
};

static int put_caches(const struct summary *s, const struct display *d, struct text *out,
		      struct err *err)
{
	static const struct column note = {"", NULL, UNIT_TEXT,
					   COLUMN_MEMBER(struct cache_row, note)};
	const struct column_list *list =
		COLUMN_LIST(RATIO(NAME), RATIO(SIZE), RATIO(MISSES), RATIO(INTERVAL),
			    RATIO(PER_THOUSAND), RATIO(CYCLES), &note);
	const struct profile *p = s->profile;
	uint64_t resolved = profile_resolved_size(p);
	struct cost cost;
	struct table *t = columns_table(list, d);
	size_t from = out->count;
	int status;

	text_addf(out, "\nMisses per access%s%s: ", p->machine != NULL ? ", " : "",
		  p->machine != NULL ? p->machine : "");
	if (s->query->ways > 0)
		text_addf(out, "%" PRIu64 "-way", s->query->ways);
	else
		text_add(out, "fully associative");
	text_addf(out, ", %s replacement, %" PRIu32 "-byte lines\n", figure_policy(s->policy),
		  p->line_bytes);
	fit_prose(out, from, 2, d);
	profile_cost(p, s->query, &cost);
	for (size_t i = 0; i < cost.count; i++) {
		struct model_ratio r;
		struct cache_row row = {.ratio = ratio_row_of(&cost, i, &r)};

		if (row.ratio.size_bytes > resolved)
			row.note = "bounds only";
		columns_table_row(list, t, &row);
	}
	from = out->count;
	status = table_print(t, out, err);
	trim_lines(out, from);
	table_free(t);
	return status;
}

/* ---- Code and data ---- */

static bool is_shown(const struct summary *s, const struct data_row *r)
{
	return query_shows(s->query, (const char *const[]){r->name, r->file, r->module}, 3);
}

/* One table for code and data, so that their columns are aligned. */
static int put_rows(const struct summary *s, const struct display *d, struct text *out,
		    struct err *err)
{
	static const char *const data_titles[] = {"COST", "MISSES", "MISS RATIO", "ACCESSES",
						  "DATA STRUCTURE"};
	const struct column_list *list = COLUMN_LIST(COST(CYCLES), COST(ALL_MISSES), COST(RATIO),
						     COST(ACCESSES), COST(FUNCTION));
	struct cost_limit code = cost_limit_of(s->query, &s->functions.total, SCREEN_FUNCTIONS);
	struct cost_limit data = cost_limit_of(s->query, &s->data.total, SCREEN_DATA);
	struct table *t = columns_table(list, d);
	int status;

	for (size_t i = 0; i < s->functions.count; i++) {
		struct cost_row row = cost_row_of(&s->functions, i);
		struct text name = {0};

		if (!cost_limit_shows(&code, row.cost))
			continue;
		text_add(&name, row.function);
		if (i < OWN_CALLERS && s->callers.caller[i] != NULL)
			text_addf(&name, " < %s", s->callers.caller[i]);
		row.function = text_get(&name);
		columns_table_row(list, t, &row);
		text_release(&name);
	}
	for (size_t i = 0; i < s->data.count; i++) {
		const struct data_row *r = &s->data.rows[i];
		struct cost_row row = {.cost = &r->cost, .whole = &s->data.total};
		struct text name = {0};

		if (!is_shown(s, r) || !cost_limit_shows(&data, row.cost))
			continue;
		if (data.shown == 1)
			table_row(t, data_titles);
		data_put_name(r, &name);
		row.function = text_get(&name);
		columns_table_row(list, t, &row);
		text_release(&name);
	}
	status = table_print(t, out, err);
	table_free(t);
	return status;
}

static int put_hot(const struct summary *s, const struct display *d, struct text *out,
		   struct err *err)
{
	char percent[FIGURE_BYTES];
	size_t from = out->count;

	text_add(out, "\nMisses in a cache of ");
	figure_cache(s->profile, s->query, out);
	if (profile_cache_name(s->profile, s->size_bytes) == NULL)
		text_addf(out, ", miss ratio %s", figure_percent(s->functions.ratio, percent));
	else if (!isnan(s->used) && s->size_bytes <= profile_resolved_size(s->profile))
		text_addf(out, "; %s of the bytes fetched are used",
			  figure_share(s->used, percent));
	text_add(out, "\n");
	fit_prose(out, from, 2, d);
	return put_rows(s, d, out, err);
}

/* ---- The verdict ---- */

/* The first shown function with known lines. */
static const char *source_of(const struct hot *h)
{
	for (size_t i = 0; i < h->count && i < SCREEN_FUNCTIONS; i++)
		if (h->rows[i].file != NULL && h->rows[i].cost.misses + h->rows[i].cost.cold > 0)
			return h->rows[i].function;
	return NULL;
}

/* The part of a row in what the verdict is about. */
static double share_of(const struct hot_cost *cost, const struct hot_cost *whole,
		       enum cost_verdict verdict)
{
	if (verdict == COST_FIRST)
		return whole->cold > 0 ? cost->cold / whole->cold : 0;
	return whole->cycles > 0 ? cost->cycles / whole->cycles : 0;
}

static void put_verdict(const struct summary *s, const char *file, const char *caution,
			const struct display *d, struct text *out)
{
	const struct hot *h = &s->functions;
	struct verdict v = {.size_bytes = s->query->is_by_cost ? 0 : s->size_bytes,
			    .is_cold_known = true,
			    .caution = caution,
			    .file = file,
			    .process = s->query->process,
			    .is_lru = s->policy == MODEL_LRU,
			    .ways = s->query->ways,
			    .caches = s->query->machine,
			    .source_of = source_of(h)};

	profile_cost(s->profile, s->query, &v.cost);
	if (v.cost.verdict == COST_FIRST && h->count > 0) {
		v.function =
			s->callers.caller[0] != NULL ? s->callers.caller[0] : h->rows[0].function;
		v.function_share = share_of(&h->rows[0].cost, &h->total, v.cost.verdict);
	} else {
		v.function = s->callers.most;
		v.function_share = s->callers.part;
		v.source_of = s->callers.most_file != NULL ? s->callers.most : v.source_of;
	}
	for (size_t i = 0; i < s->data.count && v.data == NULL; i++) {
		const struct data_row *r = &s->data.rows[i];

		if (!is_shown(s, r))
			continue;
		v.data = r->name;
		v.data_share = share_of(&r->cost, &s->data.total, v.cost.verdict);
	}
	verdict_put(&v, d, out);
}

int first_screen_samples(const struct summary *s, const char *file, const char *caution,
			 const struct display *d, struct text *out, struct err *err)
{
	put_run(s->profile, d, out);
	if (s->profile->sample_count > 0 &&
	    (put_caches(s, d, out, err) != 0 || put_hot(s, d, out, err) != 0))
		return -1;
	put_verdict(s, file, caution, d, out);
	return 0;
}
