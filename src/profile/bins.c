/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The costs of data structures in a simulation with bins. */
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

/* They are sorted by id. */
size_t profile_structure(const struct profile *p, int64_t id)
{
	size_t low = 0, high = p->structure_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (p->structures[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < p->structure_count && p->structures[low].id == id ? low : SIZE_MAX;
}

int profile_cost_bins(struct profile *p, struct err *err)
{
	p->data_cost_count = p->structure_count;
	p->data_costs = calloc(p->structure_count + 1, sizeof(*p->data_costs));
	if (p->data_costs == NULL)
		return err_set(err, "not enough memory for %zu data structures",
			       p->structure_count);
	for (size_t i = 0; i < p->structure_count; i++)
		p->data_costs[i] = (struct store_data_cost){
			.process_id = p->structures[i].process_id,
			.site_id = p->structures[i].site_id,
			.address = p->structures[i].start,
			.accesses = 1, /* not counted */
			.random_misses = STORE_NONE,
		};
	for (size_t i = 0; i < p->bin_count; i++) {
		const struct store_bin *b = &p->bins[i];
		const size_t at = profile_structure(p, b->structure_id);

		if (at == SIZE_MAX || strcmp(b->cache, "LL") != 0)
			continue;
		p->data_costs[at].lru_misses += (int64_t)b->misses;
		p->data_costs[at].first_touches += b->cold;
	}
	return 0;
}
