/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the misses of each level cost; see profile_cost. */
#include "model/cost.h"
#include "profile/profile.h"

#define BOUNDLESS	   ((uint64_t)1 << 46) /* bytes: holds any program completely */
#define USUAL_INSTRUCTIONS 3		       /* per access, where they are not known */

void profile_cost(const struct profile *p, const struct query *q, struct cost *out)
{
	const struct query boundless = query_at(q, BOUNDLESS);
	const struct store_process *x = p->process;
	struct profile_cache caches[PROFILE_CACHES];
	struct model_ratio cold;

	*out = (struct cost){.instructions = USUAL_INSTRUCTIONS};
	if (p->is_exact)
		return;
	if (x->accesses > 0 && x->instructions > 0)
		out->instructions = (double)x->instructions / (double)x->accesses;
	profile_caches(p, caches);
	for (size_t i = 0; i < PROFILE_CACHES; i++) {
		const struct query at = query_at(q, caches[i].size_bytes);
		struct model_ratio r;

		if (caches[i].size_bytes < p->line_bytes)
			continue;
		profile_solve(p, &at, &r);
		out->levels[out->count++] =
			(struct cost_level){.name = caches[i].name,
					    .size_bytes = caches[i].size_bytes,
					    .ratio = r.ratio,
					    .low = r.low,
					    .high = r.high,
					    .miss_cycles = caches[i].miss_cycles};
	}
	profile_solve(p, &boundless, &cold);
	out->cold = out->cold_low = out->cold_high = cold.ratio;
	cost_solve(out);
}
