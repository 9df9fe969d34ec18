/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The walk of an access through the filter's rows; see filter_walk.h. */
#include "engine/simulate/miss/filter_walk.h"

#include "engine/core/util.h"
#include "engine/simulate/calls/filter_calls.h"
#include "engine/simulate/counts/cells.h"
#include "engine/simulate/miss/filter_access.h"
#include "engine/simulate/miss/filter_executions.h"
#include "engine/simulate/miss/filter_pages.h"
#include "engine/simulate/miss/uses.h"
#include "sim/cache/cache_kinds.h"
#include "sim/system/hierarchy.h"
#include "sim/system/walk.h"

#define w filter_state

/* The stamp of lines that the first level of data has lost before code writes it: no row's. */
#define PLACE_LOST (FILTER_STAMPS + FILTER_FIRST_BYTES - 64)

static struct {
	struct sim_core *core;
	/* the hierarchy's own caches, empty meanwhile, by level as in level_of */
	struct sim_cache own[3];
	uint64_t now; /* the time of accesses to first levels */
	bool removes, marks, prefetches, sends_stores;
} f;

/* ---- A level's rows as a cache ---- */

static struct filter_level *level_of(const struct sim_cache *c)
{
	if (c == &f.core->levels[0]->cache)
		return &w.data;
	return c == &f.core->levels[SIM_CODE_SLOT]->cache ? &w.code : &w.last;
}

static uint64_t *entries_of(const struct filter_level *l)
{
	return (uint64_t *)(void *)l->owners;
}

static uint64_t entry_of(const uint32_t *cell, unsigned flags)
{
	return sim_entry_of((uintptr_t)cell, flags);
}

static uint32_t *cell_in(uint64_t entry)
{
	return (uint32_t *)(uintptr_t)sim_entry_line(entry);
}

static uint32_t *nobody(void)
{
	return *(uint32_t **)(uintptr_t)FILTER_NOBODY;
}

static uint64_t place_of(const struct filter_level *l, uint32_t stamp)
{
	return (uint64_t)((uint64_t *)(uintptr_t)stamp - l->stamps);
}

static uint32_t stamp_at(const struct filter_level *l, uint64_t place)
{
	return (uint32_t)(uintptr_t)&l->stamps[place];
}

/* NULL: no code of that line was translated. */
static uint32_t *cell_of(const struct filter_level *l, uint64_t line)
{
	if (l == &w.code)
		return filter_known_code_cell(line);
	return l == &w.data ? filter_data_cell(line) : filter_last_cell(line);
}

/* The entry of the cell's line in its set's row. */
static uint64_t *search(const struct filter_level *l, uint64_t set, const uint32_t *cell)
{
	uint64_t *entry = entries_of(l) + set * l->places;

	for (uint64_t i = 0; i < l->places; i++)
		if (cell_in(entry[i]) == cell)
			return entry + i;
	return 0;
}

uint32_t filter_walk_place(const struct filter_level *l, uint64_t line)
{
	const uint32_t *cell = cell_of(l, line);
	const uint64_t *entry;

	if (!cell || *cell || l == &w.last)
		return cell ? *cell : 0;
	if (!filter_pages_hide(l) && (l != &w.data || !(f.prefetches || plan.some_uses)))
		return 0;
	entry = search(l, line & l->set_mask, cell);
	return entry ? stamp_at(l, (uint64_t)(entry - entries_of(l))) : 0;
}

/* NULL without a place. */
static uint64_t *entry_at(const struct filter_level *l, uint32_t place)
{
	return place ? entries_of(l) + place_of(l, place) : 0;
}

static uint64_t *find(struct sim_cache *c, uint64_t set, uint64_t line)
{
	const struct filter_level *l = level_of(c);

	(void)set;
	return entry_at(l, filter_walk_place(l, line));
}

/* Lets code hit the line of an entry, if it may. */
static void show(const struct filter_level *l, uint64_t place)
{
	const uint64_t entry = entries_of(l)[place];
	uint32_t *cell = cell_in(entry);

	if (l == &w.last || (!sim_entry_has(entry, SIM_PREFETCHED) &&
			     filter_pages_let(l, filter_line_of(l, cell)) && !uses_hide(l, place)))
		*cell = (uint32_t)(uintptr_t)&l->stamps[place];
	else
		*cell = 0;
}

/* No cell leads to the stamp of a line whose use is looked at. */
static void tell_page(const struct filter_level *l, uint64_t place)
{
	if (uses_hide(l, place))
		filter_pages_lose(l, filter_walk_line(l, place), f.now);
}

static void note_use(const struct filter_level *l, uint64_t place)
{
	show(l, place);
	l->stamps[place] = l == &w.last ? ++w.last_clock : f.now;
	tell_page(l, place);
}

static void use(struct sim_cache *c, uint64_t set, uint64_t *entry)
{
	const struct filter_level *l = level_of(c);

	(void)set;
	note_use(l, (uint64_t)(entry - entries_of(l)));
}

/* The line of a place, if there is one, leaves the level. */
static void lose(const struct filter_level *l, uint64_t place)
{
	uint32_t *cell = cell_in(entries_of(l)[place]);
	const bool is_used = *cell || uses_hide(l, place);

	if (plan.uses && cell != nobody())
		uses_end(l, stamp_at(l, place), filter_line_of(l, cell));
	if (l != &w.last && cell != nobody())
		filter_pages_lose(l, filter_line_of(l, cell), is_used ? l->stamps[place] : 0);
	*cell = 0;
}

/* The place of the set whose line is evicted next. */
static uint64_t oldest_of(const struct filter_level *l, uint64_t set)
{
	const uint64_t first = set * l->places;
	uint64_t least = first;

	for (uint64_t i = first + 1; i < first + l->places; i++)
		least = l->stamps[i] < l->stamps[least] ? i : least;
	return least;
}

static uint64_t insert(struct sim_cache *c, uint64_t set, uint64_t entry)
{
	struct filter_level *l = level_of(c);
	const uint64_t least = oldest_of(l, set);
	const uint64_t victim = entries_of(l)[least];

	lose(l, least);
	entries_of(l)[least] =
		entry_of(cell_of(l, sim_entry_line(entry)), (unsigned)(entry & SIM_ENTRY_FLAGS));
	note_use(l, least);
	if (plan.uses)
		uses_begin(l, stamp_at(l, least), sim_entry_line(entry), f.core->tag);
	tell_page(l, least);
	if (l == &w.data)
		filter_reference_clear(stamp_at(l, least));
	filter_forget_oldest(l, set);
	if (cell_in(victim) == nobody())
		return SIM_NO_LINE;
	return sim_entry_of(filter_line_of(l, cell_in(victim)),
			    (unsigned)(victim & SIM_ENTRY_FLAGS));
}

static void take_out(struct sim_cache *c, uint64_t set, uint64_t *entry)
{
	struct filter_level *l = level_of(c);

	lose(l, (uint64_t)(entry - entries_of(l)));
	l->stamps[entry - entries_of(l)] = 0;
	*entry = entry_of(nobody(), 0);
	filter_forget_oldest(l, set);
}

void filter_walk_show(const struct filter_level *l, uint64_t place)
{
	show(l, place);
}

uint64_t filter_walk_line(const struct filter_level *l, uint64_t place)
{
	return filter_line_of(l, cell_in(entries_of(l)[place]));
}

static const struct sim_cache_kind rows = {
	.find = find, .use = use, .insert = insert, .remove = take_out};

/* ---- What there is ---- */

bool filter_walk_is_quick(bool is_code)
{
	const struct sim_geometry *g = &f.core->shared->geometry;
	const struct sim_cache_geometry *first = is_code ? &g->code : &g->levels[0],
					*second = &g->levels[1];

	return w.last.stamps && !(plan.data && plan.uses) &&
	       !(is_code && uses_are_counted_in_code()) && first->prefetcher == SIM_PREFETCH_NONE &&
	       second->inclusion != SIM_EXCLUSIVE && second->prefetcher != SIM_PREFETCH_STRIDE &&
	       !second->is_write_through;
}

bool filter_walk_removes(void)
{
	return f.removes;
}

bool filter_walk_marks(void)
{
	return f.marks;
}

bool filter_walk_sends_stores(void)
{
	return f.sends_stores;
}

bool filter_walk_prefetches(void)
{
	return f.prefetches;
}

/* A prefetcher may bring the next line at the same time. */
uint64_t filter_walk_apart(void)
{
	return (w.data.set_mask + 1 - 2 * filter_walk_prefetches()) << FILTER_LINE_SHIFT;
}

/* ---- */

static void take(struct filter_level *l, struct sim_cache *c, uint32_t n)
{
	f.own[n] = *c;
	c->kind = &rows;
	c->noop_loads = c->noop_stores = 0;
	for (uint64_t i = 0; i < c->sets * l->places; i++)
		entries_of(l)[i] = entry_of(nobody(), 0);
}

bool filter_walk_start(struct sim_hierarchy *h)
{
	const struct sim_geometry *g = &h->shared.geometry;

	f.core = &h->core;
	if (!uses_start(h))
		return false;
	f.marks = g->write_backs && !g->levels[0].is_write_through;
	f.sends_stores = g->levels[0].is_write_through || g->levels[0].no_write_allocate;
	w.below_prefetches = g->level_count > 1 && g->levels[1].prefetcher != SIM_PREFETCH_NONE;
	f.prefetches = g->levels[0].prefetcher != SIM_PREFETCH_NONE;
	for (uint32_t level = 1; level < g->level_count; level++)
		f.removes |= g->levels[level].inclusion == SIM_INCLUSIVE;
	take(&w.data, &h->core.levels[0]->cache, 0);
	if (w.code.stamps)
		take(&w.code, &h->core.levels[SIM_CODE_SLOT]->cache, 1);
	if (w.last.stamps)
		take(&w.last, &h->core.levels[1]->cache, 2);
	return filter_pages_start(&h->core);
}

static void ask_third(uint64_t line)
{
	const struct sim_cache *third = &f.core->levels[2]->cache;

	sim_cache_ask(third, line << FILTER_LINE_SHIFT >> third->shift);
}

/*
 * Prefetches what the second level has of the line; else the third level's sets of it, and of the
 * line that the second level evicts.
 */
static void ask_below(uint64_t line)
{
	const uint32_t stamp = *filter_last_cell(line);
	uint64_t least;

	if (stamp) {
		__builtin_prefetch((void *)(uintptr_t)stamp, 1);
		__builtin_prefetch(entries_of(&w.last) + place_of(&w.last, stamp), 1);
		return;
	}
	if (f.core->shared->geometry.level_count < 3)
		return;
	ask_third(line);
	least = oldest_of(&w.last, sim_cache_set(&f.core->levels[1]->cache, line));
	ask_third(filter_line_of(&w.last, cell_in(entries_of(&w.last)[least])));
}

/* Of an access to two lines, or one: does it hit, and would code? Then it does what code would. */
static bool hits(const struct filter_level *l, uint64_t line, uint64_t end, bool dirties)
{
	const uint32_t *cells[] = {cell_of(l, line), cell_of(l, end)};

	if (!*cells[0] || !*cells[1])
		return false;
	for (uint32_t i = 0; i < 2; i++) {
		const uint64_t place = place_of(l, *cells[i]);

		l->stamps[place] = f.now;
		entries_of(l)[place] |= dirties ? SIM_DIRTY : 0;
	}
	return true;
}

/* The pages of an access were used, also where a line has no place. Returns that of the last. */
static uint32_t tell_pages(const struct filter_level *l, uint64_t line, uint64_t end,
			   uint32_t place)
{
	filter_pages_lose(l, line, f.now);
	filter_pages_lose(l, end, f.now);
	return place ? place : PLACE_LOST;
}

uint32_t filter_walk(struct segment_insn *in, uint64_t pc, uint64_t first, uint64_t last,
		     enum sim_access kind, uint64_t time)
{
	const uint64_t address_mask = (1ull << FILTER_ADDRESS_BITS) - 1;
	const uint64_t line = (first & address_mask) >> FILTER_LINE_SHIFT;
	const uint64_t end = (last & address_mask) >> FILTER_LINE_SHIFT;
	const struct filter_level *l = kind == SIM_FETCH ? &w.code : &w.data;
	const bool stores = kind == SIM_STORE || kind == SIM_MODIFY;
	uint64_t *events = cells_spare();
	bool any = false;
	uint32_t place;

	if (w.last.stamps)
		ask_below(end);
	f.now = time;
	f.core->tag = plan.uses ? uses_tag(filter_access.segment, in) : 0;
	f.core->stride_tag = (uint32_t)pc;
	first &= address_mask;
	last &= address_mask;
	if (!filter_pages_have(l, line) || !filter_pages_have(l, end))
		any = sim_walk_pages(f.core, first, last, kind, events);
	if ((stores && f.sends_stores) || !hits(l, line, end, stores && f.marks))
		any |= sim_walk_lines(f.core, first, last, kind, events);
	for (uint32_t i = CELL_FIRST_MISS; any && i < cells.events; i++)
		if (events[i])
			filter_calls_count(i, (int64_t)events[i]);
	if (any)
		cells_take_spare(filter_cell_number(filter_access.segment, in));
	place = filter_walk_place(l, end);
	if (stores && f.sends_stores)
		place = tell_pages(l, line, end, place);
	engine_assert(place);
	if (line != end && kind != SIM_FETCH)
		filter_reference_clear(place);
	if (!plan.uses || kind == SIM_FETCH)
		return place;
	uses_touch(first, last);
	return plan.some_uses ? place : uses_nowhere(first);
}

/* Does the instruction begin on a line with the one before, which is not there any more? */
static bool has_lost_line(const struct segment *s, const struct segment_insn *in)
{
	const uint64_t pc = filter_pc_of(s, in), line = pc >> FILTER_LINE_SHIFT;

	return line == (pc - 1) >> FILTER_LINE_SHIFT && !*cell_of(&w.code, line);
}

uint32_t filter_walked(struct segment *s, uint32_t n, uint64_t time, uint32_t place)
{
	const struct segment_access *a = segment_accesses(s) + n;
	struct segment_insn *next = &segment_insns(s)[a->owner + 1];
	const uint32_t *cell = uses_are_counted_in_code()
				       ? 0
				       : cell_in(entries_of(&w.data)[place_of(&w.data, place)]);

	if (!f.removes || !w.code.stamps || a->owner + 1u == s->insns ||
	    (n + 1u < s->accesses && a[1].owner == a->owner) || !has_lost_line(s, next))
		return place;
	filter_fetch(s, next, time);
	return !cell || cell_in(entries_of(&w.data)[place_of(&w.data, place)]) == cell ? place
										       : PLACE_LOST;
}

uint64_t filter_walk_now(void)
{
	return f.now;
}

/* ---- Off ---- */

/* The used place of the row with the least stamp, or NULL. */
static uint64_t *oldest(const struct filter_level *l, uint64_t first)
{
	uint64_t *least = 0;

	for (uint64_t i = first; i < first + l->places; i++)
		if (cell_in(entries_of(l)[i]) != nobody() && (!least || l->stamps[i] < *least))
			least = &l->stamps[i];
	return least;
}

static void hand_over(struct filter_level *l, struct sim_cache *c, const struct sim_cache *own)
{
	*c = *own;
	for (uint64_t first = 0; first < c->sets * l->places; first += l->places)
		for (uint64_t *stamp; (stamp = oldest(l, first)) != 0;) {
			uint64_t *entry = entries_of(l) + (stamp - l->stamps);

			sim_cache_insert(c, filter_line_of(l, cell_in(*entry)),
					 (unsigned)(*entry & SIM_ENTRY_FLAGS));
			*cell_in(*entry) = 0;
			*entry = entry_of(nobody(), 0);
		}
}

void filter_walk_hand_over(void)
{
	uses_hand_over();
	filter_pages_hand_over(f.core);
	hand_over(&w.data, &f.core->levels[0]->cache, &f.own[0]);
	if (w.code.stamps)
		hand_over(&w.code, &f.core->levels[SIM_CODE_SLOT]->cache, &f.own[1]);
	if (w.last.stamps)
		hand_over(&w.last, &f.core->levels[1]->cache, &f.own[2]);
}
