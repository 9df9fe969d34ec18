/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums by row and window for model_part. */
#include "estimate/ratios.h"

#include <stdlib.h>

#include "base/sort.h"

static uint64_t key_of(uint32_t row, uint32_t window)
{
	return (uint64_t)row << 32 | window;
}

/* Sort the ends of rows by row, and then by window. */
static struct sort_item *sort_ends(const struct profile *p, const uint32_t *row_of, size_t *count)
{
	struct sort_item *order = calloc(p->end_count + 1, sizeof(*order));

	*count = 0;
	for (size_t i = 0; order != NULL && i < p->end_count; i++)
		if (row_of[i] != RATIOS_NO_ROW)
			order[(*count)++] =
				(struct sort_item){key_of(row_of[i], p->ends[i].window), i};
	if (order != NULL && sort_by_key(order, *count) != 0) {
		free(order);
		return NULL;
	}
	return order;
}

/* Sum up one row, whose ends `order` lists, by window. Returns the number of windows. */
static size_t sum_windows(const struct profile_share *shares, const struct sort_item *order,
			  size_t count, struct model_sums *sums)
{
	size_t windows = 0;

	for (size_t i = 0; i < count; i++) {
		const struct profile_share *share = &shares[order[i].index];

		if (i == 0 || order[i].key != order[i - 1].key)
			sums[windows++] = (struct model_sums){0};
		sums[windows - 1].accesses += share->accesses;
		sums[windows - 1].misses += share->misses;
		sums[windows - 1].samples++;
	}
	return windows;
}

int ratios_solve(const struct profile *p, const struct profile_share *shares,
		 const uint32_t *row_of, size_t count, struct model_ratio *ratios, struct err *err)
{
	size_t n;
	struct sort_item *order = sort_ends(p, row_of, &n);
	struct model_sums *sums = calloc(p->window_count + 1, sizeof(*sums));

	if (order == NULL || sums == NULL) {
		free(order);
		free(sums);
		return err_set(err, "not enough memory for %zu samples", p->end_count);
	}
	for (size_t row = 0, at = 0, end; row < count; row++, at = end) {
		for (end = at; end < n && order[end].key >> 32 == row; end++)
			;
		model_part(sums, sum_windows(shares, order + at, end - at, sums), &ratios[row]);
	}
	free(order);
	free(sums);
	return 0;
}

int ratios_solve_code(const struct profile *p, const struct profile_share *shares,
		      const uint32_t *row_of, size_t count, struct model_ratio *ratios,
		      struct err *err)
{
	uint32_t *of_end = calloc(p->end_count + 1, sizeof(*of_end));
	int status;

	if (of_end == NULL)
		return err_set(err, "not enough memory for %zu samples", p->end_count);
	for (size_t i = 0; i < p->end_count; i++)
		of_end[i] = row_of[profile_location_index(p, p->ends[i].access->location)];
	status = ratios_solve(p, shares, of_end, count, ratios, err);
	free(of_end);
	return status;
}
