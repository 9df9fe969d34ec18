/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The costs of the requested code, line by line. */
#include "estimate/annotate.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "estimate/ratios.h"

static int collect_rows(struct annotation *a, const struct hot_cost *costs, struct err *err)
{
	const struct profile *p = a->profile;

	a->rows = calloc(p->location_count + 1, sizeof(*a->rows));
	if (a->rows == NULL)
		return err_set(err, "not enough memory for %zu locations", p->location_count);
	for (size_t i = 0; i <= p->location_count; i++) {
		const struct store_frame *f;

		hot_add(&a->total, &costs[i]);
		if (i == p->location_count || (costs[i].samples == 0 && costs[i].accesses <= 0))
			continue;
		f = code_frame(&a->code, &p->locations[i]);
		if (f != NULL)
			a->rows[a->count++] = (struct hot_row){
				.file = f->file, .line = f->line, .cost = costs[i]};
	}
	a->count = hot_merge(a->rows, a->count);
	return 0;
}

static int compare_rows(const void *a, const void *b)
{
	const struct hot_row *x = a, *y = b;
	int order = x->file == NULL || y->file == NULL ? (x->file != NULL) - (y->file != NULL)
						       : strcmp(x->file, y->file);

	return order != 0 ? order : (x->line > y->line) - (x->line < y->line);
}

/* Set the row of each location, and of a missing one, or RATIOS_NO_ROW. Rows are sorted. */
static void find_rows(const struct annotation *a, uint32_t *row_of)
{
	for (size_t i = 0; i < a->profile->location_count; i++) {
		const struct store_frame *f = code_frame(&a->code, &a->profile->locations[i]);
		size_t row = a->count;

		if (f != NULL) {
			const struct hot_row key = {.file = f->file, .line = f->line};

			row = SEARCH_MATCH(k, a->count, compare_rows(&a->rows[k], &key));
		}
		row_of[i] = row < a->count ? (uint32_t)row : RATIOS_NO_ROW;
	}
	row_of[a->profile->location_count] = RATIOS_NO_ROW;
}

/* Compute the intervals of the rows' miss ratios. */
static int solve_rows(struct annotation *a, struct err *err)
{
	const struct profile *p = a->profile;
	uint32_t *row_of = calloc(p->location_count + 1, sizeof(*row_of));
	int status;

	a->ratios = calloc(a->count + 1, sizeof(*a->ratios));
	if (row_of == NULL || a->ratios == NULL) {
		free(row_of);
		return err_set(err, "not enough memory for %zu locations", p->location_count);
	}
	find_rows(a, row_of);
	status = ratios_solve_code(p, a->shares, row_of, a->count, a->ratios, err);
	free(row_of);
	return status;
}

int annotation_init(struct annotation *a, const struct profile *p, const struct query *q,
		    const char *argument, struct err *err)
{
	struct hot_cost *costs;
	int ret;

	*a = (struct annotation){.profile = p, .query = q, .argument = argument};
	if (code_find(&a->code, p, q, argument, err) != 0)
		return -1;
	a->shares = profile_attribute(p, q, err);
	if (a->shares == NULL)
		return -1;
	costs = hot_costs_of(p, a->shares, err);
	if (costs == NULL) {
		annotation_release(a);
		return -1;
	}
	ret = collect_rows(a, costs, err);
	if (ret == 0 && a->count == 0)
		ret = code_fail_unknown(p, argument, err);
	if (ret == 0)
		ret = solve_rows(a, err);
	free(costs);
	if (ret != 0)
		annotation_release(a);
	return ret;
}

void annotation_release(struct annotation *a)
{
	free(a->rows);
	free(a->ratios);
	free(a->shares);
	*a = (struct annotation){0};
}
