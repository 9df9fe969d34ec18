/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Misses in the fronts of several hierarchies; see filter_multi.h. */
#include "engine/simulate/miss/filter_multi.h"

#include "engine/codecache/pages.h"
#include "engine/core/util.h"
#include "engine/simulate/calls/arcs.h"
#include "engine/simulate/calls/nodes.h"
#include "engine/simulate/counts/cells.h"
#include "engine/simulate/counts/segments.h"
#include "engine/simulate/plan/plan.h"
#include "engine/simulate/state/filter.h"
#include "engine/simulate/state/filter_sites.h"
#include "sim/base/event_bits.h"
#include "sim/calls/call_graph.h"
#include "sim/system/multi.h"

#define MISSES 2048u
/*
 * Misses between the lookup of first levels, which prefetches rows below, and the lookup of those.
 */
#define AHEAD 16u

/* Four events in a word: a field of sums holds all misses. */
#define SUM_BITS  16
#define SUM_WORDS (SIM_GRAPH_EVENTS * SUM_BITS / 64)

static struct {
	struct sim_multi *s;
	uint64_t *events; /* a word of bits for each miss; 0 with MISS_GOES_ON */
	struct arcs_sums sums;
} f;

#define q filter_misses

static void count(uint64_t *sum, uint32_t number)
{
	for (uint64_t left = f.events[number]; left; left &= left - 1) {
		const uint32_t event = (uint32_t)__builtin_ctzll(left);

		sum[event / 4] += 1ull << event % 4 * SUM_BITS;
	}
}

bool filter_multi_start(struct sim_multi *s)
{
	struct filter_miss *memory = pages_get(MISSES * sizeof *memory);

	f.events = pages_get(MISSES * sizeof *f.events);
	f.sums = (struct arcs_sums){
		.first = (uint32_t)(uintptr_t)memory,
		.bytes = sizeof *memory,
		.bits = SUM_BITS,
		.sums = pages_get((MISSES + 1) * SUM_WORDS * sizeof *f.sums.sums),
		.is_named = pages_get(round_up(MISSES + 1, PAGE)),
	};
	if (!memory || !f.events || !f.sums.sums || !f.sums.is_named)
		return false;
	f.s = s;
	q = (struct filter_misses){memory, memory + MISSES - 1, memory};
	return true;
}

/* ---- Writing down ---- */

void filter_multi_put(struct filter_miss m[], uint32_t n, uint64_t first, uint64_t last)
{
	const uint64_t line = first >> FILTER_LINE_SHIFT;

	if (n == 2)
		m[0].flags = MISS_GOES_ON;
	if (n == 2 || m->line != (line & ((1ull << FILTER_LINE_BITS) - 1)))
		m[n - 1].flags = MISS_WITH_BEFORE;
	else if (line != last >> FILTER_LINE_SHIFT)
		m->flags = MISS_WITH_NEXT;
	if (q.next >= q.last)
		filter_multi_settle();
	for (uint32_t i = 0; i < n; i++)
		*q.next++ = m[i];
	if (plan.arcs)
		arcs_noted((uint32_t)(uintptr_t)q.next);
}

/* ---- Looking at them ---- */

static uint64_t line_of(const uint32_t *cell, unsigned kind)
{
	if (!cell || cell == *(const uint32_t *const *)(uintptr_t)FILTER_NOBODY)
		return SIM_NO_LINE;
	return kind == SIM_OF_CODE ? filter_line_of_code(cell) : filter_line_of_data(cell);
}

/* The numbers of a cell, which is made if needed; the spare one's: no memory. */
static uint64_t *numbers_at(uint32_t *number)
{
	cells_keep(number);
	return cells_at(*number);
}

/* Those of the instruction that missed. */
static uint64_t *numbers_of(const struct filter_miss *m)
{
	uint64_t *numbers;

	if (!m->site)
		return numbers_at(m->number);
	if (plan.nodes) {
		uint32_t *number = nodes_number((uint32_t)m->events, m->site);

		return number ? numbers_at(number) : cells_spare();
	}
	if (m->events)
		return cells.base + m->events;
	numbers = numbers_at(&filter_site_insn(filter_site_owner(m->site))->cell);
	*filter_site_cell(m->site) = (uint64_t)(numbers - cells.base);
	return numbers;
}

static void charge(const struct filter_miss *m, uint64_t events)
{
	uint64_t *numbers = numbers_of(m);

	if (numbers != cells_spare())
		sim_count_each_bit(numbers + CELL_FIRST_MISS, events, engine.wide);
}

/*
 * Prefetches the cell, as 80 % of the time here was waiting for it. Always inlined, because the
 * compiler takes a function that only prefetches for one without effect.
 */
static inline __attribute__((always_inline)) void ask_for_cell(const struct filter_miss *m,
							       uint32_t missed)
{
	const unsigned kind = m->column ? SIM_OF_DATA : SIM_OF_CODE;
	uint64_t events = f.s->firsts[kind].events[m->column][missed];
	const uint64_t *numbers;

	if (!m->site || !m->events || !events || plan.nodes)
		return;
	numbers = cells.base + m->events + CELL_FIRST_MISS + (__builtin_ctzll(events) & ~7);
	__builtin_prefetch(numbers, 1);
	__builtin_prefetch(numbers + 7, 1);
}

static void look_at_firsts(struct filter_miss *m)
{
	const unsigned kind = m->column ? SIM_OF_DATA : SIM_OF_CODE;

	m->firsts = (uint8_t)sim_multi_missed(f.s, kind, m->line, line_of(m->victim, kind));
	sim_multi_prefetch(f.s, kind, m->firsts, m->line);
	ask_for_cell(m, m->firsts);
}

/* firsts: the first levels in which the line before missed, if it is of the same access. */
static uint64_t look_below(const struct filter_miss *m, uint32_t firsts)
{
	static const enum sim_access access[] = {SIM_FETCH, SIM_LOAD, SIM_STORE};
	const uint64_t first = m->line - (m->flags & MISS_WITH_BEFORE ? 1 : 0);
	const uint64_t last = m->line + (m->flags & MISS_WITH_NEXT ? 1 : 0);
	uint64_t events;

	firsts |= m->firsts;
	if (!firsts)
		return 0;
	events = sim_multi_below(f.s, access[m->column], firsts, first, last);
	if (events)
		charge(m, events);
	return events;
}

static void look_at_all(void)
{
	struct filter_miss *ahead = q.first;
	uint64_t *events = f.events;
	uint32_t firsts = 0;

	for (struct filter_miss *m = q.first; m < q.next; m++) {
		for (; ahead < q.next && ahead < m + AHEAD; ahead++)
			look_at_firsts(ahead);
		if (m->flags & MISS_GOES_ON) {
			firsts = m->firsts;
			*events++ = 0;
		} else {
			*events++ = look_below(m, firsts);
			firsts = 0;
		}
	}
}

void filter_multi_settle(void)
{
	if (q.next == q.first)
		return;
	f.s->is_wide = engine.wide;
	if (engine.wide)
		filter_with_vectors(look_at_all);
	else
		look_at_all();
	f.s->is_wide = false;
	f.sums.words = (cells.events - CELL_FIRST_MISS + 3) / 4;
	if (plan.arcs)
		arcs_spread(&f.sums, (uint32_t)(q.next - q.first), count);
	q.next = q.first;
}
