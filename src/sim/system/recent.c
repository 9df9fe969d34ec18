/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of line use; see recent.h. */
#include "sim/system/recent.h"

#include <stddef.h>

#include "sim/system/core.h"

static const unsigned firsts[] = {0, SIM_CODE_SLOT};

#define FIRSTS (sizeof(firsts) / sizeof(firsts[0]))

/* Has the level no line use, or lines of the size of the first level of data? */
static bool fits(const struct sim_core *c, unsigned slot)
{
	const struct sim_line_use *u = &c->levels[slot]->use;

	return u->memory == NULL || u->shift == c->levels[0]->use.shift;
}

int sim_recent_init(struct sim_core *c)
{
	const struct sim_geometry *g = &c->shared->geometry;

	if (!g->line_use || !fits(c, SIM_CODE_SLOT) || !fits(c, g->level_count - 1))
		return 0;
	for (unsigned i = 0; i < FIRSTS; i++) {
		const struct sim_cache *l = &c->levels[firsts[i]]->cache;

		if (l->noop_loads == NULL)
			continue;
		c->recent[firsts[i]] =
			sim_take(c->shared->memory, l->sets * sizeof(struct sim_recent));
		if (c->recent[firsts[i]] == NULL)
			return -1;
		for (uint64_t set = 0; set < l->sets; set++)
			c->recent[firsts[i]][set] = (struct sim_recent){0};
	}
	return 0;
}

void sim_recent_release(struct sim_core *c)
{
	for (unsigned i = 0; i < FIRSTS; i++)
		if (c->recent[firsts[i]] != NULL)
			sim_give(c->shared->memory, c->recent[firsts[i]],
				 c->levels[firsts[i]]->cache.sets * sizeof(struct sim_recent));
}

static void add(struct sim_line_use *u, const struct sim_recent *sum)
{
	struct sim_line_record *r = u->memory != NULL ? sim_line_use_find(u, sum->line) : NULL;

	if (r == NULL)
		return;
	r->touched |= sum->touched;
	r->uses = sum->uses < UINT32_MAX - r->uses ? r->uses + (uint32_t)sum->uses : UINT32_MAX;
}

static void settle(struct sim_core *c, unsigned slot, struct sim_recent *sum)
{
	const unsigned last = c->shared->geometry.level_count - 1;

	if (sum->uses == 0)
		return;
	add(&c->levels[slot]->use, sum);
	if (last > 0)
		add(&c->levels[last]->use, sum);
	sum->uses = sum->touched = 0;
}

void sim_recent_settle(struct sim_core *c, uint64_t line)
{
	for (unsigned i = 0; i < FIRSTS; i++) {
		const unsigned slot = firsts[i];
		struct sim_recent *sum;

		if (c->recent[slot] == NULL)
			continue;
		sum = &c->recent[slot][line & c->levels[slot]->cache.set_mask];
		if (sum->line == line)
			settle(c, slot, sum);
	}
}

void sim_recent_settle_all(struct sim_core *c)
{
	for (unsigned i = 0; i < FIRSTS; i++)
		for (uint64_t set = 0;
		     c->recent[firsts[i]] != NULL && set < c->levels[firsts[i]]->cache.sets; set++)
			settle(c, firsts[i], &c->recent[firsts[i]][set]);
}

void sim_recent_change(struct sim_core *c, unsigned slot, uint64_t line)
{
	struct sim_recent *sum = &c->recent[slot][line & c->levels[slot]->cache.set_mask];

	settle(c, slot, sum);
	sum->line = line;
}
