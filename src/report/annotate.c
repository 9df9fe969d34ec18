/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The costs of the code that is asked for, line by line. */
#include "report/annotate.h"

#include <stdlib.h>

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

int annotation_init(struct annotation *a, const struct profile *p, uint64_t size_bytes,
		    const char *argument, struct err *err)
{
	struct hot_cost *costs;
	int ret;

	*a = (struct annotation){.profile = p, .size_bytes = size_bytes, .argument = argument};
	if (code_find(&a->code, p, argument, err) != 0)
		return -1;
	if (shares_init(&a->shares, p, size_bytes, err) != 0)
		return -1;
	costs = hot_costs_of(p, &a->shares, err);
	if (costs == NULL) {
		annotation_release(a);
		return -1;
	}
	ret = collect_rows(a, costs, err);
	if (ret == 0 && a->count == 0)
		ret = code_fail_unknown(p, argument, err);
	free(costs);
	if (ret != 0)
		annotation_release(a);
	return ret;
}

void annotation_release(struct annotation *a)
{
	free(a->rows);
	shares_release(&a->shares);
	*a = (struct annotation){0};
}
