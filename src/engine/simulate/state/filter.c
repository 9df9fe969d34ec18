/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of the filter variant, and what happens where its inline tests fail; see filter.h. */
#define _GNU_SOURCE
#include "engine/simulate/state/filter.h"

#include "engine/core/addresses.h"
#include "engine/core/fsbase.h"
#include "engine/core/util.h"
#include "engine/simulate/calls/arcs.h"
#include "engine/simulate/calls/branches.h"
#include "engine/simulate/calls/events.h"
#include "engine/simulate/calls/filter_calls.h"
#include "engine/simulate/calls/nodes.h"
#include "engine/simulate/counts/cells.h"
#include "engine/simulate/counts/graph.h"
#include "engine/simulate/counts/segments.h"
#include "engine/simulate/miss/filter_multi.h"
#include "engine/simulate/miss/filter_notes.h"
#include "engine/simulate/miss/filter_references.h"
#include "engine/simulate/miss/filter_windows.h"
#include "engine/simulate/mode/stretches.h"
#include "engine/simulate/observe/dead.h"
#include "engine/simulate/plan/plan.h"
#include "engine/simulate/state/filter_access.h"
#include "engine/simulate/state/filter_conflicts.h"
#include "engine/simulate/state/filter_handover.h"
#include "engine/simulate/state/filter_memory.h"
#include "engine/simulate/state/filter_sets.h"
#include "engine/simulate/state/filter_sites.h"
#include "engine/simulate/state/filter_walk.h"
#include "engine/simulate/uses/uses.h"
#include "engine/simulate/uses/uses_code.h"
#include "sim/base/bits.h"
#include "sim/system/below.h"
#include "sim/system/hierarchy.h"
#include "sim/system/multi.h"

#define LINES	     (1ull << (FILTER_ADDRESS_BITS - FILTER_LINE_SHIFT))
#define OWNERS_AT    FILTER_OWNERS
#define OLDEST_BYTES (FILTER_FIRST_BYTES / 64 * sizeof(struct filter_oldest)) /* each */
/* The other tables. */
#define LINES_AT	 (2 * OLDEST_BYTES)
#define PAGE_MISSES_AT	 (LINES_AT + FILTER_CODE_LINES * 8)
#define OTHERS_END	 (PAGE_MISSES_AT + FILTER_MOST_SITES * 8ull)
#define STAMPS_AT	 FILTER_STAMPS
#define ALL_STAMPS_BYTES (2 * FILTER_FIRST_BYTES + FILTER_LAST_BYTES)

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
_Static_assert(FILTER_QUICK_SP >= A_LANES + 16 && FILTER_QUICK_STACK >= FILTER_QUICK_SP + 8 + 256 &&
		       FILTER_QUICK_STACK <= FILTER_ORDER_8,
	       "layout");
_Static_assert(FILTER_ORDER_16 >= FILTER_ORDER_8 + 9 * 8 * 8, "layout");
_Static_assert(FILTER_STAMPS >= FILTER_ORDER_16 + 17 * 16 * 8, "layout");
_Static_assert(FILTER_CELLS >= LOW_TABLES_END &&
		       LOW_ARENA_BELOW_FILTER + (256u << 20) <= FILTER_LOW,
	       "layout");

static struct {
	bool on;
	struct filter_caches caches;
	uint32_t most_bytes; /* of an access */
	bool has_code;
	bool is_reserved; /* the tables' memory is the filter's */
	/* With several hierarchies: lines of the access that missed in a front, the lower first. */
	struct filter_miss missed[2];
	uint32_t missed_lines;
} f;

struct filter_state filter_state;
#define w filter_state

bool filter_is_on(void)
{
	return f.on;
}

bool filter_may_count(void)
{
	return f.is_reserved;
}

bool filter_has_code(void)
{
	return f.has_code;
}

enum code_variant_id filter_choose_variant(void)
{
	if (f.on)
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

static void make_levels(void)
{
	const struct filter_caches *c = &f.caches;

	make_first_level(&w.data, c->data, 0);
	if (f.has_code)
		make_first_level(&w.code, c->code, 1);
	if (!c->last)
		return;
	make_level(&w.last, c->last, 2);
	w.last_sets = c->last->sets;
	w.last_magic = c->last->set_magic;
}

static void prepare_misses(void)
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
		w.columns[column][1] = filter_walk_marks() ? w.write_back : w.columns[column][0];
	if (!plan.pair)
		return;
	w.to_last = w.columns[1][1] - w.columns[1][0];
	engine_assert(w.columns[2][1] - w.columns[2][0] == w.to_last);
	engine_assert(!f.has_code || w.columns[0][1] - w.columns[0][0] == w.to_last);
}

static uint64_t page_bytes(void)
{
	return plan.walks && w.h->core.has_tlb ? 2 * FILTER_PAGES_BYTES : 0;
}

/* Starts what tells more of misses; what has no memory is left out. */
static bool start_observers(struct sim_hierarchy *h)
{
	plan.data = plan.data && bins_start(&h->shared.geometry, FILTER_MOST_SITES, plan.stretches);
	plan.references = plan.references && plan.data && filter_references_start();
	plan.stretches = plan.stretches && stretches_start(h->shared.geometry.level_count);
	if (plan.data && plan.walks)
		h->core.watch = &filter_access_watch;
	else if (plan.data && !plan.nodes)
		filter_windows_start(!plan.sets && !plan.references);
	return !plan.conflicts || filter_conflicts_start(h);
}

/* Starts with these caches, for accesses of at most most_bytes. False: there is no memory. */
static bool start(const struct filter_caches *c, uint32_t most_bytes)
{
	f.caches = *c;
	f.has_code = c->code != 0;
	f.most_bytes = most_bytes;
	if (cache_need_variant(VARIANT_FILTER) != 0 || !filter_sites_start() ||
	    !filter_memory_reserve(OTHERS_END, page_bytes()) ||
	    (plan.arcs && !filter_calls_start()))
		return false;
	make_levels();
	w.code_lines = low(filter_memory_others() + LINES_AT);
	w.page_misses = low(filter_memory_others() + PAGE_MISSES_AT);
	filter_memory_write_constants();
	if (plan.arcs)
		arcs_begin();
	if (plan.walks && !filter_walk_start(w.h))
		return false;
	if (w.h && !filter_choose_sets(&w.h->shared.geometry))
		return false;
	prepare_misses();
	if (w.h && !start_observers(w.h))
		return false;
	filter_notes_allow(true);
	return f.on = f.is_reserved = true;
}

bool filter_start(struct sim_hierarchy *h)
{
	struct sim_level *const *l = h->core.levels;
	const bool has_second =
		plan.pair || (plan.walks && sim_plan_has_quick_second(&h->shared.geometry));

	w.h = h;
	return start(&(struct filter_caches){&l[0]->cache,
					     plan.fetches ? &l[SIM_CODE_SLOT]->cache : 0,
					     has_second ? &l[1]->cache : 0},
		     h->shared.most_bytes);
}

bool filter_start_multi(struct sim_multi *s)
{
	const bool has_code = s->firsts[SIM_OF_CODE].count != 0;

	return filter_multi_start(s) &&
	       start(&(struct filter_caches){&s->firsts[SIM_OF_DATA].front,
					     has_code ? &s->firsts[SIM_OF_CODE].front : 0, 0},
		     s->most_bytes);
}

/* ---- First levels ---- */

struct sim_cache *filter_cache_of(const struct filter_level *l)
{
	return l == &w.data ? f.caches.data : l == &w.code ? f.caches.code : f.caches.last;
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

/* The place in a row that is evicted. */
static uint64_t victim(const struct filter_level *l, uint64_t first, uint64_t places)
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

/* Evicts a line for `line`, whose cell is 0. Returns its place. */
static uint32_t bring_in(struct filter_level *l, uint64_t line, uint32_t *cell, uint64_t time)
{
	uint64_t places = l->places, first = sim_cache_set(filter_cache_of(l), line) * places;
	uint64_t least = victim(l, first, places);
	uint32_t place = (uint32_t)(uintptr_t)&l->stamps[least];

	if (!w.h)
		f.missed[f.missed_lines++] = (struct filter_miss){.line = line & (LINES - 1),
								  .victim = l->owners[least]};
	if (plan.conflicts && l != &w.last)
		filter_conflicts_miss(l, line & (LINES - 1), place);
	if (filter_watches()) {
		if (plan.pair)
			filter_look_below(); /* what missed before is counted before */
		filter_access_replaced(l, line & (LINES - 1), l->owners[least], l->stamps[least]);
	}
	if (l->owners[least])
		*l->owners[least] = 0;
	l->owners[least] = cell;
	filter_forget_oldest(l, line & l->set_mask);
	if (l->came)
		l->came[least] = time;
	if (l == &w.data)
		filter_reference_clear((uint32_t)(uintptr_t)&l->stamps[least]);
	if (l != &w.data || !filter_window_is_open)
		*cell = place;
	return place;
}

/* Returns the line's place. Sets *missed if it has missed. */
static uint32_t touch_line(struct filter_level *l, uint64_t line, uint32_t *cell, uint64_t time,
			   bool *missed)
{
	uint32_t place = *cell;
	bool is_new;

	if (!place)
		place = filter_hidden_place(l, line, cell);
	is_new = !place;
	if (is_new && !filter_has_set(line))
		return filter_touch_elsewhere(l, cell);
	*missed |= is_new;
	if (is_new)
		place = bring_in(l, line, cell, time);
	else if (!*cell && plan.conflicts)
		filter_conflicts_hit(l, line & (LINES - 1), cell, place);
	if (is_new || l->by_use)
		*(uint64_t *)low(place) = time;
	return place;
}

static bool touch_last(uint64_t line)
{
	bool missed = false;

	if (plan.conflicts)
		filter_conflicts_look(1, line & (LINES - 1));
	touch_line(&w.last, line, filter_last_cell(line), ++w.last_clock, &missed);
	return missed;
}

static const uint8_t columns[] = {
	[SIM_LOAD] = 1, [SIM_STORE] = 2, [SIM_MODIFY] = 1, [SIM_FETCH] = 0};

/* The first level has missed: look up the levels below. */
static void go_below(struct segment_insn *in, enum sim_access kind, uint64_t first, uint64_t last)
{
	uint32_t *cell = filter_cell_number(filter_access.segment, in);
	/* other levels count in the spare cell, as the call graph needs their counts, too */
	uint64_t *events = *cell && plan.pair ? cells_at(*cell) : cells_spare();
	uint64_t line, end;

	filter_keep_near(&first, &last);
	line = first >> FILTER_LINE_SHIFT;
	end = last >> FILTER_LINE_SHIFT;
	if (!w.h) {
		for (uint32_t i = 0; i < f.missed_lines; i++) {
			f.missed[i].number = cell;
			f.missed[i].column = columns[kind];
		}
		filter_multi_put(f.missed, f.missed_lines, first, last);
		f.missed_lines = 0;
		return;
	}
	if (plan.pair) {
		const uint32_t *at = w.columns[columns[kind]];
		bool missed, counts;

		filter_look_below();
		missed = touch_last(line);
		missed |= end != line && touch_last(end);
		counts = filter_access_counts(columns[kind], 0);
		missed &= filter_access_counts(columns[kind], 1);
		events[at[0]] += counts;
		events[at[1]] += missed;
		filter_access_end(columns[kind], events);
		filter_calls_count(at[0], counts);
		filter_calls_count(at[1], missed);
	} else {
		if (filter_watches())
			sim_below_watched(&w.h->core, kind, first, last, events,
					  &filter_access_watch);
		else
			sim_core_below(&w.h->core, kind, first, last, events);
		filter_access_end(columns[kind], events);
		for (uint32_t i = CELL_FIRST_MISS; i < cells.events; i++)
			filter_calls_count(i, (int64_t)events[i]);
	}
	if (!*cell || !plan.pair)
		cells_take_spare(cell);
}

/* Returns the place of the last line. */
uint32_t filter_touch(struct segment_insn *in, uint64_t address, uint32_t bytes, uint32_t kind,
		      uint64_t time)
{
	uint64_t end = address + (bytes < f.most_bytes ? bytes : f.most_bytes) - 1;
	uint64_t line = address >> FILTER_LINE_SHIFT, last = end >> FILTER_LINE_SHIFT;
	bool missed = false;
	uint32_t place;

	filter_access_begin(address);
	if (plan.walks)
		return filter_walk(in, filter_access.pc, address, end, kind - ACCESS_LOAD, time);
	place = touch_line(&w.data, line, filter_data_cell(line),
			   time - (last != line && plan.conflicts), &missed);
	if (last != line)
		place = touch_line(&w.data, last, filter_data_cell(last), time, &missed);
	if (last != line)
		filter_reference_clear(place);
	if (missed)
		go_below(in, kind - ACCESS_LOAD, address, end);
	return place;
}

uint64_t filter_pc_of(const struct segment *s, const struct segment_insn *in)
{
	return segment_graph(s)->pc + in->offset;
}

uint32_t filter_fetch(struct segment *s, struct segment_insn *in, uint64_t time)
{
	uint64_t pc = filter_pc_of(s, in), end = pc + in->length - 1;
	uint64_t line = pc >> FILTER_LINE_SHIFT, last = end >> FILTER_LINE_SHIFT;
	bool missed = false;
	uint32_t place;

	if (!f.has_code)
		return 0;
	if (!segment_has_counter(s)) { /* code does not look at its lines */
		filter_code_cell(line);
		filter_code_cell(last);
	}
	filter_access_fetch(pc);
	if (plan.walks) {
		place = filter_walk(in, pc, pc, end, SIM_FETCH, time);
		if (plan.uses && !segment_has_counter(s))
			uses_code_fetch(pc, end);
		return place;
	}
	place = touch_line(&w.code, line, low(filter_code_cell(line)), time, &missed);
	if (last != line)
		place = touch_line(&w.code, last, low(filter_code_cell(last)),
				   time + plan.conflicts, &missed);
	if (missed)
		go_below(in, SIM_FETCH, pc, end);
	return place;
}

/* What missed before the miss that C handles now is looked up before it. */
static void look_below(const struct thread *t, uint64_t clock)
{
	uint64_t stand_for = 1;

	if (plan.stretches)
		dead_reach(stretches_part(t));
	if (plan.pair) {
		stand_for = filter_notes_stand_for();
		filter_look_below();
	} else {
		events_make_room();
	}
	if (plan.stretches)
		dead_look((const uint64_t[]){clock, w.last_clock}, stand_for);
}

/* Code of the segment comes to C, for the site. */
static void reach(const struct segment *s, const struct filter_owner *site)
{
	const bool is_code = site->flags & FILTER_SITE_CODE;

	if (!plan.uses)
		return;
	uses_code_reach(s, is_code ? site->index : segment_accesses(s)[site->index].owner + 1u);
}

uint64_t filter_missed(uint64_t clock)
{
	struct thread *t = thread_self();
	const uint8_t *site = (const uint8_t *)(uintptr_t)t->miss_site;
	const uint32_t number = filter_site_number(site);
	const struct filter_owner *owner = filter_site_owner(number);
	struct segment *s = segments_of_trailer(owner->segment);

	if (owner->flags & FILTER_SITE_TRIGGER) {
		filter_counter_triggers(s);
		return (uint64_t)(uintptr_t)filter_site_back(site);
	}
	if (owner->flags & FILTER_SITE_REFERENCE) {
		filter_reference(t, number);
		return (uint64_t)(uintptr_t)filter_site_back(site);
	}
	filter_access.site = number;
	filter_access.segment = s;
	look_below(t, clock);
	reach(s, owner);
	if (owner->flags & FILTER_SITE_CODE) {
		t->regs[site[SITE_REG]] = filter_fetch(s, &segment_insns(s)[owner->index], clock);
	} else {
		const struct segment_access *a = &segment_accesses(s)[owner->index];
		uint64_t address = t->miss_address + (a->fs ? fsbase_get(t) : 0);
		uint32_t place;

		filter_access.pc = filter_pc_of(s, &segment_insns(s)[a->owner]);
		clock += (owner->flags & FILTER_SITE_SECOND) != 0;
		if (filter_window_is_open)
			filter_window_see(number, filter_access.pc, address, a);
		place = filter_touch(&segment_insns(s)[a->owner], address, a->size, a->kind, clock);
		t->regs[site[SITE_REG]] =
			plan.walks ? filter_walked(s, owner->index, clock, place) : place;
		if (filter_window_is_open)
			filter_window_saw();
	}
	dead_looked();
	return (uint64_t)(uintptr_t)filter_site_back(site);
}

/* ---- Off ---- */

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

/* Tables are about to move. */
static void forget_addresses(void)
{
	filter_settle_misses();
	filter_forget_elsewhere();
}

bool filter_give_space(void)
{
	if (!f.is_reserved)
		return false;
	forget_addresses();
	return filter_memory_divide();
}

void filter_make_room(uint64_t start, uint64_t end)
{
	if (!f.is_reserved || !filter_memory_overlaps(start, end))
		return;
	forget_addresses();
	if (!filter_memory_make_room(start, end))
		filter_turn_off();
}

void filter_turn_off(void)
{
	filter_window_close();
	filter_take_all_misses();
	if (w.h)
		w.h->core.watch = 0;
	if (plan.walks)
		filter_walk_hand_over();
	else
		filter_hand_over(&f.caches);
	if (plan.nodes)
		nodes_take();
	f.on = f.is_reserved = false;
	for (struct segment *s = segments_next(0); s; s = segments_next(s)) {
		filter_count_executions(s);
		if (!segment_has_counter(s))
			continue;
		branches_end(s);
		s->counter = 0;
	}
	arcs_end();
	filter_memory_release();
}
