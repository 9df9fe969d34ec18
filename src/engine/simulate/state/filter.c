/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of the filter variant: its tables, and levels; see filter.h. */
#define _GNU_SOURCE
#include "engine/simulate/state/filter.h"

#include "engine/core/addresses.h"
#include "engine/core/util.h"
#include "engine/simulate/plan/plan.h"
#include "engine/simulate/state/filter_memory.h"
#include "engine/simulate/state/notes.h"
#include "sim/plan/limits.h"
#include "sim/system/hierarchy.h"

#define LINES	     (1ull << (FILTER_ADDRESS_BITS - FILTER_LINE_SHIFT))
#define OWNERS_AT    FILTER_OWNERS
#define OLDEST_BYTES (FILTER_FIRST_BYTES / 64 * sizeof(struct filter_oldest)) /* each */
/* The other tables. */
#define LINES_AT	 (2 * OLDEST_BYTES)
#define PAGE_MISSES_AT	 (LINES_AT + FILTER_CODE_LINES * 8)
#define OTHERS_END	 (PAGE_MISSES_AT + FILTER_MOST_SITES * 8ull)
#define STAMPS_AT	 FILTER_STAMPS
#define ALL_STAMPS_BYTES (2 * FILTER_FIRST_BYTES + FILTER_LAST_BYTES)

_Static_assert(FILTER_FIRST_BYTES == SIM_FIRST_BYTES && FILTER_LAST_BYTES == SIM_SECOND_BYTES &&
		       1u << FILTER_LINE_SHIFT == SIM_FILTER_LINE,
	       "as the plan has it");
_Static_assert(FILTER_OWNERS >= STAMPS_AT + ALL_STAMPS_BYTES, "layout");
_Static_assert(FILTER_CODE_CELLS >= OWNERS_AT + ALL_STAMPS_BYTES, "layout");
_Static_assert(FILTER_MISSES == FILTER_CODE_CELLS + FILTER_CODE_LINES * 4, "layout");
_Static_assert(FILTER_LABELS == FILTER_MISSES + FILTER_MOST_SITES * 8ull, "layout");
_Static_assert(STAMPS_AT + FILTER_TO_LABELS >= FILTER_LABELS &&
		       FILTER_COUNTERS >= STAMPS_AT + FILTER_TO_LABELS + FILTER_FIRST_BYTES,
	       "layout");
_Static_assert(FILTER_OFFSETS + 8ull * FILTER_REGIONS == LOW_TABLES, "layout");
_Static_assert(FILTER_NOBODY >= FILTER_SECOND + 8 && FILTER_SECOND >= FILTER_SETS_COUNT + 8 &&
		       FILTER_ORDER_8 >= FILTER_NOBODY + 16,
	       "layout");
_Static_assert(FILTER_QUICK_STACK >= FILTER_QUICK_SP + 8 + 256 &&
		       FILTER_QUICK_STACK <= FILTER_ORDER_8,
	       "layout");
_Static_assert(FILTER_ORDER_16 >= FILTER_ORDER_8 + 9 * 8 * 8, "layout");
_Static_assert(FILTER_STAMPS >= FILTER_ORDER_16 + 17 * 16 * 8, "layout");
_Static_assert(FILTER_CELLS >= LOW_TABLES_END &&
		       LOW_ARENA_BELOW_FILTER + (256u << 20) <= FILTER_LOW,
	       "layout");

struct filter_state filter_state;
struct filter_misses filter_misses;
struct thread *filter_owner;
bool filter_is_careful, filter_expects_faults, filter_code_is_old, filter_window_is_open;
#define w filter_state

bool filter_is_on(void)
{
	return w.on;
}

bool filter_may_count(void)
{
	return w.is_reserved;
}

enum code_variant_id filter_choose_variant(void)
{
	if (w.on)
		return VARIANT_FILTER;
	return plan.sets ? VARIANT_COUNT : VARIANT_STREAM;
}

/* ---- Memory ---- */

static void *low(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

static void make_level(struct filter_level *l, const struct sim_cache *c, uint32_t number)
{
	const uint64_t row = filter_row_bytes(c) / sizeof *l->stamps;

	l->stamps = low(STAMPS_AT + number * FILTER_FIRST_BYTES);
	l->owners = low(OWNERS_AT + number * FILTER_FIRST_BYTES);
	l->set_mask = c->set_mask;
	l->places = row;
	l->by_use = c->replacement == SIM_REPLACE_LRU || c->replacement == SIM_REPLACE_PLRU;
	for (uint64_t set = 0; set < c->sets && c->ways < row; set++)
		for (uint64_t way = c->ways; way < row; way++)
			l->stamps[set * row + way] = UINT64_MAX;
}

void filter_forget_oldest(struct filter_level *l, uint64_t set)
{
	if (l->oldest)
		l->oldest[set] = (struct filter_oldest){.stamp = UINT64_MAX,
							.place = l->stamps + set * l->places,
							.watched = l->oldest[set].watched};
}

static void make_first_level(struct filter_level *l, const struct sim_cache *c, uint32_t number)
{
	make_level(l, c, number);
	l->oldest = low(filter_memory_others() + number * OLDEST_BYTES);
	for (uint64_t set = 0; set < c->sets; set++)
		filter_forget_oldest(l, set);
}

static uint64_t page_bytes(void)
{
	return plan.walks && w.h->core.has_tlb ? 2 * FILTER_PAGES_BYTES : 0;
}

bool filter_reserve(void)
{
	return filter_memory_reserve(OTHERS_END, page_bytes());
}

void filter_make_levels(void)
{
	const struct filter_caches *c = &w.caches;

	w.code_lines = low(filter_memory_others() + LINES_AT);
	w.page_misses = low(filter_memory_others() + PAGE_MISSES_AT);
	make_first_level(&w.data, c->data, 0);
	if (plan.fetches)
		make_first_level(&w.code, c->code, 1);
	if (!c->last)
		return;
	make_level(&w.last, c->last, 2);
	w.last_sets = c->last->sets;
	w.last_magic = c->last->set_magic;
}

void filter_prepare_misses(bool marks_stores)
{
	const uint8_t *columns;

	if (!w.h)
		return;
	/* Of fetches, reads, writes; then the next level's. */
	columns = &w.h->shared.list.index[SIM_MISSES];
	w.last_cells = low(FILTER_CELLS + filter_pieces.to_last);
	for (uint32_t column = 0; column < 3; column++)
		for (uint32_t level = 0; level < 2; level++)
			w.columns[column][level] = columns[3 * level + column];
	w.write_back = w.h->shared.list.index[SIM_WRITE_BACKS];
	for (uint32_t column = 0; column < 3 && plan.walks; column++)
		w.columns[column][1] = marks_stores ? w.write_back : w.columns[column][0];
	if (!plan.pair)
		return;
	w.to_last = w.columns[1][1] - w.columns[1][0];
	engine_assert(w.columns[2][1] - w.columns[2][0] == w.to_last);
	engine_assert(!plan.fetches || w.columns[0][1] - w.columns[0][0] == w.to_last);
}

struct sim_cache *filter_cache_of(const struct filter_level *l)
{
	return l == &w.data ? w.caches.data : l == &w.code ? w.caches.code : w.caches.last;
}

static uint64_t newest(const uint64_t *stamps, uint64_t n)
{
	uint64_t most = 0;

	for (uint64_t i = 0; i < n; i++)
		most = stamps[i] > most ? stamps[i] : most;
	return most;
}

/* A node of the tree points away from its half that was used last. */
static uint64_t tree_victim(const uint64_t *stamps, uint64_t ways)
{
	uint64_t first = 0;

	for (uint64_t half = ways / 2; half; half /= 2)
		if (newest(stamps + first, half) > newest(stamps + first + half, half))
			first += half;
	return first;
}

uint64_t filter_victim(const struct filter_level *l, uint64_t first, uint64_t places)
{
	const uint64_t *times = l->came ? l->came : l->stamps;
	struct sim_cache *c = filter_cache_of(l);
	uint64_t least = first;

	if (filter_keeps_places(c)) {
		for (uint64_t i = first; i < first + c->ways; i++)
			if (!l->owners[i])
				return i;
		return first + (c->replacement == SIM_REPLACE_PLRU
					? tree_victim(l->stamps + first, c->ways)
					: sim_random_below(&c->random, c->ways));
	}
	for (uint64_t i = first + 1; i < first + places; i++)
		least = times[i] < times[least] ? i : least;
	return least;
}

/* ---- Off ---- */
