/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list below annotated source: the origin of the data of its hottest lines. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "answer/figures.h"
#include "answer/json.h"
#include "base/text.h"
#include "estimate/annotate.h"
#include "estimate/reuse.h"
#include "views/fit.h"
#include "views/parts.h"
#include "views/views.h"

#define PLACES	     4	/* places shown for each line */
#define SHARES_WIDTH 22 /* width of a line before the place */

static double misses_of(const struct hot_row *row)
{
	return row->cost.misses + row->cost.cold;
}

static int by_misses(const void *a, const void *b)
{
	const struct hot_row *x = *(const struct hot_row *const *)a;
	const struct hot_row *y = *(const struct hot_row *const *)b;

	if (misses_of(x) != misses_of(y))
		return misses_of(x) < misses_of(y) ? 1 : -1;
	return (x->line > y->line) - (x->line < y->line);
}

/* Collect the reuses of one line of the source. */
static int collect_line(const struct annotation *a, const struct hot_row *row, struct reuse *r,
			struct err *err)
{
	const struct code line = {.file = row->file, .line = row->line};

	*r = (struct reuse){.profile = a->profile, .query = a->query};
	return reuse_collect(r, a->profile, a->shares, &line, err);
}

static double share_of(const struct reuse *r, const struct reuse_row *row)
{
	return r->total.accesses > 0 ? row->cost.accesses / r->total.accesses : 0;
}

/* Put the place after its two shares. */
static void put_place(const struct reuse_place *place, const struct display *d, struct text *out)
{
	struct text name = {0}, shown = {0};

	figure_place(place->file, place->line, place->function, &name);
	fit_add(&shown, text_get(&name), d);
	fit_name(out, text_get(&shown),
		 d->width > SHARES_WIDTH ? d->width - SHARES_WIDTH : SIZE_MAX, d);
	text_release(&name);
	text_release(&shown);
}

static int put_line(const struct annotation *a, const struct hot_row *row, const struct display *d,
		    struct text *out, struct err *err)
{
	char share[FIGURE_BYTES], ratio[FIGURE_BYTES];
	struct reuse r;

	if (collect_line(a, row, &r, err) != 0)
		return -1;
	text_add(out, "\n");
	fit_add(out, path_basename(row->file), d);
	text_addf(out, ":%" PRIu32 "%s\n", row->line, r.count > 0 ? "" : "  no reuse was seen");
	for (size_t i = 0; i < r.count && i < PLACES; i++) {
		text_addf(out, "%9s ", figure_share(share_of(&r, &r.rows[i]), share));
		text_addf(out, "%10s  ", figure_share(reuse_miss_ratio(&r.rows[i].cost), ratio));
		if (reuse_is_self(&r.rows[i]))
			text_add(out, "self");
		else
			put_place(&r.rows[i].from, d, out);
		text_add(out, "\n");
	}
	if (r.count > PLACES)
		text_addf(out, "%9s %10s  and %s more\n", "", "",
			  figure_count(r.count - PLACES, share));
	reuse_release(&r);
	return 0;
}

int annotation_sources_text(const struct annotation *a, size_t count, const struct display *d,
			    struct text *out, struct err *err)
{
	const struct hot_row **hot = calloc(a->count + 1, sizeof(*hot));
	size_t lines = 0;
	int ret = 0;

	if (hot == NULL)
		return err_set(err, "not enough memory for %zu lines", a->count);
	for (size_t i = 0; i < a->count; i++)
		if (a->rows[i].line > 0 && misses_of(&a->rows[i]) > 0)
			hot[lines++] = &a->rows[i];
	if (lines > 0)
		qsort(hot, lines, sizeof(*hot), by_misses);
	if (lines > 0 && count > 0)
		text_addf(out, "\nWhere the data of the hottest lines comes from\n%9s %10s\n",
			  "REUSES", "MISS RATIO");
	for (size_t i = 0; i < lines && i < count && ret == 0; i++)
		ret = put_line(a, hot[i], d, out, err);
	free(hot);
	return ret;
}

json_t *annotation_sources_json(const struct annotation *a, const struct hot_row *row)
{
	json_t *places = json_array();
	struct reuse r;

	if (row->file == NULL || row->line == 0)
		return places;
	if (collect_line(a, row, &r, NULL) != 0) {
		json_decref(places);
		return NULL;
	}
	for (size_t i = 0; i < r.count; i++) {
		const struct reuse_row *x = &r.rows[i];

		json_array_append_new(
			places, json_pack("{s:o, s:o, s:I, s:b, s:f, s:f, s:I}", "function",
					  json_text(x->from.function), "file",
					  json_text(x->from.file), "line", (json_int_t)x->from.line,
					  "self", reuse_is_self(x), "reuse_share", share_of(&r, x),
					  "miss_ratio", reuse_miss_ratio(&x->cost), "samples",
					  (json_int_t)x->cost.samples));
	}
	reuse_release(&r);
	return places;
}
