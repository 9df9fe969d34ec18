/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Misses in the fronts of several hierarchies; see filter_multi.h. */
#include "engine/simulate/filter/filter_multi.h"

#include "engine/codecache/pages.h"
#include "engine/core/util.h"
#include "engine/simulate/cells.h"
#include "engine/simulate/filter/filter.h"
#include "engine/simulate/filter/filter_calls.h"
#include "engine/simulate/filter/filter_sites.h"
#include "engine/simulate/segments.h"
#include "sim/base/event_bits.h"
#include "sim/system/multi.h"

#define MISSES 2048u
/*
 * Misses between the lookup of first levels, which prefetches rows below, and the lookup of those.
 */
#define AHEAD 16u

static struct {
	struct sim_multi *s;
	uint32_t counted; /* of the noted misses */
	uint64_t *events; /* a word of bits for each; 0 with MISS_GOES_ON */
} f;

struct filter_misses filter_misses;
#define q filter_misses

bool filter_multi_start(struct sim_multi *s)
{
	struct filter_miss *memory = pages_get(MISSES * sizeof *memory);

	f.events = pages_get(MISSES * sizeof *f.events);
	if (!memory || !f.events)
		return false;
	f.s = s;
	q = (struct filter_misses){memory, memory + MISSES - 1, memory};
	return true;
}

uint32_t filter_multi_waiting(void)
{
	return (uint32_t)(q.next - q.first);
}

const uint64_t *filter_multi_events(void)
{
	return f.events;
}

/* ---- Writing down ---- */

static void make_room(void)
{
	if (q.next < q.last)
		return;
	filter_multi_settle();
	if (filter_multi_waiting())
		filter_calls_follow();
}

static void put(const struct filter_miss *miss)
{
	filter_calls_missed();
	*q.next++ = *miss;
}

void filter_multi_put(struct filter_miss m[], uint32_t n, uint64_t first, uint64_t last)
{
	const uint64_t line = first >> FILTER_LINE_SHIFT;

	if (n == 2)
		m[0].flags = MISS_GOES_ON;
	if (n == 2 || m->line != (line & ((1ull << FILTER_LINE_BITS) - 1)))
		m[n - 1].flags = MISS_WITH_BEFORE;
	else if (line != last >> FILTER_LINE_SHIFT)
		m->flags = MISS_WITH_NEXT;
	make_room();
	for (uint32_t i = 0; i < n; i++)
		put(&m[i]);
}

/* ---- Looking at them ---- */

static uint64_t line_of(const uint32_t *cell, unsigned kind)
{
	if (!cell || cell == *(const uint32_t *const *)(uintptr_t)FILTER_NOBODY)
		return SIM_NO_LINE;
	return kind == SIM_OF_CODE ? filter_line_of_code(cell) : filter_line_of_data(cell);
}

/* The numbers of the instruction's cell, which is made if needed; the spare one's: no memory. */
static uint64_t *numbers_of(const struct filter_miss *m)
{
	struct segment_insn *in;

	if (m->site && m->events)
		return cells.base + m->events;
	in = m->site ? filter_site_insn(filter_site_owner(m->site)) : m->insn;
	if (!in->cell)
		in->cell = cells_new_from_spare();
	if (m->site)
		*filter_site_cell(m->site) = in->cell * cells.events;
	return cells_at(in->cell);
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

	if (!m->site || !m->events || !events)
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
	struct filter_miss *begin = q.first + f.counted, *ahead = begin;
	uint64_t *events = f.events + f.counted;
	uint32_t firsts = 0;

	for (struct filter_miss *m = begin; m < q.next; m++) {
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

void filter_multi_count(void)
{
	const uint32_t waiting = filter_multi_waiting();

	if (f.counted == waiting)
		return;
	f.s->is_wide = engine.wide;
	if (engine.wide)
		filter_with_vectors(look_at_all);
	else
		look_at_all();
	f.s->is_wide = false;
	f.counted = waiting;
}

void filter_multi_forget(void)
{
	q.next = q.first;
	f.counted = 0;
}

void filter_multi_settle(void)
{
	filter_multi_count();
	if (!filter_calls_wait())
		filter_multi_forget();
}
