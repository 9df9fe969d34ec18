/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See cost.h. */
#include "model/cost.h"

#include <math.h>

/* Misses of each level that the next one serves: of the last one, all but first touches. */
static void set_cycles(struct cost *c, size_t i)
{
	struct cost_level *l = &c->levels[i];
	const double below = i + 1 < c->count ? c->levels[i + 1].ratio : c->cold;

	l->cycles = fmax(0, l->ratio - below) * l->miss_cycles / c->instructions;
	if (l->cycles > 0 && (c->focus == c->count || l->cycles > c->levels[c->focus].cycles))
		c->focus = i;
}

/*
 * What misses from level i on wait: one of a level waits as long as one of the level before, and
 * then the rest. First touches are a part of the misses of each level.
 */
static void set_beyond(struct cost *c, size_t i)
{
	double sum = 0, least = 0, most = 0;
	struct cost_level before = {0};

	for (size_t j = i; j < c->count; j++) {
		const struct cost_level *l = &c->levels[j];

		sum += fmax(0, l->ratio - c->cold) * (l->miss_cycles - before.miss_cycles);
		least += fmax(0, l->low - c->cold_high) * (l->least_cycles - before.least_cycles);
		most += fmax(0, l->high - c->cold_low) * (l->most_cycles - before.most_cycles);
		before = *l;
	}
	c->levels[i].beyond = sum / c->instructions;
	c->levels[i].least_beyond = least / c->instructions;
	c->levels[i].most_beyond = most / c->instructions;
}

static enum cost_verdict judge(const struct cost *c)
{
	const struct cost_level *first = &c->levels[0];

	if (c->cold_cycles >= COST_MATTERS && c->cold_cycles > first->most_beyond)
		return COST_FIRST;
	if (first->beyond >= COST_MATTERS && first->least_beyond >= COST_SURE * COST_MATTERS)
		return COST_REUSES;
	return first->most_beyond >= COST_MATTERS ? COST_UNKNOWN : COST_LITTLE;
}

void cost_solve(struct cost *c)
{
	c->focus = c->count;
	if (c->count == 0)
		return;
	for (size_t i = 0; i < c->count; i++) {
		struct cost_level *l = &c->levels[i];

		if (l->most_cycles <= 0)
			l->least_cycles = l->most_cycles = l->miss_cycles;
		set_cycles(c, i);
	}
	for (size_t i = 0; i < c->count; i++)
		set_beyond(c, i);
	c->cold_cycles = c->cold * c->levels[c->count - 1].miss_cycles / c->instructions;
	c->verdict = judge(c);
}

size_t cost_fits(const struct cost *c)
{
	size_t i = 0;

	while (i < c->count && c->levels[i].most_beyond >= COST_MATTERS)
		i++;
	return i;
}
