/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reuses by the code that makes them and the code that touched the line before. */
#include "estimate/reuse.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "estimate/own_code.h"

#define NEAREST_LINES 4

bool reuse_is_self(const struct reuse_row *row)
{
	return row->from.function == row->to.function && row->from.file == row->to.file &&
	       row->from.line == row->to.line;
}

double reuse_miss_ratio(const struct reuse_cost *cost)
{
	return cost->accesses > 0 ? cost->misses / cost->accesses : 0;
}

static unsigned bin_of(uint64_t distance)
{
	return distance == 0 ? 0 : 64 - (unsigned)__builtin_clzll(distance);
}

uint64_t reuse_bin_low(unsigned bin)
{
	return bin == 0 ? 0 : (uint64_t)1 << (bin - 1);
}

uint64_t reuse_bin_high(unsigned bin)
{
	return bin == 0 ? 0 : reuse_bin_low(bin) + (reuse_bin_low(bin) - 1);
}

/* ---- Rows ---- */

static void add_cost(struct reuse_cost *to, const struct reuse_cost *cost)
{
	to->accesses += cost->accesses;
	to->misses += cost->misses;
	to->temporal += cost->temporal;
	to->far += cost->far;
	to->samples += cost->samples;
}

static struct reuse_place place_of(const struct store_frame *f)
{
	return (struct reuse_place){f->function, f->file, f->file != NULL ? f->line : 0};
}

/*
 * The place of a location for a user who asked for `code`: the frame in that code, or the user's
 * own.
 */
static struct reuse_place place_for(const struct profile *p, size_t index, const struct code *code)
{
	static const struct store_frame unknown = {"[unknown]", NULL, 0};
	const struct store_location *l = index < p->location_count ? &p->locations[index] : NULL;
	const struct store_frame *f = l != NULL && code != NULL ? code_frame(code, l) : NULL;

	if (f == NULL)
		f = l != NULL && l->frame_count > 0 ? own_code_frame(l) : &unknown;
	return place_of(f);
}

static int compare_text(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

static int compare_places(const struct reuse_place *a, const struct reuse_place *b)
{
	int order = compare_text(a->file, b->file);

	if (order == 0)
		order = (a->line > b->line) - (a->line < b->line);
	return order != 0 ? order : compare_text(a->function, b->function);
}

static int compare_rows(const void *a, const void *b)
{
	const struct reuse_row *x = a, *y = b;
	int order = compare_places(&x->to, &y->to);

	return order != 0 ? order : compare_places(&x->from, &y->from);
}

static struct hot_cost cost_of(const struct reuse_cost *c)
{
	return (struct hot_cost){
		.accesses = c->accesses, .misses = c->misses, .samples = c->samples};
}

static int compare_numbers(double a, double b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

static int compare_costs(const void *a, const void *b, void *by)
{
	const struct reuse_row *x = a, *y = b;
	const enum query_order order = *(const enum query_order *)by;
	struct hot_cost of_x = cost_of(&x->cost), of_y = cost_of(&y->cost);
	int result = compare_numbers(hot_figure(order, &of_x), hot_figure(order, &of_y));

	if (result == 0)
		result = compare_numbers(of_x.accesses, of_y.accesses);
	return result != 0 ? result : compare_rows(a, b);
}

static void merge_rows(struct reuse *r)
{
	size_t kept = 0;

	if (r->count > 0)
		qsort(r->rows, r->count, sizeof(*r->rows), compare_rows);
	for (size_t i = 0; i < r->count; i++) {
		if (kept > 0 && compare_rows(&r->rows[kept - 1], &r->rows[i]) == 0)
			add_cost(&r->rows[kept - 1].cost, &r->rows[i].cost);
		else
			r->rows[kept++] = r->rows[i];
	}
	r->count = kept;
}

static void add_to_bins(struct reuse *r, const struct profile_end *e, double accesses)
{
	struct reuse_bin *bin = e->first > 0 || (double)e->distance > r->resolution
					? &r->beyond
					: &r->bins[bin_of(e->distance)];

	*(e->is_temporal ? &bin->temporal : &bin->spatial) += accesses;
}

static void add_row(struct reuse *r, const struct profile *p, const struct profile_end *e,
		    const struct hot_cost *cost, const struct code *code)
{
	double accesses = cost->accesses * (1 - e->first);
	size_t begin = e->begin != NULL ? profile_location_index(p, e->begin->location)
					: p->location_count;
	struct reuse_row *row = &r->rows[r->count++];

	*row = (struct reuse_row){
		.from = place_for(p, begin, code),
		.to = place_for(p, profile_location_index(p, e->access->location), code),
		.cost = {.accesses = accesses,
			 .misses = cost->misses,
			 .temporal = e->is_temporal ? accesses : 0,
			 .far = e->is_far ? accesses : 0,
			 .samples = 1},
	};
	add_cost(&r->total, &row->cost);
	add_to_bins(r, e, accesses);
}

static bool is_in(const struct profile *p, const struct profile_end *e, const struct code *code)
{
	const struct store_location *l = profile_location(p, e->access->location);

	return code == NULL || (l != NULL && code_frame(code, l) != NULL);
}

int reuse_collect(struct reuse *r, const struct profile *p, const struct profile_share *shares,
		  const struct code *code, struct err *err)
{
	struct model_resolution known;
	enum query_order order;

	if (query_order(r->query, &order, err) != 0)
		return -1;
	if (r->query->sort == NULL && code != NULL)
		order = QUERY_BY_ACCESSES;
	r->rows = calloc(p->end_count + 1, sizeof(*r->rows));
	if (r->rows == NULL)
		return err_set(err, "not enough memory for %zu reuses", p->end_count);
	model_resolve(p->model, &known);
	r->resolution = known.distance;
	for (size_t i = 0; i < p->end_count; i++) {
		const struct profile_end *e = &p->ends[i];
		const struct hot_cost cost = hot_cost_of(e, &shares[i]);

		r->ratio += shares[i].misses;
		if (!is_in(p, e, code))
			continue;
		r->cold += cost.accesses * e->first;
		r->cold_misses += cost.cold;
		if (e->first < 1)
			add_row(r, p, e, &cost, code);
	}
	merge_rows(r);
	if (r->count > 0)
		qsort_r(r->rows, r->count, sizeof(*r->rows), compare_costs, &order);
	return 0;
}

/* ---- The argument ---- */

/* Cut ":LINE" off the argument. Returns the line, or 0 if there is none. */
static uint32_t cut_line(char *argument)
{
	char *colon = strrchr(argument, ':'), *end;
	unsigned long line;

	if (colon == NULL || colon == argument || colon[1] < '0' || colon[1] > '9')
		return 0;
	line = strtoul(colon + 1, &end, 10);
	if (*end != '\0' || line == 0 || line > UINT32_MAX)
		return 0;
	*colon = '\0';
	return (uint32_t)line;
}

struct line_offer {
	uint32_t line, apart;
};

/* Keep the nearest lines, each once, nearest first. */
static void offer_line(struct line_offer best[NEAREST_LINES], uint32_t wanted, uint32_t line)
{
	struct line_offer x = {line, line > wanted ? line - wanted : wanted - line};
	size_t at = NEAREST_LINES;

	for (size_t i = 0; i < NEAREST_LINES; i++)
		if (best[i].line == line)
			return;
	while (at > 0 && (best[at - 1].line == 0 || x.apart < best[at - 1].apart))
		at--;
	if (at == NEAREST_LINES)
		return;
	memmove(&best[at + 1], &best[at], (NEAREST_LINES - at - 1) * sizeof(*best));
	best[at] = x;
}

static int fail_no_reuse(const struct reuse *r, struct err *err)
{
	const struct profile *p = r->profile;
	struct line_offer best[NEAREST_LINES] = {{0, 0}};
	struct code file = {.file = r->code.file};
	struct text lines = {0};

	for (size_t i = 0; r->code.line > 0 && i < p->end_count; i++) {
		const struct store_location *l = profile_location(p, p->ends[i].access->location);
		const struct store_frame *f = l != NULL ? code_frame(&file, l) : NULL;

		if (p->ends[i].first < 1 && f != NULL && f->line > 0)
			offer_line(best, r->code.line, f->line);
	}
	for (size_t i = 0; i < NEAREST_LINES && best[i].line > 0; i++)
		text_addf(&lines, "%s%" PRIu32, i > 0 ? ", " : "", best[i].line);
	if (lines.count > 0)
		err_set(err, "no sample saw '%s' touch data again; the nearest lines that do: %s",
			r->argument, text_get(&lines));
	else
		err_set(err,
			"no sample saw '%s' touch data again: 'dwell reuse' alone lists the code "
			"that does",
			r->argument);
	text_release(&lines);
	return -1;
}

static int find_code(struct reuse *r, struct err *err)
{
	char *name = strdup(r->argument);
	uint32_t line;
	int ret;

	if (name == NULL)
		return err_set(err, "not enough memory for the name of a file");
	line = cut_line(name);
	/* "list::sum" is not a line, but "walk.c:12" is, and then it must name a file. */
	ret = code_find(&r->code, r->profile, r->query, line > 0 ? name : r->argument, err);
	if (ret == 0 && line > 0 && r->code.file == NULL)
		ret = err_set(err, "'%s' is a function and no file: a line is FILE:LINE", name);
	if (ret == 0)
		r->code.line = line;
	free(name);
	return ret;
}

/* Keep rows with a matching end. */
static void keep_shown(struct reuse *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->count; i++) {
		const struct reuse_row *row = &r->rows[i];
		const char *const names[] = {row->to.function, row->to.file, row->from.function,
					     row->from.file};

		if (query_shows(r->query, names, sizeof(names) / sizeof(names[0])))
			r->rows[kept++] = *row;
	}
	r->count = kept;
}

int reuse_init(struct reuse *r, const struct profile *p, const struct query *q,
	       const char *argument, struct err *err)
{
	struct profile_share *shares;
	int ret;

	*r = (struct reuse){.profile = p, .query = q, .argument = argument};
	if (argument != NULL && find_code(r, err) != 0)
		return -1;
	shares = profile_attribute(p, q, err);
	if (shares == NULL)
		return -1;
	ret = reuse_collect(r, p, shares, argument != NULL ? &r->code : NULL, err);
	if (ret == 0 && argument != NULL && r->count == 0)
		ret = fail_no_reuse(r, err);
	keep_shown(r);
	free(shares);
	if (ret != 0)
		reuse_release(r);
	return ret;
}

void reuse_release(struct reuse *r)
{
	free(r->rows);
	*r = (struct reuse){0};
}
