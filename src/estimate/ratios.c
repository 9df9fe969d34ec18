/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums by row and window for model_part. */
#include "estimate/ratios.h"

#include <math.h>
#include <stdlib.h>

#include "base/sort.h"

const struct store_access *ratios_access(const struct store_sample *s)
{
	return s->status == 0 ? &s->end : &s->begin;
}

/* Sort samples by row; those of a row stay in the order of windows. */
static struct sort_item *sort_samples(const struct profile *p, const uint32_t *row_of,
				      size_t *count)
{
	struct sort_item *order = calloc(p->sample_count + 1, sizeof(*order));

	*count = 0;
	for (size_t i = 0; order != NULL && i < p->sample_count; i++)
		if (row_of[i] != RATIOS_NO_ROW)
			order[(*count)++] = (struct sort_item){row_of[i], i};
	if (order != NULL && sort_by_key(order, *count) != 0) {
		free(order);
		return NULL;
	}
	return order;
}

/* Solve one row, whose samples `order` lists. Returns the unresolved part of its accesses. */
static double solve_row(const struct profile *p, const struct model_share *parts,
			const struct sort_item *order, size_t count, struct model_sums *sums,
			double *accesses, struct model_ratio *out)
{
	double open = 0;
	size_t windows = 0;
	uint32_t window = 0;

	*accesses = 0;
	for (size_t i = 0; i < count; i++) {
		const struct store_sample *s = &p->samples[order[i].index];
		const struct model_share *part = &parts[order[i].index];

		if (windows == 0 || s->window != window)
			sums[windows++] = (struct model_sums){0};
		window = s->window;
		sums[windows - 1].accesses += part->accesses;
		sums[windows - 1].misses += part->misses;
		sums[windows - 1].samples++;
		*accesses += part->accesses;
		open += s->status != 0 ? part->accesses : 0;
	}
	model_part(sums, windows, out);
	return open;
}

int ratios_solve(const struct profile *p, const struct query *q, const struct model_share *parts,
		 const uint32_t *row_of, size_t count, struct model_ratio *ratios, struct err *err)
{
	size_t n;
	struct sort_item *order = sort_samples(p, row_of, &n);
	struct model_sums *sums = calloc(p->sample_count + 1, sizeof(*sums));
	double all_open = 0;
	struct model_ratio whole;

	if (order == NULL || sums == NULL) {
		free(order);
		free(sums);
		return err_set(err, "not enough memory for %zu samples", p->sample_count);
	}
	profile_solve(p, q, &whole);
	for (size_t i = 0; i < p->sample_count; i++)
		all_open += p->samples[i].status != 0 ? parts[i].accesses : 0;
	for (size_t row = 0, at = 0, end; row < count; row++, at = end) {
		double open, accesses;

		for (end = at; end < n && order[end].key == row; end++)
			;
		open = solve_row(p, parts, order + at, end - at, sums, &accesses, &ratios[row]);
		if (accesses > 0 && all_open > 0)
			model_part_widen(&ratios[row], &whole, open / all_open, accesses);
	}
	free(order);
	free(sums);
	return 0;
}

void ratios_move(struct model_ratio *r, const struct hot_cost *cost)
{
	double moved;

	if (cost->accesses <= 0)
		return;
	if (!r->known) /* only far reuses: their number is known, but not its error */
		*r = (struct model_ratio){.high = 1, .bound_high = 1, .known = true};
	moved = hot_miss_ratio(cost) - r->ratio;
	r->ratio = hot_miss_ratio(cost);
	r->low = fmax(0, fmin(r->low, r->low + moved));
	r->high = fmin(1, fmax(r->high, r->high + moved));
}
