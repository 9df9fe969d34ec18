/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An access or a fetch that C handles, where inline tests fail; see filter_access.h. */

#include "engine/core/fsbase.h"
#include "engine/core/lanes.h"
#include "engine/simulate/calls/events.h"
#include "engine/simulate/calls/filter_calls.h"
#include "engine/simulate/counts/cells.h"
#include "engine/simulate/miss/filter_access.h"
#include "engine/simulate/miss/filter_executions.h"
#include "engine/simulate/miss/filter_multi.h"
#include "engine/simulate/miss/filter_notes.h"
#include "engine/simulate/miss/filter_references.h"
#include "engine/simulate/miss/filter_walk.h"
#include "engine/simulate/miss/filter_windows.h"
#include "engine/simulate/miss/uses_code.h"
#include "engine/simulate/observe/dead.h"
#include "engine/simulate/state/filter_conflicts.h"
#include "engine/simulate/state/filter_sets.h"
#include "sim/system/hierarchy.h"

#define LINES (1ull << (FILTER_ADDRESS_BITS - FILTER_LINE_SHIFT))
#define w     filter_state

/* With several hierarchies: lines of the access that missed in a front, the lower first. */
static struct {
	struct filter_miss missed[2];
	uint32_t lines;
} pending;

static void *low(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

static const uint8_t columns[] = {
	[SIM_LOAD] = 1, [SIM_STORE] = 2, [SIM_MODIFY] = 1, [SIM_FETCH] = 0};

/* Evicts a line for `line`, whose cell is 0. Returns its place. */
static uint32_t bring_in(struct filter_level *l, uint64_t line, uint32_t *cell, uint64_t time)
{
	uint64_t places = l->places, first = sim_cache_set(filter_cache_of(l), line) * places;
	uint64_t least = filter_victim(l, first, places);
	uint32_t place = (uint32_t)(uintptr_t)&l->stamps[least];

	if (!w.h)
		pending.missed[pending.lines++] = (struct filter_miss){.line = line & (LINES - 1),
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
		for (uint32_t i = 0; i < pending.lines; i++) {
			pending.missed[i].number = cell;
			pending.missed[i].column = columns[kind];
		}
		filter_multi_put(pending.missed, pending.lines, first, last);
		pending.lines = 0;
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
	uint64_t end = address + (bytes < w.most_bytes ? bytes : w.most_bytes) - 1;
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

	if (!plan.fetches)
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
		dead_reach(lanes_accesses(t) - t->stretch_from.accesses);
	if (plan.pair) {
		stand_for = filter_notes_stand_for();
		filter_look_below();
	} else {
		if (events_are_full())
			filter_look_below();
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
