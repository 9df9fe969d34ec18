/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Misses that code has counted by site; see filter_taken.h. */
#include "engine/simulate/miss/filter_taken.h"

#include "engine/simulate/calls/filter_calls.h"
#include "engine/simulate/calls/nodes.h"
#include "engine/simulate/counts/cells.h"
#include "engine/simulate/miss/filter_executions.h"
#include "engine/simulate/miss/filter_multi.h"
#include "engine/simulate/miss/filter_notes.h"
#include "engine/simulate/miss/filter_pages.h"
#include "engine/simulate/miss/filter_references.h"
#include "engine/simulate/miss/uses.h"
#include "engine/simulate/miss/uses_code.h"
#include "engine/simulate/observe/bins.h"
#include "engine/simulate/observe/contrasts.h"

/*
 * Misses of a site: all; and those that missed in LL, too. With several hierarchies these 64 bits
 * are the cell's index.
 */
struct misses {
	uint32_t first, last;
};

_Static_assert(sizeof(struct misses) == 8, "filter_miss.S relies on it");

#define w filter_state

static struct misses *misses(void)
{
	return (struct misses *)(uintptr_t)FILTER_MISSES;
}

static bool counts_misses(void)
{
	return !plan.nodes && (plan.pair || plan.walks) && filter_may_count();
}

bool filter_has_misses(const struct segment *s)
{
	if (!segment_has_counter(s) || !counts_misses())
		return false;
	for (uint32_t n = s->first_site; filter_site_is_of(n, s); n++)
		if (!(filter_site_owner(n)->flags & FILTER_SITE_REFERENCE) &&
		    (misses()[n].first || filter_pages_missed_at(n)))
			return true;
	for (uint32_t i = 0; i < s->insns && plan.uses; i++)
		if (uses_have_costs(&segment_insns(s)[i]))
			return true;
	return false;
}

static void take(uint32_t number)
{
	struct misses *m = &misses()[number];
	const struct filter_owner *o = filter_site_owner(number);
	const uint32_t *at = w.columns[o->column];
	struct segment_insn *in;
	uint64_t *events;

	if (o->flags & FILTER_SITE_REFERENCE || (!m->first && !filter_pages_missed_at(number)))
		return;
	in = filter_site_insn(o);
	events = cells_at(in->cell);
	events[at[0]] += m->first;
	events[at[1]] += m->last;
	filter_pages_take(number, o->column, events);
	cells_keep(&in->cell);
	*m = (struct misses){0};
}

/* Moves what lines have cost that the instructions have brought to cells. */
static void take_costs(struct segment *s)
{
	for (struct segment_insn *in = segment_insns(s); in < segment_insns(s) + s->insns; in++) {
		if (!uses_have_costs(in))
			continue;
		uses_take_costs(in, cells_at(in->cell));
		cells_keep(&in->cell);
	}
}

void filter_take_misses(struct segment *s)
{
	if (plan.uses && !plan.nodes)
		take_costs(s);
	if (!segment_has_counter(s) || !counts_misses())
		return;
	for (uint32_t n = s->first_site; filter_site_is_of(n, s); n++)
		take(n);
}

void filter_take_all_misses(void)
{
	const uint32_t end = filter_next_site();

	filter_settle();
	for (uint32_t n = 1; n < end && counts_misses(); n++)
		take(n);
	for (struct segment *s = segments_next(0); s && plan.uses && !plan.nodes;
	     s = segments_next(s))
		take_costs(s);
}

void filter_forget_sites(void)
{
	if (!filter_has_sites())
		return;
	filter_take_all_misses();
	for (struct segment *s = segments_next(0); s && plan.references; s = segments_next(s))
		filter_count_executions(s);
	if (plan.nodes)
		nodes_forget_code();
	if (plan.uses)
		uses_code_forget();
	if (filter_may_count())
		memset(misses(), 0, filter_next_site() * sizeof(struct misses));
	contrasts_forget_sites(filter_next_site());
	filter_clear_sites();
	bins_forget_sites();
	filter_forget_call_sites();
}

void filter_settle_misses(void)
{
	filter_look_below();
	filter_multi_settle();
}

void filter_settle(void)
{
	filter_settle_misses();
	filter_references_settle();
}
