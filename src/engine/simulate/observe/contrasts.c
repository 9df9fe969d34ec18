/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Contrasts of misses between stretches; see contrasts.h. */
#include "engine/simulate/observe/contrasts.h"

#include "engine/core/random.h"

uint32_t contrasts_now;

uint32_t contrasts_signs(uint64_t stretch)
{
	uint64_t of_pair = stretch / 2;

	return ((uint32_t)(random_next(&of_pair) >> 32) ^ -(uint32_t)(stretch & 1)) &
	       ((1u << STRETCH_CONTRASTS) - 1);
}

bool contrasts_init(struct contrast_table *t, uint32_t most, uint32_t caches)
{
	t->caches = caches;
	t->bytes = (uint32_t)(sizeof(struct contrasts) + caches * sizeof(struct contrast_sums));
	return grow_init(&t->owners, (uint64_t)most * t->bytes) == 0;
}

bool contrasts_reach(struct contrast_table *t, uint32_t number)
{
	while (t->owners.used <= (uint64_t)number * t->bytes)
		if (!grow_take(&t->owners, t->bytes))
			return false;
	return true;
}

void contrasts_clear(struct contrast_table *t)
{
	memset(t->owners.base, 0, t->owners.used);
}

void contrasts_add(int32_t sums[STRETCH_CONTRASTS], uint32_t signs, uint32_t n)
{
	for (uint32_t k = 0; k < STRETCH_CONTRASTS; k++)
		sums[k] += signs >> k & 1 ? (int32_t)n : -(int32_t)n;
}

void contrasts_fold(const struct contrast_table *t, struct contrasts *c)
{
	for (uint32_t cache = 0; cache < t->caches; cache++) {
		struct contrast_sums *x = &c->caches[cache];

		for (uint32_t kind = 0; kind < STRETCH_MISSES; kind++) {
			if (x->now[kind])
				contrasts_add(x->sums[kind], c->signs, x->now[kind]);
			x->now[kind] = 0;
		}
	}
	c->signs = contrasts_now;
}

bool contrasts_take(struct contrasts *c, uint32_t cache, struct record_contrasts *r)
{
	struct contrast_sums *x = &c->caches[cache];
	int32_t any = 0;

	for (uint32_t kind = 0; kind < STRETCH_MISSES; kind++)
		for (uint32_t k = 0; k < STRETCH_CONTRASTS; k++)
			any |= x->sums[kind][k];
	if (!any)
		return false;
	for (uint32_t kind = 0; kind < STRETCH_MISSES; kind++)
		for (uint32_t k = 0; k < STRETCH_CONTRASTS; k++)
			r->sums[kind][k] = x->sums[kind][k];
	memset(x->sums, 0, sizeof x->sums);
	return true;
}
