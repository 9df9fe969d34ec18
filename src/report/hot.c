/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Summing the samples' shares of the misses up by code. */
#include "report/hot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FAR_LEAST 12 /* lines met again, to speak for the others */

void hot_add(struct hot_cost *to, const struct hot_cost *cost)
{
	to->accesses += cost->accesses;
	to->misses += cost->misses;
	to->unresolved += cost->unresolved;
	to->samples += cost->samples;
}

double hot_miss_ratio(const struct hot_cost *cost)
{
	return cost->accesses > 0 ? (cost->misses + cost->unresolved) / cost->accesses : 0;
}

double hot_share(double part, const struct hot_cost *whole)
{
	double all = whole->misses + whole->unresolved;

	return all > 0 ? part / all : 0;
}

/* A location that is missing from a damaged file: past the end, with the sums. */
static struct hot_cost *cost_of(const struct profile *p, struct hot_cost *costs, int64_t location)
{
	const struct store_location *l = profile_location(p, location);

	return &costs[l != NULL ? (size_t)(l - p->locations) : p->location_count];
}

/* Per window, by index: misses not resolved, and lines of theirs that were met again. */
struct far {
	double misses;
	size_t met;
};

static bool is_met(const struct store_follow *f)
{
	return f->status == 0;
}

/* What the windows with lines met again left unresolved. Returns how many lines there are. */
static size_t sum_far(const struct profile *p, const struct model_share *shares, struct far *far,
		      double *misses)
{
	size_t met = 0;

	*misses = 0;
	for (size_t i = 0; i < p->sample_count; i++)
		if (p->samples[i].status != 0)
			far[profile_window(p, p->samples[i].window)].misses += shares[i].misses;
	for (size_t i = 0; i < p->follow_count; i++)
		if (is_met(&p->follows[i])) {
			far[profile_window(p, p->follows[i].window)].met++;
			met++;
		}
	for (size_t w = 0; w < p->window_count; w++)
		*misses += far[w].met > 0 ? far[w].misses : 0;
	return met;
}

/*
 * Reuses too far for a window: where lines were watched on and met again, it is known who
 * waited. They speak for all that was not resolved but for first touches; what a
 * sample loses its line's next user gains.
 */
static int share_far(const struct profile *p, struct model_share *shares, struct hot_cost *costs,
		     struct err *err)
{
	struct far *far = calloc(p->window_count + 1, sizeof(*far));
	struct model_share all = {0};
	struct model_resolution known;
	double spoken_for, moved;

	if (far == NULL)
		return err_set(err, "not enough memory for %zu windows", p->window_count);
	model_resolve(p->model, &known);
	for (size_t i = 0; i < p->sample_count; i++) {
		if (p->samples[i].status == 0)
			continue;
		all.misses += shares[i].misses;
		all.accesses += shares[i].accesses;
	}
	moved = all.misses > 0 ? fmax(0, 1 - known.cold / all.misses) : 0;
	if (sum_far(p, shares, far, &spoken_for) < FAR_LEAST || spoken_for <= 0)
		moved = 0;
	for (size_t i = 0; moved > 0 && i < p->follow_count; i++) {
		const struct store_follow *f = &p->follows[i];
		const struct far *w = &far[profile_window(p, f->window)];
		double share = moved * w->misses / (double)w->met / spoken_for;
		struct hot_cost *c;

		if (!is_met(f))
			continue;
		c = cost_of(p, costs, f->end.location);
		c->accesses += share * all.accesses;
		c->misses += share * all.misses;
	}
	for (size_t i = 0; i < p->sample_count; i++) {
		if (p->samples[i].status == 0)
			continue;
		shares[i].misses *= 1 - moved;
		shares[i].accesses *= 1 - moved;
	}
	free(far);
	return 0;
}

struct hot_cost *hot_costs(const struct profile *p, uint64_t size_bytes, struct err *err)
{
	struct hot_cost *costs = calloc(p->location_count + 1, sizeof(*costs));
	struct model_share *shares = calloc(p->sample_count + 1, sizeof(*shares));

	if (costs == NULL || shares == NULL) {
		err_set(err, "not enough memory for %zu samples", p->sample_count);
		goto fail;
	}
	if (model_attribute(p->model, size_bytes / p->line_bytes, shares, err) != 0 ||
	    share_far(p, shares, costs, err) != 0)
		goto fail;
	for (size_t i = 0; i < p->sample_count; i++) {
		const struct store_sample *s = &p->samples[i];
		bool reused = s->status == 0;
		struct hot_cost *c =
			cost_of(p, costs, reused ? s->end.location : s->begin.location);

		c->accesses += shares[i].accesses;
		*(reused ? &c->misses : &c->unresolved) += shares[i].misses;
		c->samples++;
	}
	free(shares);
	return costs;
fail:
	free(shares);
	free(costs);
	return NULL;
}

static int compare_text(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

static int compare_keys(const void *a, const void *b)
{
	const struct hot_row *x = a, *y = b;
	int order = compare_text(x->file, y->file);

	if (order == 0)
		order = compare_text(x->function, y->function);
	if (order == 0)
		order = (x->line > y->line) - (x->line < y->line);
	return order;
}

static int compare_costs(const void *a, const void *b)
{
	const struct hot_row *x = a, *y = b;
	double mine = x->cost.misses + x->cost.unresolved;
	double other = y->cost.misses + y->cost.unresolved;

	if (mine != other)
		return mine < other ? 1 : -1;
	if (x->cost.accesses != y->cost.accesses)
		return x->cost.accesses < y->cost.accesses ? 1 : -1;
	return compare_keys(a, b);
}

static struct hot_row make_row(const struct store_location *l, enum hot_by by,
			       const struct hot_cost *cost)
{
	static const struct store_frame nothing = {"[unknown]", NULL, 0};
	const struct store_frame *f = l != NULL && l->frame_count > 0 ? &l->frames[0] : &nothing;
	struct hot_row row = {.function = f->function, .file = f->file, .cost = *cost};

	if (by == HOT_FILE)
		row.function = f->file != NULL ? NULL : f->function;
	if (by == HOT_LINE)
		row.line = f->line;
	return row;
}

size_t hot_merge(struct hot_row *rows, size_t count)
{
	size_t kept = 0;

	qsort(rows, count, sizeof(*rows), compare_keys);
	for (size_t i = 0; i < count; i++) {
		if (kept > 0 && compare_keys(&rows[kept - 1], &rows[i]) == 0)
			hot_add(&rows[kept - 1].cost, &rows[i].cost);
		else
			rows[kept++] = rows[i];
	}
	return kept;
}

int hot_rows(const struct profile *p, const struct hot_cost *costs, enum hot_by by, struct hot *out,
	     struct err *err)
{
	*out = (struct hot){.rows = calloc(p->location_count + 1, sizeof(*out->rows))};
	if (out->rows == NULL)
		return err_set(err, "not enough memory for %zu locations", p->location_count);
	for (size_t i = 0; i <= p->location_count; i++) {
		if (costs[i].samples == 0 && costs[i].accesses <= 0)
			continue;
		out->rows[out->count++] =
			make_row(i < p->location_count ? &p->locations[i] : NULL, by, &costs[i]);
		hot_add(&out->total, &costs[i]);
	}
	out->ratio = out->total.misses + out->total.unresolved;
	out->count = hot_merge(out->rows, out->count);
	qsort(out->rows, out->count, sizeof(*out->rows), compare_costs);
	return 0;
}

void hot_release(struct hot *h)
{
	free(h->rows);
	*h = (struct hot){0};
}
